// optim/optimizer-inl: the bodies of Optimizer and of the gradient functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "../backend/apply-inl.hpp"
#include "gradients.hpp"
#include "optimizer.hpp"

/// Each of these templates is stamped for each stack.
#define HEARTH_OPTIM_FUNCTIONS(X) X(Optimizer) X(GradientFunctions)

namespace hearth {

namespace detail {
inline double& rate_of(OptimizerConfig& config) {
  return *std::visit([](auto& c) { return &c.rate; }, config);
}
inline double& decay_of(OptimizerConfig& config) {
  return *std::visit([](auto& c) { return &c.weight_decay; }, config);
}
/// How many tensors a configuration remembers per parameter.
inline int memory_count(const OptimizerConfig& config) {
  struct Count {
    int operator()(const Sgd& c) const { return c.momentum != 0; }
    int operator()(const Adam&) const { return 2; }
    int operator()(const AdamW&) const { return 2; }
    int operator()(const RmsProp& c) const { return 1 + c.centered + (c.momentum != 0); }
  };
  return std::visit(Count{}, config);
}
inline bool same_config(const OptimizerConfig& a, const OptimizerConfig& b) {
  return rate_of(const_cast<OptimizerConfig&>(a)) == rate_of(const_cast<OptimizerConfig&>(b)) &&
         decay_of(const_cast<OptimizerConfig&>(a)) == decay_of(const_cast<OptimizerConfig&>(b));
}
}  // namespace detail

template <class B>
void Optimizer<B>::Names::param(std::string_view path, Dyn<B>&, int) {
  optimizer.names_.emplace_back(path);
}

template <class B>
void Optimizer<B>::Collector::param(std::string_view path, Dyn<B>& value, int) {
  if constexpr (is_autodiff<B>) {
    if (!value) return;
    for (Item& item : items)
      if (leaf_identity(*item.places.front()) == leaf_identity(value)) {
        item.places.push_back(&value);
        return;
      }
    HandleOf<Values> gradient = gradients.take(value.handle);
    if (!gradient) return;
    items.push_back({std::string(path), {&value}, Dyn<Values>(std::move(gradient))});
  }
}

template <class B>
void Optimizer<B>::check() const {
  OptimizerConfig config = config_;
  if (!(detail::rate_of(config) >= 0)) (void)fail("optimizer", "the learning rate is " + to_string(Scalar(detail::rate_of(config))) + "; it must not be negative");
  if (names_.empty()) (void)fail("optimizer", "the model has no parameters", {}, "fields of type Param<B, Rank> are parameters");
  if (const auto* sgd = std::get_if<Sgd>(&config_); sgd && sgd->nesterov && (sgd->momentum <= 0 || sgd->dampening != 0))
    (void)fail("optimizer", "Nesterov's form takes a momentum above 0 and no dampening");
}

template <class B>
Optimizer<B>& Optimizer<B>::group(std::string pattern, GroupOptions options) {
  if (std::none_of(names_.begin(), names_.end(), [&](const std::string& name) { return matches(pattern, name); })) {
    std::string some;
    for (std::size_t i = 0; i < names_.size() && i < 6; ++i) some += (i ? ", " : "") + names_[i];
    (void)fail("optimizer", "no parameter matches \"" + pattern + "\"", {}, "the parameters are " + some + (names_.size() > 6 ? ", ..." : ""));
    return *this;
  }
  groups_.push_back({std::move(pattern), options});
  return *this;
}

template <class B>
double Optimizer<B>::rate() const {
  OptimizerConfig config = config_;
  return detail::rate_of(config);
}

template <class B>
void Optimizer<B>::set_rate(double rate) {
  if (first_rate_ == 0) first_rate_ = detail::rate_of(config_);
  detail::rate_of(config_) = rate;
}

template <class B>
OptimizerConfig Optimizer<B>::config_for(const std::string& path, bool& frozen) const {
  OptimizerConfig config = config_;
  frozen = false;
  for (const Group& group : groups_) {
    if (!matches(group.pattern, path)) continue;
    frozen = group.options.frozen;
    if (group.options.rate) {
      OptimizerConfig base = config_;
      const double ratio = first_rate_ != 0 ? detail::rate_of(base) / first_rate_ : 1;
      detail::rate_of(config) = *group.options.rate * ratio;
    }
    if (group.options.weight_decay) detail::decay_of(config) = *group.options.weight_decay;
  }
  return config;
}

template <class B>
auto Optimizer<B>::memory_of(const std::string& path) -> std::vector<Dyn<Values>>& {
  for (Memory& memory : memory_)
    if (memory.path == path) return memory.values;
  return memory_.emplace_back(Memory{path, {}}).values;
}

template <class B>
auto Optimizer<B>::state() const -> State<Values> {
  State<Values> state;
  state.set("steps", steps_);
  state.set("rate", rate());
  state.set("first_rate", first_rate_);
  for (const Memory& memory : memory_)
    for (std::size_t i = 0; i < memory.values.size(); ++i) state.tensors.push_back({memory.path + "." + std::to_string(i), memory.values[i]});
  return state;
}

template <class B>
void Optimizer<B>::restore(const State<Values>& state) {
  std::vector<Memory> restored;
  for (const auto& [name, value] : state.tensors) {
    const std::string path = name.substr(0, name.rfind('.'));
    if (std::find(names_.begin(), names_.end(), path) == names_.end())
      return (void)fail("optimizer", "the state has momenta of \"" + path + "\", which the model does not have");
    if (restored.empty() || restored.back().path != path) restored.push_back({path, {}});
    restored.back().values.push_back(value);
  }
  for (const Memory& memory : restored)
    if (int(memory.values.size()) != detail::memory_count(config_))
      return (void)fail("optimizer", "the state has " + std::to_string(memory.values.size()) + " momenta of \"" + memory.path + "\"; this configuration keeps " +
                                        std::to_string(detail::memory_count(config_)));
  steps_ = state.template get<std::int64_t>("steps");
  detail::rate_of(config_) = state.template get<double>("rate");
  first_rate_ = state.template get<double>("first_rate");
  memory_ = std::move(restored);
}

namespace detail {

/// The step's op for `count` parameters. `first`: they have no memory yet.
struct StepOp {
  std::int64_t count, step;
  bool first;
  op::SgdStep operator()(const Sgd& c) const {
    return {.count = count, .rate = c.rate, .momentum = c.momentum, .dampening = c.dampening, .weight_decay = c.weight_decay, .nesterov = c.nesterov, .first = first};
  }
  op::AdamStep operator()(const Adam& c) const {
    return {.count = count, .step = step, .rate = c.rate, .beta1 = c.beta1, .beta2 = c.beta2, .epsilon = c.epsilon, .weight_decay = c.weight_decay, .decoupled = false};
  }
  op::AdamStep operator()(const AdamW& c) const {
    return {.count = count, .step = step, .rate = c.rate, .beta1 = c.beta1, .beta2 = c.beta2, .epsilon = c.epsilon, .weight_decay = c.weight_decay, .decoupled = true};
  }
  op::RmsPropStep operator()(const RmsProp& c) const {
    return {.count = count, .rate = c.rate, .alpha = c.alpha, .epsilon = c.epsilon, .weight_decay = c.weight_decay, .momentum = c.momentum, .centered = c.centered};
  }
};

}  // namespace detail

template <class B>
void Optimizer<B>::take_step(Collector& collector) {
  if constexpr (is_autodiff<B>) step_together(collector);
}

template <class B>
void Optimizer<B>::step_together(Collector& collector)
  requires is_autodiff<B>
{
  ++steps_;
  // Parameters with equal settings take one step together, as one op over lists.
  std::vector<Item*> left;
  for (Item& item : collector.items) left.push_back(&item);
  while (!left.empty()) {
    bool frozen = false;
    const OptimizerConfig config = config_for(left.front()->path, frozen);
    const bool first = memory_of(left.front()->path).empty();
    std::vector<Item*> together, others;
    for (Item* item : left) {
      bool other_frozen = false;
      const OptimizerConfig other = config_for(item->path, other_frozen);
      const bool same = other_frozen == frozen && detail::same_config(config, other) && memory_of(item->path).empty() == first;
      (same ? together : others).push_back(item);
    }
    left = std::move(others);
    if (frozen) continue;

    std::visit(
        [&](const auto& c) {
          const auto op = detail::StepOp{std::int64_t(together.size()), steps_, first}(c);
          using Op = std::remove_const_t<decltype(op)>;
          const int remembered = detail::memory_count(config);
          std::vector<HandleOf<Values>> in;
          for (Item* item : together) in.push_back(item->places.front()->handle.value);
          for (Item* item : together) in.push_back(std::move(item->gradient.handle));
          for (int m = 0; m < remembered; ++m)
            for (Item* item : together) {
              auto& memory = memory_of(item->path);
              if (memory.size() <= std::size_t(m)) memory.push_back(zero_like(Dyn<Values>(item->places.front()->handle.value)));
              in.push_back(memory[std::size_t(m)].handle);
            }
          // A claimed step writes into what it alone owns: give up our own handles, now that nothing can be wrong with them.
          if (claims<Values>(op, specs_of<Values, Op>(in)))
            for (Item* item : together) {
              for (Dyn<B>* place : item->places) place->handle = {};
              memory_of(item->path).clear();
            }
          auto out = apply<Values>(op, std::move(in));
          const std::size_t n = together.size();
          for (std::size_t i = 0; i < n; ++i) {
            const auto leaf = B::track(B::from_inner(std::move(out[i])));
            for (Dyn<B>* place : together[i]->places) place->handle = leaf;
            auto& memory = memory_of(together[i]->path);
            memory.clear();
            for (int m = 0; m < remembered; ++m) memory.push_back(Dyn<Values>(std::move(out[n * std::size_t(m + 1) + i])));
          }
        },
        config);
  }
}

template <class B>
void GradientFunctions<B>::accumulate(Gradients<B>& into, Gradients<B> more) {
  for (auto& entry : more.entries()) into.add(std::move(entry));
}
template <class B>
void GradientFunctions<B>::scale(Gradients<B>& gradients, Scalar factor) {
  for (auto& entry : gradients.entries()) entry.gradient = (Dyn<B>(std::move(entry.gradient)) * factor).handle;
}
template <class B>
void GradientFunctions<B>::clip_by_value(Gradients<B>& gradients, double limit) {
  if (!(limit >= 0)) return (void)fail("clip_by_value", "the limit is " + to_string(Scalar(limit)) + "; it must not be negative");
  for (auto& entry : gradients.entries()) entry.gradient = clamp(Dyn<B>(std::move(entry.gradient)), -limit, limit).handle;
}
template <class B>
Dyn<B> GradientFunctions<B>::clip_by_norm(Gradients<B>& gradients, double limit, double p) {
  if (gradients.entries().empty()) return fail("clip_by_norm", "there are no gradients");
  // The norm of all is the norm of their norms; it is taken in f32 at least.
  const bool infinite = p > 1e300;
  Dyn<B> total;
  for (auto& entry : gradients.entries()) {
    Dyn<B> g(entry.gradient);
    if (g.dtype() == Dtype::f16 || g.dtype() == Dtype::bf16) g = cast(std::move(g), Dtype::f32);
    const Axes all = all_axes(g.rank());
    Dyn<B> part = infinite ? reduce(ReduceCode::max, abs(std::move(g)), all) : sum(p == 2 ? square(std::move(g)) : pow(abs(std::move(g)), p), all);
    part = reshape(std::move(part), {});
    if (!total) total = std::move(part);
    else if (infinite) total = maximum(std::move(total), std::move(part));
    else total = std::move(total) + std::move(part);
  }
  Dyn<B> norm = infinite ? total : p == 2 ? sqrt(total) : pow(total, 1 / p);
  const Dyn<B> factor = clamp(limit / (norm + 1e-6), Scalar{}, 1.0);
  for (auto& entry : gradients.entries()) {
    Dyn<B> g(std::move(entry.gradient));
    Dyn<B> f = g.dtype() == factor.dtype() ? factor : cast(factor, g.dtype());
    entry.gradient = (std::move(g) * std::move(f)).handle;
  }
  return norm;
}

}  // namespace hearth
