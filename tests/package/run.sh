#!/bin/sh
# Hearth as its users get it: installed to a prefix that is then moved, or as part of their own tree.
#   sh tests/package/run.sh <source dir> <build dir of a configured and built Hearth> <scratch dir> <how> [compiler launcher]
# how: find_package  builds and runs examples/consumer, a backend and a stack of its own included, and a program that runs one op of each
#                    family, linked with --gc-sections and nothing to keep what seems unused; looks at what the library shows
#      left_out      the same program on a Hearth that leaves the cpu backend out and is installed to lib/machine
#      pkg-config, add_subdirectory, FetchContent  build and run a small program
set -eu
source=$1 build=$2 scratch=$3 how=$4 launcher=${5:+-DCMAKE_CXX_COMPILER_LAUNCHER=$5}
rm -rf "$scratch" "$build-hello"
mkdir -p "$scratch/hello"
cd "$scratch"

# hello <backend>: writes a small program that trains.
hello() {
  cat > hello/main.cpp <<END
#include <hearth/hearth.hpp>
#include <hearth/$(echo "$1" | tr '[:upper:]' '[:lower:]').hpp>
#include <cstdio>
int main() {
  using B = hearth::Autodiff<hearth::$1>;
  auto x = hearth::require_gradient(hearth::tensor<B>({1., 2., 3.}));
  const auto gradient = gradient_of(x, backward((x * x).sum()));
  std::printf("%s\n", to_string(gradient).c_str());
  return gradient.sum().item() == 12 ? 0 : 1;
}
END
}

install_and_move() {
  cmake --install "$build" --prefix "$scratch/first" > /dev/null
  mv first moved
  # The loader finds the parts of a shared Hearth in the moved prefix.
  LD_LIBRARY_PATH="$(dirname "$(find "$scratch/moved" -name 'libhearth.*' | head -n 1)")"
  export LD_LIBRARY_PATH
}

# pkg-config names the folders of the moved prefix, however deep the libraries lie.
folders_of_pkg_config() {
  file="$(find "$scratch/moved" -name hearth.pc)"
  for folder in "includedir $scratch/moved/include" "libdir $LD_LIBRARY_PATH"; do
    found=$(PKG_CONFIG_PATH="$(dirname "$file")" pkg-config --variable="${folder% *}" hearth)
    [ "$(realpath "$found")" = "$(realpath "${folder#* }")" ] || { echo "pkg-config: ${folder% *} is $found"; exit 1; }
  done
}

# build_against_moved <project folder> [options...]
build_against_moved() {
  project=$1
  shift
  cmake -S "$project" -B "$project/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/moved" -DCMAKE_BUILD_TYPE=Release ${launcher:+"$launcher"} "$@"
  cmake --build "$project/build"
}

# A library shows the names of namespace hearth and no other: what it is made of cannot meet what a program is made of.
only_own_names() {
  if [ -e "$1/libhearth.so" ]; then
    shown=$(nm -D --defined-only "$1/libhearth.so" | awk '{ print $NF }')
    [ -n "$shown" ]
    if printf '%s\n' "$shown" | grep -vE '^_Z(G[VR]|T[A-Z]|T[hvc][0-9n_]*|Z)*N[KOR]*6hearth'; then
      echo "the shared library shows these names, which are not Hearth's"
      exit 1
    fi
    if readelf -d "$1/libhearth.so" | grep NEEDED | grep -vE '\[(libtbb|libhwy|libz|libstdc\+\+|libm|libgcc_s|libc|ld-linux-[a-z0-9-]+)\.so'; then
      echo "the shared library needs libraries that it should not"
      exit 1
    fi
  fi
  # What is compiled into the static one from other people's headers, the standard library's aside.
  if [ -e "$1/libhearth.a" ] && nm -C --defined-only "$1/libhearth.a" 2> /dev/null | grep -E '[( ](Eigen|nlohmann)::' | head -n 5 | grep .; then
    echo "the static library holds functions under other libraries' names"
    exit 1
  fi
}

case "$how" in
  find_package)
    install_and_move
    cp -r "$source/examples/consumer" "$source/tests/package/families" .
    build_against_moved consumer > /dev/null
    ./consumer/build/consumer
    build_against_moved families -DTOGETHER=ON
    ./families/build/families portable cpu
    ./families/build/together
    only_own_names "$LD_LIBRARY_PATH"
    folders_of_pkg_config
    # No path of the machine that built it is written into the package.
    if grep -rnF -e "$source" -e "$build" -e "$scratch/first" moved --include='*.cmake' --include='*.pc'; then
      echo "the package names a path of the machine that built it"
      exit 1
    fi
    ;;
  left_out)
    install_and_move
    [ "$LD_LIBRARY_PATH" = "$scratch/moved/lib/machine" ]
    folders_of_pkg_config
    cp -r "$source/tests/package/families" .
    build_against_moved families
    ./families/build/families portable | tee said
    grep -q 'cpu: this build of Hearth leaves it out' said
    # What only the absent backend is built on is asked of nobody.
    if grep -rnE 'TBB|hwy|tbb' moved --include='*.cmake' --include='*.pc' || [ -e moved/include/hearth/cpu.hpp ]; then
      echo "parts of the backend that was left out are in the package"
      exit 1
    fi
    ;;
  pkg-config)
    install_and_move
    PKG_CONFIG_PATH="$scratch/$(dirname "$(find moved -name hearth.pc)")"
    export PKG_CONFIG_PATH
    static=""
    [ -n "$(find moved -name 'libhearth.a')" ] && static="--static"
    hello Cpu
    # A program may be in a later C++ than the library.
    for later in "" -std=c++23; do
      ${CXX:-g++} hello/main.cpp -o hello/hello $(pkg-config $static --cflags --libs hearth) $later
      ./hello/hello
    done
    ;;
  add_subdirectory | FetchContent)
    hello Cpu
    get="add_subdirectory(\"$source\" hearth)"
    if [ "$how" = FetchContent ]; then
      hello Portable
      get="include(FetchContent)
set(HEARTH_BACKENDS portable)
FetchContent_Declare(Hearth SOURCE_DIR \"$source\")
FetchContent_MakeAvailable(Hearth)"
    fi
    cat > hello/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(Hello LANGUAGES CXX)
$get
add_executable(hello main.cpp)
target_link_libraries(hello PRIVATE Hearth::hearth)
END
    # With the presets' settings, in a folder beside theirs, the compiler's cache has every object of Hearth already.
    cmake -S hello -B "$build-hello" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEARTH_WERROR=ON -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
      ${launcher:+"$launcher"} > /dev/null
    cmake --build "$build-hello"
    "$build-hello/hello"
    ;;
  *)
    echo "no such way to use a package: $how"
    exit 1
    ;;
esac
