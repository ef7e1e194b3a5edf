#!/usr/bin/env python3
"""Runs every program of a folder by `warplens run --` and prints a line each: how docs/measured/programs.md was counted.

    bench/programs_run.py FOLDER [--arguments FILE.json] [--seconds 60] [--first N] [NAME ...]

FOLDER holds executables that were linked with `-cudart shared` and hold PTX, or a folder of its own for each: FOLDER/NAME/NAME.
FILE.json: {"NAME": [["ARG", ...], ...]}, the runs of a program that takes arguments. The limit, and what is printed, are
seconds of processor time, so that they say the same beside other work; a program that only waits is ended behind ten times as
many of the clock. A program passes when it ends with 0 and without a finding in time. The exit status is that all did."""

import argparse
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("WL_PROGRAM", str(ROOT / "build/release/app/warplens"))


def limited(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, folder, options):
    words = [PROGRAM, "run", "--json", *(["--first", str(options.first)] if options.first is not None else []), "--", *command]
    before = processor_seconds()
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True, preexec_fn=lambda: limited(options.seconds)) as child:
        try:
            out, err = child.communicate(timeout=10 * options.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return {"seconds": processor_seconds() - before, "said": f"not over in {10 * options.seconds:g} s of the clock"}
    seconds = processor_seconds() - before
    try:
        answer = json.loads(out)
    except json.JSONDecodeError:
        answer = {}
    if "findings" not in answer:
        return {"seconds": seconds, "said": (out + err).strip()[-200:] or "nothing was told"}
    return {"seconds": seconds, "answer": answer, "said": said(answer, err, options.seconds)}


def said(answer, err, limit):
    """Why it does not pass, in words; empty: it does."""
    found = sorted({f"{f['rule']} at line {f.get('where', {}).get('line')}" for f in answer["findings"]})
    refused = [l["said"] for l in answer["launches"] if l["state"] in ("refused", "unsupported")]
    reasons = found + answer["errors"] + refused[:1]
    if answer["unsupported"]:
        reasons.append("lacks " + ", ".join(answer["unsupported"]))
    if answer["signal"] == signal.SIGXCPU:
        reasons.insert(0, f"not over in {limit:g} s")
    elif answer["signal"]:
        reasons.append(f"signal {answer['signal']}")
    if answer["exit_status"]:
        reasons.append(f"status {answer['exit_status']}: {err.strip()[-160:]!r}")
    return "; ".join(reasons)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--arguments", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int)
    options = parser.parse_intermixed_args()
    table = json.loads(options.arguments.read_text()) if options.arguments else {}
    programs = sorted(p / p.name if p.is_dir() else p for p in options.folder.iterdir())
    passed, total = 0, 0
    for path in programs:
        if (options.names and path.name not in options.names) or not (path.is_file() and os.access(path, os.X_OK)):
            continue
        for words in table.get(path.name, [[]]):
            result = run([str(path.resolve()), *words], path.parent, options)
            total, passed = total + 1, passed + (not result["said"])
            launches = sum(l["times"] for l in result.get("answer", {}).get("launches", []))
            print(f"{path.name} {' '.join(words)}: {result['said'] or 'passes'}; {launches} launches, "
                  f"{result['seconds']:.1f} s", flush=True)
    print(f"{passed} of {total} pass")
    return 0 if passed == total else 1


if __name__ == "__main__":
    sys.exit(main())
