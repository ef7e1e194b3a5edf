#!/usr/bin/env bash
# Runs tests/gpu/exits.cu as it is and under synccheck; what it prints is docs/measured/exits-h200.log.
set -eu
out=$(mktemp -d)
nvcc -lineinfo -arch=native -o "$out/exits" "$(dirname "$0")/exits.cu"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
for kernel in 0 1 2 3 4 5 6; do
    echo "== $kernel"
    timeout 15 "$out/exits" "$kernel" || echo "status $?"
    timeout 30 compute-sanitizer --tool synccheck "$out/exits" "$kernel" | grep '=====' | head -4 || true
done
