#!/usr/bin/env python3
"""Runs micro-kernels of the conformance suite and the programs of tests/programs with `--on both`.

    build/release/tests/witness_kernels build/bundle/witness 240           (where WarpLens is built; bundle.sh does)
    LD_LIBRARY_PATH=build/bundle/lib python3 tests/gpu/kernels_both.py build/bundle/warplens build/bundle/witness OUT.json COMMIT

They have no reference: an element is equal in all its bits, or differs, and by how much of its size is written down.
A difference is explained where the emulator finds why the result is not determined (a race, a value that nobody set),
where it is no more than ROUNDING of the element's size, as a sum in another order may be, or where the instruction is an
approximation of the hardware (.approx), whose error the ISA bounds absolutely: that bound is held by the conformance
suite (tests/conformance/bounds.cpp). Exit status 1: one is unexplained.
"""
import collections
import concurrent.futures
import json
import pathlib
import sys

from witnesses import describe, run

JOBS = 12
ROUNDING = 2.0**-9  # f16's own


def outcome(row):
    """agrees, rounding, approximation, explained, UNEXPLAINED, or why it was not run by both."""
    if "agree" not in row:
        return row["outcome"]
    found = [f for f in row["findings"] if f != "executors_disagree"]
    if row["agree"] and row["equal"] == row["elements"]:
        return "agrees, with findings" if found else "agrees"
    if found:
        return "explained"
    if row["agree"] and row["worst_unjudged"] <= ROUNDING:
        return "rounding"
    return "approximation" if row["agree"] and ".approx" in row.get("instruction", "") else "UNEXPLAINED"


def main():
    program, folder, out, commit = sys.argv[1:5]
    paths = [p for part in ("conformance", "programs") for p in sorted(pathlib.Path(folder, part).glob("*.toml"))]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        rows = list(pool.map(lambda path: run(program, (str(path), [], path.parent.name)), paths))
    for path, row in zip(paths, rows):
        row["case"] = path.stem
        first = path.with_suffix(".ptx").read_text().splitlines()[0]
        if first.startswith("// ") and row["family"] == "conformance":
            row["instruction"] = first[3:]
        row["witness"] = outcome(row)
    record = {**describe(program, commit), "command": "python3 tests/gpu/kernels_both.py WARPLENS KERNELS OUT.json COMMIT",
              "rounding": ROUNDING, "cases": rows}
    pathlib.Path(out).write_text(json.dumps(record, indent=1) + "\n")
    for family in ("conformance", "programs"):
        counts = collections.Counter(r["witness"] for r in rows if r["family"] == family)
        print(f"{family}: {sum(counts.values())} kernels: {dict(counts.most_common())}")
    for row in rows:
        if row["witness"] not in ("agrees", "rounding", "approximation"):
            print(row["witness"], row["case"], row.get("instruction", ""), row.get("findings", ""), row.get("said", "")[:200],
                  row.get("fault", ""), {k: row[k] for k in ("elements", "equal", "worst_unjudged") if k in row})
    return 1 if any(r["witness"] == "UNEXPLAINED" for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
