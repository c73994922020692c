// autodiff/rules/composite: the rules of those composites that have one of their own, collected. The others are recomputed.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "composite_attention.hpp"
#include "composite_dropout.hpp"
#include "composite_linear.hpp"
#include "composite_norm.hpp"
#include "composite_quantize.hpp"
#include "composite_sample.hpp"
#include "composite_softmax.hpp"
