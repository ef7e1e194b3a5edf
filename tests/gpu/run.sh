#!/usr/bin/env bash
# run.sh BUNDLE OUT COMMIT [STEP ...]: the set of a machine that has a driver, CUDA 13's NVRTC, python3 and this
# repository, and no network. BUNDLE is what tests/gpu/bundle.sh made where WarpLens is built. Records go into OUT;
# each step prints one line of JSON: its name, exit status, seconds and what it said last. Exit status 1: a step failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bundle=$(realpath "${1:?usage: run.sh BUNDLE OUT COMMIT [STEP ...]}")
out="${2:?usage: run.sh BUNDLE OUT COMMIT [STEP ...]}"
commit="${3:?usage: run.sh BUNDLE OUT COMMIT [STEP ...]}"
shift 3
mkdir -p "$out"
export LD_LIBRARY_PATH="$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
warplens="$bundle/warplens"
export WARPLENS_KERNELS="$PWD/kernels"  # wherever WarpLens was built

devices() { "$warplens" devices; }
# Instrumented kernels against the emulator: tiles and outputs of every kernel and fault, hazard twins among them.
witnesses() { python3 tests/gpu/witnesses.py "$warplens" "$out/witnesses.json" "$commit"; }
# Kernels as if they had no marks: stores, owners, shared arrays.
recording() { python3 tests/gpu/recording_run.py "$warplens" "$out/recording.json" "$commit"; }
# Races with delays before the accesses of each pair.
hazards() {
    local name fault
    for name in turn total relay; do
        fault=$(sed -n 's/^\[fault\.\(.*\)\]/\1/p' "tests/kernels/hazards/$name.toml" | head -1)
        "$warplens" hazards "tests/kernels/hazards/$name.toml" --fault "$fault" --on gpu --explore 20 --quiet \
            >"$out/hazards-$name.txt"
        [ $? -le 1 ] || return 1
    done
    grep -h "delayed in" "$out"/hazards-*.txt | tail -1
}
# Changed programs where the emulator lacks an instruction: found, proven and ended on the device.
trials() { python3 tests/gpu/trials_run.py "$warplens" "$out/trials.json" "$commit"; }
# What marks, one block's tiles and all blocks' tiles cost.
overhead() { python3 tests/gpu/bench_lineage.py "$warplens" "$out/bench-lineage.json" "$commit"; }
# The same of the earlier program that the bundle has, on the same device.
overhead_before() { python3 tests/gpu/bench_lineage.py "$bundle/before/warplens" "$out/bench-before.json" "before $commit" brief; }
# What stores and barriers cost, of the best of the lineage.
recording_cost() {
    "$warplens" run v2c_9 --preset mission --on gpu --check none --record stores --record barriers --quiet \
        -o "$out/recording.wlcap" >"$out/recording-cost.txt" || [ $? = 3 ] || return 1
    grep -A1 "stores" "$out/recording-cost.txt" | tr '\n' ' '
}
# The window by EGL on the GPU's own driver: beside its picture by llvmpipe, and the time of a frame.
window() {
    "$warplens" open "$bundle/window.wlcap" --screenshot "$out/window.png" || return 1
    "$bundle/frame_bench" | tee "$out/frames.txt"
    python3 tests/gpu/pictures.py "$bundle/window.png" "$out/window.png" "$out/pictures.json" \
        "commit=$commit" "renderer=$(grep -m1 "frames each" "$out/frames.txt")" "frames=@$out/frames.txt"
}
# Micro-kernels of the conformance suite, and whole programs, against the emulator.
kernels_both() {
    python3 tests/gpu/kernels_both.py "$warplens" "$bundle/witness" "$out/kernels-both.json" "$commit"
}
# One table of kernels and faults, on all GPUs there are: alone, and beside the emulator.
sweep() {
    local on
    for on in gpu both; do
        "$warplens" sweep v2b v2c_3 v2c_4 v2c_9 flashcore_2 --faults all --on $on --device all --set H=1 --set S=128 \
            --json --quiet >"$out/sweep-$on.json"
        [ $? -le 1 ] || return 1
    done
}
# What a fault leaves of a buffer, and what each kind of memory costs.
fault_buffer() { python3 tests/gpu/fault_buffer.py "$out/fault-buffer.json" "$commit"; }
# compute-sanitizer's tools and cuda-gdb on the kernel whose tiles are dumped.
observers() { python3 tests/gpu/observers.py "$warplens" "$out/observers.json" "$commit"; }

# Launches of programs, PyTorch, CuPy, Triton and Numba, recorded and replayed by the emulator; what recording costs.
record() { python3 tests/gpu/record_run.py "$warplens" "$out/record.json" "$commit" "$out/record"; }

failed=0
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(devices overhead witnesses recording kernels_both hazards trials recording_cost sweep fault_buffer window observers record)
for step in "${steps[@]}"; do
    begun=$(date +%s.%N)
    "$step" >"$out/$step.log" 2>&1
    status=$?
    [ "$status" = 0 ] || failed=1
    python3 - "$step" "$status" "$begun" "$(date +%s.%N)" "$out/$step.log" <<'END'
import json, sys
step, status, begun, ended, log = sys.argv[1:]
lines = open(log, errors="replace").read().split("\n")
said = [line for line in lines if line.strip()]
print(json.dumps({"step": step, "status": int(status), "seconds": round(float(ended) - float(begun), 1),
                  "said": said[0 if step in ("witnesses", "recording", "kernels_both") else -1][:400] if said else ""}))
END
done
exit "$failed"
