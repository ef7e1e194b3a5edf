#!/usr/bin/env bash
# bundle.sh OUT [BEFORE]: what a bare machine with a driver and CUDA 13 needs to run WarpLens: the built program, the shared
# libraries that such a machine may lack, kernels for two witnesses, and a capture with its picture as it is drawn here.
# BEFORE: the program of an earlier commit, whose overhead is measured beside this one's.
# There: LD_LIBRARY_PATH=OUT/lib OUT/warplens.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
out="${1:?usage: bundle.sh OUT [BEFORE]}"
rm -rf "$out"
mkdir -p "$out/lib"
cp "$root/build/release/app/warplens" "$root/build/release/bench/frame_bench" "$out/"
cp "$root/build/release/app/libwarplens_record.so" "$out/"
cp -r "$root/instrumentation/probe" "$out/probe"
strip "$out/warplens" "$out/frame_bench"
if [ -n "${2:-}" ]; then
    mkdir "$out/before"
    cp "$2" "$out/before/warplens"
    cp -r "$root/instrumentation/probe" "$out/before/probe"
    strip "$out/before/warplens"
fi
ldd "$root/build/release/app/warplens" "$root/build/release/bench/frame_bench" | awk '$2 == "=>" { print $3 }' | sort -u |
    grep -Ev '/(libc|libm|libstdc\+\+|libgcc_s|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$out/lib/"
"$root/build/release/tests/witness_kernels" "$out/witness" 400 >&2
"$root/build/release/app/warplens" run v2c_3 --set H=1 --set S=96 --quiet -o "$out/window.wlcap" >/dev/null
"$root/build/release/app/warplens" open "$out/window.wlcap" --screenshot "$out/window.png"
du -sh "$out" >&2
