// backend/decompositions: every composite's meaning, collected. Each file of decompositions/ holds one family.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "decomposition.hpp"
