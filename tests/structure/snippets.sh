#!/bin/sh
# Every C++ block of the README and of docs/ compiles; a block that has a main() is linked and run too, and what it prints is
# compared with the `text` block that follows it, if one does.
#   sh tests/structure/snippets.sh <source dir> <compiler> <libhearth>
set -eu
source=$1 compiler=$2 library=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
includes="-I$source/include"
for folder in "$source"/backends/*/include; do includes="$includes -I$folder"; done

count=0
for page in "$source/README.md" "$source"/docs/*.md; do
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
      (cd "$source" && "$scratch/program") > "$scratch/output" || { echo "$page: a block fails:"; cat "$block"; exit 1; }
      expected="${block%.cpp}.txt"
      if [ -e "$expected" ] && ! diff -u "$expected" "$scratch/output"; then
        echo "$page: a block prints something else than the page says"
        exit 1
      fi
    else
      $compiler -std=c++20 -fsyntax-only -Wall -Wextra -Werror $includes "$block" || { echo "$page: a block does not compile:"; cat "$block"; exit 1; }
    fi
  done
done
[ "$count" -gt 0 ]
echo "$count blocks"
