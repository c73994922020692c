#!/bin/sh
# run.sh COMPILER [FLAGS...]: each file here must not compile. The compiler must say the sentence (an extended regular expression)
# behind `// expect:` in the file's first line, as its only error. With HEARTH_MUSTFAIL set, only that file is tried.
# SPDX-License-Identifier: Apache-2.0
compiler=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
failed=0 tried=0
for file in "$here"/${HEARTH_MUSTFAIL:-*}.cpp; do
  expected=$(sed -n 's|^// expect: ||p' "$file")
  said=$("$compiler" -std=c++20 -fsyntax-only -I"$root/include" -I"$root/backends/portable/include" "$@" "$file" 2>&1)
  status=$?
  errors=$(printf '%s\n' "$said" | grep -c 'error:')
  tried=$((tried + 1))
  if [ -z "$expected" ]; then reason="has no line '// expect: ...'"
  elif [ $status -eq 0 ]; then reason="compiles"
  elif ! printf '%s\n' "$said" | tr '\n' ' ' | grep -Eq "$expected"; then reason="fails without the sentence: $expected"
  elif [ "$errors" -ne 1 ]; then reason="fails with $errors errors, not one"
  else continue
  fi
  failed=$((failed + 1))
  echo "$(basename "$file") $reason"
  printf '%s\n' "$said" | head -n 12
done
echo "$((tried - failed)) of $tried files fail to compile as they must ($compiler)"
[ $failed -eq 0 ] && [ $tried -gt 0 ]
