// nn/model: what is done to a model as a whole: modes, freezing, counting, a table of its parts.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../core/match.hpp"
#include "walk.hpp"

namespace hearth {

namespace detail {
/// Compiled per stack.
template <class B>
struct ModeSetter final : Walker<B> {
  explicit ModeSetter(bool t) : training(t) {}
  void mode(std::string_view path, Mode& mode) override;
  bool training;
};
template <class B>
struct Freezer final : Walker<B> {
  Freezer(std::string_view p, bool f) : pattern(p), freeze(f) {}
  void param(std::string_view path, Dyn<B>& value, int rank) override;
  std::string_view pattern;
  bool freeze, finding = true;
  struct Leaf {
    const void* identity;
    Dyn<B> now;
  };
  std::vector<Leaf> leaves;
};
template <class B>
struct Summary final : Walker<B> {
  struct Line {
    std::string path, type, shape;
    std::int64_t count = 0;
    bool trained = false, counts = false;
  };
  std::vector<Line> lines;
  std::vector<const void*> leaves;
  void param(std::string_view path, Dyn<B>& value, int rank) override;
  void buffer(std::string_view path, Dyn<B>& value, int rank, Kinds kind) override;
  void enter(std::string_view path, std::string_view type) override;
  std::int64_t parameters() const;
  std::string text() const;
};
}  // namespace detail

/// Training mode: dropout drops, batch norm measures. Independent of whether gradients are recorded.
template <class M>
void train(M& model) {
  detail::ModeSetter<BackendOf<M>> setter(true);
  walk<BackendOf<M>>(model, setter);
}
/// Evaluation mode.
template <class M>
void eval(M& model) {
  detail::ModeSetter<BackendOf<M>> setter(false);
  walk<BackendOf<M>>(model, setter);
}

namespace detail {
template <class M>
void set_frozen(M& model, std::string_view function, std::string_view pattern, bool frozen) {
  const LetGo errors;
  Freezer<hearth::BackendOf<M>> freezer(pattern, frozen);
  walk<hearth::BackendOf<M>>(model, freezer);
  if (freezer.leaves.empty()) return (void)fail(function, "no parameter matches \"" + std::string(pattern) + "\"");
  freezer.finding = false;  // and again: a tied parameter is frozen under all of its names
  walk<hearth::BackendOf<M>>(model, freezer);
}
}  // namespace detail

/// Parameters whose path matches the pattern get no gradient from now on, and optimisers leave them alone; unfreeze gives it back.
/// A tied parameter is one parameter: any of its names will do. An error if nothing matches.
template <class M>
void freeze(M& model, std::string_view pattern) {
  detail::set_frozen(model, "freeze", pattern, true);
}
template <class M>
void unfreeze(M& model, std::string_view pattern) {
  detail::set_frozen(model, "unfreeze", pattern, false);
}

/// How many numbers the parameters hold, frozen ones too; tied parameters count once.
template <class M>
std::int64_t parameter_count(const M& model) {
  detail::Summary<BackendOf<M>> summary;
  walk<BackendOf<M>>(model, summary);
  return summary.parameters();
}
/// A table of the model's modules, parameters and buffers, with their shapes and sizes.
template <class M>
std::string summary(const M& model) {
  detail::Summary<BackendOf<M>> summary;
  walk<BackendOf<M>>(model, summary);
  return summary.text();
}

}  // namespace hearth
