#!/bin/sh
# The arrows point down: a file may include only from its own floor and those below it; backends see core, op, kernel and
# backend; nothing outside the list at the root names a vendor. Fails naming both files.
#   sh tests/structure/floors.sh <source dir>
set -eu
cd "$1"

# floor: the floors that it may include from, besides itself. The same picture as in docs/design.md, section 1.
picture="
core:
op: core
kernel: core op
backend: core op kernel
autodiff: core op kernel backend
fusion: core op kernel backend
remote: core op kernel backend
checked: core op kernel backend
profile: core op kernel backend
any: core op kernel backend
tensor: core op kernel backend autodiff fusion remote checked profile any
nn: core op kernel backend autodiff fusion remote checked profile any tensor
optim: core op kernel backend autodiff fusion remote checked profile any tensor nn
data: core op kernel backend autodiff fusion remote checked profile any tensor nn
store: core op kernel backend autodiff fusion remote checked profile any tensor nn
train: core op kernel backend autodiff fusion remote checked profile any tensor nn optim data store
infer: core op kernel backend autodiff fusion remote checked profile any tensor nn optim data store
onnx: core op kernel backend autodiff fusion remote checked profile any tensor nn optim data store
backends: core op kernel backend
"

{
  find include/hearth -mindepth 2 -name '*.[hdi]*' | sed 's|^include/hearth/\([a-z]*\)/.*|\1 &|'
  find src -mindepth 2 -name '*.[hc]pp' | grep -v '^src/stacks/' | sed 's|^src/\([a-z]*\)/.*|\1 &|'
  find backends -name '*.[hc]pp' | sed 's|^|backends |'
} | while read -r floor file; do
  allowed=$(printf '%s\n' "$picture" | sed -n "s/^$floor: *//p")
  directory=$(dirname "$file")
  sed -n 's/^ *#include "\([^"]*\)".*/\1/p' "$file" | while read -r name; do
    case "$name" in
      hearth/*) target="include/$name" ;;
      *) target=$(realpath -m --relative-to=. "$directory/$name") ;;
    esac
    case "$target" in
      include/hearth/*/*) other=$(printf '%s' "$target" | cut -d/ -f3) ;;
      src/*/*) other=$(printf '%s' "$target" | cut -d/ -f2) ;;
      *) continue ;;
    esac
    [ -e "$target" ] || continue  # a backend's own header: hearth/<backend>/...
    [ "$other" = "$floor" ] && continue
    case " $allowed " in *" $other "*) continue ;; esac
    echo "$file includes $target: floor '$floor' may not look at floor '$other'"
  done
done > "${TMPDIR:-/tmp}/floors.$$"

grep -rniwE 'cuda|rocm|metal|vulkan|nvidia|hip' include src tests --include='*.hpp' --include='*.cpp' --include='*.def' --include='*.txt' -l |
  sed 's/$/ names a vendor: only the list in the root CMakeLists.txt may/' >> "${TMPDIR:-/tmp}/floors.$$" || true

cat "${TMPDIR:-/tmp}/floors.$$"
lines=$(wc -l < "${TMPDIR:-/tmp}/floors.$$")
rm -f "${TMPDIR:-/tmp}/floors.$$"
[ "$lines" = 0 ]
