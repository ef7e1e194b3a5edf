"""The gallery of tests/kernels/gallery: whether each fault is named, and whether nothing is found on the right kernels.

    python3 bench/gallery.py build/release/app/warplens [--all | --seen | --held-out] [--kernels a,b] [--faults x,y]
        [--search 10] [--jobs 1] [--json table.json] [--clean [--seeds 0,1,2]] [--table FILE] [--host-part]

Without --clean every fault is diagnosed and judged (scoring.py), and what is proven and is not it is listed; with it the
kernels run without faults: each seed with each preset, and in as many schedules. gallery.toml lists kernels, faults and
classes; a third of the kernels is held out: look at their totals, and tune on none of them. Exits with 1 where a right
kernel has a finding. --table: another one like gallery.toml, of kernels that lie in its folder. --host-part: each source
has host code around its kernels, as programs have it.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import tomllib

import scoring

GALLERY = pathlib.Path(__file__).resolve().parents[1] / "tests/kernels/gallery"


HOST_HEAD = """#include <cstdio>
#include <vector>
"""
HOST_TAIL = """
static std::vector<float> wl_host_results;
template <class Kernel> void wl_host_launch(Kernel kernel) { kernel<<<1, 32>>>(); }
int main(int argc, char** argv) {
    std::vector<float> values(argc, 1.0f);
    float* device = nullptr;
    cudaMalloc(&device, values.size() * sizeof(float));
    for (const float v : values) std::printf("%s %g\\n", argv[0], v);
    cudaFree(device);
    return static_cast<int>(wl_host_results.size());
}
"""


def with_host_part(table, folder):
    """A copy of the kernels in `folder` with host code in each source; the copy's table."""
    table = table or pathlib.Path(__file__).with_suffix(".toml")
    root = GALLERY if table.parent == pathlib.Path(__file__).parent else table.parent
    copy = pathlib.Path(folder) / "kernels"
    shutil.copytree(root, copy)
    for kernel in kernels(table if root != GALLERY else None).values():
        source = copy / kernel["source"].relative_to(root)
        source.write_text(HOST_HEAD + source.read_text() + HOST_TAIL)
    return shutil.copy(table, copy / "with_host_part.toml")


def kernels(table=None):
    """Of a table, by name; `manifest` and `source` are their paths. None: gallery.toml."""
    root = table.parent if table else GALLERY
    rows = tomllib.loads((table or pathlib.Path(__file__).with_suffix(".toml")).read_text())
    own = {name: root / row.get("folder", ".") / name for name, row in rows.items()}
    return {name: {"held_out": False} | row | {"manifest": own[name].with_suffix(".toml"),
                                               "source": own[name].with_suffix(".cu")} for name, row in rows.items()}


def chosen(options):
    named = options.kernels and options.kernels.split(",")
    for name, kernel in kernels(options.table).items():
        if named and name not in named:
            continue
        if options.set == "all" or (options.set == "held out") == kernel["held_out"]:
            yield name, kernel


def fault_row(options, name, kernel, fault, words):
    kind = kernel["faults"][fault]
    causes = scoring.CAUSES[kind] | {kind} if kind in scoring.CAUSES else None  # a table may have classes of its own
    wrong = scoring.wrong_of_fault(kernel["source"].read_text(), fault, causes)
    said = scoring.diagnose(options.program, kernel["manifest"], [*words, "--fault", fault], options.search)
    lines = [wrong.lines[k][0] for k in wrong.changed + wrong.dropped if k < len(wrong.lines)]
    head = {"kernel": name, "class": kind, "fault": fault, "set": "held out" if kernel["held_out"] else "seen",
            "line": lines[:1]}
    return head | scoring.score(wrong, *said)


def clean_rows(options, name, kernel, words):
    presets = [[]] + [["--preset", p] for p in tomllib.loads(kernel["manifest"].read_text()).get("presets", {})]
    for preset in presets:
        for seed in options.seeds.split(","):
            for schedule in ([], ["--schedule", seed + "1"]):
                with_words = [*words, "--seed", seed, *preset, *schedule]
                answer, seconds = scoring.diagnose(options.program, kernel["manifest"], with_words)
                findings = [f["title"] for f in answer.get("findings") or []]
                yield {"kernel": name, "words": " ".join(with_words), "verdict": answer["verdict"], "seconds": seconds,
                       "said": "; ".join(findings) or str(answer.get("error") or answer.get("said") or "")}


def run_faults(options, pool, words):
    only = options.faults and options.faults.split(",")
    tasks = [pool.submit(fault_row, options, name, kernel, fault, words)
             for name, kernel in chosen(options) for fault in kernel["faults"] if not only or fault in only]
    rows = []
    for task in tasks:
        row = task.result()
        rows.append(row)
        print(f"{row['score']:10} {row['class']:24} {row['kernel']}+{row['fault']} {row['line']}: {row.get('rule', '')} "
              f"{row.get('at', '')} {'proven ' if row.get('proven') else ''}{row.get('title', '')[:70]}"
              f"{row.get('said', '')[:200]}", file=sys.stderr, flush=True)
    for key in ("class", "kernel", "set"):
        scoring.table(rows, key)
        print()
    scoring.summary(rows)
    stories = [row for row in rows if row["score"] == "elsewhere" and row["proven"]]
    if stories:
        print(f"\nproven, and not the fault ({len(stories)}):")
    for row in stories:
        manifest = kernels(options.table)[row["kernel"]]["manifest"]
        print(f"warplens diagnose {os.path.relpath(manifest)} --fault {row['fault']} --search {options.search}  # line {row['at']}: "
              f"{row['rule']}: {row['title'][:80]}")
    return rows, 0


def run_clean(options, pool, words):
    tasks = [pool.submit(lambda n, k: list(clean_rows(options, n, k, words)), *each) for each in chosen(options)]
    rows = [row for task in tasks for row in task.result()]
    bad = [row for row in rows if row["verdict"] != "ok"]
    for row in bad:
        print(f"{row['kernel']} {row['words']}: {row['verdict']}: {row['said']}")
    print(f"{len(rows)} runs of {len(tasks)} kernels without faults, {len(bad)} not ok, "
          f"slowest {max(row['seconds'] for row in rows):.1f} s")
    return rows, int(bool(bad))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", dest="set", action="store_const", const="all", default="all")
    which.add_argument("--seen", dest="set", action="store_const", const="seen")
    which.add_argument("--held-out", dest="set", action="store_const", const="held out")
    parser.add_argument("--kernels")
    parser.add_argument("--faults")
    parser.add_argument("--search", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--host-part", action="store_true")
    options = parser.parse_args()
    scratch = tempfile.TemporaryDirectory()
    if options.host_part:
        options.table = with_host_part(options.table, scratch.name)
    options.program = str(options.program.resolve())
    words = ["--threads", str(max(1, os.cpu_count() // options.jobs))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows, status = (run_clean if options.clean else run_faults)(options, pool, words)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    sys.exit(status)


if __name__ == "__main__":
    main()
