"""docs/classes.md: each class of faults with a broken kernel, what is printed of it, and what is not seen.

    python3 bench/classes.py build/release/app/warplens [--scores seen.json held_out.json mutants.json] > docs/classes.md

classes.toml names an example of each class of gallery.toml; it is diagnosed anew. Scores are what `gallery.py --json` and
`mutants.py --json` wrote; without them, those that the page has are kept. docs/examples_test runs the page's sessions.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tomllib

import gallery
import scoring

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/classes.md"
SCORES = re.compile(r"<!-- scores -->\n.*?<!-- end -->\n", re.S)
HEAD = """# Classes of faults

Made by `bench/classes.py`: an example of each class of faults that the gallery has (`bench/gallery.toml`), as it is printed, with
its proof, and what the diagnosis cannot see of such faults. How causes are found and proven is in
[diagnosis.md](diagnosis.md), what the hazards among them are in [hazards.md](hazards.md).
"""


def share(named, of):
    return f"{named} of {of}" if of else "-"


def scores(files):
    """By class what was named of the gallery's seen and held-out faults; of mutants by what was changed."""
    seen, held, mutants = (json.loads(file.read_text()) for file in files)
    lines = ["<!-- scores -->", "| class | named, of those that are seen | elsewhere | held out | elsewhere |",
             "| --- | --- | --- | --- | --- |"]
    groups = [collections.defaultdict(collections.Counter) for _ in range(2)]
    for group, rows in zip(groups, (seen, held)):
        for row in rows:
            for name in (row["class"], "all"):
                group[name].update([row["score"], "of"])
    for name in sorted(groups[0] | groups[1], key=lambda n: (n == "all", n)):
        cells = [cell for g in groups for cell in (share(g[name]["named"], g[name]["of"]), str(g[name]["elsewhere"]))]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "| mutants: what was changed | named | elsewhere |", "| --- | --- | --- |"]
    kinds = collections.defaultdict(collections.Counter)
    for row in mutants:
        if row["score"] in scoring.SCORES and row["score"] != "missed":  # these differ from no reference
            for name in (row["kind"], "all"):
                kinds[name].update([row["score"], "of"])
    for name in sorted(kinds, key=lambda n: (n == "all", n)):
        lines.append(f"| {name} | {share(kinds[name]['named'], kinds[name]['of'])} | {kinds[name]['elsewhere']} |")
    return "\n".join([*lines, "<!-- end -->", ""])


def session(program, manifest, fault):
    """The command, and its first finding as it is printed."""
    words = ["diagnose", str(manifest.relative_to(ROOT)), "--fault", fault]
    said = subprocess.run([program, *words], capture_output=True, text=True, cwd=ROOT).stdout
    first = re.search(r"^\[1\] .*?(?=^$)", said, re.S | re.M)
    if not first:
        sys.exit(f"{manifest} --fault {fault}: nothing is found:\n{said}")
    return "\n".join(["```", "$ warplens " + " ".join(words), "...", first[0].rstrip("\n"), "...", "```"])


def wrong_lines(source, fault):
    """The lines that the fault changes, as a patch of the wrong ones."""
    wrong = scoring.wrong_of_fault(source.read_text(), fault, None)
    lines = [f"-{wrong.lines[k][1]}" for k in wrong.changed] + [f"+{text}" for text in wrong.right]
    return "\n".join(["```diff", *lines, "```"])


def page(program, table):
    kernels, sections = gallery.kernels(), []
    classes = tomllib.loads(pathlib.Path(__file__).with_suffix(".toml").read_text())
    known = {kind for kernel in kernels.values() for kind in kernel["faults"].values()}
    if known != set(classes):
        sys.exit(f"classes.toml and gallery.toml differ by {', '.join(sorted(known ^ set(classes)))}")
    for name, row in sorted(classes.items()):
        kernel, fault = row["example"].split("+")
        if kernels[kernel]["held_out"] or kernels[kernel]["faults"].get(fault) != name:
            sys.exit(f"classes.toml: {name}: {row['example']} is held out, or of another class")
        sections += [f"## {name}", "", f"{row['is']} In `{kernel}` (right is what the lines with + say):", "",
                     wrong_lines(kernels[kernel]["source"], fault), "",
                     session(program, kernels[kernel]["manifest"], fault), "", f"**Not seen.** {row['blind']}", ""]
        print(name, file=sys.stderr, flush=True)
    return "\n".join([HEAD, table, *sections])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--scores", type=pathlib.Path, nargs=3)
    options = parser.parse_args()
    kept = SCORES.search(PAGE.read_text()) if PAGE.exists() else None
    table = scores(options.scores) if options.scores else kept[0] if kept else ""
    print(page(options.program.resolve(), table), end="")


if __name__ == "__main__":
    main()
