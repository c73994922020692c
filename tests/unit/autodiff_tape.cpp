// unit/autodiff_tape: what the tape promises: memory, order, hooks, checkpoints, custom functions, threads, and errors.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <thread>

#include "hearth/autodiff/autodiff.hpp"
#include "portable_arrays.hpp"

namespace hearth::test {

using P = Portable;
using A = Autodiff<P>;
using D = Dyn<A>;

D constant(const Shape& shape, const std::vector<double>& numbers) { return D(A::from_inner(array<double>(shape, numbers))); }
D leaf(const Shape& shape, const std::vector<double>& numbers) { return D(A::track(constant(shape, numbers).handle)); }
D total(const D& x) { return reshape(sum(x, all_axes(x.rank())), {}); }
std::vector<double> numbers(const D& x) { return doubles(x.handle.value); }
std::vector<double> gradient(const Gradients<P>& gradients, const D& x) {
  const Handle* found = gradients.find(x.handle);
  return found ? doubles(*found) : std::vector<double>{};
}
Gradients<P> backward(const D& loss, bool retain = false) { return A::backward(loss.handle, {.seed = {}, .retain = retain}); }
using List = std::vector<double>;

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Tape, uses_a_value_twice) {
  const D x = leaf({2}, {3, -1});
  const D y = x * x + x;
  EXPECT_EQ(gradient(backward(total(y * x)), x), (List{3 * 9 + 2 * 3, 3 * 1 - 2 * 1}));  // x^3 + x^2
}

TEST(Tape, tells_which_leaves_the_loss_depends_on) {
  const D x = leaf({}, {2}), other = leaf({}, {5});
  auto gradients = backward(x * 3.0);
  EXPECT_EQ(gradients.size(), 1u);
  EXPECT_EQ(gradient(gradients, x), List{3});
  EXPECT_EQ(gradients.find(other.handle), nullptr);
  EXPECT_EQ(gradients.find(constant({}, {1}).handle), nullptr);
  const Handle taken = gradients.take(x.handle);
  EXPECT_EQ(doubles(taken), List{3});
  EXPECT_EQ(gradients.find(x.handle), nullptr);
  EXPECT_EQ(gradient(backward(x), x), List{1});  // the loss itself
}

TEST(Tape, takes_a_seed) {
  const D x = leaf({2}, {2, 5});
  const auto gradients = A::backward((x * x).handle, {.seed = array<double>({2}, {10, 100})});
  EXPECT_EQ(gradient(gradients, x), (List{40, 1000}));
}

TEST(Tape, refuses_losses_without_a_meaning) {
  const D x = leaf({2}, {2, 5});
  EXPECT_TRUE(says(message([&] { backward(x * x); }), "one element")) << message([&] { backward(x * x); });
  EXPECT_TRUE(says(message([&] { A::backward((x * x).handle, {.seed = array<double>({1}, {1})}); }), "seed gradient"));
  EXPECT_TRUE(says(message([&] { backward(constant({}, {1}) * 2.0); }), "nothing that is tracked"));
  EXPECT_TRUE(says(message([&] { backward(D()); }), "empty"));
  EXPECT_TRUE(says(message([] { A::track(A::from_inner(array<std::int64_t>({1}, {1}))); }), "only floats"));
}

TEST(Tape, second_pass_needs_retain) {
  const D x = leaf({}, {3});
  const D loss = x * x * x;
  EXPECT_EQ(gradient(backward(loss, true), x), List{27});
  EXPECT_EQ(gradient(backward(loss, true), x), List{27});
  EXPECT_EQ(gradient(backward(loss), x), List{27});
  const std::string text = message([&] { backward(loss); });
  EXPECT_TRUE(says(text, "freed by an earlier backward pass") && says(text, "retain")) << text;
  EXPECT_TRUE(says(message([&] { backward(loss, true); }), "freed"));
}

TEST(Tape, a_part_may_be_shared_by_two_passes_that_retain) {
  const D x = leaf({}, {3});
  const D shared = x * x;
  EXPECT_EQ(gradient(backward(shared * 2.0, true), x), List{12});
  EXPECT_EQ(gradient(backward(exp(shared * 0.0)), x), List{0});
}

TEST(Tape, integers_are_never_tracked) {
  const D x = leaf({3}, {3, 1, 2});
  auto [values, indices] = call<A>(op::Sort{0, false}, x);
  EXPECT_TRUE(A::tracked(values.handle));
  EXPECT_FALSE(A::tracked(indices.handle));
  EXPECT_FALSE(A::tracked((x > 2.0).handle));
  EXPECT_FALSE(A::tracked(cast(x, Dtype::i32).handle));
  EXPECT_FALSE(A::tracked(cast(cast(x, Dtype::i32), Dtype::f64).handle));
  EXPECT_FALSE(A::tracked(call<A>(op::ArgReduce{ArgCode::max, 0}, x).handle));
}

TEST(Tape, refuses_ops_whose_gradient_is_out_of_reach) {
  const D x = leaf({2, 2}, {3, 1, 2, 4});
  const std::string text = message([&] { (void)call<A>(op::Eig{}, x); });
  EXPECT_TRUE(says(text, "Eig") && says(text, "complex")) << text;
  EXPECT_EQ(call<A>(op::Eig{}, D(A::detach(x.handle)))[0].shape(), (Shape{2, 2}));
  const std::string launch = message([&] { (void)apply<A>(op::Launch{"saxpy", {1}, {1}, {}, {}}, {x.handle}); });
  EXPECT_TRUE(says(launch, "Launch") && says(launch, "custom_function")) << launch;
}

TEST(Tape, detach_and_no_grad_record_nothing) {
  const D x = leaf({}, {3});
  const D y = x * x;
  EXPECT_EQ(gradient(backward(y * D(A::detach(y.handle))), x), List{6 * 9});
  const auto before = live_nodes();
  {
    NoGrad outer;
    const D z = x * x;
    EXPECT_FALSE(A::tracked(z.handle));
    {
      NoGrad inner;
    }
    EXPECT_FALSE(A::tracked((x * x).handle));
    EXPECT_EQ(live_nodes(), before);
  }
  EXPECT_TRUE(A::tracked((x * x).handle));
}

TEST(Tape, backward_works_inside_no_grad) {
  const D x = leaf({1, 3}, {1, 2, 3});
  // CtcLoss has no rule: its backward records its decomposition on a small tape.
  const D gates = leaf({1, 8}, {.1, .2, .3, .4, .5, .6, .7, .8}), cell = leaf({1, 2}, {.5, -.5});
  auto [hidden, next] = call<A>(op::LstmCell{}, gates, cell);
  const D loss = total(hidden) + total(next) + total(x);
  const auto expected = backward(loss, true);
  NoGrad guard;
  const auto got = backward(loss);
  EXPECT_EQ(gradient(got, gates), gradient(expected, gates));
  EXPECT_EQ(gradient(got, gates).size(), 8u);
  EXPECT_EQ(gradient(got, x), (List{1, 1, 1}));
}

// ---- memory

TEST(Tape, a_million_ops_run_backward_and_die_in_a_loop) {
  const auto nodes = live_nodes();
  const D x = leaf({}, {1});
  {
    D y = x;
    for (int i = 0; i < 1'000'000; ++i) y = y + 1.0;
    EXPECT_EQ(live_nodes(), nodes + 1'000'001);
    EXPECT_EQ(gradient(backward(y), x), List{1});
    EXPECT_EQ(live_nodes(), nodes + 2);
  }
  {
    D y = x;
    for (int i = 0; i < 1'000'000; ++i) y = y * 1.0 + x;
  }
  EXPECT_EQ(live_nodes(), nodes + 1);
}

TEST(Tape, forward_passes_without_backward_leave_nothing) {
  const D weight = leaf({16, 16}, List(256, 0.01));
  auto step = [&](bool with_backward) {
    D y = constant({4, 16}, List(64, 1));
    for (int layer = 0; layer < 3; ++layer) y = tanh(matmul(y, weight));
    if (with_backward) (void)backward(total(y * y));
  };
  std::int64_t nodes = 0;
  std::size_t bytes = 0;
  for (int i = 0; i < 10'000; ++i) {
    step(i % 5 == 0);
    if (i == 100) nodes = live_nodes(), bytes = P::memory_stats({}).live;
  }
  EXPECT_EQ(live_nodes(), nodes);
  EXPECT_EQ(P::memory_stats({}).live, bytes);
}

TEST(Tape, backward_frees_what_was_saved_as_it_goes) {
  const std::size_t row = 1000 * sizeof(double);
  const D x = leaf({1000}, List(1000, 0.5));
  const auto before = P::memory_stats({}).live;
  D y = x;
  for (int i = 0; i < 100; ++i) y = exp(y * 0.1);  // each saves its result
  D loss = total(y);
  y = D();
  const auto recorded = P::memory_stats({}).live;
  EXPECT_GE(recorded, before + 100 * row);
  // At the first op's turn only its own result is left, though the loss still holds the graph.
  std::size_t at_the_end = 0;
  on_gradient<P>(x.handle, [&](const Dyn<P>&) { at_the_end = P::memory_stats({}).live; });
  (void)backward(loss);
  EXPECT_LT(at_the_end, before + 6 * row);
  EXPECT_LT(P::memory_stats({}).live, before + 2 * row);
}

TEST(Tape, a_saved_value_is_not_overwritten) {
  const D x = leaf({3}, {1, 2, 3});
  D y = exp(x);
  const D square = y * y;  // saves y
  y = std::move(y) + 1.0;  // must not write into y's buffer
  EXPECT_EQ(gradient(backward(total(square)), x), (List{2 * std::exp(1.0) * std::exp(1.0), 2 * std::exp(2.0) * std::exp(2.0), 2 * std::exp(3.0) * std::exp(3.0)}));
}

TEST(Tape, an_op_that_fails_records_nothing) {
  const auto nodes = live_nodes();
  {
    const D x = leaf({2}, {1, 2});
    EXPECT_TRUE(says(message([&] { (void)(x + constant({3}, {1, 2, 3})); }), "[2]"));
    EXPECT_EQ(live_nodes(), nodes + 1);
    EXPECT_EQ(gradient(backward(total(x)), x), (List{1, 1}));
  }
  EXPECT_EQ(live_nodes(), nodes);
}

// ---- hooks

TEST(Tape, hooks_see_and_replace_complete_gradients) {
  const D x = leaf({2}, {2, 3});
  const D y = x * 2.0;
  std::vector<List> seen;
  on_gradient<P>(y.handle, [&](const Dyn<P>& g) { seen.push_back(doubles(g.handle)); });
  on_gradient<P>(y.handle, [](Dyn<P> g) { return std::move(g) * 10.0; });
  on_gradient<P>(y.handle, [&](const Dyn<P>& g) { seen.push_back(doubles(g.handle)); });
  auto removed = on_gradient<P>(x.handle, [](Dyn<P> g) { return g * 0.0; });
  removed->remove();
  EXPECT_EQ(gradient(backward(total(y * y + y)), x), (List{2 * 10 * 9, 2 * 10 * 13}));
  EXPECT_EQ(seen, (std::vector<List>{{9, 13}, {90, 130}}));
  EXPECT_TRUE(says(message([&] { on_gradient<P>(constant({}, {1}).handle, [](const Dyn<P>&) {}); }), "not tracked"));
}

TEST(Tape, a_hook_must_keep_the_shape) {
  const D x = leaf({2}, {2, 3});
  on_gradient<P>(x.handle, [](Dyn<P> g) { return reshape(std::move(g), {2, 1}); });
  EXPECT_TRUE(says(message([&] { backward(total(x * x)); }), "hook"));
  const D y = leaf({2}, {2, 3});
  on_gradient<P>(y.handle, [](Dyn<P>) { return Dyn<P>(); });
  EXPECT_TRUE(says(message([&] { backward(total(y * y)); }), "a gradient hook returned an empty value"));
}

// ---- checkpoints

TEST(Tape, checkpoint_gives_the_same_gradients_from_fewer_bytes) {
  const D x = leaf({8, 8}, List(64, 0.3)), captured = leaf({8, 8}, List(64, 0.2));
  const D derived = captured * 2.0;  // captured and not a leaf
  int runs = 0;
  auto block = [&](std::vector<A::Handle> in) {
    ++runs;
    D y(in[0]);
    for (int i = 0; i < 20; ++i) y = tanh(matmul(y, derived)) + y * captured;
    return std::vector<A::Handle>{y.handle, (y * 2.0).handle};
  };
  auto loss = [&](const std::vector<A::Handle>& out) { return total(D(out[0]) * D(out[1])); };

  const auto start = P::memory_stats({}).live;
  auto plain = block({x.handle});
  const auto plain_bytes = P::memory_stats({}).live - start;
  const auto expected = backward(loss(plain), true);
  plain.clear();

  runs = 0;
  auto out = checkpoint<P>({x.handle}, block);
  const auto fewer_bytes = P::memory_stats({}).live - start - 3 * 64 * 8;  // less the three gradients in `expected`
  EXPECT_EQ(runs, 1);
  EXPECT_LT(fewer_bytes * 4, plain_bytes);
  const auto got = backward(loss(out));
  EXPECT_EQ(runs, 2);
  expect_near(gradient(got, x), gradient(expected, x), 1e-12);
  expect_near(gradient(got, captured), gradient(expected, captured), 1e-12);
  EXPECT_EQ(gradient(got, x).size(), 64u);
}

TEST(Tape, checkpoints_nest_and_need_no_tracked_operand) {
  const D weight = leaf({}, {3});
  auto inner = [&](std::vector<A::Handle> in) { return std::vector<A::Handle>{(D(in[0]) * weight).handle}; };
  auto outer = [&](std::vector<A::Handle> in) { return checkpoint<P>(checkpoint<P>(std::move(in), inner), inner); };
  auto out = checkpoint<P>({constant({}, {2}).handle}, outer);
  EXPECT_EQ(gradient(backward(D(out[0]), true), weight), List{12});  // 2 w^2
  EXPECT_EQ(gradient(backward(D(out[0])), weight), List{12});
  NoGrad guard;
  EXPECT_FALSE(A::tracked(checkpoint<P>({weight.handle}, inner)[0]));
}

TEST(Tape, a_scope_without_gradients_inside_a_checkpoint_stays_one) {
  const D x = leaf({}, {3});
  auto block = [](std::vector<A::Handle> in) {
    D y(in[0]), scale;
    {
      NoGrad guard;
      scale = y * 2.0;
    }
    return std::vector<A::Handle>{(y * scale).handle};
  };
  EXPECT_EQ(gradient(backward(D(checkpoint<P>({x.handle}, block)[0])), x), List{6});
}

// ---- custom functions

TEST(Tape, custom_functions_bring_their_own_gradient) {
  const D x = leaf({2}, {2, 3}), y = leaf({2}, {5, 7});
  auto forward = [](std::vector<Dyn<P>> in, std::vector<Dyn<P>>& kept) {
    kept = {in[0]};
    return std::vector<Dyn<P>>{in[0] * in[1], in[0] + in[1]};
  };
  auto back = [](std::vector<Dyn<P>> kept, std::vector<Dyn<P>> g) {
    EXPECT_FALSE(g[1]);  // nobody used the sum
    return std::vector<Dyn<P>>{g[0] * 1000.0, g[0] * kept[0]};
  };
  auto out = custom_function<P>("twist", {x.handle, y.handle}, forward, back);
  EXPECT_EQ(numbers(D(out[0])), (List{10, 21}));
  const auto gradients = backward(total(D(out[0])), true);
  EXPECT_EQ(gradient(gradients, x), (List{1000, 1000}));
  EXPECT_EQ(gradient(gradients, y), (List{2, 3}));

  auto wrong = custom_function<P>("twist", {x.handle, y.handle}, forward, [](auto, std::vector<Dyn<P>> g) { return std::vector<Dyn<P>>{g[0]}; });
  EXPECT_TRUE(says(message([&] { backward(total(D(wrong[0]))); }), "twist: its backward function returned 1"));
  auto misshapen = custom_function<P>("twist", {x.handle, y.handle}, forward,
                                      [](auto, std::vector<Dyn<P>> g) { return std::vector<Dyn<P>>{reshape(g[0], {1, 2}), Dyn<P>()}; });
  EXPECT_TRUE(says(message([&] { backward(total(D(misshapen[0]))); }), "f64[1, 2] for operand 0"));
  auto nothing = [](auto, auto&) { return std::vector<Dyn<P>>{Dyn<P>()}; };
  EXPECT_TRUE(says(message([&] { (void)custom_function<P>("twist", {x.handle}, nothing, back); }), "twist: its forward function returned an empty value"));
  EXPECT_FALSE(A::tracked(custom_function<P>("twist", {constant({2}, {1, 1}).handle, constant({2}, {1, 1}).handle}, forward, back)[0]));
}

TEST(Tape, a_transfer_brings_its_gradient_back) {
  const D x = leaf({2}, {2, 3});
  const D there(A::transfer(x.handle, {1}));
  EXPECT_EQ(there.device(), portable::Device{1});
  EXPECT_EQ(numbers(there), (List{2, 3}));
  const auto gradients = backward(total(there * there));
  EXPECT_EQ(gradient(gradients, x), (List{4, 6}));
  EXPECT_EQ(P::device(*gradients.find(x.handle)), portable::Device{0});
  EXPECT_EQ(A::transfer(x.handle, {0}).node, x.handle.node);
}

// ---- threads

TEST(Tape, threads_share_parameters) {
  const auto nodes = live_nodes();
  {
    const D weight = leaf({4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    std::vector<std::vector<List>> got(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          D y = constant({1, 4}, {1, double(t), 0, 1});
          y = matmul(y, weight);
          y = matmul(y, weight * 0.1);
          got[std::size_t(t)].push_back(gradient(backward(total(y)), weight));
        }
      });
    for (auto& thread : threads) thread.join();
    for (auto& of_thread : got)
      for (auto& g : of_thread) EXPECT_EQ(g, of_thread[0]);
    EXPECT_NE(got[0][0], got[1][0]);
    EXPECT_EQ(got[0][0].size(), 16u);
  }
  EXPECT_EQ(live_nodes(), nodes);
}

TEST(Tape, a_graph_made_on_one_thread_runs_backward_and_dies_on_another) {
  const auto nodes = live_nodes();
  D x = leaf({}, {2}), y = x;
  for (int i = 0; i < 100'000; ++i) y = y + x;
  std::thread([&] {
    EXPECT_EQ(gradient(backward(y), x), List{100'001});
    y = D();
    x = D();
  }).join();
  EXPECT_EQ(live_nodes(), nodes);
}

}  // namespace hearth::test
