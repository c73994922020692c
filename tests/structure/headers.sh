#!/bin/sh
# Each public header compiles alone, without a warning.
#   sh tests/structure/headers.sh <source dir> <compiler> <folder of generated headers>
set -eu
cd "$1"
compiler=$2
includes="-Iinclude -I$3"
for folder in backends/*/include; do includes="$includes -I$folder"; done
export compiler includes
# -inl headers are bodies for one stack, and instantiate.hpp is a list of them: both expect HEARTH_STACK or a body's own header.
find include backends/*/include -name '*.hpp' ! -name 'instantiate*.hpp' | sort |
  xargs -P 2 -n 1 sh -c 'echo "#include \"$PWD/$1\"" |
    $compiler -std=c++20 -fsyntax-only -x c++ -Wall -Wextra -Wpedantic -Werror $includes - ||
    { echo "$1 does not compile alone"; exit 255; }' sh
