// core: the ground floor. Errors, lists, dtypes, shapes, scalars, one counted pointer; no op and no backend in sight.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "config.hpp"
#include "convert.hpp"
#include "dtype.hpp"
#include "error.hpp"
#include "half.hpp"
#include "inline_list.hpp"
#include "ref.hpp"
#include "reflect.hpp"
#include "scalar.hpp"
#include "shape.hpp"
#include "spec.hpp"
#include "tensor_data.hpp"
