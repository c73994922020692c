#!/bin/sh
# The floor test must catch what it is for: an arrow that points up, and a vendor's name, planted in a scratch tree.
set -eu
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/include/hearth/core" "$scratch/include/hearth/tensor" "$scratch/src/core" "$scratch/backends" "$scratch/tests"
echo '#include "../tensor/tensor.hpp"' > "$scratch/include/hearth/core/low.hpp"
echo '' > "$scratch/include/hearth/tensor/tensor.hpp"
if output=$(sh "$here/floors.sh" "$scratch"); then
  echo "an arrow from core up to tensor was not caught"
  exit 1
fi
echo "$output" | grep -q 'include/hearth/core/low.hpp includes include/hearth/tensor/tensor.hpp'
rm "$scratch/include/hearth/core/low.hpp"
echo '// runs on cuda' > "$scratch/src/core/vendor.cpp"
if sh "$here/floors.sh" "$scratch" > /dev/null; then
  echo "a vendor's name was not caught"
  exit 1
fi
rm "$scratch/src/core/vendor.cpp"
sh "$here/floors.sh" "$scratch"
