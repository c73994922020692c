// op/cases: reading the fixture, and comparing with it.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "hearth/store/safetensors.hpp"

namespace hearth::test {

namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

double number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) throw std::runtime_error("ops.safetensors: no number: " + std::string(text));
  return value;
}

std::vector<CaseArray> arrays(const Safetensors& file, const std::string& prefix, std::string_view roles) {
  std::vector<CaseArray> result;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    CaseArray array{CaseArray::Role(roles[i]), {}};
    if (array.role != CaseArray::Role::absent) {
      const std::string name = prefix + std::to_string(i);
      const auto* entry = file.find(name);
      if (!entry) throw std::runtime_error("ops.safetensors has no " + name);
      array.data = {entry->spec, {entry->bytes.begin(), entry->bytes.end()}};
    }
    result.push_back(std::move(array));
  }
  return result;
}

/// name, op, dtypes, roles of operands, roles of results, units, floor, rounds, smooth, constant operands: separated by tabs.
Case read(const Safetensors& file, std::string_view line) {
  const auto fields = split(line, '\t');
  if (fields.size() < 9) throw std::runtime_error("ops.safetensors: a case with too few fields: " + std::string(line));
  Case c;
  c.name = fields[0];
  c.text = fields[1];
  for (std::string_view name : split(fields[2], ',')) c.dtypes.push_back(dtype_named(name).value());
  c.in = arrays(file, c.name + ".in", fields[3] == "none" ? "" : fields[3]);
  c.out = arrays(file, c.name + ".out", fields[4]);
  c.units = number(fields[5]);
  c.floor = number(fields[6]);
  c.rounds = number(fields[7]);
  c.smooth = fields[8] == "smooth";
  if (fields.size() > 9)
    for (std::string_view i : split(fields[9], ',')) c.constant.push_back(int(number(i)));
  return c;
}

std::vector<Case> read_all() {
  const Safetensors file = Safetensors::open(std::string(HEARTH_FIXTURES) + "/ops.safetensors");
  std::vector<Case> cases;
  for (const auto& [key, value] : file.metadata())
    if (key == "cases")
      for (std::string_view line : split(value, '\n')) cases.push_back(read(file, line));
  return cases;
}

double epsilon(Dtype dtype) { return dtype == Dtype::f64 ? 0x1p-52 : dtype == Dtype::f32 ? 0x1p-23 : dtype == Dtype::f16 ? 0x1p-10 : 0x1p-7; }

Dtype dtype_of_result(const CaseArray& array, Dtype dtype) {
  switch (array.role) {
    case CaseArray::Role::widened: return widened(dtype);
    case CaseArray::Role::absent:
    case CaseArray::Role::index:
    case CaseArray::Role::fixed: return array.data.spec.dtype;
    case CaseArray::Role::varies:
    case CaseArray::Role::columns:
    case CaseArray::Role::rows:
    case CaseArray::Role::free: return dtype;
  }
  __builtin_unreachable();
}

/// Multiplies each column (or row) of the last two axes by the sign that brings it nearer to `want`.
void match_signs(std::vector<double>& got, const std::vector<double>& want, const Shape& shape, bool columns) {
  const std::size_t m = std::size_t(shape[-2]), n = std::size_t(shape[-1]);
  for (std::size_t matrix = 0; matrix < got.size(); matrix += m * n)
    for (std::size_t i = 0; i < (columns ? n : m); ++i) {
      const std::size_t first = matrix + (columns ? i : i * n), step = columns ? n : 1, count = columns ? m : n;
      double product = 0;
      for (std::size_t k = 0; k < count; ++k) product += got[first + k * step] * want[first + k * step];
      if (product < 0)
        for (std::size_t k = 0; k < count; ++k) got[first + k * step] = -got[first + k * step];
    }
}

/// Integers and bool, bit for bit.
std::string exact_difference(const TensorData& got, const TensorData& want) {
  return with_type(got.spec.dtype, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const auto a = got.to_vector<T>(), b = want.to_vector<T>();
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a[i] == b[i])) return "element " + std::to_string(i) + " is " + to_string(Scalar(T(a[i]))) + ", not " + to_string(Scalar(T(b[i])));
    return {};
  });
}

}  // namespace

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = read_all();
  return cases;
}

bool Case::zero_size() const {
  for (const auto* list : {&in, &out})
    for (const CaseArray& array : *list)
      if (array.role != CaseArray::Role::absent && array.data.bytes.empty()) return true;
  return false;
}

AnyOp Case::op(Dtype dtype) const {
  std::string full = text;
  for (std::size_t at = 0; (at = full.find("$T", at)) != full.npos;) full.replace(at, 2, name_of(dtype));
  return parse_op(full);
}

std::string Case::subject() const { return subject_of(op(dtypes.at(0))); }

std::string subject_of(const AnyOp& op) {
  const std::string text = to_string(op);
  const std::size_t brace = text.find('{'), code = text.find("{code: ");
  if (code == text.npos) return text.substr(0, brace);
  return text.substr(0, brace) + "." + text.substr(code + 7, text.find_first_of(",}", code + 7) - code - 7);
}

double tolerance(const Case& c, Dtype dtype, double want) {
  const double size = std::max(std::abs(want), c.floor);
  if (size_of(dtype) > 2) return c.units * epsilon(dtype) * size;
  const double smallest = dtype == Dtype::f16 ? 0x1p-14 : std::numeric_limits<float>::min();  // below it the spacing stays
  const double rounding = epsilon(dtype) / 2 * (c.rounds > 1 ? c.rounds * size : std::max(std::abs(want), smallest));
  return c.units * epsilon(Dtype::f32) * size + rounding * 1.001;
}

TensorData converted(const TensorData& data, Dtype dtype) {
  if (data.spec.dtype == dtype) return data;
  return with_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    TensorData result{{dtype, data.spec.shape}, std::vector<std::byte>(std::size_t(data.count()) * sizeof(T))};
    with_type(data.spec.dtype, [&](auto from) {
      using From = typename decltype(from)::type;
      for (std::size_t i = 0; i < std::size_t(data.count()); ++i) {
        From element;
        std::memcpy(&element, data.bytes.data() + i * sizeof(From), sizeof(From));
        const T value = convert<T>(element);
        std::memcpy(result.bytes.data() + i * sizeof(T), &value, sizeof(T));
      }
    });
    return result;
  });
}

TensorData operand(const CaseArray& array, Dtype dtype) {
  if (array.role == CaseArray::Role::varies) return converted(array.data, dtype);
  if (array.role != CaseArray::Role::index) return array.data;
  // Which integer dtype an index has follows from the case's dtype, so that all of them come up.
  constexpr Dtype integers[] = {Dtype::i64, Dtype::i32, Dtype::u8, Dtype::i16, Dtype::u64, Dtype::i8, Dtype::u32, Dtype::u16};
  return converted(array.data, integers[std::size_t(dtype) % 8]);
}

std::string difference(const Case& c, Dtype dtype, const std::vector<TensorData>& got) {
  if (got.size() != c.out.size()) return std::to_string(got.size()) + " results, not " + std::to_string(c.out.size());
  for (std::size_t r = 0; r < got.size(); ++r) {
    const CaseArray& want = c.out[r];
    const std::string which = got.size() > 1 ? "result " + std::to_string(r) + ": " : "";
    const Spec expected{dtype_of_result(want, dtype), want.data.spec.shape};
    if (!(got[r].spec == expected)) return which + to_string(got[r].spec) + ", not " + to_string(expected);
    if (want.role == CaseArray::Role::free) continue;
    if (!is_float(expected.dtype)) {
      if (auto text = exact_difference(got[r], converted(want.data, expected.dtype)); !text.empty()) return which + text;
      continue;
    }
    auto a = got[r].to_vector<double>();
    const auto b = want.data.to_vector<double>();
    const bool columns = want.role == CaseArray::Role::columns;
    if (columns || want.role == CaseArray::Role::rows) match_signs(a, b, expected.shape, columns);
    const auto rounded = converted(want.data, expected.dtype).to_vector<double>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == rounded[i] || (a[i] != a[i] && b[i] != b[i])) continue;
      if (std::abs(a[i] - b[i]) <= tolerance(c, expected.dtype, b[i])) continue;
      const double error = std::abs(a[i] - b[i]), allowed = tolerance(c, expected.dtype, b[i]);
      return which + "element " + std::to_string(i) + " is " + to_string(Scalar(a[i])) + ", not " + to_string(Scalar(b[i])) + " (error " +
             to_string(Scalar(error)) + ", allowed " + to_string(Scalar(allowed)) + ")";
    }
  }
  return {};
}

}  // namespace hearth::test
