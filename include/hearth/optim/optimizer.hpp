// optim/optimizer: parameters, gradients and state go in, new parameters come out. State is kept by field path, so a model may be
// copied, saved or rebuilt; gradients are found by leaf. Compiled per stack and never per model.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string>

#include "../core/match.hpp"
#include "../nn/state.hpp"
#include "../nn/walk.hpp"
#include "config.hpp"

namespace hearth {

/// What a group of parameters does differently.
struct GroupOptions {
  std::optional<double> rate = {}, weight_decay = {};
  std::optional<bool> frozen = {};  ///< true: no step is taken; the gradient is ignored
};

/// B records gradients: Autodiff<...>.
///   Optimizer optimizer(AdamW{.rate = 3e-4}, model);
///   optimizer.group("*.bias", {.weight_decay = 0});
///   optimizer.step(model, backward(loss));
template <class B>
struct Optimizer {
  using Values = hearth::Inner<B>;  ///< the backend on which gradients and momenta live

  template <class M>
  Optimizer(OptimizerConfig config, const M& model) : config_(std::move(config)), first_rate_(rate()) {
    static_assert(is_autodiff<B>, "hearth: an optimizer needs a model whose backend records gradients: build it on Autodiff<B>");
    Names names(*this);
    walk<B>(model, names);
    check();
  }

  /// The parameters that match a pattern, from now on; a tied parameter by any of its names. Where groups overlap, what a later one
  /// says wins. An error if nothing matches.
  Optimizer& group(std::string pattern, GroupOptions options);

  /// The base learning rate. Groups with a rate of their own keep their ratio to it.
  double rate() const;
  void set_rate(double rate);
  /// Steps taken.
  std::int64_t steps() const { return steps_; }

  /// One step. Parameters without a gradient stay as they are; tied parameters take one step together. A step that fails changes
  /// nothing; without exceptions also one whose gradients carry an error, and the error goes to the handler.
  template <class M>
  void step(M& model, Gradients<Values> gradients) {
    Collector collector(gradients);
    walk<B>(model, collector);
    take_step(collector);
  }

  /// Steps, rate and momenta, by field path: enough to go on as if nothing had happened, with the same configuration and groups.
  /// "steps.<path>" is the number of steps of a parameter that has taken fewer than the optimiser.
  State<Values> state() const;
  /// Nothing is changed if the state does not fit.
  void restore(const State<Values>& state);

 private:
  /// What is remembered of one parameter, in the order of the step's op.
  struct Memory {
    std::string path;
    std::vector<Dyn<Values>> values;
    std::int64_t steps = 0;  ///< that this parameter has taken: fewer than the others if it was frozen, or had no gradient
  };
  struct Known {
    std::string path;
    Shape shape;
  };
  struct Group {
    std::string pattern;
    GroupOptions options;
  };
  struct Names final : Walker<B> {
    explicit Names(Optimizer& o) : optimizer(o) {}
    void param(std::string_view path, Dyn<B>& value, int rank) override;
    Optimizer& optimizer;
  };
  /// One leaf with a gradient, and every place in the model that holds it.
  struct Item {
    std::vector<std::string> paths;
    std::vector<Dyn<B>*> places;
    Dyn<Values> gradient;
    OptimizerConfig config = {};
    Memory* memory = nullptr;
  };
  struct Collector final : Walker<B> {
    explicit Collector(Gradients<Values>& g) : gradients(g) {}
    void param(std::string_view path, Dyn<B>& value, int rank) override;
    Gradients<Values>& gradients;
    std::vector<Item> items;
  };
  void check() const;
  void take_step(Collector& collector);
  void step_together(Collector& collector)
    requires is_autodiff<B>;
  /// What `take` makes of each operand of a step together, in the order of its op; `absent` makes of a parameter what stands for a memory
  /// that it does not have yet.
  template <class Take, class Absent>
  static auto operands(std::span<Item* const> together, Take take, Absent absent);
  /// Do the parameters, their gradients and their memory fit one step of their configuration? (An error if not.)
  bool fit(std::span<Item* const> together) const
    requires is_autodiff<B>;
  /// Parameters that take one step together, and what goes into it.
  struct Together {
    std::vector<Item*> items;
    std::int64_t taken = 0;  ///< steps before this one
    bool first = false;      ///< nothing is remembered yet
    std::vector<HandleOf<Values>> in = {}, kept = {};  ///< parameters, gradients, momenta; and to go back to, unless the step writes over them
    std::vector<HandleOf<B>> leaves = {};              ///< the parameters' leaves without their values
  };
  Together prepare(std::vector<Item*> items)
    requires is_autodiff<B>;
  /// Leaves the values to the step where it writes over them, and else keeps them to go back to.
  void give_up(Together& step)
    requires is_autodiff<B>;
  /// False, without exceptions only, where the step failed.
  bool step_alike(Together& step)
    requires is_autodiff<B>;
  /// As if no step had been begun.
  void go_back(std::span<Together> steps)
    requires is_autodiff<B>;
  /// What the groups make of the configuration; none if the parameter is frozen.
  std::optional<OptimizerConfig> config_for(const Item& item) const;

  OptimizerConfig config_;
  double first_rate_;  // what groups' own rates are relative to
  std::vector<Group> groups_;
  std::vector<Known> known_;
  std::vector<Memory> memory_;  // sorted by path
  std::int64_t steps_ = 0;
};

template <class M>
Optimizer(OptimizerConfig, const M&) -> Optimizer<BackendOf<M>>;
template <class C, class M>
Optimizer(C, const M&) -> Optimizer<BackendOf<M>>;

}  // namespace hearth
