// unit/infer_session: models by name, on backends by name, from many threads; and what is said when something is wrong.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <thread>

#include "hearth/serve.hpp"
#include "stacks.hpp"

namespace hearth {
namespace {

using test::Plain;

template <Backend B>
struct Affine {
  Linear<B> layer;
  Tensor<B, 2> operator()(const Tensor<B, 2>& x) const { return layer(x); }
};
template <Backend B>
Affine<B> make_affine() {
  return {.layer = {.weight = param(tensor<B>({{1., 2., 3.}, {0., -1., 4.}})), .bias = param(tensor<B>({10., 20.}))}};
}

// Files are written by one backend and read by each.
template <class B, class...>
struct First {
  using Backend = B;
};
template <class... B>
First<B...> first_of(testing::Types<B...>);
using FirstBackend = decltype(first_of(Plain{}))::Backend;

Session load_affine(const std::string& path, const std::string& backend) {
  return serve(path, backend, "x", {3}, []<class B>(On<B>) { return make_affine<B>(); });
}

class InferSession : public testing::TestWithParam<std::string> {
 protected:
  std::string path = testing::TempDir() + "infer_session.safetensors";
  void SetUp() override {
    register_model("affine", load_affine);
    write("affine");
  }
  void TearDown() override { std::remove(path.c_str()); }
  void write(const std::string& model) {
    const std::pair<std::string, std::string> metadata[] = {{"model", model}};
    save(path, make_affine<FirstBackend>(), metadata);
  }
  std::string what(const std::string& backend = GetParam()) {
    try {
      (void)load(path, backend);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_P(InferSession, RunsOnEveryBuiltBackend) {
  const Session session = load(path, GetParam());
  EXPECT_EQ(session.backend(), GetParam());
  EXPECT_EQ(session.input_name(), "x");
  EXPECT_EQ(session.input_shape(), std::vector<std::int64_t>{3});
  EXPECT_EQ(session.input_size(), 3);
  EXPECT_EQ(session.output_size(), 2);
  const std::vector<float> one{1, 1, 1}, two{1, 0, 0, 0, 0, 2};
  EXPECT_EQ(session.run("x", one), (std::vector<float>{16, 23}));
  EXPECT_EQ(session.run("x", two), (std::vector<float>{11, 20, 16, 28}));
  EXPECT_TRUE(session.run("x", {}).empty());
}

TEST_P(InferSession, ServesThreadsAtOnce) {
  const Session session = load(path, GetParam());
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::vector<float> x{float(t), float(i), 0};
        if (session.run("x", x) != std::vector<float>{10 + float(t) + 2 * float(i), 20 - float(i)}) ++wrong[t];
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_P(InferSession, SaysWhatIsWrong) {
  const Session session = load(path, GetParam());
  const std::vector<float> four(4);
  try {
    (void)session.run("y", four);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "session: the model has no input \"y\"; its input is \"x\"");
  }
  try {
    (void)session.run("x", four);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "session: 4 numbers are no whole number of inputs; \"x\" takes 3 each");
  }
  EXPECT_NE(what("abacus").find("there is no backend \"abacus\"; available are: "), std::string::npos);
  write("nobody");
  EXPECT_NE(what().find("holds the model \"nobody\", which is not registered; registered are: affine"), std::string::npos);
  save(path, make_affine<FirstBackend>());
  EXPECT_NE(what().find("does not say which model it holds"), std::string::npos);
  EXPECT_THROW((void)load(path + ".missing"), Error);
  EXPECT_THROW((void)Session().input_size(), Error);
  EXPECT_THROW(register_model("null", nullptr), Error);
  // Shapes that no input has.
  const auto affine = []<class B>(On<B>) { return make_affine<B>(); };
  EXPECT_THROW((void)serve(path, GetParam(), "x", {-3}, affine), Error);
  EXPECT_THROW((void)serve(path, GetParam(), "x", {0}, affine), Error);
  EXPECT_THROW((void)serve(path, GetParam(), "x", {INT64_MAX}, affine), Error);
}

TEST_P(InferSession, MovesAndLeavesNothingBehind) {
  Session a = load(path, GetParam()), b;
  b = std::move(a);
  EXPECT_EQ(b.output_size(), 2);
  EXPECT_THROW((void)a.output_size(), Error);
}

std::vector<std::string> available() {
  std::vector<std::string> names;
  for (const BackendStatus& backend : backends())
    if (backend.available) names.push_back(backend.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Backends, InferSession, testing::ValuesIn(available()), [](const auto& name) { return name.param; });

}  // namespace
}  // namespace hearth
