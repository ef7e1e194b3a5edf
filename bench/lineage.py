"""Writes docs/lineage.md and its pictures: every shipped kernel and fault with figures, first finding and story.

    python3 bench/lineage.py build/release/app/warplens [--presets P,Q] [--jobs N] [--measured FILE] [kernel ...]
    python3 bench/lineage.py --times [--measured FILE]

Runs `accept` on every preset of every kernel and on the first preset of every fault: minutes. Each row is kept in
build/lineage_page by the content of source and manifest, so that a second call only runs what has changed; named
kernels are run anew. With --presets the rows of other presets come from what was kept, or the page says that they
were not run. With --jobs several rows run at once, each on two threads. Figures of a GPU come from docs/measured/lineage-h200.json where it has them,
and from a record of `warplens bench` (--measured, docs/measured/bench-lineage-h200.json unless told). --times puts these
into the page that is there, and runs nothing.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "lineage_page"
PICTURES = ROOT / "docs" / "images" / "lineage"
MEASURED = ROOT / "docs" / "measured" / "lineage-h200.json"
BENCH = ROOT / "docs" / "measured" / "bench-lineage-h200.json"
PAGE = ROOT / "docs" / "lineage.md"
# What shows a finding best: where writers tell, the owner map; where a number tells, the ratio.
VIEWS = {"never_written": "coverage", "race_shared": "owner", "race_warp": "owner", "constant_factor": "ratio"}

NO_FIGURES = ("error", "unsupported", "not run")

INTRODUCTION = """# The lineage

Two lines of attention kernels, from the first that ran to the fast ones, with every fault they had on the way as a named
switch: `warplens diagnose KERNEL --fault FAULT` shows each as it was. This page is made by `./dev lineage`, which runs them
all on the emulator; none of its figures is typed in.

"""
LEGEND = """
*tiles wrong*: of those compared with the FP64 reference, over all blocks and iterations. *regs*: registers a thread by
ptxas for sm_90. *KB*: shared memory a block. *conflicts*: shared-memory wavefronts over what would do. *CPU s*: the
emulator with every check on, two threads of a busy machine. *not run*: not on the machine that made this page. *H200 us*:
the same PTX on an H200, median of single launches; *warm*, *cold*: the same by `warplens bench`, launches in a CUDA graph,
with the same arrays again and with arrays in turn ([measured/](measured/README.md)).
"""


def say(program, *words, good=(0, 1)):
    done = subprocess.run([program, *words], capture_output=True, text=True, cwd=ROOT)
    if done.returncode not in good:
        sys.exit(f"warplens {' '.join(words)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def slug(kernel, fault=None):
    return kernel if fault is None else f"{kernel}-{fault}"


def content_of(kernel):
    path = pathlib.Path(kernel["path"])
    return hashlib.sha256(path.read_bytes() + path.with_suffix(".cu").read_bytes()).hexdigest()


def kept_row(kernel, fault, preset):
    return KEPT / f"{slug(kernel['name'], fault)}.{preset}.json"


def accept(program, kernel, fault, preset, options):
    """One row of the acceptance table; its verdict is "not run" where it is neither kept nor asked for."""
    kept, key = kept_row(kernel, fault, preset), content_of(kernel)
    if kept.exists() and kernel["name"] not in options.fresh:
        known = json.loads(kept.read_text())
        if known["content"] == key:
            return known["row"]
    if options.presets and preset not in options.presets:
        return {"kernel": kernel["name"], "preset": preset, "verdict": "not run"}
    name = kernel["name"] + (f"+{fault}" if fault else "")
    words = ["accept", name, "--json", "--quiet", "--threads", "2", "--presets", preset]
    row = json.loads(say(program, *words, good=(0, 1, 2, 3)))["rows"][0]
    kept.write_text(json.dumps({"content": key, "row": row}))
    return row


def presets_of(kernel):
    return sorted(kernel["presets"], key=lambda name: (not name.startswith("mission"), name))


def first_preset(kernel):
    return presets_of(kernel)[0]


def what_to_show(row, tiles):
    """Tile and view: the first bad tile, or who wrote what."""
    finding = row["findings"][0] if row["findings"] else None
    named = finding["where"].get("tile") if finding else None
    if row.get("first_bad"):
        tile = named or row["first_bad"]["tile"]
        return tile, VIEWS.get(finding["rule"] if finding else "", "difference")
    marks = [t["tile"] for t in tiles if t["memory"] == "shared"] or [t["tile"] for t in tiles]
    return named if named in marks else marks[0], "owner"


def picture(program, kernel, fault, row):
    """Its path from docs/ and its caption; None where the kernel gives no tile."""
    if row["verdict"] in NO_FIGURES:
        return None
    out = PICTURES / f"{slug(kernel['name'], fault)}.png"
    caption = KEPT / f"{slug(kernel['name'], fault)}.caption"
    ran = kept_row(kernel, fault, row["preset"]).stat().st_mtime
    if out.exists() and caption.exists() and caption.stat().st_mtime >= ran:
        return f"images/lineage/{out.name}", caption.read_text()
    capture = KEPT / "run.wlcap"
    name = kernel["name"] + (f"+{fault}" if fault else "")
    say(program, "run", name, "--preset", first_preset(kernel), "-o", str(capture), "--quiet", "--json")
    tiles = [t for t in json.loads(say(program, "tiles", str(capture), "--json"))["tiles"] if t["kept"]]
    if not tiles:
        return None
    tile, view = what_to_show(row, tiles)
    shown = subprocess.run(
        [program, "show", str(capture), "--tile", tile, "--view", view, "-o", str(out), "--quiet"],
        capture_output=True,
        text=True,
    )
    if shown.returncode:  # a tile that never had a reference or a writer
        view = "got"
        say(program, "show", str(capture), "--tile", tile, "--view", view, "-o", str(out), "--quiet")
    words = {"owner": "who wrote each element", "coverage": "what was written", "got": "what the kernel computed"}
    text = f"{tile}: {words.get(view, view + ' to the reference')}"
    caption.write_text(text)
    return f"images/lineage/{out.name}", text


def measured(bench):
    """By kernel, fault and preset: [us of single launches, warm, cold], as they stand in the page."""
    times = {}
    for case in json.loads(MEASURED.read_text())["cases"] if MEASURED.exists() else []:
        said = f"{case['microseconds']:.0f}" if "microseconds" in case else "fails"
        times[case["kernel"], case["fault"] or None, case["preset"]] = [said, "-", "-"]
    record = json.loads(pathlib.Path(bench).read_text())
    for case in record.get("kernels", [record]):
        key = case["kernel"], next(iter(case.get("faults", [])), None), case.get("preset", record.get("preset", ""))
        if case.get("timing"):
            warm, cold = (f"{case['timing'][kind]['median'] * 1e6:.1f}" for kind in ("warm", "cold"))
            times[key] = [times.get(key, ["-"])[0], warm, cold]
    return times


GPU_HEAD = ["H200 us", "warm", "cold"]


def microseconds(gpu, kernel, fault, preset):
    return " | ".join(gpu.get((kernel, fault, preset), ["-"] * len(GPU_HEAD)))


def conflicts(row):
    c = row["conflicts"]
    return f"x{c['wavefronts'] / c['ideal']:.2f}" if c["ideal"] else "-"


def figures(row, gpu, fault):
    head = f"| `{row['preset']}` | "
    if row["verdict"] in NO_FIGURES:
        return head + row["verdict"] + " | | | | | | | | " + microseconds(gpu, row["kernel"], fault, row["preset"]) + " |\n"
    registers = "?" if row["registers"] is None else row["registers"]
    nan = f", {row['nan']} NaN" if row["nan"] else ""
    return (
        head + f"{row['verdict']} | {row['max_abs_difference']:.2g}{nan} | {row['bad_tiles']} of {row['tiles']} | "
        f"{len(row['findings'])} | {registers} | {row['shared_bytes'] / 1024:.1f} | {conflicts(row)} | "
        f"{row['seconds']['cpu']:.1f} | {microseconds(gpu, row['kernel'], fault, row['preset'])} |\n"
    )


def table(rows, gpu, fault=None):
    head = "| preset | verdict | max difference | tiles wrong | findings | regs | KB | conflicts | CPU s | " + " | ".join(GPU_HEAD) + " |\n"
    return head + "| --- " * (9 + len(GPU_HEAD)) + "|\n" + "".join(figures(row, gpu, fault) for row in rows)


def image(shown):
    if shown is None:
        return "*no tile was taken*\n\n"
    path, text = shown
    return f'<img src="{path}" alt="{text}" width="380">\n\n*{text}*\n\n'


def where(finding):
    w = finding["where"]
    out = f"{w['file']}:{w['line']}" if "line" in w else ""
    if "tile" in w:
        element = "[{},{}]".format(*w["element"]) if "element" in w else ""
        out += f"{', ' if out else ''}tile {w['tile']}{element}"
    return out + (f", iteration {w['iteration']}" if "iteration" in w else "")


def first_finding(row):
    if row["verdict"] == "error":
        return f"> {row['problem']}\n\n"
    if not row["findings"]:
        return "> nothing was found\n\n"
    f = row["findings"][0]
    kind = f["evidence_kind"]
    out = f"> **{f['rule']}**, {kind}: {f['title']}\n>\n> at {where(f)}\n>\n> {f['explanation']}\n"
    return out + (f">\n> {kind}: {f['proof']}\n\n" if f.get("proof") else "\n")


def contents(pages):
    out = "| kernel | accepted | max difference | regs | KB | faults: first finding |\n" + "| --- " * 6 + "|\n"
    for kernel, rows, faults in pages:
        ran = [r for r in rows if "max_abs_difference" in r]
        worst = max((r["max_abs_difference"] for r in ran), default=0)
        registers = max((r["registers"] or 0 for r in ran), default=0) or "?"
        kilobytes = max((r["shared_bytes"] for r in ran), default=0) / 1024
        tried = [r for r in rows if r["verdict"] != "not run"]
        accepted = sum(r["verdict"] == "accepted" for r in tried)
        names = "; ".join(f"`{f['name']}`: {rule_of(row)}" for f, row in faults)
        out += f"| [{kernel['name']}](#{kernel['name']}) | {accepted} of {len(tried)} run | {worst:.2g} | {registers} | "
        out += f"{kilobytes:.1f} | {names} |\n"
    return out


def preset_row(rows, kernel):
    return next(r for r in rows if r["preset"] == first_preset(kernel))


def rule_of(row):
    return row["findings"][0]["rule"] if row.get("findings") else row["verdict"]


def section(program, kernel, rows, faults, gpu):
    out = f"\n## {kernel['name']}\n\n**{kernel['title']}.** {kernel['story']}\n\n"
    out += image(picture(program, kernel, None, preset_row(rows, kernel))) + table(rows, gpu)
    refused = [r for r in rows if r["verdict"] == "refused"]
    for row in refused:
        out += f"\n`{row['preset']}` is refused: {'; '.join(row['objections'])}.\n"
    for fault, row in faults:
        out += f"\n### {kernel['name']} --fault {fault['name']}\n\n{fault['about'][0].upper()}{fault['about'][1:]}. "
        out += f"{fault['story']}\n\n" + image(picture(program, kernel, fault["name"], row))
        out += first_finding(row) + table([row], gpu, fault["name"])
    return out


def order(kernel):
    """The family of the shared-memory kernels first, each in the order of its names."""
    return (not kernel["name"].startswith("v2"), kernel["name"])


def submit_rows(pool, program, kernel, options):
    """The rows to come: of each preset, and of each fault at the first preset."""
    rows = [pool.submit(accept, program, kernel, None, preset, options) for preset in presets_of(kernel)]
    first = first_preset(kernel)
    return rows, [(f, pool.submit(accept, program, kernel, f["name"], first, options)) for f in kernel["faults"]]


def with_times(page, gpu):
    """The page with other times of a GPU: the last cells of each row of its tables of presets."""
    out, kernel, fault = [], None, None
    for line in page.splitlines():
        if line.startswith("## "):
            kernel, fault = line[3:], None
        elif line.startswith("### "):
            kernel, fault = line[4:].split(" --fault ")
        cells = line.strip("|").split("|")
        if line.startswith("| preset |"):
            line = "|" + "|".join(cells[:9]) + "| " + " | ".join(GPU_HEAD) + " |"
        elif line.startswith("| --- ") and len(cells) > 9:
            line = "| --- " * (9 + len(GPU_HEAD)) + "|"
        elif line.startswith("| `") and kernel and len(cells) > 9:
            line = "|" + "|".join(cells[:9]) + "| " + microseconds(gpu, kernel, fault, cells[0].strip(" `")) + " |"
        out.append(line)
    return "\n".join(out) + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", nargs="?")
    arguments.add_argument("fresh", nargs="*", help="kernels to run anew")
    arguments.add_argument("--presets", type=lambda text: text.split(","), default=[])
    arguments.add_argument("--jobs", type=int, default=1, help="rows at once")
    arguments.add_argument("--measured", default=BENCH, help="a record of `warplens bench --json`")
    arguments.add_argument("--times", action="store_true", help="only put the GPU's times into the page")
    arguments.add_argument("--page", default=PAGE, help="where to write it")
    options = arguments.parse_args()
    gpu = measured(options.measured)
    if options.times:
        page = PAGE.read_text()
        begin, end = page.index("\n*tiles wrong*"), page.index("\n## ")
        pathlib.Path(options.page).write_text(with_times(page[:begin] + LEGEND + page[end:], gpu))
        return
    if options.program is None:
        arguments.error("which warplens?")
    program = str(pathlib.Path(options.program).resolve())
    KEPT.mkdir(parents=True, exist_ok=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    kernels = sorted(json.loads(say(program, "kernels", "--json"))["kernels"], key=order)
    with ThreadPoolExecutor(options.jobs) as pool:
        submitted = [submit_rows(pool, program, kernel, options) for kernel in kernels]
        pages = []
        for kernel, (rows, faults) in zip(kernels, submitted):
            page = kernel, [row.result() for row in rows], [(fault, row.result()) for fault, row in faults]
            pages.append(page)
            print(kernel["name"], [r["verdict"] for r in page[1]], [rule_of(row) for _, row in page[2]], flush=True)
    text = INTRODUCTION + contents(pages) + LEGEND
    text += "".join(section(program, *page, gpu) for page in pages)
    pathlib.Path(options.page).write_text(text)


main()
