// expect: a walk cannot see into a field of this class, which may hold parameters
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "hearth/nn/linear.hpp"
#include "hearth/nn/model.hpp"
#include "hearth/portable.hpp"
using namespace hearth;
template <Backend B>
struct Net {
  std::map<std::string, Linear<B>> heads;
};
void f(Net<Portable>& model) { train(model); }
