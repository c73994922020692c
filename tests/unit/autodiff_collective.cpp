// unit/autodiff_collective: gradients of collectives, on a group whose members all hold the same values, seen by member 0.
// SPDX-License-Identifier: Apache-2.0
#include "hearth/autodiff/autodiff-inl.hpp"
#include "portable_arrays.hpp"

namespace hearth {

struct Group : Portable {
  using Portable::run;
  static std::array<Handle, 1> run(const op::Collective& op, std::array<Handle, 1> in) {
    using D = Dyn<Portable>;
    const D x(in[0]);
    const double factor = op.reduce == ReduceCode::sum ? op.members : 1;
    const std::int64_t part = x.rank() > 0 ? x.size(0) / op.members : 0;
    switch (op.code) {
      case CollectiveCode::all_reduce: return {(x * factor).handle};
      case CollectiveCode::reduce_scatter: return {(narrow(x, 0, 0, part) * factor).handle};
      case CollectiveCode::all_gather: return {concat(std::vector<D>(std::size_t(op.members), x), 0).handle};
      case CollectiveCode::all_to_all: return {concat(std::vector<D>(std::size_t(op.members), narrow(x, 0, 0, part)), 0).handle};
      case CollectiveCode::broadcast:
      case CollectiveCode::barrier: return in;
    }
    __builtin_unreachable();
  }
  static std::string name() { return "Group"; }
};

}  // namespace hearth

namespace hearth::test {

using A = Autodiff<Group>;
using List = std::vector<double>;

/// y and dL/dx for L = the members' sums of w y.
std::pair<List, List> result_and_gradient(CollectiveCode code, ReduceCode reduce, const List& x, const List& w) {
  const auto leaf = A::track(A::from_inner(array<double>({std::int64_t(x.size())}, x)));
  const auto out = apply<A>(op::Collective{code, reduce, "all", 2, 0}, {leaf})[0];
  const auto gradients = A::backward(out, {.seed = array<double>({std::int64_t(w.size())}, w)});
  return {doubles(out.value), doubles(*gradients.find(leaf))};
}

TEST(Collective, gradients_are_collectives) {
  using enum CollectiveCode;
  const auto sum = ReduceCode::sum, mean = ReduceCode::mean;
  EXPECT_EQ(result_and_gradient(all_reduce, sum, {1, 2}, {3, 5}), (std::pair<List, List>{{2, 4}, {6, 10}}));
  EXPECT_EQ(result_and_gradient(all_reduce, mean, {1, 2}, {3, 5}), (std::pair<List, List>{{1, 2}, {3, 5}}));
  // Both members hold x twice: the first copy is member 0's, and member 1 weighs it as well.
  EXPECT_EQ(result_and_gradient(all_gather, sum, {1, 2}, {3, 5, 7, 9}), (std::pair<List, List>{{1, 2, 1, 2}, {6, 10}}));
  EXPECT_EQ(result_and_gradient(reduce_scatter, sum, {1, 2}, {3}), (std::pair<List, List>{{2}, {3, 3}}));
  EXPECT_EQ(result_and_gradient(reduce_scatter, mean, {1, 2}, {3}), (std::pair<List, List>{{1}, {1.5, 1.5}}));
  EXPECT_EQ(result_and_gradient(all_to_all, sum, {1, 2}, {3, 5}), (std::pair<List, List>{{1, 1}, {3, 3}}));
  EXPECT_EQ(result_and_gradient(barrier, sum, {1, 2}, {3, 5}), (std::pair<List, List>{{1, 2}, {3, 5}}));
}

TEST(Collective, says_which_have_no_gradient) {
  auto message = [](CollectiveCode code, ReduceCode reduce) -> std::string {
    try {
      result_and_gradient(code, reduce, {1, 2}, {3, 5});
    } catch (const Error& error) {
      return error.message;
    }
    return "no error";
  };
  EXPECT_EQ(message(CollectiveCode::all_reduce, ReduceCode::max), "only sums and means have a gradient");
  EXPECT_NE(message(CollectiveCode::broadcast, ReduceCode::sum).find("broadcast has no gradient"), std::string::npos);
}

}  // namespace hearth::test
