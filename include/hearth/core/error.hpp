// core/error: the one error type, and `fail`, the one way to raise it.
// With exceptions `fail` throws. Without, it hands the error to the user's handler, remembers it as pending, and returns
// a Failure that converts to any value: write `return fail(...)`, and let whoever allocates results ask `pending_error()`.
// No error stays pending behind a public call: the value that the call yields carries it, and a call that yields none lets it go.
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

/// Stands for "no value": converts to an empty value of any type; to one that carries the pending error where the type has such values.
struct Failure {
  template <class T>
  operator T() const {
#if !HEARTH_EXCEPTIONS
    if constexpr (requires { T::from_failure(); }) return T::from_failure();
    else
#endif
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

/// For reading a value that carries an error: throws it, or hands it to the handler. It is not pending then.
void report_error(const Error& error);
/// Without exceptions: a value that carries `error` was asked for its shape. What fails next on this thread only follows from that: it is
/// not reported, and `error` is pending in its place, until the next forget_error.
void follow_error(const Error& error);
void forget_error();

/// At the top of a public call that yields no value to carry an error: no error is pending behind the call. Nothing with exceptions.
class LetGo {
 public:
#if !HEARTH_EXCEPTIONS
  LetGo() = default;
  LetGo(const LetGo&) = delete;
  LetGo& operator=(const LetGo&) = delete;
  ~LetGo();
#else
  LetGo() {}
#endif
};

/// Called with every error when Hearth is built without exceptions. Returning continues with an empty result.
using ErrorHandler = void (*)(const Error&);
/// Sets the handler and returns the one before. The default writes the message to stderr.
ErrorHandler set_error_handler(ErrorHandler handler);

}  // namespace hearth
