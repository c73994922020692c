#!/bin/sh
# The README's first sh block is two commands, one a line, both of which .ci/run runs as they stand: the first ends in the main job, the
# second in the tests. Its first C++ block, which snippets.sh compiles and runs, is a sample of 20 lines.
#   sh tests/structure/readme.sh <source dir>
set -eu
cd "$1"
# The first block with a label.
block() { awk -v label="$1" '$0 == "```" label { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md; }
[ "$(block sh | wc -l)" = 2 ] || { echo "the first sh block has $(block sh | wc -l) lines, not 2"; exit 1; }
block sh | sed -n 1p | grep -qE '^sh cmake/install_dependencies.sh && .* --target main_job$'
block sh | sed -n 2p | grep -qE '^sh cmake/install_dependencies.sh test && .* && ctest --preset release$'
[ "$(block cpp | wc -l)" -le 20 ] || { echo "the sample has $(block cpp | wc -l) lines, more than 20"; exit 1; }
block cpp | grep -q '^int main'
