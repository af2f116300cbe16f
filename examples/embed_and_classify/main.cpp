// Embeds and classifies the sequences of a FASTA file or, without one, a built-in sequence:
//
//   embed_and_classify [FILE.fa [DNABERT-S ESM-2 CLASSIFIER]]
//
// Without models it uses small synthetic ones, whose scores mean nothing. It prints the rows of the
// program's frame table, each with the length (Euclidean norm) of the frame's embedding.

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
#include <virnucpro/virnucpro.hpp>

namespace {

struct Sequence {
  std::string id;
  std::string letters;
};

// Reads plain FASTA: the library takes letters, and its caller reads files.
std::vector<Sequence> read_fasta(const std::string& path) {
  std::ifstream file(path);
  std::vector<Sequence> sequences;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line.front() == '>') {
      sequences.push_back({line.substr(1, line.find_first_of(" \t") - 1), ""});
    } else if (!sequences.empty()) {
      sequences.back().letters += line;
    } else if (!line.empty()) {
      throw std::runtime_error(path + ": it does not begin with '>': not plain FASTA");
    }
  }
  // A folder can be opened, but not read.
  if (!file.is_open() || file.bad()) throw std::runtime_error(path + ": it cannot be read");
  if (sequences.empty()) throw std::runtime_error(path + ": it holds no sequence");
  return sequences;
}

double norm(const float* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += double{values[i]} * double{values[i]};
  return std::sqrt(sum);
}

void print(const std::vector<Sequence>& sequences, const virnucpro::Analysis& analysis) {
  std::size_t row = 0;  // of the embeddings, which have the same order of frames
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::vector<virnucpro::ScoredChunk>& chunks = analysis.scores[i].chunks;
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      for (const virnucpro::ScoredFrame& frame : chunks[chunk].frames) {
        const double length = norm(analysis.embeddings.row(row++), analysis.embeddings.width());
        std::printf("%s_chunk_%zu%s\t%s\t%.9g\t%.9g\t%.6g\n", sequences[i].id.c_str(), chunk + 1,
                    std::string(frame.reading).c_str(),
                    frame.virus > frame.others ? "virus" : "others", double{frame.others},
                    double{frame.virus}, length);
      }
    }
  }
}

int run(int argc, char** argv) {
  if (argc > 2 && argc != 5) {
    throw std::runtime_error("usage: embed_and_classify [FILE.fa [DNABERT-S ESM-2 CLASSIFIER]]");
  }
  const std::vector<Sequence> sequences =
      argc > 1 ? read_fasta(argv[1])
               : std::vector<Sequence>{{"mine", "ATGGCTAAACGTGGTTCTGCAGAAATCCTGCGTAAACTGGCA"}};
  virnucpro::Models::Options options;
  options.chunk_size = 300;
  options.dnabert_s = argc == 5 ? argv[2] : "synthetic:dnabert-s-tiny";
  options.esm2 = argc == 5 ? argv[3] : "synthetic:esm2_tiny";
  options.classifier = argc == 5 ? argv[4] : "synthetic";
  const virnucpro::Models models(options);
  std::vector<std::string_view> letters;
  for (const Sequence& sequence : sequences) letters.push_back(sequence.letters);
  print(sequences, models.embed_and_classify(letters));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const virnucpro::Exception& error) {
    std::cerr << error.what() << "\n  " << error.remedy() << '\n';
    return error.exit_code();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
