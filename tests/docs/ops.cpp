// tests/docs/ops: docs/ops.md and the support table in README.md, made from the op tables, the comments of the op structs, and from running
// every op on every backend with every dtype. Without arguments it checks the committed text; with --write it writes it. Run from the root.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "fuzz/run.hpp"
#include "hearth/autodiff/rules.hpp"
#include "hearth/backend/decompositions.hpp"
#include "hearth/cpu.hpp"

namespace hearth::docs {
namespace {

/// A cell of a table: bars would end it.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}
std::string code(const std::string& text) { return "`" + cell(text) + "`"; }
std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& one : cells) line += " " + one + " |";
  return line + "\n";
}
std::string head(const std::vector<std::string>& names) {
  std::string line = row(names) + "|";
  for (std::size_t i = 0; i < names.size(); ++i) line += "---|";
  return line + "\n";
}
/// "F | I": the words for it.
std::string kinds_in_words(const std::string& kinds) {
  std::string words;
  const auto add = [&](char letter, const char* word) {
    if (kinds.find(letter) != kinds.npos) words += (words.empty() ? "" : ", ") + std::string(word);
  };
  add('F', "float"), add('I', "integer"), add('B', "bool");
  return words;
}

// The tables, row by row.
std::string unary_table() {
  std::string text = head({"name", "value", "gradient of x", "kinds", ""});
#define HEARTH_UNARY(name, kinds, lo, hi, value, gradient, line) text += row({code(#name), code(#value), code(#gradient), kinds_in_words(#kinds), cell(line)});
#include "hearth/op/unary.def"
#undef HEARTH_UNARY
  return text;
}
std::string binary_table() {
  std::string text = head({"name", "value", "gradient of a", "gradient of b", "kinds", ""});
#define HEARTH_BINARY(name, kinds, a_lo, a_hi, b_lo, b_hi, value, of_a, of_b, line) \
  text += row({code(#name), code(#value), code(#of_a), code(#of_b), kinds_in_words(#kinds), cell(line)});
#include "hearth/op/binary.def"
#undef HEARTH_BINARY
  return text;
}
std::string compare_table() {
  std::string text = head({"name", "value", ""});
#define HEARTH_COMPARE(name, value, line) text += row({code(#name), code(#value), cell(line)});
#include "hearth/op/compare.def"
#undef HEARTH_COMPARE
  return text;
}
std::string reduce_table() {
  std::string text = head({"name", "start", "combine", "kinds", "result", ""});
#define HEARTH_REDUCE(name, kinds, start, combine, result, line) \
  text += row({code(#name), code(#start), code(#combine), kinds_in_words(#kinds), #result, cell(line)});
#include "hearth/op/reduce.def"
#undef HEARTH_REDUCE
  return text;
}
std::string scan_table() {
  std::string text = head({"name", "combine", "kinds", "result", ""});
#define HEARTH_SCAN(name, kinds, combine, result, line) text += row({code(#name), code(#combine), kinds_in_words(#kinds), #result, cell(line)});
#include "hearth/op/scan.def"
#undef HEARTH_SCAN
  return text;
}

/// What the documentation says of one op.
struct Entry {
  OpCode code = {};
  std::string name = {}, family = {}, gradient = "none: it has no operands";
  int inputs = 0, outputs = 0;
  unsigned optional = 0;
  bool composite = false, claimed = false;
  std::string meaning = {}, fresh = {};     ///< the struct's comment; its fields and their defaults
  std::set<Dtype> portable = {}, cpu = {};  ///< the dtypes with which it ran
  bool went_back = false;                   ///< some backward pass through it gave a gradient
};

template <class Op>
std::string gradient_word() {
  if constexpr (HasRule<Op>) {
    if constexpr (std::is_base_of_v<NoGradient, Rule<Op>>) return "none: results are integers or bool";
    else if constexpr (std::is_base_of_v<GradientRefused, Rule<Op>>) return "refused: " + std::string(Rule<Op>::reason);
    else return "by its rule";
  } else {
    return "through its parts";
  }
}
template <class Op>
Entry entry_of(const char* name, const char* family) {
  Entry entry{.code = op_code<Op>, .name = name, .family = family, .inputs = Op::inputs, .outputs = Op::outputs, .optional = optional_mask<Op>};
  entry.fresh = to_string(Op{});
  if constexpr (Op::inputs != 0) {
    entry.gradient = gradient_word<Op>();
    entry.composite = Composite<Op>;
  }
  return entry;
}

std::vector<Entry> entries() {
  std::vector<Entry> list;
#define HEARTH_MAKE_OP(Name) list.push_back(entry_of<op::Name>(#Name, "make"));
#define HEARTH_ELEMENTWISE_OP(Name) list.push_back(entry_of<op::Name>(#Name, "elementwise"));
#define HEARTH_VIEW_OP(Name) list.push_back(entry_of<op::Name>(#Name, "view"));
#define HEARTH_MOVE_OP(Name) list.push_back(entry_of<op::Name>(#Name, "move"));
#define HEARTH_REDUCE_OP(Name) list.push_back(entry_of<op::Name>(#Name, "reduce"));
#define HEARTH_CONTRACT_OP(Name) list.push_back(entry_of<op::Name>(#Name, "contract"));
#define HEARTH_SOLVE_OP(Name) list.push_back(entry_of<op::Name>(#Name, "solve"));
#define HEARTH_LOW_BIT_OP(Name) list.push_back(entry_of<op::Name>(#Name, "low bits"));
#define HEARTH_OPEN_OP(Name) list.push_back(entry_of<op::Name>(#Name, "open"));
#define HEARTH_COMPOSITE_OP(Name) list.push_back(entry_of<op::Name>(#Name, "composite"));
#include "hearth/op/ops.def"
#define HEARTH_CPU_CLAIM(Name) \
  for (Entry& entry : list) entry.claimed |= entry.name == #Name;
#include "hearth/cpu_claims.def"
  return list;
}

/// Puts the comments above `struct X {` where they belong.
void read_comments(std::vector<Entry>& list) {
  std::set<std::filesystem::path> headers;
  for (const auto& file : std::filesystem::directory_iterator("include/hearth/op")) headers.insert(file.path());
  for (const auto& header : headers) {
    std::ifstream in(header);
    std::string line, comment;
    while (std::getline(in, line)) {
      if (line.starts_with("/// ")) {
        comment += (comment.empty() ? "" : " ") + line.substr(4);
        continue;
      }
      if (line.starts_with("struct ") && line.ends_with(" {"))
        for (Entry& entry : list)
          if (line == "struct " + entry.name + " {" && entry.meaning.empty()) entry.meaning = comment;
      comment.clear();
    }
  }
}

/// Runs an op with each dtype until it gives results, on each backend and backward.
void probe(Entry& entry) {
  for (int d = 0; d < dtype_count; ++d) {
    const Dtype dtype = Dtype(d);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      fuzz::Random random(seed);
      const fuzz::Call call = fuzz::plausible_call(entry.code, random, dtype);
      const auto laid = fuzz::lay_out(call, random);
      if (fuzz::run_on_portable(call, laid).good()) entry.portable.insert(dtype);
      if (fuzz::run_on_cpu(call, laid).good()) entry.cpu.insert(dtype);
      if (is_float(dtype) && !entry.went_back) entry.went_back = fuzz::run_on_autodiff(call, laid).gradient;
      if (entry.portable.contains(dtype) && entry.cpu.contains(dtype) && (entry.went_back || !is_float(dtype) || seed > 20)) break;
    }
  }
}

/// "floats, integers": a set of dtypes in as few words as say it exactly.
std::string in_words(std::set<Dtype> dtypes) {
  if (dtypes.empty()) return "-";
  if (int(dtypes.size()) == dtype_count) return "all";
  std::string words;
  const auto take = [&](const char* word, auto belongs) {
    std::vector<Dtype> group;
    for (int d = 0; d < dtype_count; ++d)
      if (belongs(Dtype(d))) group.push_back(Dtype(d));
    if (!std::all_of(group.begin(), group.end(), [&](Dtype d) { return dtypes.contains(d); })) return;
    for (Dtype d : group) dtypes.erase(d);
    words += (words.empty() ? "" : ", ") + std::string(word);
  };
  take("floats", [](Dtype d) { return is_float(d); });
  take("integers", [](Dtype d) { return is_integer(d); });
  for (Dtype d : dtypes) words += (words.empty() ? "" : ", ") + std::string(name_of(d));
  return words;
}

std::string operands_in_words(const Entry& entry) {
  const auto number = [](int n, const char* word) { return n == many ? "any number of " + std::string(word) + "s" : std::to_string(n) + " " + word + (n == 1 ? "" : "s"); };
  std::string text = number(entry.inputs, "operand") + (entry.optional ? " (some may be absent)" : "") + ", " + number(entry.outputs, "result");
  return text;
}

std::string reference(const std::vector<Entry>& list) {
  std::string text =
      "# Op reference\n\n"
      "Generated from the tables in `include/hearth/op` and from running every op; do not edit. `tests/docs/ops.cpp` makes it:\n"
      "`cmake --build --preset release --target docs_ops && build/release/tests/docs/docs_ops --write`.\n\n"
      "In formulas x, a and b are operands, y the result and g the gradient of the result. Operands in brackets are optional.\n\n";
  text += "## Rows of Unary\n\n" + unary_table() + "\n## Rows of Binary and BinaryScalar\n\n" + binary_table();
  text += "\n## Rows of Compare and CompareScalar\n\n" + compare_table() + "\n## Rows of Reduce\n\n" + reduce_table() + "\n## Rows of Scan\n\n" + scan_table();
  std::string family;
  for (const Entry& entry : list) {
    if (entry.family != family) {
      family = entry.family;
      text += "\n## Family: " + family + "\n";
    }
    text += "\n### " + entry.name + "\n\n" + entry.meaning + "\n\n";
    text += "- " + operands_in_words(entry) + "; fields: `" + entry.fresh + "`\n";
    text += "- gradient: " + entry.gradient + "\n";
    if (entry.composite) text += std::string("- `Cpu`: ") + (entry.claimed ? "claims it where it has a kernel for the operands, else runs its parts" : "runs its parts") + "\n";
    text += "- dtypes: " + in_words(entry.portable) + " on `Portable`, " + in_words(entry.cpu) + " on `Cpu`\n";
  }
  return text;
}

/// Ops of one family that are supported alike share a row.
std::string support(const std::vector<Entry>& list) {
  std::vector<std::pair<std::vector<std::string>, std::string>> rows;
  for (const Entry& entry : list) {
    const std::string gradient = entry.gradient.substr(0, entry.gradient.find(':'));
    const std::vector<std::string> key{entry.family, in_words(entry.portable), in_words(entry.cpu) + (entry.claimed ? " (claimed)" : ""), gradient};
    auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == key; });
    if (found == rows.end()) rows.push_back({key, entry.name});
    else found->second += ", " + entry.name;
  }
  std::string text = head({"family", "ops", "`Portable`", "`Cpu`", "gradient"});
  for (const auto& [key, names] : rows) text += row({key[0], names, key[1], key[2], key[3]});
  return text;
}

/// Where HEARTH_SUPPORT_TABLE names what the op suite wrote (tests/op/support_table.hpp): the dtypes whose cases passed but which the table here
/// does not have, in a sentence each. The other way round the suite may just have no case.
std::vector<std::string> missing_from(const std::vector<Entry>& list) {
  std::vector<std::string> sentences;
  const char* const path = std::getenv("HEARTH_SUPPORT_TABLE");
  if (!path) return sentences;
  std::ifstream in(path);
  std::string subject, backend, dtypes, rest;
  int lines = 0;
  while (std::getline(in, subject, '\t') && std::getline(in, backend, '\t') && std::getline(in, dtypes, '\t') && std::getline(in, rest)) {
    ++lines;
    const auto entry = std::find_if(list.begin(), list.end(), [&](const Entry& e) { return e.name == subject.substr(0, subject.find('.')); });
    if (entry == list.end() || (backend != "Portable" && backend != "Cpu")) continue;
    for (std::size_t at = 0; at < dtypes.size();) {
      const std::size_t end = std::min(dtypes.find(',', at), dtypes.size());
      const auto dtype = dtype_named(dtypes.substr(at, end - at));
      if (!dtype || !(backend == "Cpu" ? entry->cpu : entry->portable).contains(*dtype))
        sentences.push_back(subject + " passed the suite with " + dtypes.substr(at, end - at) + " on " + backend + ", which is not in the table");
      at = end + 1;
    }
  }
  if (lines == 0) sentences.push_back(std::string(path) + " has no line of the op suite");
  return sentences;
}

std::string read(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* begin_mark = "<!-- support table: made by docs_ops -->\n";
constexpr const char* end_mark = "<!-- end of the support table -->\n";

/// README.md with the table in its place; empty where it has no place for it.
std::string with_table(const std::string& readme, const std::string& table) {
  const std::size_t begin = readme.find(begin_mark), end = readme.find(end_mark);
  if (begin == readme.npos || end == readme.npos || end < begin) return "";
  return readme.substr(0, begin) + begin_mark + table + readme.substr(end);
}

int check(const char* path, const std::string& made, bool write) {
  if (made.empty()) return std::fprintf(stderr, "%s has no lines that mark the place of the support table\n", path), 1;
  if (read(path) == made) return 0;
  if (write) return std::ofstream(path, std::ios::binary) << made, std::printf("wrote %s\n", path), 0;
  return std::fprintf(stderr, "%s is not what the ops say now; run docs_ops --write in the root folder\n", path), 1;
}

int main_of(bool write) {
  std::vector<Entry> list = entries();
  read_comments(list);
  int faults = 0;
  const auto fault = [&](const std::string& sentence) { faults += std::fprintf(stderr, "%s\n", sentence.c_str()) > 0; };
  for (Entry& entry : list) {
    probe(entry);
    if (entry.meaning.empty()) fault(entry.name + " has no comment above its struct");
    if (entry.portable.empty() != (entry.family == "open")) fault(entry.name + " runs with no dtype, or should not run at all");
    const bool differentiable = entry.gradient == "by its rule" || entry.gradient == "through its parts";
    if (entry.family != "open" && entry.went_back != differentiable) fault(entry.name + " says \"" + entry.gradient + "\", but backward disagrees");
  }
  for (const std::string& sentence : missing_from(list)) fault(sentence);
  faults += check("docs/ops.md", reference(list), write);
  faults += check("README.md", with_table(read("README.md"), support(list)), write);
  return faults > 0;
}

}  // namespace
}  // namespace hearth::docs

int main(int argc, char** argv) { return hearth::docs::main_of(argc > 1 && std::string(argv[1]) == "--write"); }
