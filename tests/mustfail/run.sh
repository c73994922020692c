#!/bin/sh
# run.sh COMPILER [FLAGS...]: each file here holds a mistake that users make, and must not compile. The compiler must say the sentence
# (an extended regular expression) behind `// expect:` in the file's first line, with its first error, which must lead to the line of the
# mistake: the file's last one. All that it says fits a screen of 30 lines. What GCC 12 and Clang 19 say is kept in *.golden: a line for
# each file, with the first error and how many follow it. HEARTH_UPDATE_GOLDEN=1 writes them anew; with HEARTH_MUSTFAIL set, only that
# file is tried.
# SPDX-License-Identifier: Apache-2.0
compiler=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export LC_ALL=C  # plain quotes
case $("$compiler" --version | head -n 1) in
  *clang*" 19."*) golden="$here/clang-19.golden" ;;
  *\ 12.*) golden="$here/gcc-12.golden" ;;
  *) golden="" ;;
esac
now=$(mktemp)
trap 'rm -f "$now"' EXIT
failed=0 tried=0
for file in "$here"/${HEARTH_MUSTFAIL:-*}.cpp; do
  name=$(basename "$file")
  expected=$(sed -n 's|^// expect: ||p' "$file")
  mistake=$(grep -c '' "$file")
  said=$("$compiler" -std=c++20 -fsyntax-only -I"$root/include" -I"$root/backends/portable/include" "$@" "$file" 2>&1)
  status=$?
  errors=$(printf '%s\n' "$said" | grep -c 'error:')
  lines=$(printf '%s\n' "$said" | grep -c '')
  # Up to the second error, without the chain of includes.
  first=$(printf '%s\n' "$said" | awk '/error:/ && ++n == 2 { exit } !/^In file included|^ +from/')
  summary="$name: $(printf '%s\n' "$first" | sed -n 's/.*error: //p' | sed 's/ \[with .*//'); errors: $errors"
  echo "$summary" >> "$now"
  tried=$((tried + 1))
  if [ -z "$expected" ]; then reason="has no line '// expect: ...'"
  elif [ $status -eq 0 ]; then reason="compiles"
  elif ! printf '%s\n' "$first" | tr '\n' ' ' | grep -Eq "hearth: .*($expected)|hearth: ($expected)"; then reason="fails, but not first with the sentence: $expected"
  elif ! printf '%s\n' "$first" | grep -Fq "$name:$mistake:"; then reason="fails without a word on line $mistake, where the mistake is"
  elif [ "$lines" -gt 30 ]; then reason="fails in $lines lines, more than 30"
  elif [ -n "$golden" ] && [ -z "$HEARTH_UPDATE_GOLDEN" ] && ! grep -Fqx "$summary" "$golden"; then
    reason="fails in other words than $(basename "$golden") has: $summary"
  else continue
  fi
  failed=$((failed + 1))
  echo "$name $reason"
  printf '%s\n' "$said" | head -n 12
done
[ -n "$golden" ] && [ -n "$HEARTH_UPDATE_GOLDEN" ] && cp "$now" "$golden"
echo "$((tried - failed)) of $tried files fail to compile as they must ($compiler)"
[ $failed -eq 0 ] && [ $tried -gt 0 ]
