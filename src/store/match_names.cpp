// store/match_names: which entry of a file belongs to which field of a model, and all that does not fit, in one report.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hearth/store/model.hpp"

namespace hearth::detail {

namespace {

std::string with_near(const std::string& name, std::span<const std::string> candidates) {
  const std::string_view near = nearest(name, candidates);
  return near.empty() ? name : name + " (near: " + std::string(near) + ")";
}

std::string listed(const char* what, const std::vector<std::string>& lines) {
  std::string text;
  if (lines.empty()) return text;
  text = std::string("\n  ") + what + ":";
  for (const std::string& line : lines) text += "\n    " + line;
  return text;
}

/// Empty if an entry fits a place; else what is wrong.
std::string misfit(const Wanted& w, const Spec& found, bool convert) {
  if (w.defined) {
    if (found.shape != w.spec.shape) return w.name + ": the model has " + to_string(w.spec) + ", the file " + to_string(found);
    if (found.dtype == w.spec.dtype || (convert && kinds_of(found.dtype) == w.kinds)) return {};
    return w.name + ": the model has " + to_string(w.spec) + ", the file " + to_string(found) +
           (kinds_of(found.dtype) == w.kinds ? "; LoadOptions::convert accepts it" : ", which is of another kind");
  }
  if (found.shape.size() != w.rank) return w.name + ": the model has rank " + std::to_string(w.rank) + ", the file " + to_string(found);
  if ((kinds_of(found.dtype) & w.kinds) == 0) return w.name + ": the file has " + to_string(found) + ", which is of another kind";
  return {};
}

}  // namespace

std::vector<int> match_names(std::string_view path, std::span<const Wanted> wanted, const Safetensors& file, const LoadOptions& options, LoadReport& report) {
  const std::span<const Safetensors::Entry> entries = file.entries();
  std::vector<std::string> file_names;
  std::vector<int> file_index;
  auto add = [&](std::string name, std::size_t entry) {
    if (!name.starts_with(options.prefix)) return;
    name.erase(0, options.prefix.size());
    for (const Rename& rule : options.renames) name = renamed(rule.from, rule.to, name);
    file_names.push_back(std::move(name));
    file_index.push_back(int(entry));
  };
  for (std::size_t i = 0; i < entries.size(); ++i) add(entries[i].name, i);
  const std::size_t stored = file_names.size();
  for (const auto& [key, name] : file.metadata())  // further names of what is stored once
    if (const auto* entry = key.starts_with("tied:") ? file.find(name) : nullptr) add(key.substr(5), std::size_t(entry - entries.data()));
  std::vector<std::size_t> order(file_names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return file_names[a] < file_names[b]; });

  std::vector<std::string> model_names;
  for (const Wanted& w : wanted) model_names.push_back(w.name);
  std::vector<int> source(wanted.size(), -1);
  std::vector<bool> used(file_names.size(), false);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto it = std::lower_bound(order.begin(), order.end(), wanted[i].name, [&](std::size_t k, const std::string& n) { return file_names[k] < n; });
    if (it == order.end() || file_names[*it] != wanted[i].name) continue;
    if (auto next = it + 1; next != order.end() && file_names[*next] == wanted[i].name)
      report.mismatched.push_back(wanted[i].name + ": two tensors of the file have this name after renaming");
    used[*it] = true;
    const int entry = file_index[*it];
    const std::string problem = misfit(wanted[i], entries[std::size_t(entry)].spec, options.convert);
    if (!problem.empty()) {
      report.mismatched.push_back(problem);
      continue;
    }
    source[i] = entry;
    report.loaded.push_back(wanted[i].name);
  }
  // Tied parameters take their value from whichever of their names the file has.
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].tied_to >= 0)
      if (int& first = source[std::size_t(wanted[i].tied_to)]; first < 0) first = source[i];
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].tied_to < 0) continue;
    const int first = source[std::size_t(wanted[i].tied_to)];
    if (source[i] < 0 || (first >= 0 && std::ranges::equal(entries[std::size_t(first)].bytes, entries[std::size_t(source[i])].bytes))) source[i] = first;
  }
  auto found_mismatch = [&](const std::string& name) {
    return std::any_of(report.mismatched.begin(), report.mismatched.end(), [&](const std::string& line) { return line.starts_with(name + ":"); });
  };
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < stored; ++i)
    if (!used[i]) unused.push_back(file_names[i]);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (source[i] < 0 && !found_mismatch(wanted[i].name)) report.missing.push_back(with_near(wanted[i].name, unused));
  }
  for (const std::string& name : unused) report.unexpected.push_back(with_near(name, model_names));

  if (options.strict && !(report.missing.empty() && report.unexpected.empty() && report.mismatched.empty()))
    (void)fail(Error(ErrorKind::file, "load",
                     std::string(path) + " does not fit the model:" + listed("missing in the file", report.missing) + listed("unexpected in the file", report.unexpected) +
                         listed("mismatched", report.mismatched),
                     {}, "LoadOptions has renames, prefix, convert and strict"));
  return source;
}

}  // namespace hearth::detail
