// core/error: composing messages, and the two ways to raise them.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/core/error.hpp"

#include <atomic>
#include <cstdio>
#include <optional>

namespace hearth {

Error::Error(ErrorKind k, std::string_view o, std::string m, std::vector<Shape> s, std::string h)
    : kind(k), op(o), message(std::move(m)), shapes(std::move(s)), hint(std::move(h)) {
  compose();
}

void Error::compose() {
  text_ = op.empty() ? message : op + ": " + message;
  std::string more = hint.empty() ? "" : "hint: " + hint;
  if (!path.empty()) more += (more.empty() ? "in " : "; in ") + path;
  if (!more.empty()) text_ += " (" + more + ")";
}

const char* Error::what() const noexcept { return text_.c_str(); }

void Error::set_path(std::string_view outer) {
  path = path.empty() ? std::string(outer) : std::string(outer) + "." + path;
  compose();
}

namespace {

void print_to_stderr(const Error& error) { std::fprintf(stderr, "hearth: %s\n", error.what()); }
std::atomic<ErrorHandler> handler{print_to_stderr};

std::optional<Error>& pending() {
  thread_local std::optional<Error> error;
  return error;
}
#if !HEARTH_EXCEPTIONS
/// The error of the value that was last asked for its shape.
std::optional<Error>& followed() {
  thread_local std::optional<Error> error;
  return error;
}
#endif

}  // namespace

ErrorHandler set_error_handler(ErrorHandler next) { return handler.exchange(next ? next : print_to_stderr); }

const Error* pending_error() { return pending() ? &*pending() : nullptr; }

Error take_pending_error() {
  Error error = pending() ? std::move(*pending()) : Error{};
  pending().reset();
  return error;
}

Failure fail(Error error) {
#if HEARTH_EXCEPTIONS
  throw error;
#else
  if (pending()) return {};  // the first error is the cause; what follows from it in the same call is no news
  if (!followed()) handler.load()(error);
  pending() = followed() ? *followed() : std::move(error);
  return {};
#endif
}

void report_error(const Error& error) {
#if HEARTH_EXCEPTIONS
  throw error;
#else
  handler.load()(error);
#endif
}

#if HEARTH_EXCEPTIONS
void follow_error(const Error&) {}
void forget_error() {}
#else
void follow_error(const Error& error) { followed() = error; }
void forget_error() { followed().reset(); }
LetGo::~LetGo() {
  pending().reset();
  forget_error();
}
#endif

Failure fail(std::string_view op, std::string message, std::vector<Shape> shapes, std::string hint) {
  Error error(ErrorKind::user, op, std::move(message), std::move(shapes), std::move(hint));
#if HEARTH_EXCEPTIONS
  throw error;
#else
  return fail(std::move(error));
#endif
}

namespace detail {
void list_is_full(int capacity) {
  (void)fail("shape", "more than " + std::to_string(capacity) + " dimensions", {}, "Hearth's arrays have at most 8 dimensions");
}
}  // namespace detail

}  // namespace hearth
