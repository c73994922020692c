#!/bin/sh
# Compile time, compiler memory and program size, each against its budget. Times are processor time (see measure.cpp), the best of up to
# five runs, and fail above 1.5 times the budget, so that a busy machine does not fail what holds on a quiet one.
#   sh tests/budget/run.sh <source dir> <measure> <compiler> <folder of generated headers> <libhearth> <linker flags> <case>
# case: headers      what including them costs
#       unit         one file that trains a network
#       model        a model of 50 layers: compiled at -O2 and linked, as after an edit, and run
#       depth        10, 50 and 200 layers: at most 1.3 of linear
#       size         stripped programs
# SPDX-License-Identifier: Apache-2.0
set -eu
source=$1 measure=$2 compiler=$3 library=$5 link=$6 what=$7
flags="-std=c++20 -I$source/include -I$4"
for folder in "$source"/backends/*/include; do flags="$flags -I$folder"; done
libraries="$library -ltbb -lhwy -lz -Wl,-rpath,$(dirname "$library")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# within <what> <seconds> <MB> command...: prints a row, and remembers when it is over the budget.
within() {
  name=$1 seconds=$2 memory=$3
  shift 3
  result=$("$measure" 5 "$seconds" "$@")
  echo "$result" | awk -v name="$name" -v seconds="$seconds" -v memory="$memory" '{
    over = $1 > 1.5 * seconds || $2 > memory
    printf "%-50s %6.2f s of %.1f s, %4d MB of %d MB%s\n", name, $1, seconds, $2, memory, over ? ": over the budget" : ""
    exit over }' || failed=1
}
# small <what> <MB> <file>: the same for the size of a file.
small() {
  wc -c < "$3" | awk -v name="$1" -v limit="$2" '{
    over = $1 > limit * 1e6
    printf "%-50s %6.2f MB of %d MB%s\n", name, $1 / 1e6, limit, over ? ": over the budget" : ""
    exit over }' || failed=1
}
header() {
  echo "#include <$1>" > "$scratch/header.cpp"
  within "<$1>" "$2" 500 "$compiler" $flags -fsyntax-only "$scratch/header.cpp"
}

case "$what" in
  headers)
    header hearth/tensor/tensor.hpp 0.5
    header hearth/hearth.hpp 1.0
    header hearth/infer.hpp 0.5
    cat > "$scratch/names.cpp" <<END
#include <hearth/forward.hpp>
class Net {
 public:
  void step(hearth::Optimizer<hearth::Autodiff<hearth::Cpu>>& optimizer, const hearth::Tensor<hearth::Autodiff<hearth::Cpu>, 2>& x);
  hearth::Param<hearth::Portable, 2>* weight;
};
END
    within "a header that only names types" 0.3 100 "$compiler" $flags -fsyntax-only "$scratch/names.cpp"
    ;;
  unit)
    within "one file that trains, -O2" 2.5 500 "$compiler" $flags -O2 -c "$source/examples/digits/digits.cpp" -o "$scratch/digits.o"
    ;;
  model)
    sh "$source/tests/budget/model.sh" 50 > "$scratch/model.cpp"
    # The linker must not finish in a process of its own, whose time nobody would count.
    case "$link" in *mold*) link="$link -Wl,--no-fork" ;; esac
    within "a model of 50 layers, -O2, linked" 3 1000 "$compiler" $flags -O2 "$scratch/model.cpp" -o "$scratch/model" $link $libraries
    "$scratch/model"
    ;;
  depth)
    for layers in 10 50 200; do sh "$source/tests/budget/model.sh" $layers > "$scratch/$layers.cpp"; done
    # The best times so far; again, up to five times, while one of them may be a busy moment's.
    few=999 some=999 many=999
    for run in 1 2 3 4 5; do
      few=$("$measure" 1 0 "$compiler" $flags -O2 -c "$scratch/10.cpp" -o "$scratch/o" | awk -v best=$few '{ print $1 < best ? $1 : best }')
      some=$("$measure" 1 0 "$compiler" $flags -O2 -c "$scratch/50.cpp" -o "$scratch/o" | awk -v best=$some '{ print $1 < best ? $1 : best }')
      many=$("$measure" 1 0 "$compiler" $flags -O2 -c "$scratch/200.cpp" -o "$scratch/o" | awk -v best=$many '{ print $1 < best ? $1 : best }')
      [ $run = 1 ] && continue
      # 200 layers against the line through 10 and 50.
      echo "$few $some $many" | awk '{
        line = $2 + ($2 - $1) / 40 * 150
        printf "10, 50, 200 layers: %.2f, %.2f, %.2f s: %.2f of linear\n", $1, $2, $3, $3 / line
        exit !($2 > $1 && $3 <= 1.3 * line) }' && exit 0
    done
    echo "the cost of a layer grows with the depth of the model"
    failed=1
    ;;
  size)
    strip="-Wl,--gc-sections -s"
    "$compiler" $flags -O2 "$source/examples/digits/classify.cpp" -o "$scratch/classify" $link $strip $libraries
    small "classify, a small convolutional network" 5 "$scratch/classify"
    "$compiler" $flags -O2 "$source/tests/budget/all_ops.cpp" -o "$scratch/all_ops" $link $strip $libraries
    small "all ops" 15 "$scratch/all_ops"
    "$scratch/all_ops"
    ;;
  *)
    echo "no such budget: $what"
    exit 1
    ;;
esac
exit $failed
