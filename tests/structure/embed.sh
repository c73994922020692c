#!/bin/sh
# hearth/infer.hpp, the header for programs that run a model, has no templates and brings none of Hearth's other headers that have; the
# program in examples/embed sees no other header of Hearth.
#   sh tests/structure/embed.sh <source dir> <compiler> [header]
set -eu
cd "$1"
compiler=$2 header=${3:-hearth/infer.hpp}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Hearth's own headers that a file comes to, one a line.
seen() { "$compiler" -std=c++20 -Iinclude -MM "$1" | tr -s ' \\' '\n' | grep '^include/hearth/' | sort; }

echo "#include <$header>" > "$scratch/header.cpp"
seen "$scratch/header.cpp" > "$scratch/headers"
grep -q "^include/$header$" "$scratch/headers"
while read -r file; do
  # Without comments.
  if sed 's|//.*||' "$file" | grep -nE '\<(template|typename|concept|requires)\>'; then
    echo "$file, which <$header> includes, has templates"
    exit 1
  fi
done < "$scratch/headers"
seen examples/embed/embed.cpp > "$scratch/example"
diff "$scratch/headers" "$scratch/example" || { echo "examples/embed/embed.cpp sees more of Hearth than <$header>"; exit 1; }
