// autodiff/tape-inl: the bodies of Tape: recording, backward, hooks, checkpoints, custom functions and transfers.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../backend/transfer.hpp"
#include "walk-inl.hpp"

namespace hearth {

namespace detail {

/// Recording on one level of a stack: it is on while NoGrad::depth is at most this. A recomputation inside backward raises it to the
/// depth that backward was called at; the forward pass of a checkpoint lowers it below all.
template <class B>
inline constinit thread_local int recording_depth = 0;
/// Has a tracked operand met an op while recording was off?
template <class B>
inline constinit thread_local bool tracked_seen = false;

template <class B>
struct RecordingScope {
  explicit RecordingScope(int depth) : depth_before(std::exchange(recording_depth<B>, depth)), seen_before(std::exchange(tracked_seen<B>, false)) {}
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;
  ~RecordingScope() {
    recording_depth<B> = depth_before;
    tracked_seen<B> = seen_before;
  }
  int depth_before;
  bool seen_before;
};

template <class T>
void copy_object(void* to, const void* from) {
  ::new (to) T(*static_cast<const T*>(from));
}
template <class T>
void destroy_object(void* object) {
  static_cast<T*>(object)->~T();
}
template <class B, class T>
constexpr NodeKind<B> node_kind(std::string_view name, void (*back)(Node<B>&, Walk<B>&, Dyn<B>*, Dyn<B>*)) {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  return {name, back, sizeof(T), copy_object<T>, destroy_object<T>};
}

// Specs of operands, packed: one word of dtype and rank, then the sizes.
inline std::int64_t* pack(std::int64_t* words, const Spec& spec) {
  *words++ = std::int64_t(spec.dtype) | std::int64_t(spec.shape.size()) << 8;
  for (auto size : spec.shape) *words++ = size;
  return words;
}
inline const std::int64_t* unpack(const std::int64_t* words, Spec& spec) {
  spec.dtype = Dtype(*words & 255);
  const int rank = int(*words++ >> 8);
  spec.shape = {};
  for (int i = 0; i < rank; ++i) spec.shape.push(*words++);
  return words;
}

// The kinds of nodes that are not ops.
template <class B>
struct CustomOp {
  std::string name;
  Ref<CustomBackward<B>> function;
};
template <class B>
void custom_back(Node<B>& node, Walk<B>& walk, Dyn<B>* grad, Dyn<B>* result) {
  auto& op = *static_cast<CustomOp<B>*>(node.op());
  std::vector<Dyn<B>> kept, gradients;
  for (int i = 0; i < node.saved_count; ++i) kept.push_back(walk.retain ? node.saved()[i] : std::move(node.saved()[i]));
  for (int i = 0; i < node.outputs; ++i) gradients.push_back(std::move(grad[i]));
  auto out = (*op.function)(std::move(kept), std::move(gradients));
  if (int(out.size()) != node.inputs)
    return (void)fail(op.name, "its backward function returned " + std::to_string(out.size()) + " gradients for " + std::to_string(node.inputs) + " operands");
  const std::int64_t* words = node.words();
  for (int i = 0; i < node.inputs; ++i) {
    Spec spec;
    words = unpack(words, spec);
    Dyn<B>& g = out[std::size_t(i)];
    if (g && node.edges()[i].node && !(g.spec() == spec))
      return (void)fail(op.name, "its backward function returned " + to_string(g.spec()) + " for operand " + std::to_string(i) + ", " + to_string(spec));
    result[i] = std::move(g);
  }
}
template <class B>
inline constexpr NodeKind<B> custom_kind = node_kind<B, CustomOp<B>>("a custom function", custom_back<B>);

template <class B>
void checkpoint_back(Node<B>& node, Walk<B>& walk, Dyn<B>* grad, Dyn<B>* result) {
  auto& function = *static_cast<Ref<Recomputed<B>>*>(node.op());
  using Handle = typename Autodiff<B>::Handle;
  const std::uint64_t first = nodes_made.load(std::memory_order_relaxed) + 1;
  RecordingScope<B> scope(NoGrad::depth);
  std::vector<Handle> leaves;
  for (int i = 0; i < node.inputs; ++i) {
    leaves.push_back({walk.retain ? node.saved()[i] : std::move(node.saved()[i]), {}, 0});
    if (node.edges()[i].node) leaves.back() = Tape<Autodiff<B>>::track(std::move(leaves.back()));
  }
  auto out = (*function)(leaves);
  if (int(out.size()) != node.outputs)
    return (void)fail("checkpoint", "the function returned " + std::to_string(node.outputs) + " values, and " + std::to_string(out.size()) +
                                        " when it was run again");
  Tape<Autodiff<B>>::walk(out.data(), out.size(), grad, leaves.data(), leaves.size(), result, &walk, first);
}
template <class B>
inline constexpr NodeKind<B> checkpoint_kind = node_kind<B, Ref<Recomputed<B>>>("a checkpoint", checkpoint_back<B>);

template <class B>
void transfer_back(Node<B>& node, Walk<B>&, Dyn<B>* grad, Dyn<B>* result) {
  result[0] = Dyn<B>(transfer<B>(std::move(grad[0].handle), *static_cast<DeviceOf<B>*>(node.op())));
}
template <class B>
inline constexpr NodeKind<B> transfer_kind = node_kind<B, DeviceOf<B>>("a transfer", transfer_back<B>);

}  // namespace detail

// A function template would not be stamped with the class: all of Tape<Autodiff<B>> is plain members.

template <class B>
auto Tape<Autodiff<B>>::track(Handle value) -> Handle {
  if (value && !is_float(B::spec(value.value).dtype) && !B::error(value.value))
    return fail("track", "only floats have gradients, not " + to_string(B::spec(value.value)));
  return {std::move(value.value), Node<B>::create(nullptr, nullptr, 0, 0, 0), 0};
}

template <class B>
unsigned Tape<Autodiff<B>>::needs(const Handle* in, std::size_t count) {
  unsigned needs = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (in[i].node) needs |= operand_bit(int(i));
  if (needs && NoGrad::depth > detail::recording_depth<B>) {
    detail::tracked_seen<B> = true;
    return 0;
  }
  return needs;
}

template <class B>
Ref<Node<B>> Tape<Autodiff<B>>::record(const NodeKind<B>* kind, const void* op, Handle* in, std::size_t count, unsigned needs, Saves saves, int outputs) {
  int words = 0;
  for (std::size_t i = 0; i < count; ++i) words += 1 + (in[i] ? B::spec(in[i].value).shape.size() : 0);
  auto node = Node<B>::create(kind, op, int(count), int(count) + (saves.outputs ? outputs : 0), words);
  std::int64_t* at = node->words();
  for (std::size_t i = 0; i < count; ++i) {
    at = detail::pack(at, in[i] ? B::spec(in[i].value) : Spec{});
    if (saves.inputs & operand_bit(int(i))) node->saved()[i] = in[i].value;
    node->edges()[i] = {std::move(in[i].node), in[i].output};
  }
  node->needs = needs;
  return node;
}

template <class B>
void Tape<Autodiff<B>>::attach(Ref<Node<B>> node, unsigned saved_outputs, HandleOf<B>* out, std::size_t count, Handle* result) {
  node->outputs = int(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (saved_outputs & operand_bit(int(i))) node->saved()[node->inputs + int(i)] = out[i];
    const bool tracked = out[i] && is_float(B::spec(out[i]).dtype) && !B::error(out[i]);
    result[i] = {std::move(out[i]), tracked ? node : Ref<Node<B>>(), int(i)};
  }
}

template <class B>
void Tape<Autodiff<B>>::restore(Node<B>& node, bool retain, Spec* spec, Dyn<B>* in, Dyn<B>* out, std::size_t outputs) {
  auto take = [&](int i) { return Dyn<B>(retain ? node.saved()[i] : std::move(node.saved()[i])); };
  const std::int64_t* words = node.words();
  for (int i = 0; i < node.inputs; ++i) {
    words = detail::unpack(words, spec[i]);
    in[i] = take(i);
  }
  if (node.saved_count > node.inputs)
    for (int i = 0; i < int(outputs); ++i) out[i] = take(node.inputs + i);
}

template <class B>
void Tape<Autodiff<B>>::walk(const Handle* roots, std::size_t count, Dyn<B>* seeds, const Handle* leaves, std::size_t leaf_count, Dyn<B>* result,
                             Walk<B>* outer, std::uint64_t first) {
  Walk<B> walk(false, outer, first);
  for (std::size_t i = 0; i < count; ++i)
    if (roots[i].node && seeds[i]) walk.give(roots[i].node, roots[i].output, std::move(seeds[i]));
  auto found = walk.run();
  for (std::size_t i = 0; i < leaf_count; ++i)
    if (leaves[i].node) result[i] = Dyn<B>(found.take(leaves[i]));
}

template <class B>
Gradients<B> Tape<Autodiff<B>>::backward(const Handle& loss, Backward<B> options) {
  const LetGo errors;
  if (!loss) return fail("backward", "the loss is an empty value");
  if (B::error(loss.value)) return Gradients<B>::failed(loss.value);
  const Spec& spec = B::spec(loss.value);
  if (!loss.node)
    return fail("backward", "the loss depends on nothing that is tracked", {spec.shape}, "track a parameter, and look for detach and NoGrad on the way");
  if (!options.seed) {
    if (element_count(spec.shape) != 1)
      return fail("backward", "the loss must have one element, or a seed gradient: " + to_string(spec.shape), {spec.shape}, "take its sum or mean");
    options.seed = B::make(B::device(loss.value), op::Full{spec, 1});
  } else if (!(B::spec(options.seed) == spec)) {
    return fail("backward", "the seed gradient is " + to_string(B::spec(options.seed)) + ", the loss " + to_string(spec), {B::spec(options.seed).shape, spec.shape});
  }
  Walk<B> walk(options.retain, nullptr, 0);
  walk.give(loss.node, loss.output, Dyn<B>(std::move(options.seed)));
  return walk.run();
}

template <class B>
void Tape<Autodiff<B>>::add_hook(const Handle& value, Ref<GradientHook<B>> hook) {
  const LetGo errors;
  if (value && B::error(value.value)) return;
  if (!value.node) return (void)fail("on_gradient", "the value is not tracked");
  auto* entry = new typename Node<B>::Hook{std::move(hook), value.output, value.node->hooks.load()};
  while (!value.node->hooks.compare_exchange_weak(entry->next, entry)) {
  }
}

template <class B>
auto Tape<Autodiff<B>>::checkpoint(std::vector<Handle> in, Ref<Recomputed<B>> function) -> std::vector<Handle> {
  if (NoGrad::depth > detail::recording_depth<B>) return (*function)(std::move(in));
  const unsigned needed = needs(in.data(), in.size());
  bool captured;
  std::vector<Handle> out;
  {
    detail::RecordingScope<B> scope(-1);
    out = (*function)(in);
    captured = detail::tracked_seen<B>;
  }
  for (auto& handle : out) captured |= bool(handle.node);  // an operand or a captured value, handed through
  if (!needed && !captured) return out;
  auto node = record(&detail::checkpoint_kind<B>, &function, in.data(), in.size(), needed, {~0u, 0}, 0);
  std::vector<HandleOf<B>> values;
  for (auto& handle : out) values.push_back(std::move(handle.value));
  attach(std::move(node), 0, values.data(), values.size(), out.data());
  return out;
}

template <class B>
auto Tape<Autodiff<B>>::custom(std::string_view name, std::vector<Handle> in, std::vector<Dyn<B>> out, std::vector<Dyn<B>> kept,
                               Ref<CustomBackward<B>> function) -> std::vector<Handle> {
  std::vector<Handle> result(out.size());
  std::vector<HandleOf<B>> values;
  for (auto& dyn : out) values.push_back(std::move(dyn.handle));
  if (const unsigned needed = needs(in.data(), in.size())) {
    int words = 0;
    for (auto& handle : in) words += 1 + (handle ? B::spec(handle.value).shape.size() : 0);
    const detail::CustomOp<B> op{std::string(name), std::move(function)};
    auto node = Node<B>::create(&detail::custom_kind<B>, &op, int(in.size()), int(kept.size()), words);
    std::int64_t* at = node->words();
    for (int i = 0; i < node->inputs; ++i) {
      Handle& handle = in[std::size_t(i)];
      at = detail::pack(at, handle ? B::spec(handle.value) : Spec{});
      node->edges()[i] = {std::move(handle.node), handle.output};
    }
    for (int i = 0; i < node->saved_count; ++i) node->saved()[i] = std::move(kept[std::size_t(i)].handle);
    node->needs = needed;
    attach(std::move(node), 0, values.data(), values.size(), result.data());
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) result[i].value = std::move(values[i]);
  }
  return result;
}

template <class B>
auto Tape<Autodiff<B>>::transfer(Handle value, const DeviceOf<B>& device) -> Handle {
  if (!HEARTH_EXCEPTIONS && (!value || B::error(value.value))) return value;
  const DeviceOf<B> home = B::device(value.value);
  if (home == device) return value;
  const unsigned needed = needs(&value, 1);
  Handle result;
  auto node = needed ? record(&detail::transfer_kind<B>, &home, &value, 1, needed, {}, 0) : Ref<Node<B>>();
  HandleOf<B> moved = hearth::transfer<B>(std::move(value.value), device);
  if (node) attach(std::move(node), 0, &moved, 1, &result);
  else result.value = std::move(moved);
  return result;
}

}  // namespace hearth
