#!/bin/sh
# Installs Hearth to a prefix, moves the prefix, and builds and runs examples/consumer against it.
#   sh tests/package/run.sh <source dir> <build dir of a configured Hearth> <scratch dir> <how>
# how: find_package, pkg-config, add_subdirectory
set -eu
source=$1 build=$2 scratch=$3 how=$4
rm -rf "$scratch"
mkdir -p "$scratch"
cp -r "$source/examples/consumer" "$scratch/consumer"
cd "$scratch"

case "$how" in
  find_package)
    cmake --install "$build" --prefix "$scratch/first" > /dev/null
    mv first moved
    cmake -S consumer -B consumer/build -G Ninja -DCMAKE_PREFIX_PATH="$scratch/moved" -DCMAKE_BUILD_TYPE=Release > /dev/null
    cmake --build consumer/build
    LD_LIBRARY_PATH="$scratch/moved/lib" ./consumer/build/consumer
    # The exported target asks for C++20 and nothing else of its users.
    targets=$(cat moved/lib*/cmake/Hearth/HearthTargets.cmake moved/lib/*/cmake/Hearth/HearthTargets.cmake 2>/dev/null || true)
    [ -n "$targets" ]
    if printf '%s' "$targets" | grep -E 'INTERFACE_COMPILE_(OPTIONS|DEFINITIONS)|INTERFACE_LINK_OPTIONS'; then
      echo "the exported target carries options or definitions"
      exit 1
    fi
    printf '%s' "$targets" | grep -q 'INTERFACE_COMPILE_FEATURES "cxx_std_20"'
    # No path of this machine is written into the package.
    if grep -rn "$source\|$build\|$scratch/first" moved --include='*.cmake' --include='*.pc'; then
      echo "the package names a path of the machine that built it"
      exit 1
    fi
    ;;
  pkg-config)
    cmake --install "$build" --prefix "$scratch/first" > /dev/null
    mv first moved
    pc=$(find moved -name hearth.pc)
    PKG_CONFIG_PATH="$scratch/$(dirname "$pc")"
    export PKG_CONFIG_PATH
    static=""
    [ -n "$(find moved -name 'libhearth.a')" ] && static="--static"
    ${CXX:-g++} consumer/main.cpp consumer/my_backend.cpp -o consumer/consumer $(pkg-config $static --cflags --libs hearth)
    LD_LIBRARY_PATH="$(dirname "$(find "$scratch/moved" -name 'libhearth.*' | head -n 1)")" ./consumer/consumer
    ;;
  add_subdirectory)
    cat > consumer/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(Consumer LANGUAGES CXX)
add_subdirectory("$source" hearth)
add_executable(consumer main.cpp my_backend.cpp)
target_link_libraries(consumer PRIVATE Hearth::hearth)
END
    cmake -S consumer -B consumer/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER_LAUNCHER=ccache > /dev/null
    cmake --build consumer/build
    ./consumer/build/consumer
    ;;
esac
