#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cancel.hpp"
#include "journal/unit.hpp"
#include "observe/counters.hpp"
#include "run/shard.hpp"
#include "sequence/input_set.hpp"
#include "sequence/translation.hpp"
#include "tokens/dna_tokenizer.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// The kind of sequences in the inputs.
enum class FrameSource : std::uint8_t {
  kSequences,    // cut into chunks and translated: a frame is a stop-free reading frame
  kProteins,     // each sequence is one frame, unchanged, for ESM-2 only
  kNucleotides,  // each sequence is one frame, unchanged, for DNABERT-S only
};

struct FrameStreamSettings {
  FrameSource source = FrameSource::kSequences;
  std::uint64_t chunk_size = 500;
  Translation translation{};
  std::uint64_t min_length = 0;
  Shard shard{};
  bool keep_text = false;     // fill FramePart's FASTA texts
  bool keep_records = false;  // fill FramePart::record
  bool look_for_rna = false;  // fill FramePart::is_rna
  bool frames = true;         // false: nothing is translated; no part has frames or FASTA texts
  // How many of each input's first parts come without frames, because the journal has them.
  std::map<std::uint32_t, std::uint64_t> known_parts{};
  std::size_t threads = 1;
};

// A sequence, or consecutive chunks of a sequence. Its frames have no scores yet. Only the
// sequence's length and the chunk size decide how the sequence is divided into parts.
struct FramePart {
  SequencePart part;
  bool known = false;               // the part comes without frames and FASTA texts
  std::vector<FrameTokens> tokens;  // the tokens of part.frames, in order
  // Facts about the whole sequence, set only in its last part.
  std::uint64_t unknown_letters = 0;  // not in IUPAC; in a protein, letters without a token
  std::uint64_t odd_letters = 0;      // letters that suggest another kind of input: kind_check.hpp
  bool is_rna = false;                // the sequence has U and no T
  bool had_final_stop = false;        // a protein's final '*' was cut off
  // The text for the three FASTA files of --keep-intermediate.
  std::string chunk_fasta;
  std::string nucleotide_fasta;
  std::string protein_fasta;
  // The whole sequence, set only in its last part.
  std::shared_ptr<const InputRecord> record;
};

using FrameEvent = std::variant<FramePart, InputEnd, InputFailure>;

// Reads the inputs in order, cuts sequences into chunks, translates and tokenises them. Works on a
// few threads, ahead of the thread that calls next().
class FrameStream {
 public:
  // Without a tokenizer (null) frames have no DNA tokens. All references must outlive the stream.
  FrameStream(InputSet& inputs, const FrameStreamSettings& settings, const DnaTokenizer* tokenizer,
              RunCounters& counters, const Cancel& cancel);
  ~FrameStream();

  // Errors: those of Cancel; kInputMalformed for an empty protein or nucleotide sequence.
  std::optional<FrameEvent> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace virnucpro
