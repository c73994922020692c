#!/bin/sh
# Prints a program that trains, saves and deploys a model of so many layers (a multiple of 10), each written out by hand as a user would:
# blocks of ten, convolutional and fully connected ones in turn. No block is like another to the compiler.
#   sh tests/budget/model.sh <layers>
# SPDX-License-Identifier: Apache-2.0
set -eu
awk -v layers="$1" '
function repeat(n, format, i) { for (i = 1; i <= n; ++i) printf format, i, i, i, i, i, i }
BEGIN {
  blocks = layers / 10
  print "// A model of " layers " layers."
  print "#include <hearth/cpu.hpp>\n#include <hearth/hearth.hpp>\n\n#include <cstdio>\n\nusing namespace hearth;"
  for (b = 1; b <= blocks; ++b) {
    print "\ntemplate <Backend B>\nstruct Block" b " {"
    if (b % 2) {
      repeat(5, "  Conv2d<B> conv%d;\n  BatchNorm<B> norm%d;\n")
      print "\n  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const {\n    auto y = x;"
      repeat(5, "    y = relu(norm%d(conv%d(y)));\n")
    } else {
      repeat(4, "  LayerNorm<B> norm%d;\n  Linear<B> linear%d;\n")
      print "  Dropout dropout;\n  Linear<B> last;\n\n  Tensor<B, 4> operator()(const Tensor<B, 4>& x) const {\n    auto y = x;"
      repeat(4, "    y = y + gelu(linear%d(norm%d(y)));\n")
      print "    y = last(dropout(y));"
    }
    print "    return x + y;\n  }\n};"
    print "template <Backend B>\nBlock" b "<B> make_block" b "() {\n  return {"
    if (b % 2) repeat(5, "    .conv%d = make_conv2d<B>(4, 4, 3, {.padding = 1}),\n    .norm%d = make_batch_norm<B>(4),\n")
    else {
      repeat(4, "    .norm%d = make_layer_norm<B>(8),\n    .linear%d = make_linear<B>(8, 8),\n")
      print "    .dropout = {.p = 0.1},\n    .last = make_linear<B>(8, 8),"
    }
    print "  };\n}"
  }
  print "\ntemplate <Backend B>\nstruct Net {"
  for (b = 1; b <= blocks; ++b) print "  Block" b "<B> block" b ";"
  print "\n  Tensor<B, 4> operator()(Tensor<B, 4> x) const {"
  for (b = 1; b <= blocks; ++b) print "    x = block" b "(x);"
  print "    return x;\n  }\n};"
  print "template <Backend B>\nNet<B> make_net() {\n  return {"
  for (b = 1; b <= blocks; ++b) print "    .block" b " = make_block" b "<B>(),"
  print "  };\n}"
  print "\nint main(int, char** arguments) {"
  print "  using B = Autodiff<Cpu>;\n  manual_seed<B>(1);\n  auto model = make_net<B>();"
  print "  Optimizer optimizer(Adam{.rate = 1e-3}, model);\n  const auto x = randn<B>({2, 4, 8, 8});"
  print "  optimizer.step(model, backward(mse_loss(model(x), x)));"
  print "  const std::string file = std::string(arguments[0]) + \".safetensors\";\n  save(file, model);"
  print "  auto deployed = inference(model);\n  load(file, deployed);\n  eval(deployed);"
  print "  const auto y = deployed(zeros<Cpu>({1, 4, 8, 8}));"
  print "  std::printf(\"%lld parameters\\n\", (long long)parameter_count(deployed));"
  print "  return isfinite(y).all().item() ? 0 : 1;\n}"
}'
