// cpu/steps: SgdStep and AdamStep: one pass over all parameters together, in pieces, written over what nobody else owns.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <vector>

#include "rows.hpp"
#include "step_kernels.hpp"

namespace hearth::cpu {

namespace {

/// Elements of one piece.
constexpr std::int64_t piece_elements = task_elements / 2;
constexpr std::size_t most_lists = 4;

/// One parameter with what goes with it: operands in the order of the lists, results without the gradient.
struct Item {
  std::int64_t count = 0;
  Dtype dtype = Dtype::f32;
  const std::byte* from[most_lists] = {};
  std::byte* to[most_lists] = {};  ///< null for the gradient
  Dtype stored[most_lists] = {};
  std::optional<Source> gradient = {};  ///< where it is not contiguous: it is gathered, since a copy would ask for memory
};

struct Lists {
  std::size_t count, lists;
  std::vector<Item> items;
  std::vector<Handle> read, results;  ///< what the items point into
};

/// Lays out operands and results. No results where memory is out.
Lists laid_out(std::vector<Handle> in, std::size_t count, std::size_t lists) {
  Lists all{count, lists, std::vector<Item>(count), {}, std::vector<Handle>((lists - 1) * count)};
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i / count == 1) continue;  // a gradient
    in[i] = contiguous(std::move(in[i]));
    if (!in[i]) return {};
  }
  for (std::size_t list = 0; list < lists; ++list)
    for (std::size_t i = 0; i < count; ++i) {
      Handle& operand = in[list * count + i];
      Item& item = all.items[i];
      item.stored[list] = operand->spec.dtype;
      item.from[list] = bytes_of(*operand);
      if (list == 0) item.count = count_of(*operand), item.dtype = operand->spec.dtype;
      if (list == 1) {
        if (!is_contiguous(*operand)) item.gradient.emplace(operand, operand->spec.shape, false);
        continue;
      }
      Handle& result = all.results[(list == 0 ? 0 : list - 1) * count + i];
      const Spec spec = operand->spec;
      result = reuse_or_allocate(operand, spec);
      if (!result) return {};
      item.to[list] = bytes_of(*result);
    }
  all.read = std::move(in);
  return all;
}

/// kernel(in, out, count) with N pointers each for some elements of an item, 16-bit elements widened block by block.
template <class T, std::size_t N, class Kernel>
void run_piece(const Item& item, std::int64_t begin, std::int64_t end, const Kernel& kernel) {
  const T* in[N];
  T* out[N] = {};
  bool direct = !item.gradient;
  for (std::size_t k = 0; k < N; ++k) direct = direct && item.stored[k] == dtype_of<T>;
  BlockBuffer wide[N], gathered;
  while (begin < end) {
    std::int64_t length = direct ? end - begin : std::min(block_elements, end - begin);
    if (item.gradient) length = item.gradient->run(begin, length);
    const auto offset = [&](std::size_t k) { return begin * std::int64_t(size_of(item.stored[k])); };
    for (std::size_t k = 0; k < N; ++k) {
      const bool strided = k == 1 && item.gradient;
      const void* const from = strided ? item.gradient->read(begin, length, gathered) : item.from[k] + offset(k);
      in[k] = widened(static_cast<const std::byte*>(from), item.stored[k], length, reinterpret_cast<T*>(wide[k].bytes));
      if (item.to[k]) out[k] = place_for(item.to[k] + offset(k), item.stored[k], reinterpret_cast<T*>(wide[k].bytes));
    }
    kernel(in, out, length);
    for (std::size_t k = 0; k < N; ++k)
      if (item.to[k]) narrow(out[k], item.stored[k], length, item.to[k] + offset(k));
    begin += length;
  }
}

/// step(zero) gives the kernel for T.
template <std::size_t N, class Step>
std::vector<Handle> run_lists(Lists lists, const Step& step) {
  struct Piece {
    const Item* item;
    std::int64_t begin, end;
  };
  std::vector<Piece> pieces;
  std::int64_t total = 0;
  for (const Item& item : lists.items) {
    for (std::int64_t begin = 0; begin < item.count; begin += piece_elements) pieces.push_back({&item, begin, std::min(item.count, begin + piece_elements)});
    total += item.count;
  }
  const auto single = step(0.0f);
  const auto wide = step(0.0);
  const std::int64_t count = std::int64_t(pieces.size());
  const std::int64_t grain = total <= task_elements ? count : std::max<std::int64_t>(1, count * piece_elements / total);
  parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Piece& piece = pieces[std::size_t(i)];
      if (piece.item->dtype == Dtype::f64) run_piece<double, N>(*piece.item, piece.begin, piece.end, wide);
      else run_piece<float, N>(*piece.item, piece.begin, piece.end, single);
    }
  });
  return std::move(lists.results);
}

}  // namespace

bool claims(const op::SgdStep&, const std::vector<const Spec*>&) { return true; }
bool claims(const op::AdamStep&, const std::vector<const Spec*>&) { return true; }

std::vector<Handle> execute(const op::SgdStep& op, std::vector<Handle> in, const std::vector<Spec>&) {
  const bool remembers = op.momentum != 0;
  Lists lists = laid_out(std::move(in), std::size_t(op.count), remembers ? 3 : 2);
  const auto step = [&](auto zero) {
    using T = decltype(zero);
    const SgdFactors<T> by{T(op.rate), T(op.momentum), T(1 - op.dampening), T(op.weight_decay), op.weight_decay != 0, op.nesterov, op.first};
    return [by, remembers, kernel = step_kernels(zero).sgd](auto& from, auto& to, std::int64_t count) {
      constexpr std::size_t momenta = sizeof(from) / sizeof(from[0]) - 1;
      kernel(by, count, from[0], from[1], remembers ? from[momenta] : nullptr, to[0], remembers ? to[momenta] : nullptr);
    };
  };
  return remembers ? run_lists<3>(std::move(lists), step) : run_lists<2>(std::move(lists), step);
}

std::vector<Handle> execute(const op::AdamStep& op, std::vector<Handle> in, const std::vector<Spec>&) {
  Lists lists = laid_out(std::move(in), std::size_t(op.count), 4);
  const double correction1 = 1 - std::pow(op.beta1, double(op.step)), correction2 = 1 - std::pow(op.beta2, double(op.step));
  const double take1 = 1 - op.beta1, take2 = 1 - op.beta2;  // and 1 less them kept, which is not beta to the last bit
  return run_lists<4>(std::move(lists), [&](auto zero) {
    using T = decltype(zero);
    const AdamFactors<T> by{.decay = T(op.decoupled ? 1 - op.rate * op.weight_decay : op.weight_decay),
                            .keep1 = T(1 - take1),
                            .take1 = T(take1),
                            .keep2 = T(1 - take2),
                            .take2 = T(take2),
                            .root2 = T(std::sqrt(correction2)),
                            .epsilon = T(op.epsilon),
                            .rate = T(op.rate / correction1),
                            .has_decay = op.weight_decay != 0,
                            .decoupled = op.decoupled};
    return [by, kernel = step_kernels(zero).adam](auto& from, auto& to, std::int64_t count) {
      kernel(by, count, from[0], from[1], from[2], from[3], to[0], to[2], to[3]);
    };
  });
}

}  // namespace hearth::cpu
