#!/usr/bin/env bash
# Packs what the scripts of this folder need into one file, to be carried to a machine with a GPU: executables without what only a debugger
# reads, the peers' libraries and bitune's, shipped tunings, these scripts and Python's tests.
# usage: scripts/gpu/pack.sh OUT.tar.xz [NAME...]   (executables of build/portable/bin: bitune test_gpu soak, unless some are named)
# There: tar xf OUT.tar.xz && cd bitune && scripts/gpu/batch.sh ...
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:?"usage: $0 OUT.tar.xz [NAME...]"}
shift
names=("$@")
((${#names[@]})) || names=(bitune test_gpu soak)
built=build/portable
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
packed=$folder/bitune/$built
mkdir -p "$packed/bin" "$folder/bitune/tests"
for name in "${names[@]}"; do
  strip --strip-debug -o "$packed/bin/$name" "$built/bin/$name"
  chmod +x "$packed/bin/$name"
done
find "$built/bin" -maxdepth 1 -name '*.so' -exec cp -t "$packed/bin" {} +
# What `bench --against bitune` opens, where it was built.
if [[ -e $built/lib/libbitune.so ]]; then
  mkdir -p "$packed/lib"
  strip --strip-debug -o "$packed/lib/libbitune.so" "$(readlink -f "$built/lib/libbitune.so")"
fi
cp -r "$built/share" "$packed"
cp -r scripts "$folder/bitune"
cp -r tests/python "$folder/bitune/tests"
cp pyproject.toml "$folder/bitune"
find "$folder" -name __pycache__ -prune -exec rm -rf {} +
tar c -C "$folder" --sort=name bitune | xz -T2 -6 >"$out"
ls -sh "$out"
