#!/bin/sh
# Runs a program of examples/: it must end with the given status, and the last line that it prints, errors included, must match.
#   sh tests/examples/expect.sh <status> <extended regular expression> <program> <arguments...>
set -u
want=$1 pattern=$2
shift 2
output=$("$@" 2>&1)
status=$?
echo "$output"
[ "$status" -eq "$want" ] || { echo "ended with status $status, not $want"; exit 1; }
echo "$output" | tail -n 1 | grep -Eq "$pattern" || { echo "the last line does not match $pattern"; exit 1; }
