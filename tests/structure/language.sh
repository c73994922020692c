#!/bin/sh
# A program in an older C++, or with another std::string than the library has, hears so in a sentence before anything else is wrong; a
# program in a later C++ is fine. For the headers that programs start from.
#   sh tests/structure/language.sh <source dir> <folder of generated headers> <compiler>
set -eu
source=$1 compiler=$3
includes="-I$source/include -I$2"
for folder in "$source"/backends/*/include; do includes="$includes -I$folder"; done

# first <header> <flags>: the first error.
first() {
  header=$1
  shift
  if said=$(echo "#include <$header>" | "$compiler" "$@" $includes -fsyntax-only -x c++ - 2>&1); then
    echo "<$header> compiles with $*"
    exit 1
  fi
  printf '%s\n' "$said" | grep 'error:' | head -n 1
}
for header in hearth/hearth.hpp hearth/portable.hpp hearth/infer.hpp hearth/forward.hpp hearth/core/reflect.hpp hearth/op/arity.hpp; do
  for old in 11 14 17; do
    first $header -std=c++$old | grep -F 'hearth: this file is compiled as an older C++ than Hearth is written in; use -std=c++20 or newer' > /dev/null ||
      { echo "<$header> in C++$old does not say that it is too old: $(first $header -std=c++$old)"; exit 1; }
  done
  first $header -std=c++20 -D_GLIBCXX_USE_CXX11_ABI=0 | grep -F 'hearth: this file is compiled with _GLIBCXX_USE_CXX11_ABI=0' > /dev/null ||
    { echo "<$header> with the old std::string does not say so"; exit 1; }
  echo "#include <$header>" | "$compiler" -std=c++23 -Wall -Wextra -Wpedantic -Werror $includes -fsyntax-only -x c++ -
done
