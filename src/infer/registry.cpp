// infer/registry: models by name, backends by name.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>

#include "hearth/serve.hpp"

namespace hearth {

namespace {
struct Registry {
  std::mutex mutex;
  std::map<std::string, MakeSession> models;
};
// Made at its first use: nothing here depends on the order in which a program starts.
Registry& registry() {
  static Registry instance;
  return instance;
}
}  // namespace

void register_model(const std::string& name, MakeSession make) {
  if (!make) return (void)fail("register_model", "\"" + name + "\" comes without a function that makes it");
  Registry& known = registry();
  const std::lock_guard lock(known.mutex);
  known.models[name] = make;
}

Session load(const std::string& path, const std::string& backend) {
  std::string name;
  const Safetensors file = Safetensors::open(path);
  for (const auto& [key, value] : file.metadata())
    if (key == "model") name = value;
  if (name.empty())
    return fail(Error(ErrorKind::file, "load", path + " does not say which model it holds", {}, "save it with the metadata {\"model\", name}"));

  MakeSession make = nullptr;
  std::string names;
  {
    Registry& known = registry();
    const std::lock_guard lock(known.mutex);
    for (const auto& [other, function] : known.models) {
      names += (names.empty() ? "" : ", ") + other;
      if (other == name) make = function;
    }
  }
  if (!make)
    return fail("load", path + " holds the model \"" + name + "\", which is not registered; registered are: " + (names.empty() ? "none" : names));
  return make(path, backend);
}

std::vector<BackendStatus> backends() {
  std::vector<BackendStatus> list;
#define HEARTH_BUILT(name, Backend) list.push_back({#name, true, ""});
  HEARTH_BUILT_BACKENDS(HEARTH_BUILT)
#undef HEARTH_BUILT
#define HEARTH_LEFT_OUT(name) list.push_back({#name, false, "this build of Hearth leaves it out: it is not in HEARTH_BACKENDS"});
  HEARTH_LEFT_OUT_BACKENDS(HEARTH_LEFT_OUT)
#undef HEARTH_LEFT_OUT
  return list;
}

std::int64_t detail::input_size(const std::string& input, const Shape& shape) {
  std::int64_t size = 1;
  bool fits = true;
  for (std::int64_t s : shape) fits = fits && s > 0 && !__builtin_mul_overflow(size, s, &size) && size <= INT64_MAX / std::int64_t(sizeof(float));
  if (fits) return size;
  return fail("serve", "the input \"" + input + "\" cannot have the shape " + to_string(shape), {shape}, "every size is 1 or more");
}

Session detail::no_such_backend(const std::string& backend) {
  std::string built, reason;
  for (const BackendStatus& known : backends()) {
    if (known.available) built += (built.empty() ? "" : ", ") + known.name;
    else if (known.name == backend) reason = ": " + known.reason;
  }
  return fail(Error(ErrorKind::device, "load", "there is no backend \"" + backend + "\"" + reason + "; available are: " + built));
}

}  // namespace hearth
