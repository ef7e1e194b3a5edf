#!/usr/bin/env bash
# Runs the programs of order_probe.cu N times each on a GPU, as their authors had them and right, and writes how many runs
# were wrong. Needs nvcc, a GPU of compute capability 9.0 and nothing else.
#
# usage: order_run.sh OUT.json [N]
set -euo pipefail
out=${1:?usage: order_run.sh OUT.json [N]}
runs=${2:-1000}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${NVCC:-nvcc} -arch=sm_90 -O2 -o "$folder/probe" "$here/order_probe.cu"

# The number of wrong runs; or null, where the program failed or took more than a minute.
wrong() {
    local said
    if said=$(timeout 60 "$folder/probe" "$1" "$2" "$runs" 2>"$folder/said"); then
        echo "${said%% *}"
    else
        echo "order_run: $1 $2 failed: $(tr '\n' ' ' <"$folder/said")" >&2
        echo null
    fi
}

{
    printf '{\n "device": "%s",\n "runs": %s,\n "programs": [' "$("$folder/probe" device)" "$runs"
    comma=
    for mode in $("$folder/probe" modes); do
        printf '%s\n  {"name": "%s", "wrong": %s, "twin_wrong": %s}' \
            "$comma" "$mode" "$(wrong "$mode" wrong)" "$(wrong "$mode" right)"
        comma=,
    done
    printf '\n ]\n}\n'
} >"$out"
cat "$out"
