#!/bin/sh
# Compiles the driver if a source is newer, and becomes it: driver.sh loop|threads. --build: compiles alone.
set -e
cd "$(dirname "$0")/.."
driver=dist~/driver.exe
if [ ! -e "$driver" ] || [ -n "$(find Runtime Conformance~/*.cs -newer "$driver" -name '*.cs')" ]; then
  # The library alone first: what games see compiles without the driver. Moved whole, as several may do this at once.
  new="dist~/$$"
  mkdir -p "$new"
  mcs -langversion:7 -warn:4 -warnaserror -target:library -r:System.Net.Http.dll -out:"$new/LeaderboardClient.dll" -recurse:'Runtime/*.cs' >&2
  mcs -langversion:7 -warn:4 -warnaserror -r:System.Net.Http.dll -out:"$new/driver.exe" -recurse:'Runtime/*.cs' Conformance~/*.cs >&2
  mv "$new"/* dist~/
  rmdir "$new"
fi
[ "$1" = --build ] || exec mono "$driver" "$@"
