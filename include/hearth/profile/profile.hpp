// profile: Profile<B>, a backend that counts and times every op of B by name.
//   using Stack = Autodiff<Profile<Cpu>>;
//   ...
//   std::puts(profile_table().c_str());
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/pass_through.hpp"

namespace hearth {

/// All calls of one op (with one code) so far, on all threads and devices.
struct ProfileEntry {
  std::string_view op;    ///< "Unary", "MatMul"
  std::string_view code;  ///< "exp", or empty
  std::int64_t calls = 0;
  double seconds = 0;  ///< until the results were ready
  double bytes = 0;    ///< of all operands and results, as if each element were read or written once
};
/// The longest total time first.
std::vector<ProfileEntry> profile_entries();
/// The same as a text table: calls, total and mean time, share of the time, bytes per second.
std::string profile_table();
/// Forgets all entries.
void reset_profile();

namespace detail {
/// Seconds of a clock that never goes back.
double profile_clock();
void add_to_profile(std::string_view op, std::string_view code, double seconds, double bytes);
}  // namespace detail

/// Composites that B claims are timed whole, the parts of the others one by one. Each op waits until its device is done, since its
/// time would be nothing otherwise: a program runs slower under a profile.
template <class B>
struct Profile : PassThrough<B> {
  using typename PassThrough<B>::Handle;
  using typename PassThrough<B>::Device;

  template <class Op>
  static Results<Op, Handle> run(const Op& op, Operands<Op, Handle> in);
  template <class Op>
    requires Makes<B, Op>
  static Handle make(const Device& device, const Op& op) {
    return timed(op_name<Op>, "", device, 0, [&] { return B::make(device, op); });
  }
  static Handle upload(const Device& device, const Spec& spec, const void* from) {
    return timed("upload", "", device, 0, [&] { return B::upload(device, spec, from); });
  }
  static void download(const Handle& handle, void* to) {
    const double start = detail::profile_clock();
    B::download(handle, to);
    detail::add_to_profile("download", "", detail::profile_clock() - start, bytes_of(handle));
  }
  static std::string name() { return "Profile<" + B::name() + ">"; }

 private:
  static double bytes_of(const Handle& handle) {
    if (!handle) return 0;
    const Spec& spec = B::spec(handle);
    return double(element_count(spec.shape)) * double(size_of(spec.dtype));
  }
  template <class F>
  static Handle timed(std::string_view op, std::string_view code, const Device& device, double bytes, F f) {
    const double start = detail::profile_clock();
    Handle result = f();
    B::sync(device);
    detail::add_to_profile(op, code, detail::profile_clock() - start, bytes + bytes_of(result));
    return result;
  }
};

}  // namespace hearth
