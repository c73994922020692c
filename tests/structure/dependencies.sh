#!/bin/sh
# cmake/install_dependencies.sh: installs what is missing and nothing else, and says clearly what to do where it cannot: not root, or not
# Debian. The package tools are played by scripts.
#   sh tests/structure/dependencies.sh <source dir>
set -eu
script=$1/cmake/install_dependencies.sh list=$1/cmake/dependencies.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
for tool in sh awk dirname grep cat; do ln -s "$(command -v $tool)" "$scratch/bin/$tool"; done
of() { awk -v group="$1" '$1 == group { print $2 }' "$list"; }
[ "$(of build | wc -l)" -gt 5 ] && [ "$(of test | wc -l)" -gt 1 ]
fails() { echo "$1"; cat "$scratch/said"; exit 1; }
# try <status> <groups...>: runs the script with the played tools alone.
try() {
  want=$1
  shift
  rm -f "$scratch/calls"
  status=0
  PATH="$scratch/bin" sh "$script" "$@" > "$scratch/said" 2>&1 || status=$?
  [ $status = "$want" ] || fails "ended with status $status, not $want"
}

try 1
grep -q 'has no apt-get' "$scratch/said" || fails "does not say that this is no Debian"
for package in $(of build); do grep -qw -e "$package" "$scratch/said" || fails "does not name $package"; done

# A Debian that has all but cmake and ninja-build; tests want clang-19 besides.
cat > "$scratch/bin/dpkg-query" <<'END'
#!/bin/sh
for package; do :; done
case $package in
  cmake | ninja-build | clang-19) [ -e "$PLAYED/all" ] || exit 1 ;;
esac
echo "install ok installed"
END
printf '#!/bin/sh\necho "$@" >> "$PLAYED/calls"\n' > "$scratch/bin/apt-get"
printf '#!/bin/sh\n[ -e "$PLAYED/root" ] && echo 0 || echo 1000\n' > "$scratch/bin/id"
chmod +x "$scratch/bin/dpkg-query" "$scratch/bin/apt-get" "$scratch/bin/id"
export PLAYED="$scratch"

try 1
grep -q 'takes root: cmake ninja-build$' "$scratch/said" || fails "does not name what is missing"
grep -q 'sudo' "$scratch/said" || fails "does not say what to run"
[ ! -e "$scratch/calls" ] || fails "called apt-get without being root"

touch "$scratch/root"
try 0
grep -qE '^install .* cmake ninja-build$' "$scratch/calls" || fails "did not install what is missing: $(cat "$scratch/calls")"
try 0 test
grep -qE '^install .* cmake ninja-build clang-19$' "$scratch/calls" || fails "did not install what is missing for tests: $(cat "$scratch/calls")"

touch "$scratch/all"
rm "$scratch/root"
try 0 test
grep -q 'All packages are installed' "$scratch/said" || fails "does not say that all is there"
[ ! -e "$scratch/calls" ] || fails "called apt-get though all is there"
