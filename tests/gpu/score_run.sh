#!/usr/bin/env bash
# Scores the diagnosis of known faults on a machine with many cores that does nothing else: a search ends by work, and on a busy
# machine its ceiling in seconds may come first. Nothing runs on its GPU.
# usage: tests/gpu/score_run.sh BUNDLE OUT COMMIT [SUITE ...]     BUNDLE: of tests/gpu/bundle.sh; SUITE: gallery, mutants,
#        clean, host, or the folder of a lot with its gallery.toml
# OUT gets SUITE.json and SUITE.txt; bench/calibration.py makes a page of them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bundle=$(realpath "$1")
out="$2" commit="$3"
shift 3
mkdir -p "$out"
export LD_LIBRARY_PATH="$bundle/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" WARPLENS_KERNELS="$PWD/kernels"
cores=$(nproc)
jobs=$((cores / 2))                             # two threads each
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 # references are small, and as many run as there are jobs
score() {
    local name="$1"
    shift
    "$@" --json "$out/$name.json" >"$out/$name.txt" 2>"$out/$name.log"
    echo "$name at $commit, $cores cores, $SECONDS s since the start: $(grep -E '^all |^median|not ok|differ from no' "$out/$name.txt" | tail -n 3 | tr -s ' ' | tr '\n' ';')"
}
for suite in "$@"; do
    case "$suite" in
        gallery) score gallery python3 bench/gallery.py "$bundle/warplens" --all --jobs "$jobs" ;;
        host) score host python3 bench/gallery.py "$bundle/warplens" --all --host-part --jobs "$jobs" ;;
        clean) score clean python3 bench/gallery.py "$bundle/warplens" --all --clean --jobs "$jobs" ;;
        mutants) score mutants python3 bench/mutants.py "$bundle/warplens" --gallery --count 200 --jobs "$cores" ;;
        *) score "$(basename "$suite")" python3 bench/gallery.py "$bundle/warplens" --table "$suite/gallery.toml" --search 30 --jobs "$jobs" ;;
    esac
done
