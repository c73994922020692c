// tests/bare/autodiff_bare: gradients and steps without exceptions: a backward pass that fails yields gradients that carry the error, an
// optimiser's step that fails changes nothing.
// SPDX-License-Identifier: Apache-2.0
#include "bare.hpp"
#include "fixtures/composite_arrays.hpp"
#include "fixtures/composite_cases.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/optim/gradients.hpp"
#include "hearth/optim/optimizer.hpp"

using namespace hearth;
using namespace bare;
using B = Portable;
using A = Autodiff<B>;

namespace {

/// The gradients of the sum of all results, of every float operand.
template <class Op>
std::vector<Dyn<B>> gradients_of(const Op& op, const Operands<Op, B::Handle>& operands) {
  const auto leaves = map_list(operands, [](const B::Handle& value) {
    const bool tracked = value && is_float(B::spec(value).dtype);
    return tracked ? A::track(A::from_inner(value)) : A::from_inner(value);
  });
  Dyn<A> loss;
  for (auto& handle : apply<A>(op, leaves)) {
    Dyn<A> part = reshape(sum(Dyn<A>(handle), all_axes(A::spec(handle).shape.size())), {});
    loss = loss ? loss + part : part;
  }
  const Gradients<B> gradients = A::backward(loss.handle);
  std::vector<Dyn<B>> values;
  for (const auto& leaf : leaves)
    if (const auto* found = A::tracked(leaf) ? gradients.find(leaf) : nullptr) values.push_back(Dyn<B>(*found));
  if (values.empty()) values.push_back(Dyn<B>(gradients.failure()));
  return values;
}

template <class B>
struct Net {
  Conv2d<B> conv;
  BatchNorm<B> norm;
  Dropout dropout;
  Linear<B> output;
  Tensor<B, 2> operator()(const Tensor<B, 4>& x) const { return output(dropout(max_pool2d(relu(norm(conv(x))), 2).template flatten<1>())); }
};

/// Everything that a step may change.
template <class M>
std::vector<std::vector<std::byte>> contents(M& model) {
  struct Reader final : Walker<A> {
    std::vector<std::vector<std::byte>> all;
    void param(std::string_view, Dyn<A>& value, int) override { all.push_back(bytes_of(value)); }
    void buffer(std::string_view, Dyn<A>& value, int, Kinds) override { all.push_back(bytes_of(value)); }
  } reader;
  walk<A>(model, reader);
  return reader.all;
}

struct Training {
  Net<A> model;
  Optimizer<A> optimizer;
  Tensor<A, 4> images;
  Tensor<A, 1, Int> labels;
};
Training make_training() {
  manual_seed<A>(7);
  Net<A> model{.conv = make_conv2d<A>(1, 3, 3), .norm = make_batch_norm<A>(3), .dropout = {.p = 0.25}, .output = make_linear<A>(12, 4)};
  Optimizer<A> optimizer(Adam{.rate = 0.01}, model);
  optimizer.group("*.bias", {.weight_decay = 0.1});  // two groups: two ops
  const float values[2 * 36] = {1, 0, 2, 0, 0, 1, 0, 3};
  return {std::move(model), std::move(optimizer), tensor<A, Float>(std::span<const float>(values), {2, 1, 6, 6}), tensor<A>({1, 3})};
}

void a_failed_loss_has_failed_gradients() {
  Training t = make_training();
  quiet();
  const auto loss = cross_entropy(t.model(t.images), tensor<A>({1, 2, 3}));  // three labels for two images
  check(reports == 1 && loss.error() && std::isnan(loss.item()), "the loss carries the error");
  check(!requires_gradient(loss), "and has no history");
  quiet();
  Gradients<B> gradients = backward(loss);
  check(says(gradients.error(), "targets") && gradients.size() == 0, "the gradients are none, and carry the error");
  check(gradient_of(t.model.output.weight, gradients).error() != nullptr, "the gradient of a leaf carries it");
  check(find_gradient(t.model.output.weight, gradients).error() != nullptr, "and the one that is looked for");
  check(clip_by_norm(gradients, 1.0).error() != nullptr, "so does their norm");
  scale(gradients, 0.5);
  clip_by_value(gradients, 0.5);
  check(reports == 0 && !pending_error(), "which is no news");
  Gradients<B> good = backward(cross_entropy(t.model(t.images), t.labels));
  check(!good.error() && good.size() == 6, "the next pass works");
  accumulate(good, gradients);
  check(good.error() != nullptr && good.size() == 0, "what is added to an error is one");
  const auto before = contents(t.model);
  quiet();
  t.optimizer.step(t.model, std::move(good));
  check(reports == 1 && says(gradients.error(), "targets"), "the step reports it");
  check(contents(t.model) == before && t.optimizer.steps() == 0 && t.optimizer.state().tensors.empty(), "and changes nothing");
}

void wrong_calls_are_reported_and_leave_nothing_pending() {
  Training t = make_training();
  quiet();
  check(backward(tensor<A>({1.f, 2.f}).sum()).error() != nullptr && reports == 1, "a loss without history");
  const auto loss = cross_entropy(t.model(t.images), t.labels);
  check(!backward(loss).error(), "a pass");
  quiet();
  check(says(backward(loss).error(), "freed") && reports == 1, "a second pass through a freed graph");
  t.optimizer.set_rate(-1);
  t.optimizer.group("nobody", {});
  freeze(t.model, "nobody");
  check(reports == 4 && t.optimizer.rate() == 0.01, "wrong settings are reported, and not taken");
  auto hooked = require_gradient(tensor<A>({1.f, 2.f}));
  on_gradient(hooked, [](Tensor<B, 1> g) { return Tensor<B, 1>(reshape(g.dyn, {2, 1})); });
  quiet();
  check(says(backward((hooked * 2).sum()).error(), "hook") && reports == 1, "a hook that returns another shape");
  check(!pending_error(), "nothing is pending");
  t.optimizer.step(t.model, backward(cross_entropy(t.model(t.images), t.labels)));
  check(t.optimizer.steps() == 1, "the next step works");
}

/// One step of training with less and less memory: it is taken whole or not at all.
void a_step_is_whole_or_none() {
  Training t = make_training();
  t.optimizer.step(t.model, backward(cross_entropy(t.model(t.images), t.labels)));  // momenta are there from now on
  const auto one_step = [&](Training& now) {
    manual_seed<A>(11);
    now.optimizer.step(now.model, backward(cross_entropy(now.model(now.images), now.labels)));
  };
  const Training start = t;
  const std::size_t live = B::memory_stats({}).live;
  portable::Memory::peak = live;
  one_step(t);
  const auto after = contents(t.model);
  const std::size_t need = B::memory_stats({}).peak - live;
  check(t.optimizer.steps() == 2, "a step with enough memory");
  int taken = 0, refused = 0;
  for (std::size_t limit = 0; limit <= 200; ++limit) {
    t = start;
    const auto params = [&] { return std::vector<std::vector<float>>{to_vector<float>(t.model.conv.weight), to_vector<float>(t.model.output.weight)}; };
    const auto before = params();
    B::set_memory_cap(B::memory_stats({}).live + need * limit / 200);
    quiet();
    one_step(t);
    unlimited();
    const bool stepped = t.optimizer.steps() == 2;
    (stepped ? taken : refused)++;
    check(stepped || reports > 0, "a step that is not taken is reported");
    check(stepped ? contents(t.model)[0] == after[0] : params() == before, "it is taken whole or not at all");
    for (const auto& momentum : t.optimizer.state().tensors) check(!momentum.value.error(), "momenta stay good");
    check(!t.model.norm.running_mean.get().error() && !t.model.norm.running_var.get().error(), "running statistics stay good");
    check(!pending_error(), "nothing is pending after a step");
  }
  check(taken > 0 && refused > 50, "both happen");
}

}  // namespace

int main() {
  set_error_handler(count_report);
  fixture::each_case([](const std::string& name, const auto& op, const fixture::Names& names) {
    using Op = std::remove_cvref_t<decltype(op)>;
    if (name.starts_with("grid") && !name.starts_with("grid.bilinear.zeros")) return;  // one of many that are alike
    const fixture::Names full = fixture::full_names(name, names);
    Operands<Op, B::Handle> operands{};
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = fixture::operand<B>(full[i], Dtype::f32).handle;
    survives_little_memory<B>(name, [&] { return gradients_of(op, operands); }, 32);
  });
  check(live_nodes() == 0, "no node leaks");
  a_failed_loss_has_failed_gradients();
  wrong_calls_are_reported_and_leave_nothing_pending();
  a_step_is_whole_or_none();
  check(live_nodes() == 0 && B::memory_stats({}).live == 0, "nothing leaks");
  return result();
}
