// autodiff/walk-inl: the walk from a loss to its leaves.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "node-inl.hpp"

namespace hearth {

/// One backward pass: gradients wait at their nodes, and the node with the largest number is next. All nodes that depend on it have
/// larger numbers, so its gradient is complete.
template <class B>
class Walk {
 public:
  Walk(bool keep, Walk* enclosing, std::uint64_t first_inner) : retain(keep), outer(enclosing), first(first_inner) {}

  void give(Ref<Node<B>> node, int output, Dyn<B> gradient) {
    if (node->number < first) return outer->give(std::move(node), output, std::move(gradient));
    Pending& pending = queue_[node->number];
    if (!pending.node) {
      if (node->outputs > 1) pending.more.resize(std::size_t(node->outputs) - 1);
      pending.node = std::move(node);
    }
    Dyn<B>& sum = pending.at(output);
    sum = sum ? std::move(sum) + std::move(gradient) : std::move(gradient);
  }

  Gradients<B> run() {
    Gradients<B> found;
    std::vector<Dyn<B>> grad, result;
    while (!queue_.empty()) {
      auto last = std::prev(queue_.end());
      Pending pending = std::move(last->second);
      queue_.erase(last);
      Node<B>& node = *pending.node;
      grad.resize(std::size_t(node.outputs));
      for (int i = 0; i < node.outputs; ++i) grad[std::size_t(i)] = std::move(pending.at(i));
      if (node.hooks.load(std::memory_order_acquire)) call_hooks(node, grad);
      if constexpr (!HEARTH_EXCEPTIONS)
        if (!good(grad)) return stopped(grad);
      if (node.leaf()) {
        add(found.entries_, found.place(&node), std::move(pending.node), std::move(grad[0]));
        continue;
      }
      if (retain ? node.spent.load() : node.spent.exchange(true))
        return fail("backward", "what the graph saved was freed by an earlier backward pass (at " + std::string(node.kind->name) + ")", {},
                    "let the earlier pass retain the graph, or run the forward pass again");
      result.assign(std::size_t(node.inputs), Dyn<B>());
      node.kind->back(node, *this, grad.data(), result.data());
      if constexpr (!HEARTH_EXCEPTIONS)
        if (!good(result)) return stopped(result);
      for (int i = 0; i < node.inputs; ++i) {
        Dyn<B>& g = result[std::size_t(i)];
        Edge<B>& edge = node.edges()[i];
        if (edge.node && g) give(retain ? edge.node : std::move(edge.node), edge.output, std::move(g));
        else if (!retain) edge.node = {};
      }
    }
    return found;
  }

  const bool retain;
  Walk* const outer;
  const std::uint64_t first;

 private:
  struct Pending {
    Ref<Node<B>> node;
    Dyn<B> one;
    std::vector<Dyn<B>> more;
    Dyn<B>& at(int i) { return i == 0 ? one : more[std::size_t(i) - 1]; }
  };

  // Without exceptions: has no gradient on the way failed? Else what the pass yields.
  static bool good(const std::vector<Dyn<B>>& values) {
    if (pending_error()) return false;
    for (const auto& value : values)
      if (value.error()) return false;
    return true;
  }
  static Gradients<B> stopped(const std::vector<Dyn<B>>& values) {
    for (const auto& value : values)
      if (value.error()) {
        if (pending_error()) (void)take_pending_error();
        return Gradients<B>::failed(value.handle);
      }
    return Gradients<B>::from_failure();
  }

  // A leaf comes twice only where a checkpoint met it at a time when it should have been passed already.
  template <class Entries>
  static void add(Entries& entries, std::size_t at, Ref<Node<B>> node, Dyn<B> gradient) {
    if (at < entries.size() && entries[at].node == node) entries[at].gradient = (Dyn<B>(std::move(entries[at].gradient)) + std::move(gradient)).handle;
    else entries.insert(entries.begin() + std::ptrdiff_t(at), {std::move(node), std::move(gradient.handle)});
  }

  // In the order in which they were added; the list has the newest first.
  static void call_hooks(Node<B>& node, std::vector<Dyn<B>>& grad) {
    std::vector<typename Node<B>::Hook*> hooks;
    for (auto* hook = node.hooks.load(std::memory_order_acquire); hook; hook = hook->next) hooks.push_back(hook);
    for (auto at = hooks.rbegin(); at != hooks.rend(); ++at) {
      Dyn<B>& g = grad[std::size_t((*at)->output)];
      if (!g || (*at)->hook->removed.load()) continue;
      const Spec before = g.spec();
      g = (*(*at)->hook)(std::move(g));
      if (!g) return (void)fail("backward", "a gradient hook returned an empty value for a gradient " + to_string(before));
      if (!(g.spec() == before))
        return (void)fail("backward", "a gradient hook returned " + to_string(g.spec()) + " for a gradient " + to_string(before));
    }
  }

  std::map<std::uint64_t, Pending> queue_;
};

}  // namespace hearth
