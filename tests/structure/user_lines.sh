#!/bin/sh
# Training on real digits takes a user no more lines than the limit, all of them counted: the program and every file of the user's that it
# includes, with their blank lines, comments and includes.
#   sh tests/structure/user_lines.sh <source file> <limit>
set -eu
cd "$(dirname "$1")"
first=$(basename "$1")
files=$first
queue=$files
while [ -n "$queue" ]; do
  found=
  for file in $queue; do
    for name in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file"); do
      path=$(realpath -m --relative-to=. "$(dirname "$file")/$name")
      case " $files " in *" $path "*) ;; *) files="$files $path" found="$found $path" ;; esac
    done
  done
  queue=$found
done
for file in $files; do wc -l "$file"; done
lines=$(cat $files | wc -l)
echo "$lines lines in all"
case " $files " in *" model.hpp "*) ;; *) echo "the network is missing from the count" && exit 1 ;; esac
[ "$lines" -gt 20 ] && [ "$lines" -le "$2" ]
