// autodiff/rules/composite: the rules of those composites that have one of their own, collected. The others are recomputed.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../rule.hpp"
