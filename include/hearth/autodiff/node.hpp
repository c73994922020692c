// autodiff/node: one recorded op, or a leaf. A node is one block of memory: its edges, what its rule saves, the operands' specs and
// the op itself lie behind it. It is not templated on the op, so the tape is compiled once per stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "../backend/dyn.hpp"

namespace hearth {

template <class B>
class Node;
template <class B>
class Walk;

/// Result `output` of `node`: where the gradient of an operand goes. No node: the operand is not tracked.
template <class B>
struct Edge {
  Ref<Node<B>> node;
  int output = 0;
};

/// Called with the complete gradient of a value during backward; what it returns takes the gradient's place.
template <class B>
struct GradientHook : Counted {
  virtual Dyn<B> operator()(Dyn<B> gradient) = 0;
  /// From now on it is not called.
  void remove() { removed = true; }
  std::atomic<bool> removed{false};
};

/// What the nodes of one op have in common.
template <class B>
struct NodeKind {
  std::string_view name;
  /// Gradients of the operands from those of the results (null where none arrived). May move out of `grad`.
  void (*back)(Node<B>& node, Walk<B>& walk, Dyn<B>* grad, Dyn<B>* result);
  std::size_t op_size;
  void (*copy)(void* to, const void* op);
  void (*destroy)(void* op);
};

namespace detail {
// Numbers grow with time, so an op's number is larger than those of its operands: backward needs no sort.
inline std::atomic<std::uint64_t> nodes_made{0}, nodes_dead{0};
}  // namespace detail
/// How many nodes are alive, leaves included, on all stacks. For tests of leaks.
inline std::int64_t live_nodes() { return std::int64_t(detail::nodes_made.load()) - std::int64_t(detail::nodes_dead.load()); }

template <class B>
class Node final : public Counted {
 public:
  struct Hook {
    Ref<GradientHook<B>> hook;
    int output;
    Hook* next;
  };

  /// A node with empty edges and saved handles, room for packed specs of `words` 64-bit words, and a copy of the op. No kind: a leaf.
  static Ref<Node> create(const NodeKind<B>* kind, const void* op, int inputs, int saved, int words);
  ~Node() override;
  static void operator delete(void* memory) { ::operator delete(memory); }

  bool leaf() const { return kind == nullptr; }
  Edge<B>* edges() { return reinterpret_cast<Edge<B>*>(this + 1); }
  HandleOf<B>* saved() { return reinterpret_cast<HandleOf<B>*>(edges() + inputs); }
  std::int64_t* words() { return reinterpret_cast<std::int64_t*>(saved() + saved_count); }
  void* op() { return op_; }

  const NodeKind<B>* const kind;
  const std::uint64_t number;
  const int inputs, saved_count;
  int outputs = 1;
  unsigned needs = 0;
  std::atomic<bool> spent{false};  ///< a backward pass has taken what was saved
  std::atomic<Hook*> hooks{nullptr};

 private:
  Node(const NodeKind<B>* kind, int inputs, int saved, void* op);
  void* op_;
  Node* next_dead_ = nullptr;  // the list of nodes that await their end
};

}  // namespace hearth
