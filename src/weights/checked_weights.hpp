#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "weights/weights.hpp"

namespace virnucpro {

// The values of one tensor, read once from first to last.
class TensorStream {
 public:
  virtual ~TensorStream() = default;
  virtual void fill(std::span<float> next) = 0;
  // Does the final checks. Call it after the last value.
  virtual void finish() = 0;
};

// The part that all sources of weights share: one pass over a tensor converts, checks and hashes
// it. The model's hash is made from the tensors' hashes. So hash() reads only the tensors that were
// not read before, or all of them again if the source was touched. A tensor that is read twice must
// have the same hash. Errors: kWeightsChanged.
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
  // Settings that change results but are in no tensor; the hash includes them. Empty if they equal
  // the published models' settings, so that those are known by their tensors alone.
  void set_settings(std::string settings) { settings_ = std::move(settings); }

 protected:
  virtual std::unique_ptr<TensorStream> open(const std::string& name) const = 0;
  // True if the source may have changed unseen.
  virtual bool was_touched() const { return false; }

  std::map<std::string, Tensor> tensors_;  // filled by the derived class's constructor

 private:
  const Tensor& find(const std::string& name) const;
  // Reads a tensor through the checks and the hash, into `out` unless that is empty.
  std::string pass(const std::string& name, std::span<float> out) const;
  void remember(const std::string& name, const std::string& hash) const;

  std::string settings_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> hashes_;  // by tensor
};

}  // namespace virnucpro
