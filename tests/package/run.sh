#!/bin/sh
# Hearth as its users get it: installed to a prefix that is then moved, or as part of their own tree.
#   sh tests/package/run.sh <source dir> <build dir of a configured and built Hearth> <scratch dir> <how>
# how: find_package  builds and runs examples/consumer, a backend and a stack of its own included
#      pkg-config, add_subdirectory  build and run a small program
set -eu
source=$1 build=$2 scratch=$3 how=$4
rm -rf "$scratch"
mkdir -p "$scratch/hello"
cd "$scratch"

launcher=""
command -v ccache > /dev/null && launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
cat > hello/main.cpp <<END
#include <hearth/cpu.hpp>
#include <hearth/hearth.hpp>
#include <cstdio>
int main() {
  using B = hearth::Autodiff<hearth::Cpu>;
  auto x = hearth::require_gradient(hearth::tensor<B>({1., 2., 3.}));
  const auto gradient = gradient_of(x, backward((x * x).sum()));
  std::printf("%s\n", to_string(gradient).c_str());
  return gradient.sum().item() == 12 ? 0 : 1;
}
END

install_and_move() {
  cmake --install "$build" --prefix "$scratch/first" > /dev/null
  mv first moved
  # The loader finds the parts of a shared Hearth in the moved prefix.
  LD_LIBRARY_PATH="$(dirname "$(find "$scratch/moved" -name 'libhearth.*' | head -n 1)")"
  export LD_LIBRARY_PATH
}

case "$how" in
  find_package)
    install_and_move
    cp -r "$source/examples/consumer" consumer
    cmake -S consumer -B consumer/build -G Ninja -DCMAKE_PREFIX_PATH="$scratch/moved" -DCMAKE_BUILD_TYPE=Release $launcher > /dev/null
    cmake --build consumer/build
    ./consumer/build/consumer
    # The exported target asks for C++20 and nothing else of its users.
    targets=$(find moved -name HearthTargets.cmake -exec cat {} +)
    [ -n "$targets" ]
    if printf '%s' "$targets" | grep -E 'INTERFACE_COMPILE_(OPTIONS|DEFINITIONS)|INTERFACE_LINK_OPTIONS'; then
      echo "the exported target carries options or definitions"
      exit 1
    fi
    printf '%s' "$targets" | grep -q 'INTERFACE_COMPILE_FEATURES "cxx_std_20"'
    # No path of the machine that built it is written into the package.
    if grep -rnF -e "$source" -e "$build" -e "$scratch/first" moved --include='*.cmake' --include='*.pc'; then
      echo "the package names a path of the machine that built it"
      exit 1
    fi
    ;;
  pkg-config)
    install_and_move
    PKG_CONFIG_PATH="$scratch/$(dirname "$(find moved -name hearth.pc)")"
    export PKG_CONFIG_PATH
    static=""
    [ -n "$(find moved -name 'libhearth.a')" ] && static="--static"
    ${CXX:-g++} hello/main.cpp -o hello/hello $(pkg-config $static --cflags --libs hearth)
    ./hello/hello
    ;;
  add_subdirectory)
    cat > hello/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(Hello LANGUAGES CXX)
add_subdirectory("$source" hearth)
add_executable(hello main.cpp)
target_link_libraries(hello PRIVATE Hearth::hearth)
END
    # With the strictness of the presets the compiler's cache has every object of Hearth already.
    cmake -S hello -B hello/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEARTH_WERROR=ON $launcher > /dev/null
    cmake --build hello/build
    ./hello/build/hello
    ;;
  *)
    echo "no such way to use a package: $how"
    exit 1
    ;;
esac
