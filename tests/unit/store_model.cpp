// store/model: models in files, by name: what fits, what does not, and what a failed load leaves behind.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/store/model.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "fixtures.hpp"
#include "hearth/nn/nn.hpp"
#include "stacks.hpp"

using namespace hearth;
using namespace hearth::test;

namespace {

template <class B>
class Models : public testing::Test {
 protected:
  Models() : path((std::filesystem::temp_directory_path() / ("hearth_store_model_" + std::to_string(getpid()) + ".safetensors")).string()) {}
  ~Models() override { std::filesystem::remove(path); }
  std::string path;
};
TYPED_TEST_SUITE(Models, Stacks);

template <Backend B>
struct Net {
  Embedding<B> words;
  std::vector<Linear<B>> layers;
  BatchNorm<B> norm;
  Linear<B> head;
};
template <Backend B>
struct Other {
  Embedding<B> wrods;
  std::vector<Linear<B>> layers;
  Linear<B> head;
};
template <Backend B>
struct Layers {
  std::vector<Linear<B>> layers;
};
template <class B>
Net<B> make_net(std::uint64_t seed) {
  Generator generator{seed, 0};
  Net<B> net{make_embedding<B>(5, 3, {}, generator), {}, make_batch_norm<B>(3), make_linear<B>(3, 5, {}, {}, generator)};
  for (int i = 0; i < 2; ++i) net.layers.push_back(make_linear<B>(3, 3, {}, {}, generator));
  net.norm.running_mean.set(hearth::uniform<B>({3}, 0, 1, {}, generator));
  return net;
}
template <class B>
struct Values final : Walker<B> {
  void param(std::string_view path, Dyn<B>& value, int) override { add(path, value); }
  void buffer(std::string_view path, Dyn<B>& value, int, Kinds) override { add(path, value); }
  void add(std::string_view path, Dyn<B>& value) {
    std::vector<unsigned char> bytes(std::size_t(element_count(value.shape())) * size_of(value.dtype()));
    B::download(value.handle, bytes.data());
    all.emplace_back(std::string(path) + " " + to_string(value.spec()), std::move(bytes));
  }
  std::vector<std::pair<std::string, std::vector<unsigned char>>> all;
};
template <class M>
auto values(const M& model) {
  Values<BackendOf<M>> walker;
  walk<BackendOf<M>>(model, walker);
  return walker.all;
}
template <class F>
Error error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {};
}
bool says(const Error& error, const std::string& part) {
  const bool found = std::string(error.what()).find(part) != std::string::npos;
  EXPECT_TRUE(found) << "without: " << part << "\n" << error.what();
  return found;
}

TYPED_TEST(Models, come_back_bit_for_bit) {
  using B = TypeParam;
  const auto saved = make_net<B>(1);
  save(this->path, saved, {{"epoch", "7"}});
  auto loaded = make_net<B>(2);
  EXPECT_NE(values(loaded), values(saved));
  const LoadReport report = load(this->path, loaded);
  EXPECT_EQ(values(loaded), values(saved));
  EXPECT_EQ(report.loaded.size(), 12u);
  EXPECT_TRUE(report.missing.empty() && report.unexpected.empty() && report.mismatched.empty());
  EXPECT_EQ(requires_gradient(loaded.head.weight), is_autodiff<B>);
  EXPECT_FALSE(requires_gradient(loaded.norm.running_mean.get()));
  const auto file = Safetensors::open(this->path);
  ASSERT_TRUE(file.find("layers.1.bias"));
  EXPECT_EQ(file.metadata()[0].second, "7");
  // Where there is no value yet, any shape of the right rank and kind does.
  Net<B> empty;
  empty.layers.resize(2);
  empty.head.bias.emplace();
  for (auto& layer : empty.layers) layer.bias.emplace();
  load(this->path, empty);
  EXPECT_EQ(values(empty), values(saved));
}

TYPED_TEST(Models, everything_that_does_not_fit_is_one_error) {
  using B = TypeParam;
  Generator generator{3, 0};
  Other<B> other{make_embedding<B>(5, 3, {}, generator), {make_linear<B>(3, 3, {}, {}, generator)}, make_linear<B>(4, 5, {}, {}, generator)};
  save(this->path, make_net<B>(1));
  const auto before = other.layers[0].weight.to_vector();
  const Error error = error_of([&] { load(this->path, other); });
  EXPECT_EQ(error.kind, ErrorKind::file);
  says(error, this->path);
  says(error, "missing in the file:\n    wrods.weight (near: words.weight)");
  says(error, "unexpected in the file:");
  says(error, "words.weight (near: wrods.weight)");
  says(error, "layers.1.weight");
  says(error, "norm.running_var");
  says(error, "mismatched:\n    head.weight: the model has f32[5, 4], the file f32[5, 3]");
  EXPECT_EQ(other.layers[0].weight.to_vector(), before);  // which would have fitted

  // Not strict: what fits is loaded, the rest reported.
  LoadOptions loose;
  loose.strict = false;
  const LoadReport report = load(this->path, other, loose);
  EXPECT_EQ(report.loaded, (std::vector<std::string>{"layers.0.weight", "layers.0.bias", "head.bias"}));
  EXPECT_EQ(report.missing.size(), 1u);
  EXPECT_EQ(report.unexpected.size(), 8u);
  EXPECT_EQ(report.mismatched.size(), 1u);
  EXPECT_NE(other.layers[0].weight.to_vector(), before);
  EXPECT_EQ(other.layers[0].weight.to_vector(), make_net<B>(1).layers[0].weight.to_vector());
}

TYPED_TEST(Models, names_may_be_changed_on_the_way) {
  using B = TypeParam;
  auto blocks = sequential(make_linear<B>(2, 2), Relu{}, make_linear<B>(2, 1));
  save(this->path, blocks);
  Layers<B> model{{make_linear<B>(2, 2), make_linear<B>(2, 1)}};
  LoadOptions options;
  options.renames = {{"2.*", "1.*"}, {"*", "layers.*"}};
  load(this->path, model, options);
  EXPECT_EQ(model.layers[1].weight.to_vector(), blocks.template at<2>().weight.to_vector());
  // Two that become one.
  options.renames = {{"2.*", "0.*"}, {"*", "layers.*"}};
  says(error_of([&] { load(this->path, model, options); }), "layers.0.weight: two tensors of the file have this name after renaming");

  save(this->path, model);
  std::vector<Linear<B>> layers{make_linear<B>(2, 2), make_linear<B>(2, 1)};
  options = {};
  options.prefix = "layers.";
  load(this->path, layers, options);
  EXPECT_EQ(layers[0].weight.to_vector(), model.layers[0].weight.to_vector());
}

TYPED_TEST(Models, dtypes_are_converted_only_when_asked) {
  using B = TypeParam;
  Prelu<B> half{param(Tensor<B, 1>(tensor<B>({1.f, 0.5f, -2.f}).cast(Dtype::f16)))};
  save(this->path, half);
  Prelu<B> model{param(tensor<B>({0.f, 0.f, 0.f}))};
  says(error_of([&] { load(this->path, model); }), "weight: the model has f32[3], the file f16[3]; LoadOptions::convert accepts it");
  EXPECT_EQ(model.weight.to_vector(), (std::vector<float>{0, 0, 0}));
  LoadOptions options;
  options.convert = true;
  load(this->path, model, options);
  EXPECT_EQ(model.weight.dtype(), Dtype::f32);
  EXPECT_EQ(model.weight.to_vector(), (std::vector<float>{1, 0.5f, -2}));
  // Never to another kind.
  const std::int64_t three[] = {1, 2, 3};
  const SafetensorsEntry whole{"weight", {Dtype::i64, {3}}, std::as_bytes(std::span(three))};
  write_safetensors(this->path, std::span(&whole, 1));
  says(error_of([&] { load(this->path, model, options); }), "i64[3], which is of another kind");
}

template <Backend B>
struct Tied {
  Embedding<B> words;
  Linear<B> head;
};
template <class B>
Tied<B> make_tied(std::uint64_t seed) {
  Generator generator{seed, 0};
  Tied<B> model{make_embedding<B>(4, 3, {}, generator), make_linear<B>(3, 4, {.bias = false}, {}, generator)};
  model.head.weight = model.words.weight;
  return model;
}

TYPED_TEST(Models, tied_parameters_stay_tied) {
  using B = TypeParam;
  auto saved = make_tied<B>(1), loaded = make_tied<B>(2);
  save(this->path, saved);
  EXPECT_EQ(Safetensors::open(this->path).entries().size(), 1u);  // stored once
  load(this->path, loaded);
  EXPECT_EQ(loaded.head.weight.to_vector(), saved.head.weight.to_vector());
  EXPECT_EQ(leaf_identity(loaded.head.weight.dyn), leaf_identity(loaded.words.weight.dyn));
  // A model that ties nothing finds the value under both names.
  Tied<B> apart{make_embedding<B>(4, 3), make_linear<B>(3, 4, {.bias = false})};
  load(this->path, apart);
  EXPECT_EQ(apart.head.weight.to_vector(), saved.words.weight.to_vector());
  EXPECT_NE(leaf_identity(apart.head.weight.dyn), leaf_identity(apart.words.weight.dyn));
  // A file that has it twice, as others write it; then one with other values, which win over the tie.
  save(this->path, apart);
  EXPECT_EQ(Safetensors::open(this->path).entries().size(), 2u);
  load(this->path, loaded);
  EXPECT_EQ(leaf_identity(loaded.head.weight.dyn), leaf_identity(loaded.words.weight.dyn));
  apart.head.weight = param(zeros<B>({4, 3}));
  save(this->path, apart);
  load(this->path, loaded);
  EXPECT_EQ(loaded.head.weight.to_vector(), std::vector<float>(12, 0));
  EXPECT_EQ(loaded.words.weight.to_vector(), saved.words.weight.to_vector());
  // Only under the second of its names.
  loaded = make_tied<B>(2);
  const auto bytes = TensorData::from<float>(std::vector<float>(12, 5), {4, 3});
  const SafetensorsEntry one{"head.weight", bytes.spec, bytes.bytes};
  write_safetensors(this->path, std::span(&one, 1));
  load(this->path, loaded);
  EXPECT_EQ(loaded.words.weight.to_vector(), std::vector<float>(12, 5));
  EXPECT_EQ(leaf_identity(loaded.head.weight.dyn), leaf_identity(loaded.words.weight.dyn));
}

TYPED_TEST(Models, frozen_parameters_stay_frozen) {
  using B = TypeParam;
  auto model = make_net<B>(1);
  save(this->path, model);
  freeze(model, "layers.*");
  load(this->path, model);
  EXPECT_FALSE(requires_gradient(model.layers[0].weight));
  EXPECT_EQ(requires_gradient(model.head.weight), is_autodiff<B>);
}

TYPED_TEST(Models, files_go_between_stacks) {
  using B = TypeParam;
  auto loaded = make_net<B>(5);
  const auto from = [&](const auto& saved) {
    save(this->path, saved);
    load(this->path, loaded);
    EXPECT_EQ(values(loaded), values(saved));
  };
#define HEARTH_FROM(name, Backend) from(make_net<Autodiff<Backend>>(4)), from(make_net<Backend>(6));
  HEARTH_BUILT_BACKENDS(HEARTH_FROM)
#undef HEARTH_FROM
  const Error error = error_of([&] { load(this->path + ".none", loaded); });
  EXPECT_EQ(error.kind, ErrorKind::file);
}

}  // namespace
