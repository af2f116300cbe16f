#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "base/config.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

using enum ConfigType;

// generate-config writes the keys in this order, so the keys of a section must be neighbours.
constexpr std::array kKeys{
    ConfigKey{"prediction.batch_size", kCount, "256",
              "batches are filled by tokens: see run.token_budget", false},
    ConfigKey{"prediction.num_workers", kCount, "4", "reading and translating use run.threads",
              false},
    ConfigKey{"prediction.sequences_per_file", kCount, "10000",
              "sequences are streamed, no files are split", false},
    ConfigKey{"prediction.default_model_type", kText, "\"500\"",
              "300, 500 or custom (--model-type)", true},
    ConfigKey{"prediction.models.300", kText, "300_model.pth",
              "classifier of model type 300: a path, or a name in the model directory", true},
    ConfigKey{"prediction.models.500", kText, "500_model.pth",
              "classifier of model type 500: a path, or a name in the model directory", true},
    ConfigKey{"device.default", kText, "auto",
              "auto, cpu, cuda, cuda:all, cuda:N or cuda:N,M (--device)", true},
    ConfigKey{"device.fallback_to_cpu", kBool, "true", "a missing device is always an error",
              false},
    ConfigKey{"features.dnabert.model_name", kText, "zhihan1996/DNABERT-S",
              "path or published name (--dnabert-model)", true},
    ConfigKey{"features.dnabert.trust_remote_code", kBool, "false",
              "code that comes with a model is never run", false},
    ConfigKey{"features.dnabert.batch_size", kCount, "256",
              "batches are filled by tokens: see run.token_budget", false},
    ConfigKey{"features.esm.model_name", kText, "esm2_t36_3B_UR50D",
              "path or published name (--esm-model)", true},
    ConfigKey{"features.esm.truncation_seq_length", kCount, "1024",
              "fixed: an embedding is the mean over at most 1,024 residues", false},
    ConfigKey{"features.esm.toks_per_batch", kCountOrAuto, "null",
              "it set the size of v2's padded batches: see run.token_budget", false, true},
    ConfigKey{"features.esm.representation_layer", kCount, "36",
              "fixed: the last layer of the model", false},
    ConfigKey{"parallelization.enabled", kBool, "true", "always on", false},
    ConfigKey{"parallelization.num_workers", kCount, "null", "see run.threads", false},
    ConfigKey{"checkpointing.enabled", kBool, "true",
              "false: no journal is kept, and an interrupted run cannot be resumed", true},
    ConfigKey{"checkpointing.checkpoint_dir", kText, "null",
              "the journal is always in the output directory", false},
    ConfigKey{"checkpointing.keep_history", kBool, "true", "the journal always has the whole run",
              false},
    ConfigKey{"files.auto_cleanup", kBool, "true",
              "false keeps the chunk and frame files and the embeddings (--keep-intermediate)",
              true},
    ConfigKey{"files.keep_files", kText, "[]", "see files.auto_cleanup", false},
    ConfigKey{"logging.default_level", kText, "WARNING",
              "DEBUG, INFO, WARNING or ERROR, on stderr (-v, -q)", true},
    ConfigKey{"logging.format", kText, "null", "the format is fixed", false},
    ConfigKey{"logging.auto_log_file", kBool, "true",
              "every run writes logs/virnucpro.log in its output directory", false},
    ConfigKey{"progress.enabled", kBool, "true", "progress on stderr (--no-progress)", true},
    ConfigKey{"progress.bar_width", kCount, "80",
              "columns of the progress bar, fewer on a narrower terminal; 0: no bar", true},
    ConfigKey{"progress.update_interval", kNumber, "1.0",
              "seconds between two updates of the progress on a terminal", true},
    ConfigKey{"validation.warn_ambiguous_bases", kBool, "true",
              "utils validate warns of sequences with many ambiguous bases, such as N", true},
    ConfigKey{"validation.max_ambiguous_percent", kNumber, "5",
              "warn above this percent of ambiguous bases", true},
    ConfigKey{"validation.check_duplicate_ids", kBool, "true",
              "false: utils validate counts duplicate ids, but does not fail", true},
    ConfigKey{"version", kText, "null", "the version of v2 that the file was written for", false},
    ConfigKey{"run.models_dir", kText, "null",
              "where downloaded models lie (--models-dir, VIRNUCPRO_MODELS)", true},
    ConfigKey{"run.classifier", kText, "null",
              "your own classifier: a path, or a name in the model directory (--model-path)", true},
    ConfigKey{"run.chunk_size", kCount, "null",
              "bases per chunk; null: as for the model type (--expected-length)", true},
    ConfigKey{"run.rna", kBool, "null",
              "true: U is read as T; false: as in the original; null: RNA input is an error "
              "(--rna, --no-rna)",
              true},
    ConfigKey{"run.genetic_code", kCount, "1",
              "NCBI's number of the genetic code: 1, 4, 11, 15 or 25 (--genetic-code)", true},
    ConfigKey{"run.precision", kText, "auto",
              "auto, fp32, fp16, bf16, int8 or int8-simulated (--precision)", true},
    ConfigKey{"run.kernels", kText, "auto",
              "kernels for GPUs: auto, or generic even on a Hopper GPU (--kernels)", true},
    ConfigKey{
        "run.int8_keep", kText, "none",
        "matrix products of ESM-2 that int8 leaves in 16 bits: none, or a list of qkv, out, fc1, "
        "fc2; with layers: 0.qkv, 30-35.fc1 (--int8-keep)",
        true},
    ConfigKey{
        "run.margin", kNumber, "null",
        "chunks whose two scores are at most this many logits apart are computed again; 0: none; "
        "null: auto for int8 on a GPU, or the margin of run.calibration (--margin)",
        true},
    ConfigKey{
        "run.check_precision", kText, "auto",
        "precision for computing close calls again: auto, fp32, fp16 or bf16 (--check-precision)",
        true},
    ConfigKey{"run.shadow", kNumber, "0",
              "share of the clearest calls to compute in the check precision, too (--shadow)",
              true},
    ConfigKey{
        "run.calibration", kText, "null",
        "a file that calibrate made for this precision; overrides run.int8_keep (--calibration)",
        true},
    ConfigKey{
        "run.calibration_frames", kCount, "30000",
        "number of synthetic frames for the calibration that --margin auto makes if none exists",
        true},
    ConfigKey{"run.threads", kCountOrAuto, "auto",
              "host threads; auto: all processors this process may use (--threads)", true},
    ConfigKey{"run.token_budget", kCountOrAuto, "auto",
              "tokens per batch; auto: up to 4096 on the CPU, 32768 on a GPU, 65536 in int8 "
              "(--token-budget)",
              true},
    ConfigKey{"run.prefetch", kCount, "2",
              "batches that wait for each worker while it computes (--prefetch)", true},
    ConfigKey{"run.journal_interval", kNumber, "2",
              "seconds whose scores a killed run may lose (--journal-interval)", true},
    ConfigKey{"run.cpu_workers", kCount, "1",
              "number of CPU worker processes, which share run.threads (--cpu-workers)", true},
    ConfigKey{"run.min_score", kNumber, "0",
              "a chunk with a lower virus score does not count as virus (--min-score)", true},
    ConfigKey{"run.min_share", kNumber, "0.5",
              "a sequence with a smaller share of virus chunks is not called virus (--min-share)",
              true},
    ConfigKey{"run.threshold", kNumber, "null", "the older name of run.min_share", true},
    ConfigKey{"run.telemetry", kText, "full",
              "what is measured: off, summary, or full (also every batch) (--telemetry)", true},
    ConfigKey{"run.monitor_interval", kNumber, "0.5",
              "seconds between two measurements of GPUs and host", true},
    ConfigKey{"run.requirements.projected_hours", kNumber, "9",
              "PERF-01: hours for 6 million reads of one chunk each; warns at this or more", true},
    ConfigKey{"run.requirements.most_projected_hours", kNumber, "11",
              "PERF-01: missed at this many hours or more", true},
    ConfigKey{"run.requirements.utilization", kNumber, "80",
              "PERF-02: percent of the embedding time that a GPU is busy; warns below this", true},
    ConfigKey{"run.requirements.least_utilization", kNumber, "70",
              "PERF-02: missed below this percentage", true},
    ConfigKey{"run.requirements.tokens_per_second", kNumber, "16500",
              "PERF-04: tokens of ESM-2 3B per second on each GPU; warns below this", true},
    ConfigKey{"run.requirements.least_tokens_per_second", kNumber, "13200",
              "PERF-04: missed below this many tokens per second", true},
    ConfigKey{"run.requirements.packing", kNumber, "90",
              "PERF-05: percent of the token budget that batches fill; warns below this", true},
    ConfigKey{"run.requirements.least_packing", kNumber, "80",
              "PERF-05: missed below this percentage", true},
    ConfigKey{"run.requirements.starved", kNumber, "10",
              "PERF-05: percent of batches that a worker waited for; warns at this or more", true},
    ConfigKey{"run.requirements.most_starved", kNumber, "20",
              "PERF-05: missed at this percentage or more", true},
    ConfigKey{
        "run.requirements.imbalance", kNumber, "10",
        "MON-03: percent by which the least busy GPU computed less than the busiest; warns above "
        "this",
        true},
    ConfigKey{"run.requirements.most_imbalance", kNumber, "25",
              "MON-03: missed above this percentage", true},
    ConfigKey{"run.requirements.changed_calls", kNumber, "0.0001",
              "PREC-01: share of the calls that the check precision would change; warns above this",
              true},
    ConfigKey{"run.requirements.most_changed_calls", kNumber, "0.001",
              "PREC-01: missed above this share", true},
    ConfigKey{"run.requirements.shortest_run", kNumber, "30",
              "a run that computes for fewer seconds is not judged", true},
};

constexpr std::string_view kHead =
    "# Configuration of virnucpro: every key with an effect, and its default. Precedence: flag,\n"
    "# environment, this file, default.\n";
constexpr std::string_view kUnusedHead =
    "\n# Keys of v2 without effect here; a file may have them, with any value:\n";

}  // namespace

std::span<const ConfigKey> config_keys() {
  return kKeys;
}

std::string default_config() {
  std::string text(kHead);
  std::vector<std::string_view> open;  // the sections around the last key in `text`
  for (const ConfigKey& key : kKeys) {
    if (!key.used) continue;
    std::vector<std::string_view> parts = split_list(key.name, '.');
    const std::string_view last = parts.back();
    parts.pop_back();
    const auto differs = std::mismatch(open.begin(), open.end(), parts.begin(), parts.end());
    for (auto part = differs.second; part != parts.end(); ++part) {
      const auto depth = static_cast<std::size_t>(part - parts.begin());
      text += fmt::format("{}{:{}}{}:\n", depth == 0 ? "\n" : "", "", depth * 2, *part);
    }
    const std::size_t indent = parts.size() * 2;
    text += fmt::format("{:{}}# {}\n", "", indent, key.comment);
    text += fmt::format("{:{}}{}: {}\n", "", indent, last, key.fallback);
    open = std::move(parts);
  }
  text += kUnusedHead;
  for (const ConfigKey& key : kKeys) {
    if (!key.used) text += fmt::format("#   {}: {} ({})\n", key.name, key.fallback, key.comment);
  }
  return text;
}

}  // namespace virnucpro
