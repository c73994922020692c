// core/error: the one error type, and `fail`, the one way to raise it.
// With exceptions `fail` throws. Without, it hands the error to the user's handler, remembers it as pending, and returns
// a Failure that converts to any value: write `return fail(...)`, and let whoever allocates results ask `pending_error()`.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "config.hpp"
#include "shape.hpp"

namespace hearth {

enum class ErrorKind : unsigned char {
  user,      ///< wrong shape, dtype, index or argument
  file,      ///< a file from outside is broken or hostile
  device,    ///< out of memory, no such device, a launch that failed
  internal,  ///< a fault of Hearth itself
};

/// What went wrong, as a sentence and as facts.
class Error : public std::exception {
 public:
  ErrorKind kind = ErrorKind::user;
  std::string op;             ///< the op or function, as the user knows it: "matmul"
  std::string message;        ///< the sentence with the facts: "inner sizes differ: [64, 784] x [512, 10]"
  std::vector<Shape> shapes;  ///< the operand shapes, where shapes matter
  std::string hint;           ///< what to try, or empty
  std::string path;           ///< the field path of the module that was called, or empty

  Error() = default;
  Error(ErrorKind kind, std::string_view op, std::string message, std::vector<Shape> shapes = {}, std::string hint = {});
  /// "matmul: inner sizes differ: [64, 784] x [512, 10] (hint: ...; in encoder.layers.3)"
  const char* what() const noexcept override;
  /// The same error, told to lie in the module at `path` (prefixed to what is known already).
  void set_path(std::string_view outer);

 private:
  void compose();
  std::string text_;
};

/// Stands for "no value": converts to an empty value of any type.
struct Failure {
  template <class T>
  operator T() const {
    return T{};
  }
};

#if HEARTH_EXCEPTIONS
[[noreturn]]
#endif
Failure fail(Error error);

/// A user error: `return fail("matmul", "inner sizes differ: " + ..., {a.shape, b.shape});`
#if HEARTH_EXCEPTIONS
[[noreturn]]
#endif
Failure fail(std::string_view op, std::string message, std::vector<Shape> shapes = {}, std::string hint = {});

/// Without exceptions: the last error raised on this thread and not yet taken; null if none. With exceptions: always null.
const Error* pending_error();
/// Takes the pending error, so that the next call starts clean.
Error take_pending_error();

/// Called with every error when Hearth is built without exceptions. Returning continues with an empty result.
using ErrorHandler = void (*)(const Error&);
/// Sets the handler and returns the one before. The default writes the message to stderr.
ErrorHandler set_error_handler(ErrorHandler handler);

}  // namespace hearth
