#!/usr/bin/env bash
# bundle.sh OUT: what a bare machine with a driver and CUDA 13 needs to run WarpLens: the built program and the shared
# libraries that such a machine may lack. There: LD_LIBRARY_PATH=OUT/lib OUT/warplens.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
out="${1:?usage: bundle.sh OUT}"
rm -rf "$out"
mkdir -p "$out/lib"
cp "$root/build/release/app/warplens" "$out/"
strip "$out/warplens"
ldd "$root/build/release/app/warplens" | awk '$2 == "=>" { print $3 }' |
    grep -Ev '/(libc|libm|libstdc\+\+|libgcc_s|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$out/lib/"
du -sh "$out" >&2
