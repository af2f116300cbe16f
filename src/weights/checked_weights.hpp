#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "weights/weights.hpp"

namespace virnucpro {

// The values of one tensor, handed out once from first to last.
class TensorStream {
 public:
  virtual ~TensorStream() = default;
  virtual void fill(std::span<float> next) = 0;
  // After the last value: checks what can only be checked then, and lets go of the pages.
  virtual void finish() = 0;
};

// What every source of weights has in common: one pass over a tensor converts it, checks it and
// hashes it. The hash of the whole is made of the tensors' hashes, so that a model which has read
// all its tensors gets it for nothing; only those never read are read for it.
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

 protected:
  virtual std::unique_ptr<TensorStream> open(const std::string& name) const = 0;

  std::map<std::string, Tensor> tensors_;  // filled by the constructor of the source

 private:
  const Tensor& find(const std::string& name) const;
  // Streams a tensor through the checks and the hash, into `out` where that is not empty.
  std::string pass(const std::string& name, std::span<float> out) const;

  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string> hashes_;  // by tensor
};

}  // namespace virnucpro
