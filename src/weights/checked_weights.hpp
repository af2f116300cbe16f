#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "weights/weights.hpp"

namespace virnucpro {

// Reads the values of one tensor once, from first to last.
class TensorStream {
 public:
  virtual ~TensorStream() = default;
  virtual void fill(std::span<float> next) = 0;
  // Does the final checks. Call it after the last value.
  virtual void finish() = 0;
};

// The base class of weights from files and of synthetic weights. One pass over a tensor converts,
// checks and hashes it. The model's hash is made from the tensors' hashes, so hash() reads only
// tensors that were not read before. If the file may have been written to, hash() reads all tensors
// again. Errors: kWeightsChanged if a tensor's second hash differs from the first.
class CheckedWeights : public Weights {
 public:
  struct Tensor {
    Shape shape;
    bool non_negative = false;
  };

  bool has(const std::string& name) const override;
  Shape shape(const std::string& name) const override;
  void read(const std::string& name, const Shape& expected, std::span<float> out) const override;
  std::string hash() const override;

  const std::map<std::string, Tensor>& all() const { return tensors_; }
  // Makes the hash include settings that change results but are in no tensor. Do not call it for
  // the settings of published models: their hash depends on the tensors alone.
  void set_settings(std::string settings) { settings_ = std::move(settings); }

 protected:
  virtual std::unique_ptr<TensorStream> open(const std::string& name) const = 0;
  // True if a file may have been written to since it was opened.
  virtual bool was_touched() const { return false; }

  std::map<std::string, Tensor> tensors_;  // filled by the derived class

 private:
  const Tensor& find(const std::string& name) const;
  // Checks a tensor and returns its hash. Also writes its values to `out`, unless `out` is empty.
  std::string pass(const std::string& name, std::span<float> out) const;
  void remember(const std::string& name, const std::string& hash) const;

  std::string settings_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> hashes_;  // by the tensor's name
};

}  // namespace virnucpro
