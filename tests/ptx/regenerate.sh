#!/usr/bin/env bash
# Compiles the samples of this folder again, in a copy at a neutral place, since debug builds name their directory.
# Needs nvcc 13 and clang 14; afterwards look at the tests' counts.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=/tmp/warplens
rm -rf "$copy" && mkdir -p "$copy/tests"
cp -r "$root/kernels" "$root/instrumentation" "$copy" && cp -r "$root/tests/ptx" "$copy/tests"
cd "$copy"
for name in language arithmetic memory matrix texture cluster; do
    nvcc -ptx -lineinfo -std=c++17 -arch=compute_90a -w "tests/ptx/$name.cu" -o "tests/ptx/$name.ptx"
done
nvcc -ptx -G -std=c++17 -arch=compute_90 -w tests/ptx/language.cu -o tests/ptx/language_debug.ptx
nvcc -ptx -rdc=true -std=c++17 -arch=compute_75 -w tests/ptx/language.cu -o tests/ptx/language_sm75.ptx
attention=(-std=c++17 -arch=compute_90 -Iinstrumentation/probe -DM=64 -DN=64 -DD=64 -DCAUSAL=0 kernels/v2c_3.cu)
nvcc -ptx -lineinfo "${attention[@]}" -o tests/ptx/v2c_3.ptx
nvcc -ptx -G "${attention[@]}" -o tests/ptx/v2c_3_debug.ptx
clang++ -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudalib -nocudainc -S -O1 -g tests/ptx/clang.cu \
    -o tests/ptx/clang.ptx
for ptx in tests/ptx/*.ptx; do sed "s#$copy/##" "$ptx" > "$root/$ptx"; done
