// op/parse: ops from text, as op/print.cpp writes it. The text may come from outside: every step checks before it takes, nesting is
// bounded, and no list grows but by text that was there. Fields may come in any order; one that is missing keeps its default.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <charconv>

#include "fields.hpp"

namespace hearth {

namespace detail {
namespace {

/// A place in the text. What it reads it consumes; on anything else it raises an Error of kind file and answers false.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool refuse(std::string_view sentence) const {
    return fail(Error(ErrorKind::file, "parse_op", std::string(sentence) + " at character " + std::to_string(at_)));
  }
  bool refuse_lack_of(char c) const { return refuse(std::string("expected '") + c + "'"); }
  bool finished() { return peek() == '\0' && at_ == text_.size(); }
  /// The next character that is no space; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool expect(char c) { return take(c) || refuse_lack_of(c); }
  /// Letters, digits, '_' and what numbers have besides.
  std::string_view word() {
    peek();
    const std::size_t from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }

  template <class T>
  bool read(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      const std::string_view name = word();
      value = name == "true";
      return value || name == "false" || refuse("expected true or false");
    } else if constexpr (std::is_integral_v<T>) {
      return number(word(), value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return real(word(), value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return string(value);
    } else if constexpr (std::is_same_v<T, Scalar>) {
      return scalar(value);
    } else if constexpr (std::is_same_v<T, Dtype>) {
      const auto found = dtype_named(word());
      if (!found) return refuse("no such dtype");
      value = *found;
      return true;
    } else if constexpr (std::is_enum_v<T>) {
      const auto found = reflect::enum_named<T>(word());
      if (!found) return refuse("no such name");
      value = *found;
      return true;
    } else if constexpr (std::is_same_v<T, Spec>) {
      return read(value.dtype) && read(value.shape);
    } else if constexpr (std::is_same_v<T, AnyOp>) {
      return any(value);
    } else if constexpr (is_list<T>) {
      return list(value);
    } else {
      return structure(value);
    }
  }

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-' || c == '.';
  }

  template <class T>
  bool number(std::string_view word, T& value) const {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return (error == std::errc{} && end == word.data() + word.size()) || refuse("expected a number of its type");
  }
  bool real(std::string_view word, double& value) {
    if (word == "nan" && take('(')) {
      std::uint64_t bits = 0;
      if (!read(bits) || !expect(')')) return false;
      value = std::bit_cast<double>(bits);
      return value != value || refuse("no NaN has these bits");
    }
    return number(word, value);
  }
  bool scalar(Scalar& value) {
    std::string_view name = word();
    if (name == "none") value = Scalar();
    else if (name == "true" || name == "false") value = name == "true";
    else if (!name.empty() && name.back() == 'u') {
      std::uint64_t unsigned_integer = 0;
      if (!number(name.substr(0, name.size() - 1), unsigned_integer)) return false;
      value = unsigned_integer;
    } else if (name.find_first_of(".enf") != name.npos) {
      double floating = 0;
      if (!real(name, floating)) return false;
      value = floating;
    } else {
      std::int64_t integer = 0;
      if (!number(name, integer)) return false;
      value = integer;
    }
    return true;
  }

  static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }
  bool string(std::string& value) {
    if (!expect('"')) return false;
    value.clear();
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        if (next == '"' || next == '\\') {
          c = next;
          at_ += 1;
        } else if (next == 'x' && at_ + 3 < text_.size() && digit(text_[at_ + 2]) >= 0 && digit(text_[at_ + 3]) >= 0) {
          c = char(digit(text_[at_ + 2]) * 16 + digit(text_[at_ + 3]));
          at_ += 3;
        } else {
          return refuse("no such escape");
        }
      }
      value += c;
    }
    return refuse("a string does not end");
  }

  template <class T>
  bool list(T& values) {
    values = {};
    if (!expect('[')) return false;
    if (take(']')) return true;
    do {
      if constexpr (is_inline_list<T>)
        if (values.size() == T::capacity) return refuse("too long a list");
      typename T::value_type value{};
      if (!read(value)) return false;
      if constexpr (is_inline_list<T>) values.push(value);
      else values.push_back(std::move(value));
    } while (take(','));
    return expect(']');
  }

  /// A field without its type: the loop over fields is compiled once.
  struct Field {
    std::string_view name;
    void* at;
    bool (*read)(Reader&, void*);
    bool seen;
  };
  template <class T>
  static bool read_at(Reader& reader, void* at) {
    return reader.read(*static_cast<T*>(at));
  }
  template <class T>
  bool structure(T& value) {
    Field fields[reflect::field_count<T> + 1];
    std::size_t count = 0;
    reflect::each(value, [&]<class F>(std::string_view name, F& field) { fields[count++] = {name, &field, &read_at<F>, false}; });
    return read_fields(fields, count);
  }
  bool read_fields(Field* fields, std::size_t count) {
    if (!expect('{')) return false;
    if (take('}')) return true;
    do {
      const std::string_view name = word();
      std::size_t i = 0;
      while (i < count && fields[i].name != name) ++i;
      if (i == count) return refuse("no such field");
      if (fields[i].seen) return refuse("a field is given twice");
      fields[i].seen = true;
      if (!expect(':') || !fields[i].read(*this, fields[i].at)) return false;
    } while (take(','));
    return expect('}');
  }

  bool any(AnyOp& value);

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

template <class Op>
bool read_op(Reader& reader, AnyOp& value) {
  Op op{};
  if (!reader.read(op)) return false;
  value = AnyOp(std::move(op));
  return true;
}

struct Entry {
  std::string_view name;
  bool (*read)(Reader&, AnyOp&);
};
constexpr Entry entries[] = {
#define HEARTH_ANY_OP(Name) {op_name<op::Name>, read_op<op::Name>},
#include "hearth/op/ops.def"
};

bool Reader::any(AnyOp& value) {
  constexpr int deepest = 16;  // programs inside programs
  value = {};
  const std::string_view name = word();
  if (name == "none") return true;
  for (const Entry& entry : entries) {
    if (entry.name != name) continue;
    if (depth_ == deepest) return refuse("programs are nested too deeply");
    ++depth_;
    const bool good = entry.read(*this, value);
    --depth_;
    return good;
  }
  return refuse("no such op");
}

}  // namespace
}  // namespace detail

AnyOp parse_op(std::string_view text) {
  detail::Reader reader(text);
  AnyOp op;
  if (!reader.read(op)) return {};
  if (!op) {
    (void)reader.refuse("no op");
    return {};
  }
  if (!reader.finished()) {
    (void)reader.refuse("more text than one op");
    return {};
  }
  return op;
}

}  // namespace hearth
