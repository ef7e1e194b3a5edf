"""clang-tidy over our own sources, in parallel; skips a file whose inputs were found clean before, in any clone."""

import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOLDERS = ("app", "bench", "fuzz", "instrumentation", "shim", "tests")
GCC_ONLY = ("-fno-tree-loop-distribute-patterns",)  # clang-tidy takes these for errors


def headers_by_object(build):
    """What ninja learned from the compiler: object file -> our own headers that it was made of."""
    table, current = {}, None
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        if line.startswith("    "):
            path = (build / line.strip()).resolve()
            if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / ".env"):
                table[current].append(path)
        elif ":" in line:
            current = line.split(":")[0]
            table[current] = []
    return table


def key_of(entry, headers):
    digest = hashlib.sha256(VERSION + entry["command"].replace(str(ROOT), "").encode())
    configs = [config for config in ROOT.rglob(".clang-tidy") if config.parent in pathlib.Path(entry["file"]).parents]
    for path in [pathlib.Path(entry["file"]), *sorted(headers), *sorted(configs)]:
        digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()


def lint(build, entry, key):
    name = pathlib.Path(entry["file"]).relative_to(ROOT)
    stamp = CACHE / key
    if stamp.exists():
        return name, "unchanged", ""
    command = ["clang-tidy", "--quiet", "-p", build / "lint", entry["file"]]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        CACHE.mkdir(parents=True, exist_ok=True)
        stamp.touch()
        return name, "clean", ""
    return name, "failed", result.stdout + result.stderr


def main(build, only):
    entries = [
        entry
        for entry in json.loads((build / "compile_commands.json").read_text())
        if pathlib.Path(entry["file"]).relative_to(ROOT).parts[0] in FOLDERS
    ]
    if only:
        wanted = {pathlib.Path(path).resolve() for path in only}
        entries = [entry for entry in entries if pathlib.Path(entry["file"]) in wanted]
    for entry in entries:
        for flag in GCC_ONLY:
            entry["command"] = entry["command"].replace(" " + flag, "")
    (build / "lint").mkdir(exist_ok=True)
    (build / "lint" / "compile_commands.json").write_text(json.dumps(entries))
    headers = headers_by_object(build)
    for entry in entries:
        words = shlex.split(entry["command"])
        entry["output"] = words[words.index("-o") + 1]
    counts = {"clean": 0, "unchanged": 0, "failed": 0}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(lint, build, entry, key_of(entry, headers.get(entry["output"], []))) for entry in entries]
        for job in jobs:
            name, outcome, text = job.result()
            counts[outcome] += 1
            if outcome != "unchanged":
                print(f"lint: {name}: {outcome}", flush=True)
            if text:
                print(text, flush=True)
    print(f"lint: {counts['clean']} clean, {counts['unchanged']} unchanged since clean, {counts['failed']} failed")
    if not entries:
        sys.exit("lint: no source file to check")
    sys.exit(1 if counts["failed"] else 0)


ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "warplens" / "lint"
VERSION = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
