#!/usr/bin/env bash
# Checks kernels in CI: check.sh VERB FOLDER KERNEL... [-- OPTIONS]
#
# VERB is run, accept or hazards. Into FOLDER go, a kernel: NAME.sarif, NAME.junit.xml, and of run and hazards NAME.wlcap and
# NAME.html. What a person reads goes to stdout. The exit status is the worst of all kernels', as of `warplens VERB`:
# error (2), unsupported or incomplete (3), findings (1), ok.
set -uo pipefail

if [ $# -lt 3 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
as_path() { # as_path NAME: in REPLY, so that no program takes it for an option
    case "$1" in -*) REPLY="./$1" ;; *) REPLY="$1" ;; esac
}

as_path "$2"
verb="$1" folder="$REPLY"
shift 2
kernels=() options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    as_path "$1"
    kernels+=("$REPLY")
    shift
done
[ $# -eq 0 ] || options=("${@:2}")

# A baseline belongs to every answer about a kernel, also to those that read its capture.
baseline=()
for ((i = 0; i < ${#options[@]}; ++i)); do
    [ "${options[i]}" != --baseline ] || baseline=(--baseline "${options[i + 1]:-}")
done

worse() { # worse A B: which of two exit statuses matters
    local status
    for status in 2 3 1 0; do
        [ "$1" != "$status" ] && [ "$2" != "$status" ] && continue
        echo "$status"
        return
    done
    echo 2 # ended by a signal
}

# check_capture NAME KERNEL: one run leaves a capture, and everything else is read off that.
check_capture() {
    local out="$folder/$1" status=0
    warplens "$verb" "$2" "${options[@]}" -o "$out.wlcap" --format sarif --quiet >"$out.sarif" || status=$?
    if [ -f "$out.wlcap" ]; then
        warplens diagnose "$out.wlcap" "${baseline[@]}" --report "$out.html"
        warplens diagnose "$out.wlcap" "${baseline[@]}" --format junit >"$out.junit.xml"
    else
        warplens "$verb" "$2" "${options[@]}" --format junit --quiet >"$out.junit.xml"
    fi
    return "$status"
}

# check_accept NAME KERNEL: the table leaves no capture.
check_accept() {
    local out="$folder/$1" status=0
    warplens accept "$2" "${options[@]}" || status=$?
    warplens accept "$2" "${options[@]}" --format sarif --quiet >"$out.sarif"
    warplens accept "$2" "${options[@]}" --format junit --quiet >"$out.junit.xml"
    return "$status"
}

# GitHub's runner takes lines of the log for commands; of what kernels and their sources say none is one ("Stopping and
# starting workflow commands").
if [ -n "${GITHUB_ACTIONS:-}" ]; then
    token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    echo "::stop-commands::$token"
    trap 'echo "::$token::"' EXIT
fi

mkdir -p "$folder"
worst=0
for kernel in "${kernels[@]}"; do
    name=$(basename "$kernel")
    name="${name%.*}"
    rm -f "$folder/$name".*
    status=0
    if [ "$verb" = accept ]; then check_accept "$name" "$kernel" || status=$?; else check_capture "$name" "$kernel" || status=$?; fi
    worst=$(worse "$worst" "$status")
done
exit "$worst"
