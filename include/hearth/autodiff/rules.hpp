// autodiff/rules: every gradient rule, collected. One file per family; what a rule is says rule.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rules/composite.hpp"
#include "rules/contract.hpp"
#include "rules/elementwise.hpp"
#include "rules/low_bits.hpp"
#include "rules/move.hpp"
#include "rules/open.hpp"
#include "rules/reduce.hpp"
#include "rules/solve.hpp"
#include "rules/view.hpp"
