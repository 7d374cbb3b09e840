#!/bin/sh
# Compiles the sources for Unity (editor and browser) and the sample against declarations of Unity's members. Runs nothing.
set -e
cd "$(dirname "$0")/.."
mkdir -p dist~
for symbols in UNITY_5_3_OR_NEWER,UNITY_EDITOR 'UNITY_5_3_OR_NEWER,UNITY_WEBGL'; do
  # 626: declarations without a body. 649: fields that Unity fills in.
  mcs -langversion:7 -warn:4 -warnaserror -nowarn:626,649 -target:library -define:"$symbols" -r:System.Net.Http.dll \
    -out:"dist~/unity.$$.dll" -recurse:'Runtime/*.cs' Samples~/FirstScore/*.cs Conformance~/unity/*.cs
  rm -f "dist~/unity.$$.dll"
done
