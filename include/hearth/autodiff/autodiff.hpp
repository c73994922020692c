// autodiff: Autodiff<B>, a backend that records how each float result came to be, and runs the record backward.
// Bodies: autodiff-inl.hpp (ops) and tape-inl.hpp (the tape). Rules: rules/. A tape has no cycles, since a node holds the nodes of its
// operands and bare handles of B only; what nobody needs any more dies with the values, with or without a backward pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "node.hpp"
#include "rule.hpp"

namespace hearth {

template <class B>
struct Autodiff;

/// While one lives, nothing is recorded on this thread. Scopes nest.
class NoGrad {
 public:
  NoGrad() { ++depth; }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
  ~NoGrad() { --depth; }
  static inline constinit thread_local int depth = 0;
};

/// What backward found: one gradient for each leaf that the loss depends on.
template <class B>
class Gradients {
 public:
  struct Entry {
    Ref<Node<B>> node;
    HandleOf<B> gradient;
  };

  /// The gradient of a leaf (any copy of the handle that `track` returned); null if the loss does not depend on it.
  const HandleOf<B>* find(const typename Autodiff<B>::Handle& leaf) const {
    if (failed_) return &failed_;
    const std::size_t at = place(leaf.node.get());
    return at < entries_.size() && entries_[at].node == leaf.node && entries_[at].gradient ? &entries_[at].gradient : nullptr;
  }
  /// The same, moved out, so that its buffer may be reused; a null handle if there is none.
  HandleOf<B> take(const typename Autodiff<B>::Handle& leaf) {
    if (failed_) return failed_;
    return find(leaf) ? std::exchange(entries_[place(leaf.node.get())].gradient, HandleOf<B>{}) : HandleOf<B>{};
  }
  /// One more gradient of a leaf: added to what is there.
  void add(Entry entry) {
    const std::size_t at = place(entry.node.get());
    if (at == entries_.size() || !(entries_[at].node == entry.node)) entries_.insert(entries_.begin() + std::ptrdiff_t(at), std::move(entry));
    else entries_[at].gradient = (Dyn<B>(std::move(entries_[at].gradient)) + Dyn<B>(std::move(entry.gradient))).handle;
  }
  /// For what is done to all gradients alike: clipping, scaling. The order is the tape's.
  std::vector<Entry>& entries() { return entries_; }
  std::size_t size() const { return entries_.size(); }

  // Without exceptions: a backward pass that failed yields no gradients but the error.
  /// Null for good ones. `find` gives a value that carries the error, whatever the leaf.
  const Error* error() const { return failed_ ? B::error(failed_) : nullptr; }
  static Gradients from_failure() { return failed(Dyn<B>::from_failure().handle); }
  /// `value` carries an error.
  static Gradients failed(HandleOf<B> value) {
    Gradients gradients;
    gradients.failed_ = std::move(value);
    return gradients;
  }
  /// The value that carries the error, null for good ones.
  const HandleOf<B>& failure() const { return failed_; }

 private:
  friend class Walk<B>;
  /// Where a node is or belongs among the entries, largest number first.
  std::size_t place(const Node<B>* node) const {
    std::size_t low = 0, high = node ? entries_.size() : 0;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (entries_[middle].node->number > node->number) low = middle + 1;
      else high = middle;
    }
    return node ? low : entries_.size();
  }
  std::vector<Entry> entries_;
  HandleOf<B> failed_{};
};

/// Options of backward.
template <class B>
struct Backward {
  HandleOf<B> seed{};   ///< dL/dloss, like the loss; none: 1, and the loss must have one element
  bool retain = false;  ///< keep what the graph saved, for another backward pass through it
};

/// A function of handles that can be run again: the body of a checkpoint.
template <class B>
struct Recomputed : Counted {
  virtual std::vector<typename Autodiff<B>::Handle> operator()(std::vector<typename Autodiff<B>::Handle> in) = 0;
};
/// The backward pass of a custom function: `kept` is what its forward pass kept; gradients are null where none arrived, and may be
/// returned null for "zero".
template <class B>
struct CustomBackward : Counted {
  virtual std::vector<Dyn<B>> operator()(std::vector<Dyn<B>> kept, std::vector<Dyn<B>> gradients) = 0;
};

/// The compiled part of a stack beyond its ops: nothing for most, the tape for Autodiff<B>.
template <class Stack>
struct Tape {};
template <class B>
struct Tape<Autodiff<B>> {
  using Handle = typename Autodiff<B>::Handle;

  static Handle track(Handle value);
  static Gradients<B> backward(const Handle& loss, Backward<B> options);
  static void add_hook(const Handle& value, Ref<GradientHook<B>> hook);
  static std::vector<Handle> checkpoint(std::vector<Handle> in, Ref<Recomputed<B>> function);
  static std::vector<Handle> custom(std::string_view name, std::vector<Handle> in, std::vector<Dyn<B>> out, std::vector<Dyn<B>> kept,
                                    Ref<CustomBackward<B>> function);
  static Handle transfer(Handle value, const DeviceOf<B>& device);

  // For Autodiff::run. Which operands are tracked, if this thread records; 0 else.
  static unsigned needs(const Handle* in, std::size_t count);
  // A node for an op: takes the operands' nodes, copies the op, the saved operands and the specs; has room for saved results.
  static Ref<Node<B>> record(const NodeKind<B>* kind, const void* op, Handle* in, std::size_t count, unsigned needs, Saves saves, int outputs);
  // Results of a recorded op: float ones are tracked, those in the mask are saved.
  static void attach(Ref<Node<B>> node, unsigned saved_outputs, HandleOf<B>* out, std::size_t count, Handle* result);
  // What was saved, copied or moved out.
  static void restore(Node<B>& node, bool retain, Spec* spec, Dyn<B>* in, Dyn<B>* out, std::size_t outputs);
  // Gradients of `leaves` through results that were recorded just now. Gradients of nodes older than `first` go on to `outer`.
  static void walk(const Handle* roots, std::size_t count, Dyn<B>* seeds, const Handle* leaves, std::size_t leaf_count, Dyn<B>* result,
                   Walk<B>* outer = nullptr, std::uint64_t first = 0);
};

template <class B>
struct Autodiff {
  using Inner = B;
  using Device = DeviceOf<B>;
  struct Handle {
    HandleOf<B> value;
    Ref<Node<B>> node;  ///< null: not tracked
    int output = 0;     ///< which result of the node
    explicit operator bool() const { return bool(value); }
  };

  template <class Op>
  static Results<Op, Handle> run(const Op& op, Operands<Op, Handle> in);
  template <class Op>
    requires Makes<B, Op>
  static Handle make(const Device& device, const Op& op) {
    return {B::make(device, op), {}, 0};
  }
  // No `claims`: composites are recorded whole; whether B runs them whole is decided below the tape.
  template <class Op>
  static bool supports(const Op& op, const Operands<Op, const Spec*>& in) {
    return hearth::supports<B>(op, in);
  }

  static Handle upload(const Device& device, const Spec& spec, const void* from) { return {B::upload(device, spec, from), {}, 0}; }
  static void download(const Handle& handle, void* to) { B::download(handle.value, to); }
  static Ref<Completion> download_async(const Handle& handle, void* to) { return B::download_async(handle.value, to); }
  static void sync(const Device& device) { B::sync(device); }
  static const Spec& spec(const Handle& handle) { return B::spec(handle.value); }
  static bool overwritable(const Handle& handle) { return hearth::overwritable<B>(handle.value); }
  static Device device(const Handle& handle) { return B::device(handle.value); }
  static const Error* error(const Handle& handle) { return B::error(handle.value); }
  static MemoryStats memory_stats(const Device& device) { return B::memory_stats(device); }
  static void trim(const Device& device) { B::trim(device); }
  static std::string name() { return "Autodiff<" + B::name() + ">"; }

  /// The same value as a new leaf, whose gradient backward reports. Floats only.
  static Handle track(Handle value) { return Tape<Autodiff>::track(std::move(value)); }
  static bool tracked(const Handle& value) { return bool(value.node); }
  /// The same value, cut off from its history.
  static Handle detach(Handle value) { return {std::move(value.value), {}, 0}; }
  static Handle from_inner(HandleOf<B> value) { return {std::move(value), {}, 0}; }
  /// Gradients of a loss (dL/dloss is 1, or `options.seed`) for the leaves that it depends on. What the graph saved is freed on the
  /// way unless `options.retain`; a second pass through a freed graph is an error.
  static Gradients<B> backward(const Handle& loss, Backward<B> options = {}) { return Tape<Autodiff>::backward(loss, std::move(options)); }
  /// The value on another device; its gradient is brought back.
  static Handle transfer(Handle value, const Device& device) { return Tape<Autodiff>::transfer(std::move(value), device); }
};

template <class T>
inline constexpr bool is_autodiff = false;
template <class B>
inline constexpr bool is_autodiff<Autodiff<B>> = true;

/// Calls f(Dyn<B> gradient) when the gradient of `value` is complete; a Dyn that it returns replaces the gradient. The hook lives as long
/// as the value's history (capture no handle of that history, or it never dies); `->remove()` ends it.
template <class B, class F>
Ref<GradientHook<B>> on_gradient(const typename Autodiff<B>::Handle& value, F f) {
  struct Hook final : GradientHook<B> {
    explicit Hook(F given) : function(std::move(given)) {}
    Dyn<B> operator()(Dyn<B> gradient) override {
      if constexpr (std::is_void_v<decltype(function(gradient))>) {
        function(gradient);
        return gradient;
      } else {
        return function(std::move(gradient));
      }
    }
    F function;
  };
  Ref<GradientHook<B>> hook(new Hook(std::move(f)));
  Tape<Autodiff<B>>::add_hook(value, hook);
  return hook;
}

/// f(in) without recording its inside: only `in` is kept, and the backward pass runs f again. f takes and returns a vector of handles,
/// must do the same both times, and may capture tracked values, which get their gradients too. Random numbers that it draws from a
/// generator are the same both times.
template <class B, class F>
std::vector<typename Autodiff<B>::Handle> checkpoint(std::vector<typename Autodiff<B>::Handle> in, F f) {
  using Handle = typename Autodiff<B>::Handle;
  struct Body final : Recomputed<B> {
    explicit Body(F given) : function(std::move(given)) {}
    std::vector<Handle> operator()(std::vector<Handle> operands) override { return function(std::move(operands)); }
    F function;
  };
  return Tape<Autodiff<B>>::checkpoint(std::move(in), Ref<Recomputed<B>>(new Body(std::move(f))));
}

/// A function with a gradient of its own, over plain values of B.
///   forward(std::vector<Dyn<B>> in, std::vector<Dyn<B>>& kept) -> std::vector<Dyn<B>>, which puts what `back` needs into `kept`
///   back(std::vector<Dyn<B>> kept, std::vector<Dyn<B>> gradients) -> std::vector<Dyn<B>>, one per operand, null for zero
/// `name` is for errors.
template <class B, class Forward, class Back>
std::vector<typename Autodiff<B>::Handle> custom_function(std::string_view name, std::vector<typename Autodiff<B>::Handle> in, Forward forward,
                                                          Back back) {
  struct Function final : CustomBackward<B> {
    explicit Function(Back given) : function(std::move(given)) {}
    std::vector<Dyn<B>> operator()(std::vector<Dyn<B>> kept, std::vector<Dyn<B>> gradients) override {
      return function(std::move(kept), std::move(gradients));
    }
    Back function;
  };
  std::vector<Dyn<B>> values, kept;
  for (auto& handle : in) values.push_back(Dyn<B>(handle.value));
  std::vector<Dyn<B>> out = forward(std::move(values), kept);
  for (Dyn<B>& value : out)
    if (!value) {
      (void)fail(name, "its forward function returned an empty value");
      value = Dyn<B>::from_failure();  // without exceptions
    }
  return Tape<Autodiff<B>>::custom(name, std::move(in), std::move(out), std::move(kept), Ref<CustomBackward<B>>(new Function(std::move(back))));
}

}  // namespace hearth
