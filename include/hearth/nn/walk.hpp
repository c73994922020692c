// nn/walk: one walk over the fields of a module into a type-erased Walker. Whatever treats parameters alike (optimisers, files,
// counts, modes) is a Walker, compiled once per backend and never per model.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "../core/reflect.hpp"
#include "param.hpp"

namespace hearth {

/// Sees every state-carrying field of a module, in declaration order. Paths are field names and list indices joined by points:
/// "encoder.layers.0.weight".
template <class B>
struct Walker {
  virtual ~Walker() = default;
  /// A field of type Param<B, rank>.
  virtual void param(std::string_view path, Dyn<B>& value, int rank);
  /// A field of type Buffer<B, rank, Kind>.
  virtual void buffer(std::string_view path, Dyn<B>& value, int rank, Kinds kind);
  virtual void mode(std::string_view path, Mode& mode);
  /// Around the fields of a module inside a module. `type` is its class: "Linear". A struct of options is none: it cannot be called and
  /// names no backend.
  virtual void enter(std::string_view path, std::string_view type);
  virtual void leave(std::string_view path);
};

/// What tells two leaves apart: tied parameters have the same.
template <class B>
const void* leaf_identity(const Dyn<B>& value) {
  if constexpr (is_autodiff<B>) {
    if (value.handle.node) return value.handle.node.get();
    return leaf_identity(Dyn<typename B::Inner>(value.handle.value));
  } else {
    return value.handle.get();
  }
}

namespace detail {

template <class T>
inline constexpr int param_rank = -1;
template <class B, int R>
inline constexpr int param_rank<Param<B, R>> = R;
template <class T>
inline constexpr bool is_buffer = false;
template <class B, int R, class K>
inline constexpr bool is_buffer<Buffer<B, R, K>> = true;
template <class T>
inline constexpr bool is_tensor = false;
template <class B, int R, class K>
inline constexpr bool is_tensor<Tensor<B, R, K>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T, std::size_t N>
inline constexpr bool is_list<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

/// A type that may stand as the backend argument of a module.
template <class B>
concept LooksLikeBackend = requires {
  typename B::Handle;
  typename B::Device;
};
/// Does a class name a backend among its template arguments, at any depth? Then it may hold parameters.
template <class T>
inline constexpr bool names_backend = LooksLikeBackend<T>;
template <template <class...> class M, class... A>
  requires(!LooksLikeBackend<M<A...>>)
inline constexpr bool names_backend<M<A...>> = (names_backend<A> || ...);

/// A class with private state that lists its fields with HEARTH_FIELDS.
template <class T>
concept HasFields = requires(T& value) { value.hearth_fields([](std::string_view, auto&) {}); };
/// Anything whose fields reflection can see.
template <class T>
concept Reflectable = std::is_class_v<T> && std::is_aggregate_v<T> && !is_list<T>;

/// The backend of a module: its first template argument, or what it says itself by `using Backend = ...`. Defined below.
template <class M>
struct BackendOf;  // hearth: no backend is to be found in the type of this model; name it there: using Backend = ...;

/// Has T an operator(), be it a template or overloaded? Then that name is ambiguous in a class that inherits another one.
struct Callable {
  void operator()();
};
template <class T>
struct MaybeCalled : T, Callable {};
template <class T>
inline constexpr bool has_call = !requires { &MaybeCalled<T>::operator(); };
template <class T>
  requires std::is_final_v<T>  // nobody inherits it: taken for a yes
inline constexpr bool has_call<T> = true;
template <class T>
inline constexpr bool is_module = has_call<T> || requires { typename BackendOf<T>::type; };

/// "Linear" of hearth::Linear<hearth::Cpu>.
template <class T>
consteval std::string_view class_name() {
  std::string_view s = __PRETTY_FUNCTION__;
  s = s.substr(s.find("T = ") + 4);
  s = s.substr(0, s.find_first_of("<;]"));
  return s.substr(s.find_last_of(':') + 1);
}

/// A path that grows and shrinks with the walk.
class Path {
 public:
  std::string_view text() const { return text_; }
  class Step {
   public:
    Step(Path& path, std::string_view name) : path_(path), before_(path.text_.size()) {
      if (before_) path.text_ += '.';
      path.text_ += name;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { path_.text_.resize(before_); }

   private:
    Path& path_;
    std::size_t before_;
  };

 private:
  std::string text_;
};

template <class B, class T>
void walk_field(T& field, Walker<B>& walker, Path& path);

template <class B, class T>
void walk_members(T& module, Walker<B>& walker, Path& path) {
  auto visit_one = [&](std::string_view name, auto& field) {
    using F = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_class_v<F>) {
      Path::Step step(path, name);
      walk_field<B>(field, walker, path);
    }
  };
  if constexpr (HasFields<T>) module.hearth_fields(visit_one);
  else reflect::each(module, visit_one);
}

template <class B, class T>
void walk_field(T& field, Walker<B>& walker, Path& path) {
  if constexpr (param_rank<T> >= 0) {
    walker.param(path.text(), field.dyn, param_rank<T>);
  } else if constexpr (is_buffer<T>) {
    using Value = std::remove_cvref_t<decltype(field.get())>;
    walker.buffer(path.text(), field.dyn(), Value::rank, Value::KindType::set);
  } else if constexpr (std::is_same_v<T, Mode>) {
    walker.mode(path.text(), field);
  } else if constexpr (is_tensor<T>) {
    // A constant: part of the model's structure, not of its state.
  } else if constexpr (is_list<T>) {
    for (std::size_t i = 0; i < field.size(); ++i) {
      Path::Step step(path, std::to_string(i));
      walk_field<B>(field[i], walker, path);
    }
  } else if constexpr (is_optional<T>) {
    if (field) walk_field<B>(*field, walker, path);
  } else if constexpr (is_tuple<T>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((void)[&] {
        Path::Step step(path, std::to_string(I));
        walk_field<B>(std::get<I>(field), walker, path);
      }(), ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (HasFields<T> || Reflectable<T>) {
    if constexpr (is_module<T>) walker.enter(path.text(), class_name<T>());
    walk_members<B>(field, walker, path);
    if constexpr (is_module<T>) walker.leave(path.text());
  } else {
    // Skipping it silently would leave its parameters untrained and unsaved.
    static_assert(!names_backend<T>,
                  "hearth: a walk cannot see into a field of this class, which may hold parameters: a module is a plain aggregate or lists its fields "
                  "with HEARTH_FIELDS; several are held in a vector, array, optional or tuple");
  }
}

}  // namespace detail

/// Shows every parameter, buffer and mode of a module to the walker.
template <class B, class M>
void walk(M& module, Walker<B>& walker) {
  static_assert(detail::LooksLikeBackend<B>, "hearth: no backend is to be found in the type of this model, so it has nothing to walk over");
  static_assert(detail::HasFields<M> || detail::Reflectable<M> || detail::is_list<M> || detail::is_optional<M>,
                "hearth: a module is a plain aggregate (public fields, no base class, no constructor); a class with private state lists its fields with HEARTH_FIELDS");
  detail::Path path;
  detail::walk_field<B>(module, walker, path);
}
/// The same for walkers that only look: they must not assign to what they see.
template <class B, class M>
void walk(const M& module, Walker<B>& walker) {
  walk<B>(const_cast<M&>(module), walker);
}

namespace detail {
template <class M>
  requires requires { typename M::Backend; }
struct BackendOf<M> {
  using type = typename M::Backend;
};
template <template <class...> class M, class B, class... A>
  requires(LooksLikeBackend<B> && !requires { typename M<B, A...>::Backend; })
struct BackendOf<M<B, A...>> {
  using type = B;
};
template <template <class, auto...> class M, class B, auto... N>
  requires(sizeof...(N) > 0 && LooksLikeBackend<B>)
struct BackendOf<M<B, N...>> {
  using type = B;
};
template <template <class, class, auto...> class M, class B, class A, auto... N>
  requires(sizeof...(N) > 0 && LooksLikeBackend<B>)
struct BackendOf<M<B, A, N...>> {
  using type = B;
};
template <class T>
struct BackendOf<std::vector<T>> : BackendOf<T> {};
template <class T, std::size_t N>
struct BackendOf<std::array<T, N>> : BackendOf<T> {};
template <class T>
struct BackendOf<std::optional<T>> : BackendOf<T> {};
}  // namespace detail
template <class M>
using BackendOf = typename detail::BackendOf<M>::type;

}  // namespace hearth

/// For a class with private state: `HEARTH_FIELDS(weight_, bias_)` in its public part lists its fields; a walk sees them under these
/// names, less the underscore at the end. To move to another backend the class must have a default constructor, and all of its
/// state in the list.
/// The only macro of Hearth that user code may need.
#define HEARTH_FIELDS(...)                                        \
  template <class HearthVisitor>                                  \
  void hearth_fields(HearthVisitor&& visitor) {                   \
    ::hearth::detail::visit_fields(#__VA_ARGS__, visitor, __VA_ARGS__); \
  }                                                               \
  auto hearth_tie() const { return std::tie(__VA_ARGS__); }       \
  auto hearth_tie() { return std::tie(__VA_ARGS__); }

namespace hearth::detail {
/// f(name, field) for each, the names cut from "a, b, c".
template <class F, class... T>
void visit_fields(std::string_view names, F&& f, T&... fields) {
  auto next = [&names] {
    const std::size_t comma = names.find(',');
    std::string_view name = names.substr(0, comma);
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && (name.back() == ' ' || name.back() == '_')) name.remove_suffix(1);
    return name;
  };
  (f(next(), fields), ...);
}
}  // namespace hearth::detail
