#!/usr/bin/env python3
"""Runs every program of a folder by `warplens run --` and prints a line each: how docs/programs.md was counted.

    bench/programs_run.py FOLDER [--arguments FILE.json] [--seconds 100] [--first N] [NAME ...]

FOLDER holds executables that were linked with `-cudart shared` and hold PTX. FILE.json: {"NAME": [["ARG", ...], ...]},
the runs of a program that takes arguments; {"NAME": {"folder": "...", "runs": [...]}} where it has to stand elsewhere.
A program passes when it ends with 0 and without a finding in time. The exit status is that all did."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("WL_PROGRAM", str(ROOT / "build/release/app/warplens"))


def run(command, folder, options):
    words = [PROGRAM, "run", "--json", *(["--first", str(options.first)] if options.first is not None else []), "--", *command]
    began = time.monotonic()
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True) as child:
        try:
            out, err = child.communicate(timeout=options.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return {"seconds": options.seconds, "said": f"not over in {options.seconds} s"}
    try:
        answer = json.loads(out)
    except json.JSONDecodeError:
        answer = {}
    if "findings" not in answer:
        return {"seconds": time.monotonic() - began, "said": (out + err).strip()[-200:] or "nothing was told"}
    return {"seconds": time.monotonic() - began, "answer": answer, "said": said(answer, err)}


def said(answer, err):
    """Why it does not pass, in words; empty: it does."""
    found = sorted({f"{f['rule']} at line {f.get('where', {}).get('line')}" for f in answer["findings"]})
    refused = [l["said"] for l in answer["launches"] if l["state"] in ("refused", "unsupported")]
    reasons = found + answer["errors"] + refused[:1]
    if answer["unsupported"]:
        reasons.append("lacks " + ", ".join(answer["unsupported"]))
    if answer["signal"]:
        reasons.append(f"signal {answer['signal']}")
    if answer["exit_status"]:
        reasons.append(f"status {answer['exit_status']}: {err.strip()[-160:]!r}")
    return "; ".join(reasons)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--arguments", type=Path)
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--first", type=int)
    options = parser.parse_args()
    table = json.loads(options.arguments.read_text()) if options.arguments else {}
    programs = sorted(p for p in options.folder.iterdir() if p.is_file() and os.access(p, os.X_OK))
    passed, total = 0, 0
    for path in programs:
        if options.names and path.name not in options.names:
            continue
        entry = table.get(path.name, [[]])
        folder = entry.get("folder", options.folder) if isinstance(entry, dict) else options.folder
        for words in entry["runs"] if isinstance(entry, dict) else entry:
            result = run([str(path.resolve()), *words], folder, options)
            total, passed = total + 1, passed + (not result["said"])
            launches = sum(l["times"] for l in result.get("answer", {}).get("launches", []))
            print(f"{path.name} {' '.join(words)}: {result['said'] or 'passes'}; {launches} launches, "
                  f"{result['seconds']:.1f} s", flush=True)
    print(f"{passed} of {total} pass")
    return 0 if passed == total else 1


if __name__ == "__main__":
    sys.exit(main())
