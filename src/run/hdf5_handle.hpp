#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace virnucpro {

// Returns errno's text in an HDF5 error's description, or the whole description if it has none.
inline std::string system_part(const std::string& description) {
  const std::string begin = "error message = '";
  const std::size_t at = description.find(begin);
  if (at == std::string::npos) return description;
  const std::size_t from = at + begin.size();
  return description.substr(from, description.find('\'', from) - from);
}

// Returns why the last HDF5 call failed: the text of errno, or else the innermost description.
inline std::string hdf5_reason() {
  std::string reason = "HDF5 failed";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned depth, const H5E_error2_t* error, void* target) -> herr_t {
        if (depth == 0 && error->desc != nullptr)
          *static_cast<std::string*>(target) = system_part(error->desc);
        return 0;
      },
      &reason);
  return reason;
}

// Returns kOutOfMemory or kTooManyFiles if the last HDF5 call lacked memory or file descriptors,
// else `otherwise`.
inline ErrorKind hdf5_kind(ErrorKind otherwise) {
  ErrorKind kind = otherwise;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* target) -> herr_t {
        auto& found = *static_cast<ErrorKind*>(target);
        if (error->maj_num == H5E_RESOURCE) found = ErrorKind::kOutOfMemory;
        int number = 0;
        const std::string_view text = error->desc == nullptr ? "" : error->desc;
        const std::size_t at = text.find("errno = ");
        if (at != std::string_view::npos) number = std::atoi(text.data() + at + 8);
        found = kind_of_failure(number, found);
        return 0;
      },
      &kind);
  return kind;
}

// Owns an HDF5 identifier and closes it in the destructor.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  // Throws `kind`, naming `file`, if the call that returned the identifier failed.
  Hdf5Handle(hid_t id, Close closer, const std::string& file,
             ErrorKind kind = ErrorKind::kOutputWrite)
      : id_(id), close_(closer) {
    if (id < 0) throw Error(hdf5_kind(kind), Place{.file = file}, hdf5_reason());
  }
  ~Hdf5Handle() { close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    if (this != &other) {
      close();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  // Closes the identifier. Closing a file writes HDF5's buffers; the result is negative on failure.
  herr_t close() { return id_ < 0 ? 0 : close_(std::exchange(id_, H5I_INVALID_HID)); }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

}  // namespace virnucpro
