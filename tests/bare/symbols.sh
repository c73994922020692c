#!/bin/sh
# What a small machine need not have: exceptions, run-time type information, threads; and files, but for the one object that reads them.
#   sh tests/bare/symbols.sh <library>
set -eu
wanted=$(nm -A -u "$1" | sed 's/.*:\([^:]*\.o\): *U /\1 /')
[ "$(echo "$wanted" | wc -l)" -gt 100 ] || { echo "no symbols in $1"; exit 1; }
refuse() { # refuse <what> <pattern> <objects that may>
  found=$(echo "$wanted" | grep -E " ($2)\$" | grep -v "^$3" || true)
  [ -z "$found" ] || { echo "$1 are asked for:"; echo "$found"; exit 1; }
}
refuse "exceptions" "__cxa_(throw|rethrow|begin_catch|allocate_exception).*|_Unwind_.*" none
refuse "run-time types" "__dynamic_cast|_ZTI.*" none
refuse "threads" "pthread_create|thrd_create|_ZNSt6thread.*" none
refuse "files" "(f?open|creat|mmap|fread|fwrite)(64)?|_ZNSt10filesystem.*|_ZNSt.*basic_[io]*fstream.*" "safetensors.cpp.o"
echo "$(echo "$wanted" | wc -l) symbols are asked for, and none of these"
