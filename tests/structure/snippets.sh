#!/bin/sh
# Every C++ block of the README, CONTRIBUTING.md, docs/ and examples/ compiles; a block that has a main() is linked and run too, and what
# it prints is compared with the `text` block that follows it, if one does. A fence with another label than these is refused: nothing
# that looks like C++ goes by unseen.
#   sh tests/structure/snippets.sh <source dir> <compiler> <libhearth>
set -eu
source=$1 compiler=$2 library=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
includes="-I$source/include"
for folder in "$source"/backends/*/include; do includes="$includes -I$folder"; done
includes="$includes -I$(dirname "$library")/include"  # hearth/built.hpp

count=0
find "$source/README.md" "$source/CONTRIBUTING.md" "$source/docs" "$source/examples" -name '*.md' > "$scratch/pages"
while read -r page; do
  # Fences open with a known label, each closes, and none is indented.
  awk '/^ *(```|~~~)/ { if (inside ? !/^```$/ : !/^```(cpp|sh|text|cmake)$/) exit 1; inside = !inside } END { if (inside) exit 1 }' "$page" ||
    { echo "$page: a code block that is not labelled cpp, sh, text or cmake, or that does not end"; exit 1; }
  # Blocks become files: <n>.cpp, and <n>.txt for the text block right behind.
  rm -f "$scratch"/*.cpp "$scratch"/*.txt
  awk -v folder="$scratch" '
    /^```cpp$/  { n++; file = folder "/" n ".cpp"; last = n; next }
    /^```text$/ { if (last) { file = folder "/" last ".txt"; last = 0 } next }
    /^```/      { if (file) { close(file); file = "" } next }
    file        { print > file; next }
    /[^ ]/      { last = last && /^[A-Z].*:$/ ? last : 0 }
  ' "$page"
  for block in "$scratch"/*.cpp; do
    [ -e "$block" ] || continue
    count=$((count + 1))
    if grep -q '^int main' "$block"; then
      $compiler -std=c++20 -O1 -Wall -Wextra -Werror $includes "$block" -o "$scratch/program" "$library" -ltbb -lhwy -lz ||
        { echo "$page: a block does not build:"; cat "$block"; exit 1; }
      (cd "$source" && "$scratch/program") < /dev/null > "$scratch/output" || { echo "$page: a block fails:"; cat "$block"; exit 1; }
      expected="${block%.cpp}.txt"
      if [ -e "$expected" ] && ! diff -u "$expected" "$scratch/output"; then
        echo "$page: a block prints something else than the page says"
        exit 1
      fi
    else
      $compiler -std=c++20 -fsyntax-only -Wall -Wextra -Werror $includes "$block" || { echo "$page: a block does not compile:"; cat "$block"; exit 1; }
    fi
  done
done < "$scratch/pages"
[ "$count" -gt 0 ]
echo "$count blocks"
