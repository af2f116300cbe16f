#pragma once

// virnucpro as a C++17 library: open the models once, then embed and classify sequences in memory.
// Results have the same bits as the program's. The library exports only the names in this header,
// so that its other names cannot clash with yours. docs/use/library.md has an example.

#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#define VIRNUCPRO_PUBLIC __attribute__((visibility("default")))

namespace virnucpro {

struct ErrorInfo;

// Returns the version of the loaded library, "X.Y.Z".
VIRNUCPRO_PUBLIC std::string_view version() noexcept;

// The only type of exception that the library throws. what() is one sentence that names the file,
// tensor or sequence. name() and exit_code() are those of the program's errors
// (docs/reference/errors.md).
class VIRNUCPRO_PUBLIC Exception : public std::runtime_error {
 public:
  Exception(const Exception&) = default;
  Exception& operator=(const Exception&) = default;
  ~Exception() override;

  std::string_view name() const noexcept;    // "weights-missing"
  int exit_code() const noexcept;            // the program's exit code for this error
  std::string_view remedy() const noexcept;  // what the user can do

 private:
  friend struct ExceptionMaker;
  Exception(const ErrorInfo& info, const std::runtime_error& what,
            const std::runtime_error& remedy) noexcept;

  const ErrorInfo* info_;
  std::runtime_error remedy_;  // a runtime_error, because its copies cannot throw
};

// A reading frame without stop codons, from one chunk, with its two scores (probabilities).
struct ScoredFrame {
  std::string_view reading;  // "F1", "F2", "F3", "R1", "R2" or "R3"; a constant text
  float others = 0;
  float virus = 0;
};

// A chunk of a sequence: letters [begin, end). If `frames` is empty, the chunk has no scores.
struct ScoredChunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<ScoredFrame> frames;  // in the order of their names
  float others = 0;                 // the largest `others` of the frames
  float virus = 0;                  // the largest `virus` of the frames
  bool is_virus = false;            // virus >= others
};

struct ScoredSequence {
  std::vector<ScoredChunk> chunks;
  std::size_t chunks_scored = 0;  // chunks that have at least one frame
  std::size_t virus_chunks = 0;   // scored chunks whose is_virus is true

  // Applies the program's rule `majority`: true if the share of virus chunks among the scored
  // chunks is at least `threshold`.
  bool is_virus(double threshold = 0.5) const {
    return chunks_scored > 0 &&
           static_cast<double>(virus_chunks) / static_cast<double>(chunks_scored) >= threshold;
  }
};

// The frame of one row of embeddings.
struct EmbeddedFrame {
  std::size_t sequence = 0;  // index into the argument `sequences`
  std::size_t chunk = 0;     // index into the sequence's chunks
  std::string_view reading;  // "F1" … "R3"
};

// One row per frame, ordered by sequence, chunk and frame. A row is the classifier's input: the
// numbers of DNABERT-S, then the numbers of ESM-2.
struct Embeddings {
  std::vector<EmbeddedFrame> frames;
  std::size_t dnabert_s_width = 0;
  std::size_t esm2_width = 0;
  std::vector<float> values;  // [frames.size(), width()], row-major

  std::size_t width() const { return dnabert_s_width + esm2_width; }
  const float* row(std::size_t frame) const { return values.data() + frame * width(); }
};

struct Analysis {
  Embeddings embeddings;
  std::vector<ScoredSequence> scores;  // one per sequence, in the order of `sequences`
};

// The models in memory; the published models need gigabytes. Move-only; a moved-from object can
// only be assigned to or destroyed.
//
// Threads: several threads may call functions of one object. These calls are computed one after
// another, each with Options::threads threads. Functions without noexcept may throw Exception, and
// no other exception. After an exception the object is as before the call.
//
// fork(): a child process does not have its parent's threads. In the child, classify(), embed() and
// embed_and_classify() of an object that the parent made throw Exception ("usage"). description()
// works, and the destructor works but frees no memory. Open new models in the child, after fork().
class VIRNUCPRO_PUBLIC Models {
 public:
  // How to treat RNA, which has U in place of T. The original program drops each codon with U, and
  // thus all stop codons, so its scores of RNA mean nothing.
  enum class Rna {
    refuse,    // fails if at least 90 % of the first 1,000 sequences with T or U have no T
    as_dna,    // reads U as T; DNA stays as it is
    original,  // reads RNA as the original program does
  };

  // Each of the three models is given as a file, a folder, a published name, or synthetic:NAME, as
  // in the program (docs/use/models.md).
  struct Options {
    std::string dnabert_s = "zhihan1996/DNABERT-S";
    std::string esm2 = "esm2_t36_3B_UR50D";
    std::string classifier;           // "500_model.pth"; empty: embeddings only
    std::string models_dir;           // the folder in which names are looked up first
    std::string share_dir;            // share/virnucpro; empty: the installed folder
    std::size_t chunk_size = 500;     // letters; must be the classifier's chunk size
    std::size_t threads = 0;          // 0: all processors that this process may use
    std::size_t token_budget = 4096;  // tokens per batch; affects memory and speed only
    bool bf16 = false;                // matrix products in bf16, if the processor supports it
    Rna rna = Rna::refuse;
    unsigned genetic_code = 1;  // NCBI's number: 1, 4, 11, 15 or 25
  };

  // Loads the models. Errors: "usage" if an option is out of its range, "weights-…", "tokenizer",
  // "json", "pickle-forbidden", "cpu", "out-of-memory".
  explicit Models(const Options& options);
  ~Models();
  Models(Models&&) noexcept;
  Models& operator=(Models&&) noexcept;

  // A sequence is a string of letters in upper or lower case, without white space; letters other
  // than ACGTU count as unknown. An empty sequence has no chunks. The object stores no sequences.
  // Errors: "input-too-long", "input-rna", "not-finite", "out-of-memory"; "usage" in a child
  // process, or if scores are wanted and no classifier was opened.
  std::vector<ScoredSequence> classify(const std::vector<std::string_view>& sequences) const;
  Embeddings embed(const std::vector<std::string_view>& sequences) const;
  // Returns embeddings and scores, but runs the models only once.
  Analysis embed_and_classify(const std::vector<std::string_view>& sequences) const;

  // Describes the models and how they compute. The keys ("esm2", "esm2_hash", "precision",
  // "kernel_path" and so on) are the names of the attributes in the program's HDF5 files.
  const std::map<std::string, std::string>& description() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace virnucpro
