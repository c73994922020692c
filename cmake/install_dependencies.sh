#!/bin/sh
# Installs the Debian packages of dependencies.txt that are missing: those of `build`, and of each group named as an argument.
#   sh cmake/install_dependencies.sh [test] [bench]
set -eu
list="$(dirname "$0")/dependencies.txt"

wanted=$(awk -v groups="build $*" '!/^#/ && NF == 2 && index(" " groups " ", " " $1 " ") { print $2 }' "$list")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This script installs Debian packages, and this system has no apt-get. Install these by your own means:" >&2
  echo $wanted >&2
  exit 1
fi

missing=""
for package in $wanted; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "All packages are installed."
  exit 0
fi
if [ "$(id -u)" != 0 ]; then
  echo "These packages are missing, and installing them takes root:$missing" >&2
  echo "Run: sudo sh $0 $*" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends $missing
