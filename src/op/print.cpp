// op/print: ops as text, written from their fields once for all ops. op/parse.cpp reads it back.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "fields.hpp"

namespace hearth {

namespace detail {
namespace {

/// Printable characters and UTF-8 stay as they are.
void write_string(std::string& out, std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (byte >= 0x20 && byte != 0x7f) out += c;
    else ((out += "\\x") += digits[byte >> 4]) += digits[byte & 15];
  }
  out += '"';
}

/// All bits of a NaN, so that an op equals what is read back from its text.
void write_number(std::string& out, const Scalar& scalar) {
  const double value = scalar.kind() == Scalar::Kind::floating ? scalar.to_double() : 0;
  if (std::isnan(value)) out += "nan(" + std::to_string(std::bit_cast<std::uint64_t>(value)) + ")";
  else out += to_string(scalar);
}

template <class T>
void write(std::string& out, const T& value);

/// A field without its type: the loop over fields is compiled once.
struct Field {
  std::string_view name;
  const void* at;
  void (*write)(std::string&, const void*);
};
template <class T>
void write_at(std::string& out, const void* at) {
  write(out, *static_cast<const T*>(at));
}

void write_fields(std::string& out, const Field* fields, std::size_t count) {
  out += '{';
  for (std::size_t i = 0; i < count; ++i) {
    ((out += i ? ", " : "") += fields[i].name) += ": ";
    fields[i].write(out, fields[i].at);
  }
  out += '}';
}

template <class T>
void write(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, Scalar>) {
    write_number(out, value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    write_number(out, Scalar(value));
    if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) out.pop_back();  // a field's type says that it is unsigned
  } else if constexpr (std::is_same_v<T, std::string>) {
    write_string(out, value);
  } else if constexpr (std::is_same_v<T, Dtype>) {
    out += name_of(value);
  } else if constexpr (std::is_enum_v<T>) {
    out += reflect::enum_name(value);
  } else if constexpr (std::is_same_v<T, Spec> || std::is_same_v<T, AnyOp>) {
    out += to_string(value);
  } else if constexpr (is_list<T>) {
    const char* between = "";
    out += '[';
    for (const auto& element : value) {
      out += between;
      write(out, element);
      between = ", ";
    }
    out += ']';
  } else {
    Field fields[reflect::field_count<T> + 1];
    std::size_t count = 0;
    reflect::each(value, [&]<class F>(std::string_view name, const F& field) { fields[count++] = {name, &field, &write_at<F>}; });
    write_fields(out, fields, count);
  }
}

}  // namespace
}  // namespace detail

#define HEARTH_ANY_OP(Name)                  \
  std::string to_string(const op::Name& o) { \
    std::string out(op_name<op::Name>);      \
    detail::write(out, o);                   \
    return out;                              \
  }
#include "hearth/op/ops.def"

std::string to_string(const AnyOp& op) {
  if (!op) return "none";
  return visit(op, [](const auto& inner) { return to_string(inner); });
}

}  // namespace hearth
