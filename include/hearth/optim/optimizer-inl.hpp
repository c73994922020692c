// optim/optimizer-inl: the bodies of Optimizer and of the gradient functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "../backend/apply-inl.hpp"
#include "../backend/decompositions/common.hpp"
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
/// Not negative, and neither infinite nor NaN.
inline bool check_number(std::string_view what, double value) {
  if (value >= 0 && value - value == 0) return true;
  return fail("optimizer", "the " + std::string(what) + " is " + to_string(Scalar(value)) + (value < 0 ? "; it must not be negative" : "; it must be finite"));
}
/// How much of a running mean stays at each step: at 1 nothing would ever enter it.
inline bool check_share(std::string_view what, double value) {
  if (value >= 0 && value < 1) return true;
  return fail("optimizer", std::string(what) + " is " + to_string(Scalar(value)) + "; it must be at least 0 and below 1");
}
/// What only one kind of optimiser has.
struct CheckConfig {
  bool operator()(const Sgd& c) const {
    if (!check_number("momentum", c.momentum)) return false;
    if (!(c.dampening - c.dampening == 0)) return fail("optimizer", "the dampening is " + to_string(Scalar(c.dampening)) + "; it must be finite");
    if (!c.nesterov || (c.momentum > 0 && c.dampening == 0)) return true;
    return fail("optimizer", "Nesterov's form takes a momentum above 0 and no dampening");
  }
  bool operator()(const RmsProp& c) const { return check_number("momentum", c.momentum) && check_share("alpha", c.alpha) && check_number("epsilon", c.epsilon); }
  template <class C>
  bool operator()(const C& c) const {  // Adam and AdamW
    return check_share("beta1", c.beta1) && check_share("beta2", c.beta2) && check_number("epsilon", c.epsilon);
  }
};
/// Groups change rate and decay only.
inline bool same_config(OptimizerConfig a, OptimizerConfig b) { return rate_of(a) == rate_of(b) && decay_of(a) == decay_of(b); }
}  // namespace detail

template <class B>
void Optimizer<B>::Names::param(std::string_view path, Dyn<B>& value, int) {
  if (value) optimizer.known_.push_back({std::string(path), value.shape()});
}

template <class B>
void Optimizer<B>::Collector::param(std::string_view path, Dyn<B>& value, int) {
  if constexpr (is_autodiff<B>) {
    if (!value) return;
    if (HandleOf<Values> gradient = gradients.take(value.handle))
      return items.push_back({.paths = {std::string(path)}, .places = {&value}, .gradient = Dyn<Values>(std::move(gradient))});
    // None, or taken under another name of the same leaf.
    for (Item& item : items)
      if (leaf_identity(*item.places.front()) == leaf_identity(value)) {
        item.paths.emplace_back(path);
        item.places.push_back(&value);
        return;
      }
  }
}

template <class B>
void Optimizer<B>::check() const {
  const LetGo errors;
  OptimizerConfig config = config_;
  if (!detail::check_number("learning rate", detail::rate_of(config)) || !detail::check_number("weight decay", detail::decay_of(config))) return;
  if (!std::visit(detail::CheckConfig{}, config_)) return;
  if (known_.empty()) (void)fail("optimizer", "the model has no parameters", {}, "fields of type Param<B, Rank> are parameters");
}

template <class B>
Optimizer<B>& Optimizer<B>::group(std::string pattern, GroupOptions options) {
  const LetGo errors;
  if ((options.rate && !detail::check_number("learning rate of a group", *options.rate)) ||
      (options.weight_decay && !detail::check_number("weight decay of a group", *options.weight_decay)))
    return *this;
  if (std::none_of(known_.begin(), known_.end(), [&](const Known& known) { return matches(pattern, known.path); })) {
    std::string some;
    for (std::size_t i = 0; i < known_.size() && i < 6; ++i) some += (i ? ", " : "") + known_[i].path;
    (void)fail("optimizer", "no parameter matches \"" + pattern + "\"", {}, "the parameters are " + some + (known_.size() > 6 ? ", ..." : ""));
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
  const LetGo errors;
  if (detail::check_number("learning rate", rate)) detail::rate_of(config_) = rate;
}

template <class B>
std::optional<OptimizerConfig> Optimizer<B>::config_for(const Item& item) const {
  OptimizerConfig config = config_;
  bool frozen = false;
  for (const Group& group : groups_) {
    if (std::none_of(item.paths.begin(), item.paths.end(), [&](const std::string& path) { return matches(group.pattern, path); })) continue;
    const GroupOptions& options = group.options;
    if (options.frozen) frozen = *options.frozen;
    if (options.rate) detail::rate_of(config) = first_rate_ != 0 ? *options.rate * (rate() / first_rate_) : *options.rate;
    if (options.weight_decay) detail::decay_of(config) = *options.weight_decay;
  }
  if (frozen) return {};
  return config;
}

template <class B>
auto Optimizer<B>::state() const -> State<Values> {
  State<Values> state;
  state.set("steps", steps_);
  state.set("rate", rate());
  state.set("first_rate", first_rate_);
  for (const Memory& memory : memory_) {
    if (!memory.values.empty() && memory.steps != steps_) state.set("steps." + memory.path, memory.steps);
    for (std::size_t i = 0; i < memory.values.size(); ++i) state.tensors.push_back({memory.path + "." + std::to_string(i), memory.values[i]});
  }
  return state;
}

template <class B>
void Optimizer<B>::restore(const State<Values>& state) {
  const LetGo errors;
  const auto steps = state.template get<std::int64_t>("steps");
  const auto rate = state.template get<double>("rate"), first_rate = state.template get<double>("first_rate");
  if (pending_error()) return;
  if (steps < 0 || !(rate >= 0) || !(first_rate >= 0)) return (void)state.refuse("optimizer", "the state has a negative number of steps or a negative rate");
  std::vector<Memory> restored;
  for (const auto& [name, value] : state.tensors) {
    const std::string path = name.substr(0, name.rfind('.'));
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.path == path; });
    if (const Error* error = value.error()) return report_error(*error);
    if (known == known_.end()) return (void)state.refuse("optimizer", "the state has momenta of \"" + path + "\", which the model does not have");
    if (value.shape() != known->shape)
      return (void)state.refuse("optimizer", "the state has momenta of shape " + to_string(value.shape()) + " for \"" + path + "\", which is " + to_string(known->shape));
    if (!is_float(value.dtype())) return (void)state.refuse("optimizer", "the state has momenta of \"" + path + "\" that are " + std::string(name_of(value.dtype())));
    if (restored.empty() || restored.back().path != path) restored.push_back({path, {}, steps});
    restored.back().values.push_back(value);
  }
  for (const Memory& memory : restored)
    if (int(memory.values.size()) != detail::memory_count(config_))
      return (void)state.refuse("optimizer", "the state has " + std::to_string(memory.values.size()) + " momenta of \"" + memory.path + "\"; this configuration keeps " +
                                                std::to_string(detail::memory_count(config_)));
  std::sort(restored.begin(), restored.end(), [](const Memory& a, const Memory& b) { return a.path < b.path; });
  for (const auto& [name, value] : state.values) {
    if (!name.starts_with("steps.")) continue;
    const auto memory = std::find_if(restored.begin(), restored.end(), [path = std::string_view(name).substr(6)](const Memory& m) { return m.path == path; });
    const auto taken = value.template to<std::int64_t>();
    if (memory == restored.end() || taken < 1 || taken > steps)
      return (void)state.refuse("optimizer", "the state has \"" + name + "\" = " + to_string(value) + ", of " + std::to_string(steps) + " steps");
    memory->steps = taken;
  }
  steps_ = steps;
  detail::rate_of(config_) = rate;
  first_rate_ = first_rate;
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
  const LetGo errors;
  if (!HEARTH_EXCEPTIONS && collector.gradients.error()) return report_error(*collector.gradients.error());
  for (const Item& item : collector.items)
    if (const Error* error = item.gradient.error()) return report_error(*error);
  if constexpr (is_autodiff<B>) step_together(collector);
}

template <class B>
void Optimizer<B>::step_together(Collector& collector)
  requires is_autodiff<B>
{
  auto found = [this](const std::string& path) {
    return std::lower_bound(memory_.begin(), memory_.end(), path, [](const Memory& memory, const std::string& p) { return memory.path < p; });
  };
  std::vector<Item*> left;
  for (Item& item : collector.items)
    if (auto config = config_for(item)) {
      item.config = *config;
      left.push_back(&item);
      if (auto at = found(item.paths.front()); at == memory_.end() || at->path != item.paths.front()) memory_.insert(at, Memory{item.paths.front(), {}, 0});
    }
  for (Item* item : left) item->memory = &*found(item->paths.front());
  // Parameters with equal settings, which have taken as many steps, take one together, as one op over lists.
  std::vector<std::vector<Item*>> lists;
  while (!left.empty()) {
    const Item& first = *left.front();
    std::vector<Item*> together, others;
    for (Item* item : left) {
      const bool alike = detail::same_config(item->config, first.config) && item->memory->steps == first.memory->steps &&
                         item->memory->values.empty() == first.memory->values.empty();
      (alike ? together : others).push_back(item);
    }
    lists.push_back(std::move(together));
    left = std::move(others);
  }
  // All are checked before the first is taken.
  for (const auto& together : lists)
    if (!fit(together)) return;
  ++steps_;
  std::vector<Together> steps;
  const auto take = [&] {
    for (auto& together : lists) steps.push_back(prepare(std::move(together)));
    if (pending_error()) return false;
    for (Together& step : steps) give_up(step);
    // Steps that write over their values go last: they need no memory, so that what is lost to them is not asked for again.
    for (const bool kept : {true, false})
      for (Together& step : steps)
        if (step.kept.empty() != kept && !step_alike(step)) return false;
    return true;
  };
#if HEARTH_EXCEPTIONS
  try {
    (void)take();
  } catch (...) {
    go_back(steps);
    throw;
  }
#else
  if (!take()) go_back(steps);
#endif
}

template <class B>
void Optimizer<B>::go_back(std::span<Together> steps)
  requires is_autodiff<B>
{
  for (Together& step : steps) {
    const auto& values = step.kept.empty() ? step.in : step.kept;
    if (values.empty() || !values.front()) continue;
    const std::size_t n = step.items.size();
    for (std::size_t i = 0; i < n; ++i) {
      auto leaf = step.leaves[i];
      leaf.value = values[i];
      for (Dyn<B>* place : step.items[i]->places) place->handle = leaf;
      Memory& memory = *step.items[i]->memory;
      memory.steps = step.taken;
      memory.values.clear();
      for (std::size_t at = 2 * n + i; !step.first && at < values.size(); at += n) memory.values.push_back(Dyn<Values>(values[at]));
    }
  }
  --steps_;
}

template <class B>
template <class Take, class Absent>
auto Optimizer<B>::operands(std::span<Item* const> together, Take take, Absent absent) {
  std::vector<decltype(take(together.front()->gradient.handle))> in;
  const auto value = [](const Item* item) -> const auto& { return item->places.front()->handle.value; };
  for (const Item* item : together) in.push_back(take(value(item)));
  for (const Item* item : together) in.push_back(take(item->gradient.handle));
  const auto remembered = std::size_t(detail::memory_count(together.front()->config));
  for (std::size_t m = 0; m < remembered; ++m)
    for (const Item* item : together) {
      const auto& values = item->memory->values;
      in.push_back(m < values.size() ? take(values[m].handle) : absent(value(item)));
    }
  return in;
}

template <class B>
bool Optimizer<B>::fit(std::span<Item* const> together) const
  requires is_autodiff<B>
{
  const Memory& memory = *together.front()->memory;
  const auto check = [&](const auto& config) -> bool {
    const auto op = detail::StepOp{std::int64_t(together.size()), memory.steps + 1, memory.values.empty()}(config);
    const auto spec = [](const HandleOf<Values>& handle) { return &Values::spec(handle); };
    const std::vector<const Spec*> in = operands(together, spec, spec);
    (void)infer(op, in);
    return !pending_error();
  };
  return std::visit(check, together.front()->config);
}

template <class B>
auto Optimizer<B>::prepare(std::vector<Item*> items) -> Together
  requires is_autodiff<B>
{
  const Memory& memory = *items.front()->memory;
  Together step{.items = std::move(items), .taken = memory.steps, .first = memory.values.empty()};
  step.in = operands(
      step.items, [](const HandleOf<Values>& handle) { return handle; }, [](const HandleOf<Values>& value) { return zero_like(Dyn<Values>(value)).handle; });
  for (Item* item : step.items) {
    item->gradient = {};
    step.leaves.push_back(item->places.front()->handle);
    step.leaves.back().value = {};
  }
  return step;
}

template <class B>
void Optimizer<B>::give_up(Together& step)
  requires is_autodiff<B>
{
  const std::size_t n = step.items.size();
  const auto claimed = [&](const auto& config) {
    const auto op = detail::StepOp{std::int64_t(n), step.taken + 1, step.first}(config);
    return claims<Values>(op, specs_of<Values, std::remove_const_t<decltype(op)>>(step.in));
  };
  bool over = HEARTH_EXCEPTIONS && std::visit(claimed, step.items.front()->config);
  if (over) {  // a claimed step writes into what it alone owns: give up our own handles, now that it is sure that they fit
    for (Item* item : step.items) {
      for (Dyn<B>* place : item->places) place->handle.value = {};
      item->memory->values.clear();
    }
    for (std::size_t i = 0; i < step.in.size(); ++i) over = over && ((i >= n && i < 2 * n) || overwritable<Values>(step.in[i]));
  }
  if (over) return;
  step.kept = step.in;  // to go back to, but for the gradients; without exceptions always
  for (std::size_t i = n; i < 2 * n; ++i) step.kept[i] = {};
}

template <class B>
bool Optimizer<B>::step_alike(Together& step)
  requires is_autodiff<B>
{
  const std::size_t n = step.items.size();
  const auto run = [&](const auto& config) -> bool {
    const auto op = detail::StepOp{std::int64_t(n), step.taken + 1, step.first}(config);
    auto out = apply<Values>(op, std::move(step.in));
    step.in.clear();
    if constexpr (!HEARTH_EXCEPTIONS)
      if (detail::failed_operand<Values>(out.data(), out.size())) return false;
    for (std::size_t i = 0; i < n; ++i) {
      const auto leaf = B::track(B::from_inner(std::move(out[i])));
      for (Dyn<B>* place : step.items[i]->places) place->handle = leaf;
      Memory& memory = *step.items[i]->memory;
      memory.steps = step.taken + 1;
      memory.values.clear();
      for (std::size_t at = n + i; at < out.size(); at += n) memory.values.push_back(Dyn<Values>(std::move(out[at])));
    }
    return true;
  };
  return std::visit(run, step.items.front()->config);
}

template <class B>
void GradientFunctions<B>::accumulate(Gradients<B>& into, Gradients<B> more) {
  if (into.failure()) return;
  if (more.failure()) into = Gradients<B>::failed(more.failure());
  for (auto& entry : more.entries()) into.add(std::move(entry));
}
template <class B>
void GradientFunctions<B>::scale(Gradients<B>& gradients, Scalar factor) {
  for (auto& entry : gradients.entries()) entry.gradient = (Dyn<B>(std::move(entry.gradient)) * factor).handle;
}
template <class B>
void GradientFunctions<B>::clip_by_value(Gradients<B>& gradients, double limit) {
  const LetGo errors;
  if (!(limit >= 0)) return (void)fail("clip_by_value", "the limit is " + to_string(Scalar(limit)) + "; it must not be negative");
  for (auto& entry : gradients.entries()) entry.gradient = clamp(Dyn<B>(std::move(entry.gradient)), -limit, limit).handle;
}
template <class B>
Dyn<B> GradientFunctions<B>::clip_by_norm(Gradients<B>& gradients, double limit, double p) {
  if (gradients.failure()) return Dyn<B>(gradients.failure());
  if (gradients.entries().empty()) return fail("clip_by_norm", "there are no gradients");
  if (!(limit >= 0) || !(p > 0)) return fail("clip_by_norm", "the limit is " + to_string(Scalar(limit)) + " and p " + to_string(Scalar(p)) + "; they must not be negative, nor p 0");
  // The norm of all is the norm of their norms; it is taken in f32 at least. They are put in order first: the order of the leaves is that
  // in which they were made, which is another one after a checkpoint is loaded, and must not show in the last bit.
  const bool infinite = p > 1e300;
  Dtype widest = Dtype::f32;
  for (const auto& entry : gradients.entries())
    if (B::spec(entry.gradient).dtype == Dtype::f64) widest = Dtype::f64;
  std::vector<Dyn<B>> parts;
  for (const auto& entry : gradients.entries()) {
    Dyn<B> g(entry.gradient);
    if (infinite && element_count(g.shape()) == 0) g = Dyn<B>::full(g.device(), Spec{g.dtype(), Shape{1}}, 0);  // has no largest
    g = detail::accumulated(std::move(g));
    const Axes all = all_axes(g.rank());
    Dyn<B> part = infinite ? reduce(ReduceCode::max, abs(std::move(g)), all) : sum(p == 2 ? square(std::move(g)) : pow(abs(std::move(g)), p), all);
    parts.push_back(reshape(detail::converted(std::move(part), widest), {1}));
  }
  auto ordered = apply<B>(op::Sort{0}, {concat(std::move(parts), 0).handle});
  const Dyn<B> total = reshape(reduce(infinite ? ReduceCode::max : ReduceCode::sum, Dyn<B>(std::move(ordered[0])), {0}), {});
  Dyn<B> norm = infinite ? total : p == 2 ? sqrt(total) : pow(total, 1 / p);
  const Dyn<B> factor = clamp(limit / (norm + 1e-6), Scalar{}, 1.0);
  for (auto& entry : gradients.entries()) {
    Dyn<B> g(std::move(entry.gradient));
    Dyn<B> f = detail::converted(factor, g.dtype());
    entry.gradient = (std::move(g) * std::move(f)).handle;
  }
  return norm;
}

}  // namespace hearth
