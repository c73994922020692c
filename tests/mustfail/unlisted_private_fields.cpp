// expect: a walk cannot see into a field of this class, which may hold parameters
// SPDX-License-Identifier: Apache-2.0
#include "hearth/nn/linear.hpp"
#include "hearth/nn/model.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
template <Backend B>
class Hidden {
 public:
  explicit Hidden(Linear<B> layer) : layer_(layer) {}

 private:
  Linear<B> layer_;
};
template <Backend B>
struct Net {
  Hidden<B> hidden;
};
void f(Net<Portable>& model) { train(model); }
