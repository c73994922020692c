// autodiff/node-inl: how nodes are made and how they die.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>

#include "../backend/apply-inl.hpp"
#include "autodiff.hpp"

namespace hearth {

template <class B>
Node<B>::Node(const NodeKind<B>* k, int in, int saved_handles, void* op)
    : kind(k), number(detail::nodes_made.fetch_add(1, std::memory_order_relaxed) + 1), inputs(in), saved_count(saved_handles), op_(op) {
  for (int i = 0; i < inputs; ++i) ::new (edges() + i) Edge<B>;
  for (int i = 0; i < saved_count; ++i) ::new (saved() + i) HandleOf<B>;
}

template <class B>
Ref<Node<B>> Node<B>::create(const NodeKind<B>* kind, const void* op, int inputs, int saved, int words) {
  static_assert(alignof(HandleOf<B>) <= alignof(Edge<B>) && alignof(HandleOf<B>) >= alignof(std::int64_t) && sizeof(Node) % alignof(Edge<B>) == 0);
  constexpr std::size_t align = alignof(std::max_align_t);
  std::size_t size = sizeof(Node) + std::size_t(inputs) * sizeof(Edge<B>) + std::size_t(saved) * sizeof(HandleOf<B>) + std::size_t(words) * 8;
  size = (size + align - 1) / align * align;
  struct Memory {
    void* start;
    ~Memory() { ::operator delete(start); }
  } memory{::operator new(size + (kind ? kind->op_size : 0))};
  void* op_at = static_cast<std::byte*>(memory.start) + size;
  if (kind) kind->copy(op_at, op);  // may throw: there is no node yet
  return Ref<Node>(::new (std::exchange(memory.start, nullptr)) Node(kind, inputs, saved, op_at));
}

// A node that dies puts the operands' nodes that only it owns on a list instead of releasing them inside its own end, so that a
// chain of a million nodes dies in a loop. If the last other owner lets go meanwhile, the node dies here, one level deeper, no more.
template <class B>
Node<B>::~Node() {
  static constinit thread_local Node* dead = nullptr;
  static constinit thread_local bool in_loop = false;
  for (int i = 0; i < inputs; ++i) {
    Edge<B>& edge = edges()[i];
    if (edge.node.unique()) {
      Node* node = edge.node.detach();
      node->next_dead_ = std::exchange(dead, node);
    }
    edge.~Edge();
  }
  for (int i = 0; i < saved_count; ++i) saved()[i].~HandleOf<B>();
  for (Hook* hook = hooks.load(std::memory_order_acquire); hook;) delete std::exchange(hook, hook->next);
  if (kind) kind->destroy(op_);
  detail::nodes_dead.fetch_add(1, std::memory_order_relaxed);
  if (std::exchange(in_loop, true)) return;
  while (dead) {
    Node* node = std::exchange(dead, dead->next_dead_);
    release(node);
  }
  in_loop = false;
}

}  // namespace hearth
