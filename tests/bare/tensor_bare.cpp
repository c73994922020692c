// tests/bare/tensor_bare: the typed front without exceptions: an op that fails yields an empty tensor that carries the error, every function of
// it yields the same, reads report it, and the next op works.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <span>

#include "bare.hpp"
#include "hearth/nn/nn.hpp"
#include "hearth/tensor/linalg.hpp"

using namespace hearth;
using namespace hearth::index;
using namespace bare;
using B = Portable;

namespace {

/// The one error of this program, in a tensor of any type.
Portable::Handle broken;
template <int R, class K = Float>
Tensor<B, R, K> bad() {
  return Tensor<B, R, K>(Dyn<B>(broken));
}
/// Is it that error, told to nobody again?
void same(const char* what, const Error* error) {
  check(error && says(error, "sizes differ: [1, 3]"), std::string(what) + " passes the error on, not " + (error ? error->what() : "nothing"));
  check(reports == 0, std::string(what) + " has no news: " + last_report);
  check(!pending_error(), std::string(what) + " leaves nothing pending");
  quiet();
  forget_error();
}
template <int R, class K>
void same(const char* what, const Tensor<B, R, K>& x) {
  same(what, x.error());
}
template <int R, class K>
void same(const char* what, const std::vector<Tensor<B, R, K>>& parts) {
  check(!parts.empty(), std::string(what) + " gives at least one part");
  for (const auto& part : parts) same(what, part);
}
template <int R, class K>
void same(const char* what, const ValuesIndices<B, R, K>& both) {
  same(what, both.values);
  same(what, both.indices);
}
#define SAME(...) same(#__VA_ARGS__, __VA_ARGS__)

void a_failed_op_yields_an_error() {
  const auto a = tensor<B>({1.f, 2.f, 3.f}), b = tensor<B>({1.f, 2.f});
  quiet();
  const auto c = matmul(a, b);
  check(reports == 1 && last_report.find("sizes differ: [1, 3]") != std::string::npos, "the handler is told: " + last_report);
  check(c.error() && c.error()->what() == last_report && c.error()->op == "matmul" && c.error()->shapes.size() == 2, "the tensor carries it");
  check(!pending_error(), "nothing is pending");
  check(matmul(a, a).item() == 14, "the next op works");
  check(a.error() == nullptr, "a good tensor has none");
  broken = c.dyn.handle;
  quiet();
}

void reads_report_it() {
  check(std::isnan(bad<0>().item()) && reports == 1, "item of Float is NaN, and reported");
  check(bad<0, Int>().item() == 0 && !bad<0, Bool>().item() && reports == 3, "of others 0");
  check(bad<2>().to_vector().empty() && bad<0>().to_vector<double>().empty() && bad<1, Bool>().to_vector().empty() && reports == 6, "to_vector is empty");
  float untouched[2] = {7, 8};
  bad<1>().copy_to(std::span<float>(untouched));
  check(untouched[0] == 7 && untouched[1] == 8 && reports == 7, "copy_to writes nothing");
  quiet();
  check(to_string(bad<2>()).find("error: matmul: inner sizes differ") == 0, "it prints as its error");
  check(bad<2>().element_count() == 0 && bad<2>().shape() == Shape{0} && bad<3>().size(2) == 0, "it is empty");
  check(!equal(bad<1>(), tensor<B>({1.f})) && !all_close(bad<1>(), tensor<B>({1.f})), "and equals nothing");
  check(!pending_error(), "nothing is pending behind a read");
  quiet();
  const Tensor<B, 1> absent;
  check(absent.to_vector().empty() && reports == 1 && !pending_error(), "a tensor that was never set has nothing to read");
  check((absent + 1).error() && reports == 2 && !pending_error(), "an op on it is an error");
  check(to_backend<Autodiff<B>>(bad<1>()).error() != nullptr, "another stack takes the error along");
  quiet();
  forget_error();
}

void every_function_passes_it_on() {
  const auto x = bad<3>();
  const auto good = ones<B>({2, 3, 4});
  const auto index = zeros<B, Int>({2, 3, 4});
  SAME(x + good);
  SAME(good - x);
  SAME(2 / x);
  SAME(exp(-x));
  SAME(x < good);
  SAME(where(good > 0, x, good));
  SAME(where(x > 0, 1, 2));
  SAME(clamp(x, 0, 1));
  SAME(is_close(good, x));
  SAME(isfinite(x));
  SAME(full_like(x, 3));
  SAME(rand_like(x));
  SAME(x.cast(Dtype::f64));
  SAME(x.cast<Int>());
  SAME(x.to({1}));
  SAME(detach(x));
  SAME(as_tensor<2>(x.dyn));
  // Shape.
  SAME(x.reshape({2, -1}));
  SAME(x.reshape({-1}));
  SAME(x.flatten());
  SAME(x.flatten<1>());
  SAME(x.permute({2, 0, 1}));
  SAME(x.transpose());
  SAME(x.swap_axes(0, 2));
  SAME(x.swap_axes(2, 2));
  SAME(x.move_axis(0, -1));
  SAME(x.squeeze(1));
  SAME(x.squeeze<1>());
  SAME(x.unsqueeze({0, 3}));
  SAME(x.expand({5, -1, 3, 4}));
  SAME(good.reshape({2, 3, 4, 1}).expand_as(bad<4>()));
  SAME(x.flip({0, 2}));
  SAME(x.roll(1, 2));
  SAME(x.tile({2, 1, 2}));
  SAME(x.repeat_interleave(2, 1));
  SAME(x.pad({{1, 1}, {0, 2}}));
  SAME(x.unfold(1, 2));
  SAME(x.narrow(2, 0, 1));
  SAME(x.split(2, 1));
  SAME(x.split(std::vector<std::int64_t>{1, 2}, 1));
  SAME(x.chunk(2, 1));
  SAME(x.chunk<2>(1)[0]);
  SAME(x.chunk<2>(1)[1]);
  SAME(x.tril());
  SAME(x.diagonal(1));
  SAME(concat({good, x}, 1));
  SAME(stack({x, good}, 1));
  SAME(stack({good, x}, -1));
  // Indices.
  SAME(x[1]);
  SAME(x[{s(0, 2), s(end, 0, -1)}]);
  SAME(x(1, s(0, 2), newaxis));
  SAME(x.gather(2, index));
  SAME(good.gather(2, bad<3, Int>()));
  SAME(x.take_along(index, 1));
  SAME(x.scatter_add(2, index, good));
  SAME(x.index_select(1, tensor<B>({0, 1})));
  SAME(good.take(bad<2, Int>(), 0));
  SAME(good.take(bad<2, Int>(), 1));
  SAME(x.masked_fill(good > 0, 1));
  SAME(x.masked_select(good > 0));
  SAME(good[bad<3, Bool>()]);
  SAME(nonzero(x));
  SAME(unique(x).values);
  SAME(one_hot(bad<1, Int>(), 4));
  // Reductions.
  SAME(x.sum());
  SAME(x.mean({0, 2}));
  SAME(x.max(1, keep));
  SAME(bad<3, Int>().mean(1));
  SAME(x.any(2));
  SAME(x.var(2));
  SAME(x.std());
  SAME(x.norm(1, Order{3}));
  SAME(x.logsumexp(2));
  SAME(x.argmax());
  SAME(x.argmin(1));
  SAME(x.cumsum(2));
  SAME(x.cummax(1));
  SAME(x.sort(2, descending));
  SAME(x.topk(2));
  // Products and layers.
  SAME(matmul(bad<1>(), ones<B>({2, 4})));
  SAME(matmul(ones<B>({3, 2}), bad<1>()));
  SAME(dot(bad<1>(), ones<B>({2})));
  SAME(outer(ones<B>({2}), bad<1>()));
  SAME(cholesky(bad<2>()));
  SAME(least_squares(bad<2>(), ones<B>({3, 1})));
  SAME(conv2d(bad<4>(), ones<B>({2, 3, 3, 3}), {}, {.padding = 1}));
  SAME(conv2d(ones<B>({1, 3, 5, 5}), bad<4>()));
  SAME(conv_transpose2d(bad<4>(), ones<B>({3, 2, 3, 3})));
  SAME(max_pool2d(bad<4>(), 2));
  SAME(adaptive_avg_pool2d(bad<4>(), 3));
  SAME(interpolate(bad<4>(), {.size = {8, 8}}));
  SAME(interpolate(bad<4>(), {.scale = {2}}));
  SAME(softmax(x, 1));
  SAME(layer_norm(good, bad<1>()));
  SAME(dropout(x, 0.5));
  SAME(attention(bad<4>(), ones<B>({1, 2, 3, 4}), ones<B>({1, 2, 3, 4})));
  SAME(cross_entropy(bad<2>(), zeros<B, Int>({3})));
  SAME(glu(x));
  SAME(mse_loss(good, x));
  SAME(huber_loss(x, good));
  SAME(nll_loss(bad<2>(), zeros<B, Int>({3})));
  SAME(soft_cross_entropy(bad<2>(), ones<B>({3, 2})));
  SAME(make_batch_norm<B>(3)(bad<4>()));
  SAME(make_lstm<B>(4, 5)(x).output);
  SAME(make_gru<B>(4, 5)(x).output);
  SAME(make_multi_head_attention<B>(4, 2)(x, x, x));
  SAME(sequential(make_linear<B>(4, 3), Relu{}, make_linear<B>(3, 2))(bad<2>()));
}

template <int R, class K>
void refused(const char* what, const Tensor<B, R, K>& x, std::string_view text) {
  check(says(x.error(), text), std::string(what) + " says " + std::string(text) + ", not " + (x.error() ? x.error()->what() : "nothing"));
  check(reports == 1 && !pending_error(), std::string(what) + " is reported once, and nothing is pending");
  check(ones<B>({2}).sum().item() == 2, std::string(what) + ": the next op works");
  quiet();
}
#define REFUSED(call, text) refused(#call, call, text)

void wrong_arguments_are_errors() {
  const auto x = ones<B>({2, 3, 4});
  REFUSED(x.reshape({5, 5}), "reshape");
  REFUSED(x.squeeze(1), "squeeze");
  REFUSED(x.squeeze<1>(), "squeeze");
  REFUSED(x.squeeze(7), "axis 7");
  REFUSED(x.flip(3), "axis 3");
  REFUSED(x.swap_axes(0, 5), "axis 5");
  REFUSED(x.move_axis(0, -9), "axis -9");
  REFUSED(x.expand({-1, 2, 3, 4}), "a new axis needs a size");
  REFUSED(x.tile({-1}), "negative");
  REFUSED(x.narrow(1, 2, 5), "leave axis 1");
  REFUSED(x.split(0, 1)[0], "pieces of 0");
  REFUSED(x.split(std::vector<std::int64_t>{1, 1}, 1)[0], "sizes add up to 2");
  REFUSED(x.chunk(0, 1)[0], "0 pieces");
  REFUSED(x.chunk<2>(1)[1], "do not part");
  REFUSED(concat({x, ones<B>({2, 3, 5})}, 1), "oncat");
  REFUSED(stack({x, ones<B>({2, 3, 5})}, 1), "shapes differ");
  REFUSED(x[9], "position 9");
  REFUSED((x[{s(0, 1, 0)}]), "step");
  REFUSED(x.index_select(1, tensor<B>({5})), "index 5");
  REFUSED(x.sum(4), "axis 4");
  REFUSED(x.max({0, 0}), "twice");
  REFUSED(x.norm(Order{-1}), "negative");
  REFUSED(x.topk(9).values, "k is 9");
  REFUSED(x.cast(Dtype::i32), "cannot have dtype");
  REFUSED(as_tensor<2>(x.dyn), "is not a tensor of rank 2");
  REFUSED(arange<B>(0, 5, 0), "step is 0");
  REFUSED(linspace<B>(0, 1, -2), "-2 numbers");
  REFUSED(bernoulli<B>({2}, 1.5), "probability");
  REFUSED(zeros<B>({2, -1}), "negative");
  REFUSED(tensor<B>(std::vector<float>{1, 2, 3}, {2, 2}), "elements for the shape");
  REFUSED(mse_loss(x, ones<B>({2, 3, 1})), "the target is");
  REFUSED(huber_loss(x, x, -1), "delta");
  REFUSED(glu(x, 1), "odd size");
  REFUSED(cross_entropy(ones<B>({2, 3}), zeros<B, Int>({2}), {.reduction = Reduction::none}), "keeps the rows");
  REFUSED(make_lstm<B>(4, 5)(ones<B>({2, 3, 9})).output, "features");
  REFUSED(interpolate(ones<B>({1, 1, 2, 2}), {}), "size or a scale");
  REFUSED(cholesky(zeros<B>({2, 2})), "cholesky");
}

void in_place_ops_keep_their_value() {
  auto a = tensor<B>({1.f, 2.f, 3.f, 4.f});
  const std::vector<float> value = {1, 2, 3, 4};
  quiet();
  a += tensor<B>({1.f, 2.f});
  check(reports == 1 && a.to_vector() == value, "another shape");
  a += bad<1>();
  check(reports == 2 && a.to_vector() == value, "a value that carries an error");
  a.assign({9}, 1);
  a.assign({s(0, 2)}, tensor<B>({1.f, 2.f, 3.f}));
  a.assign({s(0, 2)}, bad<1>());
  check(reports == 5 && a.to_vector() == value, "so does assign");
  check(!pending_error(), "nothing is pending");
  const auto b = ones<B>({4});
  B::set_memory_cap(B::memory_stats({}).live + 8);
  a += b;
  a *= 2;
  a.assign({0}, 1);
  unlimited();
  check(reports == 8 && a.to_vector() == value, "memory may run out");
  a += a;
  check(a.to_vector() == std::vector<float>{2, 4, 6, 8} && reports == 8, "the next one works");
  auto c = bad<1>();
  c += b;
  check(c.error() && reports == 8, "an error stays one");
}

void memory_may_run_out() {
  const auto x = reshape<3>(arange<B, Float>(24), {2, 3, 4});
  const auto images = reshape<4>(arange<B, Float>(64), {1, 4, 4, 4});
  const auto index = tensor<B>({1, 0, 2});
  const auto all = [&](const char* name, auto f) {
    survives_little_memory<B>(name, [&] { return std::vector<Dyn<B>>{f().dyn}; });
  };
  all("tile", [&] { return x.tile({2, 2, 2}).sum({0, 1}); });
  all("repeat", [&] { return x.repeat_interleave(3, 1).flip(0) + 1; });
  all("roll", [&] { return x.roll(1, 2).tril().cumsum(1); });
  all("triangle", [&] { return x.triu(1) * 2; });
  all("mask", [&] { return x.masked_select(x > 5) * 2; });
  all("take", [&] { return x.take(index, 1) + x.index_select(1, index); });
  all("one_hot", [&] { return one_hot(index, 4).cast<Float>(); });
  all("var", [&] { return x.var(1) + x.std(1) + x.norm(1, Order{3}) + x.logsumexp(1); });
  all("close", [&] { return is_close(x, x + 1e-9); });
  all("split", [&] { return concat(x.split(2, 2), 0); });
  all("sort", [&] { return x.sort(2, descending).indices + x.topk(4).indices; });
  all("f16", [&] { return x.cast(Dtype::f16).permute({2, 0, 1}).var(2).cast(Dtype::f32); });
  all("eye", [&] { return matmul(eye<B>(4), x.transpose()); });
  all("randperm", [&] { Generator generator(3); return randperm<B>(10, {}, generator) + 1; });
  all("lstsq", [&] { return least_squares(x[0].transpose() + eye<B>(4)[{s(0, 4), s(0, 3)}], ones<B>({4, 1})); });
  all("conv", [&] { return max_pool2d(relu(conv2d(images, ones<B>({2, 4, 3, 3}), ones<B>({2}), {.padding = 1})), 2); });
  all("transposed", [&] { return conv_transpose2d(images, ones<B>({4, 2, 3, 3}), ones<B>({2}), {.stride = 2}); });
  all("pools", [&] { return adaptive_avg_pool2d(avg_pool2d(images, 2), 1) + interpolate(images, {.size = {2, 2}}).mean({2, 3}, keep); });
  all("losses", [&] { return huber_loss(x, x + 1) + bce_with_logits(x, x) + kl_div(x, x + 1) + soft_cross_entropy(x[0], x[1]); });
  const auto lstm = make_lstm<B>(4, 5, {.layers = 2, .bidirectional = true});
  all("lstm", [&] { return lstm(x).output; });
  auto gru = make_gru<B>(4, 5);
  gru.reset_after = false;
  all("gru", [&] { return gru(x).output; });
  const auto heads = make_multi_head_attention<B>(4, 2);
  all("heads", [&] { return heads(x, x, x); });
  for (const char* text : {"[", "error: "}) {  // printing summarises: several ops
    B::set_memory_cap(text[0] == 'e' ? B::memory_stats({}).live + 100 : std::numeric_limits<std::size_t>::max());
    const auto long_one = arange<B, Float>(text[0] == 'e' ? 20 : 2000);
    check(to_string(long_one + 0).find(text) == 0, "printing with little memory");
    unlimited();
  }
}

}  // namespace

int main() {
  set_error_handler(count_report);
  a_failed_op_yields_an_error();
  reads_report_it();
  every_function_passes_it_on();
  wrong_arguments_are_errors();
  in_place_ops_keep_their_value();
  memory_may_run_out();
  broken = {};
  check(B::memory_stats({}).live == 0 && !pending_error(), "nothing leaks");
  return result();
}
