// nn: modules, losses and what is done to models as a whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "activation.hpp"
#include "attention.hpp"
#include "conv.hpp"
#include "convert.hpp"
#include "dropout.hpp"
#include "embedding.hpp"
#include "init.hpp"
#include "linear.hpp"
#include "loss.hpp"
#include "model.hpp"
#include "norm.hpp"
#include "param.hpp"
#include "pool.hpp"
#include "recurrent.hpp"
#include "sequential.hpp"
#include "walk.hpp"
