// tensor/print: the text of elements and how it is laid out. The layout follows what NumPy prints, so that people can read it at once.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/tensor/print.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>
#include <ostream>

namespace hearth {

namespace {

std::mutex options_mutex;
PrintOptions& shared_options() {
  static PrintOptions options;
  return options;
}

}  // namespace

PrintOptions print_options() {
  const std::lock_guard lock(options_mutex);
  return shared_options();
}
void set_print_options(const PrintOptions& options) {
  const std::lock_guard lock(options_mutex);
  shared_options() = options;
}

namespace detail {

namespace {

using Words = std::vector<std::string>;

template <class... A>
std::string chars(A... arguments) {
  char buffer[512];  // the longest is a double in fixed notation: 309 digits, a point and the precision
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, arguments...);
  return std::string(buffer, end.ptr);
}

/// A finite number as its shortest decimal: 0.digits * 10^point, and its sign.
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;  ///< of the first digit: d.ddd * 10^exponent
};

/// The fewest digits that read back as the same T: "d.ddde+xx".
template <class T>
std::string shortest(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return chars(value, std::chars_format::scientific);
  } else {
    const double wide = double(float(value));
    for (int precision = 0; precision < 8; ++precision) {
      std::string text = chars(wide, std::chars_format::scientific, precision);
      double read = 0;
      std::from_chars(text.data(), text.data() + text.size(), read);
      if (T(read).bits == value.bits) return text;
    }
    return chars(float(value), std::chars_format::scientific);
  }
}

template <class T>
Decimal decimal(T value) {
  std::string text = shortest(value);
  Decimal d;
  d.negative = text[0] == '-';
  if (d.negative) text.erase(0, 1);
  const auto e = text.find('e');
  d.exponent = std::stoi(text.substr(e + 1));
  for (char c : text.substr(0, e))
    if (c != '.') d.digits += c;
  while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  return d;
}

/// "12.5", "3.": no zeros behind the last digit.
template <class T>
std::string fixed(T value, int precision) {
  const Decimal d = decimal(value);
  if (int(d.digits.size()) - 1 - d.exponent > precision) {
    std::string text = chars(double(value), std::chars_format::fixed, precision);
    if (text.find('.') == std::string::npos) text += '.';
    while (text.back() == '0') text.pop_back();
    return text;
  }
  std::string text = d.digits;
  if (d.exponent < 0) text.insert(0, std::size_t(-d.exponent), '0');
  const std::size_t whole = d.exponent < 0 ? 1 : std::size_t(d.exponent) + 1;
  if (text.size() < whole) text.append(whole - text.size(), '0');
  text.insert(whole, ".");
  if (text == "0.0") text = "0.";
  return (d.negative ? "-" : "") + text;
}

struct Scientific {
  std::string whole, fraction, exponent;  ///< "-1", "25", "+10"
};
template <class T>
Scientific scientific(T value, int precision) {
  std::string text = shortest(value);
  if (text.find('.') != std::string::npos && int(text.find('e') - text.find('.')) - 1 > precision) text = chars(double(value), std::chars_format::scientific, precision);
  const auto e = text.find('e'), point = std::min(text.find('.'), e);
  Scientific s{text.substr(0, point), point < e ? text.substr(point + 1, e - point - 1) : "", text.substr(e + 1)};
  while (!s.fraction.empty() && s.fraction.back() == '0') s.fraction.pop_back();
  return s;
}

/// With that many digits behind the point, all of them the number's own, and as long an exponent.
template <class T>
std::string with_digits(T value, int digits, std::size_t exponent) {
  std::string text = chars(double(value), std::chars_format::scientific, digits);
  auto e = text.find('e');
  if (digits == 0) text.insert(e++, ".");
  text.insert(e + 2, exponent - (text.size() - e - 1), '0');
  return text;
}

std::string left(const std::string& text, std::size_t width) { return text.size() < width ? std::string(width - text.size(), ' ') + text : text; }

template <class T>
std::string not_finite(T value) {
  return std::isnan(double(value)) ? "nan" : double(value) < 0 ? "-inf" : "inf";
}

template <class T>
Words float_words(const T* values, std::int64_t count, int precision) {
  double largest = 0, smallest = HUGE_VAL;
  for (std::int64_t i = 0; i < count; ++i) {
    const double size = std::abs(double(values[i]));
    if (!std::isfinite(size) || size == 0) continue;
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
  }
  const bool exponents = largest > 0 && (largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000);
  std::size_t before = 0, behind = 0, exponent = 0, special = 0;
  std::vector<Scientific> parts(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    Scientific& part = parts[std::size_t(i)];
    if (!std::isfinite(double(values[i]))) {
      special = std::max(special, not_finite(values[i]).size());
      continue;
    }
    if (exponents) {
      part = scientific(values[i], precision);
    } else {
      const std::string text = fixed(values[i], precision);
      const auto point = text.find('.');
      part = {text.substr(0, point), text.substr(point + 1), ""};
    }
    before = std::max(before, part.whole.size());
    behind = std::max(behind, part.fraction.size());
    exponent = std::max(exponent, part.exponent.size());
  }
  const std::size_t rest = 1 + behind + (exponents ? 1 + exponent : 0);
  if (special > rest) before = std::max(before, special - rest);
  Words words;
  for (std::int64_t i = 0; i < count; ++i) {
    const Scientific& part = parts[std::size_t(i)];
    if (!std::isfinite(double(values[i]))) {
      words.push_back(left(not_finite(values[i]), before + rest));
    } else if (exponents) {
      words.push_back(left(with_digits(values[i], int(behind), exponent), before + rest));
    } else {
      words.push_back(left(part.whole, before) + "." + part.fraction + std::string(behind - part.fraction.size(), ' '));
    }
  }
  return words;
}

/// A number alone keeps one digit behind the point.
template <class T>
std::string float_word(T value) {
  const double size = std::abs(double(value));
  if (!std::isfinite(double(value))) return not_finite(value);
  if (size != 0 && (size < 1e-4 || size >= 1e16)) {
    const Scientific s = scientific(value, 17);
    return s.whole + (s.fraction.empty() ? "" : "." + s.fraction) + "e" + s.exponent;
  }
  std::string text = fixed(value, 400);
  return text.back() == '.' ? text + "0" : text;
}

Words words_of(Dtype dtype, const Shape& shape, const void* elements, int precision) {
  const std::int64_t count = element_count(shape);
  return with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* values = static_cast<const T*>(elements);
    if constexpr (std::is_same_v<T, bool>) {
      Words words;
      for (std::int64_t i = 0; i < count; ++i) words.push_back(values[i] ? (shape.empty() ? "True" : " True") : "False");
      return words;
    } else if constexpr (std::is_integral_v<T>) {
      Words words;
      std::size_t width = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        words.push_back(std::to_string(values[i]));
        width = std::max(width, words.back().size());
      }
      for (std::string& word : words) word = left(word, width);
      return words;
    } else {
      return shape.empty() ? Words{float_word(values[0])} : float_words(values, count, precision);
    }
  });
}

class Writer {
 public:
  Writer(const Shape& shape, const Words& words, const Axes& cut, const PrintOptions& options) : shape_(shape), words_(words), cut_(cut), options_(options) {}

  /// The text from `axis` on, its lines after the first indented; `room` is the width of a line.
  std::string block(int axis, int room) {
    if (axis == shape_.size()) return words_[next_++];
    std::string text = axis + 1 == shape_.size() ? row(axis, room) : blocks(axis, room);
    return "[" + text + "]";
  }

 private:
  bool gap_before(int axis, std::int64_t i) const { return cut_[axis] && i == options_.edge_items; }

  std::string row(int axis, int room) {
    const std::string indent(std::size_t(axis) + 1, ' ');
    std::string text, line = indent;
    const auto add = [&](const std::string& word, bool last) {
      if (int(line.size() + word.size()) > room - 1 && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
        line = indent;
      }
      line += word;
      if (!last) line += ' ';
    };
    for (std::int64_t i = 0; i < shape_[axis]; ++i) {
      if (gap_before(axis, i)) add("...", false);
      add(words_[next_++], i + 1 == shape_[axis]);
    }
    return (text + line).substr(indent.size());
  }

  std::string blocks(int axis, int room) {
    const std::string indent(std::size_t(axis) + 1, ' '), lines(std::size_t(shape_.size() - axis - 1), '\n');
    std::string text;
    for (std::int64_t i = 0; i < shape_[axis]; ++i) {
      if (gap_before(axis, i)) text += indent + "..." + lines;
      text += indent + block(axis + 1, room - 1);
      if (i + 1 < shape_[axis]) text += lines;
    }
    return text.substr(indent.size());
  }

  const Shape& shape_;
  const Words& words_;
  const Axes& cut_;
  const PrintOptions& options_;
  std::size_t next_ = 0;
};

}  // namespace

std::string format_elements(Dtype dtype, const Shape& shape, const void* elements, const Axes& cut, const PrintOptions& options) {
  if (element_count(shape) == 0) return "[]";
  const Words words = words_of(dtype, shape, elements, options.precision);
  return Writer(shape, words, cut, options).block(0, options.line_width);
}

std::ostream& write(std::ostream& stream, const std::string& text) { return stream << text; }

}  // namespace detail
}  // namespace hearth
