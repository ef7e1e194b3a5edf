#!/usr/bin/env bash
# Runs the fuzzer in many processes over one corpus, on a machine that need not have a compiler.
# usage: fuzz/run_many.sh BUNDLE OUT SECONDS [PROCESSES]
# BUNDLE holds ptx_fuzzer, ptx.dict, corpus.tar.gz (of seed files) and lib/ (its shared libraries).
# OUT gets summary.txt, findings.tar.gz (what upset something, and the ends of all logs) and new_units.tar.gz (the
# inputs that reached something new in their process). It takes SECONDS, up to 10 more for a unit that hangs, and
# some 10 to pack: 560 fit a limit of ten minutes.
set -uo pipefail
bundle="$(cd "$1" && pwd)"
mkdir -p "$2"
target="$(cd "$2" && pwd)"
out="$(mktemp -d)"
mkdir "$out/findings" "$out/logs"
seconds="$3"
processes="${4:-$(nproc)}"
work="$(mktemp -d)"
mkdir "$work/seeds" "$work/corpus"
tar -xzf "$bundle/corpus.tar.gz" -C "$work/seeds"
cp "$bundle/ptx_fuzzer" "$work/ptx_fuzzer"
chmod +x "$work/ptx_fuzzer"
fuzzer=(env "LD_LIBRARY_PATH=$bundle/lib" "$work/ptx_fuzzer")
# A C library older than the one it was linked with: take ours, with its loader.
if ! "${fuzzer[@]}" -help=1 >/dev/null 2>&1; then
    fuzzer=("$bundle/libc/ld-linux-x86-64.so.2" --library-path "$bundle/libc:$bundle/lib" "$work/ptx_fuzzer")
fi
options=(-dict="$bundle/ptx.dict" -timeout=10 -rss_limit_mb=3000 -max_len=20000 -print_final_stats=1 -reload=1
    -artifact_prefix="$out/findings/")
end=$(($(date +%s) + seconds))

# A finding ends one run of the fuzzer, not the process's share of the time.
one_process() {
    local run=0
    while left=$((end - $(date +%s))) && [ "$left" -gt 15 ]; do
        "${fuzzer[@]}" "${options[@]}" -seed=$((1000 * $1 + run + 1)) -max_total_time="$left" "$work/corpus" \
            "$work/seeds" >"$work/log" 2>"$out/logs/$1.$run.txt"
        run=$((run + 1))
        [ "$run" -lt 40 ] || break
    done
}
for ((k = 0; k < processes; k++)); do one_process "$k" & done
wait
rm -f "$work/log"

# Coverage is not merged here: every second goes to fuzzing. Where the units are unpacked,
# `ptx_fuzzer -merge=1 MERGED SEEDS UNITS` keeps those that the seeds lack.
tar -czf "$target/new_units.tar.gz" -C "$work/corpus" .
{
    echo "date: $(date -u +%FT%TZ)"
    echo "processes: $processes, seconds each: $seconds"
    grep -h 'stat::number_of_executed_units' "$out"/logs/*.txt | awk '{n += $2} END {print "executions:", n + 0}'
    echo "fuzzer runs: $(ls "$out/logs" | wc -l)"
    grep -h 'stat::peak_rss_mb' "$out"/logs/*.txt | sort -k2 -n | tail -1
    grep -h 'stat::slowest_unit_time_sec' "$out"/logs/*.txt | sort -k2 -n | tail -1
    echo "coverage: $(grep -h ' cov: ' "$out"/logs/[0-9]*.txt | sed 's/.* cov: \([0-9]*\) ft: \([0-9]*\).*/\1 edges, \2 features/' | sort -n | tail -1)"
    echo "units: $(ls "$work/seeds" | wc -l) seeds, $(ls "$work/corpus" | wc -l) new"
    echo "findings: $(ls "$out/findings" | wc -l)"
    grep -hE 'SUMMARY|ptx_fuzzer: |runtime error' "$out"/logs/[0-9]*.txt | sed 's/0x[0-9a-f]*/ADDRESS/g' | sort | uniq -c | sort -rn | head -60
} >"$target/summary.txt"
# Of a log the last lines of every kind matter; the stack of a finding stands before them.
for log in "$out"/logs/*.txt; do grep -v '^#[0-9]' "$log" | tail -n 120 >"$log.tail" && mv "$log.tail" "$log"; done
tar -czf "$target/findings.tar.gz" -C "$out" findings logs
cat "$target/summary.txt"
rm -rf "$work" "$out"
