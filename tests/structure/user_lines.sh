#!/bin/sh
# Training on real digits takes a user no more lines than the limit, all of them counted: blank ones, comments and includes too. The
# network and the reading of files stand in headers of their own, which the programs that classify share.
#   sh tests/structure/user_lines.sh <source file> <limit>
set -eu
lines=$(wc -l < "$1")
echo "$1: $lines lines"
[ "$lines" -gt 20 ] && [ "$lines" -le "$2" ]
