#!/usr/bin/env bash
# Everything that takes long, stage by stage, and the report on it, tests/FULL.md:
#   tests/full.sh                all stages: gcc clang asan tsan simd fuzz long
#   tests/full.sh clang fuzz     these; the report keeps what earlier runs found for the others
# Each row says which commit and compiler it is about. HEARTH_JOBS says how many jobs a build may use (all processors).
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=${HEARTH_JOBS:-$(nproc)}
results=build/full
mkdir -p "$results"
bad=0

# record stage what compiler passed total seconds
record() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$6" "$(git rev-parse --short=10 HEAD)$(git diff --quiet HEAD -- . ':!tests/FULL.md' || echo ' with changes')" "$(date -u +%F)" >>"$results/$stage.tsv"
  printf '== %s: %s: %s of %s in %s s\n' "$1" "$2" "$4" "$5" "$6"
  [ "$4" = "$5" ] && [ "$5" != 0 ] || bad=1
}
# build preset target folder options...: configures and builds; what went wrong is in the log
build() {
  local preset=$1 target=$2 folder=$3
  shift 3
  { cmake --preset "$preset" -B "$folder" -DHEARTH_TESTS=ON "$@" && cmake --build "$folder" -j "$jobs" --target "$target"; } >"$results/$stage.build.log" 2>&1
}
# suites name what compiler folder options...: runs the tests of a build folder and records how many passed
suites() {
  local name=$1 what=$2 compiler=$3 folder=$4 from=$SECONDS line
  shift 4
  ctest --test-dir "$folder" -j 2 --timeout 3600 --output-on-failure "$@" >"$results/$name.log" 2>&1
  line=$(grep -E 'tests failed out of' "$results/$name.log" | tail -n 1)
  local failed total
  failed=$(sed -E 's/.* ([0-9]+) tests failed out of.*/\1/' <<<"$line")
  total=$(sed -E 's/.*out of ([0-9]+).*/\1/' <<<"$line")
  record "$name" "$what" "$compiler" "$((${total:-0} - ${failed:-0}))" "${total:-0}" "$((SECONDS - from))"
}
compiler_of() { "$1" --version | head -n 1; }
gcc=$(compiler_of "${CXX:-c++}")
inside='structure|package|example'

stage_gcc() {
  if ! build release all build/release; then record gcc "does not build" "$gcc" 0 1 0; return; fi
  rm -f "$results/support.tsv"
  HEARTH_SUPPORT_TABLE=$PWD/$results/support.tsv suites gcc "GCC release: all suites, package, examples" "$gcc" build/release -E '^docs_ops$'
  HEARTH_SUPPORT_TABLE=$PWD/$results/support.tsv suites "gcc docs" "the support table against what the op suite found" "$gcc" build/release -R '^docs_ops$'
}
stage_clang() {
  if build clang all build/clang; then suites clang "Clang release, warnings are errors: all suites" "$(compiler_of clang++-19)" build/clang -LE package; else record clang "does not build" "$(compiler_of clang++-19)" 0 1 0; fi
}
stage_asan() {
  export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
  if build asan all build/asan; then suites asan "AddressSanitizer and UndefinedBehaviorSanitizer: all suites" "$gcc" build/asan -LE "$inside"; else record asan "does not build" "$gcc" 0 1 0; fi
}
stage_tsan() {
  export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.txt ignore_noninstrumented_modules=1 second_deadlock_stack=1"
  if build tsan threaded_tests build/tsan; then suites tsan "ThreadSanitizer: the suites that use threads" "$gcc" build/tsan -L threads; else record tsan "does not build" "$gcc" 0 1 0; fi
}
stage_simd() {
  build release all build/release || { record simd "does not build" "$gcc" 0 1 0; return; }
  local set flag
  for set in scalar sse4 avx2 avx512; do
    case $set in sse4) flag=sse4_2 ;; avx2) flag=avx2 ;; avx512) flag=avx512bw ;; *) flag= ;; esac
    if [ -n "$flag" ] && ! grep -qw "$flag" /proc/cpuinfo; then echo "== this processor has no $set"; continue; fi
    HEARTH_SIMD=$set suites "simd $set" "HEARTH_SIMD=$set: all suites" "$gcc" build/release -LE "$inside"
  done
}
stage_fuzz() {
  build release fuzzers build/release || { record fuzz "does not build" "$gcc" 0 1 0; return; }
  local program count from
  while read -r program count; do
    from=$SECONDS
    if "build/release/tests/fuzz/fuzz_$program" "$count" 1000000 >"$results/fuzz $program.log" 2>&1; then record "fuzz $program" "$count programs" "$gcc" 1 1 "$((SECONDS - from))"
    else record "fuzz $program" "$count programs" "$gcc" 0 1 "$((SECONDS - from))"; fi
  done <<'END'
ops 2000000
tensor 2000000
text 200000
files 20000
geometry 5000
END
}
stage_long() {
  if ! build release all build/long -DHEARTH_FULL_TESTS=ON; then record long "does not build" "$gcc" 0 1 0; return; fi
  suites long "HEARTH_FULL_TESTS=ON: reported cases at their full size" "$gcc" build/long -LE "$inside"
  suites "long op" "an op added on every backend" "$gcc" build/long -R add_an_op_everywhere
}

all=(gcc clang asan tsan simd fuzz long)
stages=("$@")
[ "$#" -gt 0 ] || stages=("${all[@]}")
for stage in "${stages[@]}"; do
  if ! declare -F "stage_$stage" >/dev/null; then
    echo "no stage $stage: there are ${all[*]}" >&2
    exit 2
  fi
done
for stage in "${stages[@]}"; do
  echo "== $stage"
  rm -f "$results/$stage.tsv"
  "stage_$stage"
done

{
  echo "# The full test run"
  echo
  echo "Written by \`tests/full.sh\`, which runs it. \`$(nproc)\` processors: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)."
  echo
  echo "| stage | what | passed | seconds | compiler | commit | day |"
  echo "|---|---|---|---|---|---|---|"
  for stage in "${all[@]}"; do
    [ -f "$results/$stage.tsv" ] || continue
    awk -F '\t' '{ printf "| %s | %s | %s of %s | %s | %s | %s | %s |\n", $1, $2, $4, $5, $6, $3, $7, $8 }' "$results/$stage.tsv"
  done
} >tests/FULL.md
cat tests/FULL.md
exit $bad
