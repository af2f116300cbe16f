#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace virnucpro {

// An Engine's implementation on one kind of device; engine.hpp describes its functions.
class EngineDevice {
 public:
  virtual ~EngineDevice() = default;

  virtual std::string kernel_path() const = 0;
  virtual std::uint32_t dnabert_s_width() const = 0;
  virtual std::uint32_t esm2_width() const = 0;
  virtual std::size_t token_budget() const = 0;
  virtual std::size_t depth() const = 0;
  virtual void begin(const BatchRequest& request) = 0;
  virtual BatchResult finish() = 0;
};

std::unique_ptr<EngineDevice> make_cpu_engine(const EngineModels& models,
                                              const EngineSettings& settings, const Cancel& cancel);
// Errors: kDevice in a program built without CUDA.
std::unique_ptr<EngineDevice> make_cuda_engine(const EngineModels& models,
                                               const EngineSettings& settings,
                                               const Cancel& cancel);

}  // namespace virnucpro
