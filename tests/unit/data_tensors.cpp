// Datasets of tensors, what is read into them, and what is asked of them: batches, parts, MNIST's files, accuracy, moved images.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "hearth/data/accuracy.hpp"
#include "hearth/data/augment.hpp"
#include "hearth/data/mnist.hpp"
#include "hearth/data/progress.hpp"
#include "tensor_stacks.hpp"

namespace {

using namespace hearth;
using hearth::test::expect_error;

template <class B>
class DataTensors : public testing::Test {};
TYPED_TEST_SUITE(DataTensors, hearth::test::Plain);

/// Item i is the row {2 i, 2 i + 1} and the number 10 i.
template <class B>
auto numbers(std::int64_t n) {
  return TensorDataset{arange<B, Float>(2 * n).reshape({n, 2}), arange<B>(n) * 10};
}
using Numbers = std::vector<std::int64_t>;

TYPED_TEST(DataTensors, batches_are_the_items_asked_for) {
  using B = TypeParam;
  const auto data = numbers<B>(4);
  EXPECT_EQ(data.size(), 4);
  const auto [rows, tens] = data.batch(Numbers{3, 0, 3});
  EXPECT_EQ(rows.shape(), (Shape{3, 2}));
  EXPECT_EQ(rows.to_vector(), (std::vector<float>{6, 7, 0, 1, 6, 7}));
  EXPECT_EQ(tens.to_vector(), (Numbers{30, 0, 30}));
  const auto none = data.batch({});
  EXPECT_EQ(std::get<0>(none).shape(), (Shape{0, 2}));
  EXPECT_EQ(std::get<1>(none).shape(), (Shape{0}));
}

TYPED_TEST(DataTensors, a_loader_takes_batches) {
  using B = TypeParam;
  const auto data = numbers<B>(11);
  Loader loader(data, {.batch_size = 4, .shuffle = true, .workers = 2, .seed = 5});
  std::vector<std::int64_t> seen, sizes;
  for (const auto& [rows, tens] : loader) {
    sizes.push_back(rows.size(0));
    const auto first = rows.narrow(1, 0, 1).reshape({-1}).template to_vector<std::int64_t>();
    const auto ten = tens.to_vector();
    for (std::size_t i = 0; i < ten.size(); ++i) EXPECT_EQ(ten[i], first[i] * 5);  // still beside each other
    seen.insert(seen.end(), ten.begin(), ten.end());
  }
  EXPECT_EQ(sizes, (Numbers{4, 4, 3}));
  EXPECT_EQ(seen.size(), 11u);
  EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), 11u);
}

TYPED_TEST(DataTensors, parts_are_datasets) {
  using B = TypeParam;
  const auto data = numbers<B>(6);
  const auto middle = data.narrow(2, 3);
  EXPECT_EQ(middle.size(), 3);
  EXPECT_EQ(std::get<1>(middle.tensors()).to_vector(), (Numbers{20, 30, 40}));
  EXPECT_EQ(std::get<0>(middle.batch(Numbers{0})).to_vector(), (std::vector<float>{4, 5}));
  EXPECT_EQ(data.narrow(6, 0).size(), 0);

  const auto [held, rest] = random_split(data, 2, 7);
  EXPECT_EQ(held.size(), 2);
  EXPECT_EQ(rest.size(), 4);
  auto all = std::get<1>(held.tensors()).to_vector();
  for (const std::int64_t i : std::get<1>(rest.tensors()).to_vector()) all.push_back(i);
  EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()), (std::set<std::int64_t>{0, 10, 20, 30, 40, 50}));
  std::set<Numbers> drawn;  // other seeds draw others
  for (std::uint64_t seed = 0; seed < 20; ++seed) drawn.insert(std::get<1>(random_split(data, 2, seed).first.tensors()).to_vector());
  EXPECT_GT(drawn.size(), 5u);
  EXPECT_EQ(random_split(data, 6).second.size(), 0);
  EXPECT_EQ(random_split(data, 0).first.size(), 0);
}

TYPED_TEST(DataTensors, what_does_not_fit_is_an_error) {
  using B = TypeParam;
  expect_error([] { TensorDataset(zeros<B>({3, 2}), zeros<B>({2})); }, "dataset: the tensors are not equally long: [3, 2] and [2]");
  const auto data = numbers<B>(4);
  expect_error([&] { (void)data.batch(Numbers{0, 4}); }, "4");
  expect_error([&] { (void)data.batch(Numbers{-1}); }, "-1");
  expect_error([&] { (void)data.narrow(2, 3); }, "3 elements from 2");
  expect_error([&] { (void)data.narrow(-1, 2); }, "2 elements from -1");
  expect_error([&] { (void)random_split(data, 5); }, "5 of 4 items cannot be drawn");
  expect_error([&] { (void)random_split(data, -1); }, "-1 of 4 items");
}

/// Scores are right in evaluation mode only.
template <class B>
struct Moody {
  Mode mode = {};
  Tensor<B, 2> operator()(const Tensor<B, 2>& x) const { return mode.training ? -x : x; }
};

TYPED_TEST(DataTensors, accuracy_counts_rows) {
  using B = TypeParam;
  const auto scores = tensor<B>({{1.f, 0.f, 0.f}, {0.f, 0.f, 2.f}, {5.f, 5.f, 1.f}, {0.f, 3.f, 1.f}});
  const auto labels = tensor<B>({0, 1, 0, 1});  // right, wrong, a tie: the first counts, right
  EXPECT_EQ(correct_count(scores, labels), 3);
  EXPECT_EQ(accuracy(scores, labels), 0.75);
  EXPECT_EQ(accuracy(scores, labels.cast(Dtype::u8)), 0.75);
  EXPECT_EQ(accuracy(scores, labels * 0 - 1), 0);  // no class has this number
  EXPECT_TRUE(std::isnan(accuracy(zeros<B>({0, 3}), zeros<B, Int>({0}))));
  expect_error([&] { (void)accuracy(scores, labels.narrow(0, 0, 1)); }, "accuracy: there is not one label for each row of scores: [4, 3] and [1]");

  const Moody<B> model;
  const TensorDataset data{scores, labels};
  for (const std::int64_t batch : {1, 3, 4, 100}) EXPECT_EQ(accuracy(model, data, batch), 0.75);
  EXPECT_TRUE(model.mode.training);
  EXPECT_TRUE(std::isnan(accuracy(model, data.narrow(0, 0))));
  expect_error([&] { (void)accuracy(model, data, 0); }, "the batch size is 0");
}

TYPED_TEST(DataTensors, images_move_within_their_reach) {
  using B = TypeParam;
  constexpr std::int64_t n = 600;
  auto images = zeros<B>({n, 2, 5, 7});
  images.assign({index::s(), 0, 2, 3}, 1).assign({index::s(), 1, 2, 3}, 2);
  Generator first{3, 0}, second{3, 0};
  const auto moved = random_shift(images, 2, first);
  EXPECT_EQ(moved.shape(), images.shape());
  EXPECT_EQ(moved.to_vector(), random_shift(images, 2, second).to_vector());
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  const auto ink = moved.to_vector();
  for (std::int64_t i = 0; i < n; ++i) {
    int points = 0;
    for (std::int64_t y = 0; y < 5; ++y)
      for (std::int64_t x = 0; x < 7; ++x) {
        const float a = ink[std::size_t(((i * 2 + 0) * 5 + y) * 7 + x)], b = ink[std::size_t(((i * 2 + 1) * 5 + y) * 7 + x)];
        EXPECT_EQ(b, 2 * a);  // channels move together
        if (a == 0) continue;
        ++points;
        EXPECT_LE(std::abs(x - 3), 2);
        places.insert({y, x});
      }
    EXPECT_EQ(points, 1) << i;
  }
  EXPECT_EQ(places.size(), 25u);  // every move is made

  // What comes in is 0, not what went out.
  const auto sums = random_shift(ones<B>({200, 1, 2, 2}), 1).sum({1, 2, 3}).to_vector();
  EXPECT_EQ(std::set<float>(sums.begin(), sums.end()), (std::set<float>{1, 2, 4}));
  EXPECT_EQ(random_shift(images, 0).to_vector(), images.to_vector());
  EXPECT_EQ(random_shift(zeros<B>({0, 1, 4, 4}), 2).shape(), (Shape{0, 1, 4, 4}));
  expect_error([&] { (void)random_shift(images, -1); }, "random_shift: the reach is -1");
}

/// A folder with the two files of a part.
class MnistFolder {
 public:
  MnistFolder() { std::filesystem::create_directories(path); }
  ~MnistFolder() { std::filesystem::remove_all(path); }
  const std::string path = (std::filesystem::temp_directory_path() / "hearth_test_mnist").string();
  void write(const std::string& name, const std::string& bytes) const { std::ofstream(path + "/" + name, std::ios::binary) << bytes; }
};
const std::string two_images("\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\3\0\xff\x33\1\2\3", 22), two_labels("\0\0\x08\1\0\0\0\2\7\x09", 10);

TYPED_TEST(DataTensors, mnist_is_read_and_scaled) {
  using B = TypeParam;
  const MnistFolder folder;
  folder.write("some-images-idx3-ubyte", two_images);
  folder.write("some-labels-idx1-ubyte.gz", two_labels);  // zlib reads what is not compressed, too
  const auto data = read_mnist<B>(folder.path, "some");
  const auto& [images, labels] = data.tensors();
  EXPECT_EQ(images.shape(), (Shape{2, 1, 1, 3}));
  hearth::test::expect_near(images.to_vector(), std::vector<float>{0, 1, 0.2f, 1 / 255.f, 2 / 255.f, 3 / 255.f}, 1e-7);
  EXPECT_EQ(labels.to_vector(), (Numbers{7, 9}));

  folder.write("none-images-idx3-ubyte", std::string("\0\0\x08\3\0\0\0\0\0\0\0\1\0\0\0\3", 16));
  folder.write("none-labels-idx1-ubyte", std::string("\0\0\x08\1\0\0\0\0", 8));
  EXPECT_EQ(read_mnist<B>(folder.path, "none").size(), 0);
}

TYPED_TEST(DataTensors, mnist_files_that_do_not_fit_are_refused) {
  using B = TypeParam;
  const MnistFolder folder;
  const auto error = [&](const std::string& images, const std::string& labels) -> std::string {
    folder.write("t-images-idx3-ubyte", images);
    folder.write("t-labels-idx1-ubyte", labels);
    try {
      (void)read_mnist<B>(folder.path, "t");
    } catch (const Error& e) {
      EXPECT_EQ(e.kind, ErrorKind::file);
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(two_images, two_labels), "no error");
  EXPECT_NE(error(two_images, std::string("\0\0\x08\1\0\0\0\1\7", 9)).find("t-images-idx3-ubyte: holds 2 images, but there are 1 labels"), std::string::npos);
  EXPECT_NE(error(two_labels, two_labels).find("t-images-idx3-ubyte: holds u8[2]; it should be u8 of 3 dimensions"), std::string::npos);
  EXPECT_NE(error(two_images, two_images).find("t-labels-idx1-ubyte: holds u8[2, 1, 3]; it should be u8 of 1 dimension"), std::string::npos);
  EXPECT_NE(error(two_images, std::string("\0\0\x09\1\0\0\0\2\7\x09", 10)).find("holds i8[2]"), std::string::npos);
  EXPECT_NE(error(two_images.substr(0, 20), two_labels).find("ends after 4 of the 6 bytes"), std::string::npos);
  EXPECT_NE(error("", two_labels).find("is not an IDX file"), std::string::npos);
  expect_error([&] { (void)read_mnist<B>(folder.path, "u"); }, "u-images-idx3-ubyte.gz: cannot be opened");
  expect_error([&] { (void)read_mnist<B>(folder.path + "/nowhere", "t"); }, "cannot be opened");
}

TEST(Progress, keeps_the_mean_of_what_it_shows) {
  Progress progress("work", 3);
  EXPECT_TRUE(std::isnan(progress.mean()));
  progress.step("loss", 4);
  progress.step();  // shows no number
  progress.step("loss", -1);
  EXPECT_EQ(progress.mean(), 1.5);
}

}  // namespace
