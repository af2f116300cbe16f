#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "weights/inspect.hpp"

namespace virnucpro {
namespace {

std::string describe(const Inspection& inspection) {
  std::string text;
  for (const InspectedTensor& tensor : inspection.tensors) {
    text += fmt::format("{}  {}  [{}]\n", printable(tensor.name), name_of(tensor.dtype),
                        fmt::join(tensor.shape, ", "));
  }
  text += fmt::format("file: {}\n", printable(inspection.kind));
  text += fmt::format("model: {}\n", printable(inspection.model));
  if (!inspection.shape.empty()) text += fmt::format("shape: {}\n", printable(inspection.shape));
  if (!inspection.hash.empty()) text += fmt::format("hash: {}\n", inspection.hash);
  if (!inspection.problem.empty()) {
    text += fmt::format("problem: {}\n", printable(inspection.problem));
  }
  return text;
}

int run_inspect(const std::string& path) {
  const Inspection inspection = inspect_model(path, true);
  print_stdout(describe(inspection));
  return inspection.problem.empty() ? kExitDone : kExitFailure;
}

}  // namespace

void add_inspect_command(Command& utils) {
  Command& command =
      utils.add_command("inspect", "Describe a model file; reads and checks every value");
  const auto path = std::make_shared<std::string>();
  command.add_argument("FILE", path.get(),
                       "Weights: safetensors, torch zip, or a Hugging Face directory");
  command.footer =
      "Example:\n  virnucpro utils inspect 500_model.pth\n"
      "Exit code 1 when the program cannot use the file. No pickle is ever executed.";
  command.action = [path](Session& /*session*/) { return run_inspect(*path); };
}

}  // namespace virnucpro
