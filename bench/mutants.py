"""Single changes of correct kernels, and whether the diagnosis names them: the number to drive.

    python3 bench/mutants.py build/release/app/warplens [--count 100] [--seed 0] [--jobs 2] [--search 10]
        [--json table.json] [--gallery | --held-out] [--kind "statement dropped"] [kernel.toml ...]

A mutant is one expression or statement of a kernel's own source changed: relational and arithmetic operators,
constants by one, operands and index terms exchanged, statements and barriers dropped. Kept are those that compile
and of which something is found; what differs from no reference is counted apart. Judged by scoring.py, any cause that
is claimed within two lines of the change being taken for the right one.

The same seed draws the same mutants. Kernels: those of kernels/ and tests/kernels/ with a reference, the gallery's
among them but for those held out, unless named; --gallery draws from the gallery alone, --held-out from that third.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import tomllib

import gallery
import scoring

ROOT = pathlib.Path(__file__).resolve().parents[1]

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\s+)
      |(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)
      |(?P<word>[A-Za-z_]\w*)
      |(?P<sign><<=|>>=|<<<|>>>|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|->|::|[^\w\s])""",
    re.S | re.X,
)
RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "=", "-=": "+=", "*=": "=", "<<": ">>", ">>": "<<"}
EXCHANGED = {"-", "/", "%", "<", ">"}
MARKS = re.compile(r"^WL_")
TYPES = {"int", "float", "half", "__half", "double", "unsigned", "const", "bool", "char", "long", "short", "auto",
         "__shared__", "extern", "struct", "constexpr", "static", "size_t", "uint32_t", "int64_t", "__nv_bfloat16"}


def tokens_of(text):
    """(kind, text, offset) of what is code."""
    at, out = 0, []
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            at += 1
            continue
        if m.lastgroup != "skip":
            out.append((m.lastgroup, m.group(), at))
        at = m.end()
    return out


def device_ranges(tokens):
    """Index ranges of the bodies of __global__ and __device__ functions."""
    out, i = [], 0
    while i < len(tokens):
        if tokens[i][1] in ("__global__", "__device__"):
            j = i
            while j < len(tokens) and tokens[j][1] not in ("{", ";", "="):
                j += 1
            if j < len(tokens) and tokens[j][1] == "{":
                depth, begin = 0, j
                while j < len(tokens):
                    depth += {"{": 1, "}": -1}.get(tokens[j][1], 0)
                    if depth == 0:
                        break
                    j += 1
                out.append((begin, min(j, len(tokens) - 4)))  # where branches of the preprocessor have braces
                i = j
        i += 1
    return out


def is_value(token):
    return token[0] in ("number", "word") and token[1] not in TYPES


def mutations_of(text):
    """(class, line, offset, length, replacement)."""
    tokens, lines = tokens_of(text) + [("sign", "", len(text))] * 3, {n for n, _ in scoring.compiled_lines(text)}
    line_at = [0]
    for c in text:
        line_at.append(line_at[-1] + (c == "\n"))
    out = []

    def put(kind, first, last, replacement):
        offset = tokens[first][2]
        end = tokens[last][2] + len(tokens[last][1])
        line = line_at[offset] + 1
        if line in lines:
            out.append((kind, line, offset, end - offset, replacement))

    for begin, end in device_ranges(tokens):
        square, statement, in_for, round_ = 0, begin + 1, 0, 0
        for i in range(begin + 1, end):
            kind, word, _ = tokens[i]
            square += {"[": 1, "]": -1}.get(word, 0)
            round_ += {"(": 1, ")": -1}.get(word, 0)
            before, after = tokens[i - 1], tokens[i + 1]
            binary = is_value(before) or before[1] in (")", "]")
            if word in RELATIONS and binary and not (word in "<>" and before[0] == "word" and after[1] in TYPES):
                put("relation", i, i, RELATIONS[word])
            if word in SIGNS and (binary or word.endswith("=")) and after[1] not in (")", ">"):
                put("operator", i, i, SIGNS[word])
            if word in EXCHANGED and is_value(before) and is_value(after) and tokens[i + 2][1] in (")", ";", "]", ","):
                if tokens[i - 2][1] in ("(", "=", "[", ",", "return"):
                    put("operands exchanged", i - 1, i + 1, f"{after[1]} {word} {before[1]}")
            if kind == "number" and re.fullmatch(r"\d+", word) and before[1] != "[" or (
                kind == "number" and re.fullmatch(r"\d+", word) and square and after[1] in ("+", "-", "*", "/", "%")
            ):
                put("constant", i, i, str(int(word) + 1))
                if int(word) > 0:
                    put("constant", i, i, str(int(word) - 1))
            if kind == "word" and word in ("threadIdx", "blockIdx") and after[1] == "." and tokens[i + 2][1] in "xy":
                put("index term", i + 2, i + 2, "y" if tokens[i + 2][1] == "x" else "x")
            if square and word in ("*", "+") and is_value(before) and before[0] == "word":
                for j in range(i + 1, min(i + 6, end)):
                    if tokens[j][1] in ("]", ")", "("):
                        break
                    if tokens[j][0] == "word" and tokens[j][1] != before[1] and tokens[j + 1][1] not in ("(", "[", ".") \
                            and tokens[i - 2][1] in ("[", "+", "*", "("):
                        if j == i + 1 and (word == "*" or tokens[i - 2][1] != "*"):
                            break  # the same sum or product
                        middle = text[before[2] + len(before[1]):tokens[j][2]]
                        put("index term", i - 1, j, tokens[j][1] + middle + before[1])
                        break
            if word in ("{", "}", ";"):
                if word == ";" and round_ == 0:
                    words = [t[1] for t in tokens[statement:i]]
                    declares = not words or words[0] in TYPES or "WL_" in words[0] or words[0] in (
                        "return", "for", "if", "while", "else", "do", "break", "continue", "using", "template", "asm")
                    typed = len(words) > 1 and tokens[statement][0] == "word" and tokens[statement + 1][0] == "word"
                    if not declares and not typed and "<" not in words[:2]:
                        barrier = words[0] in ("__syncthreads", "__syncwarp")
                        put("barrier dropped" if barrier else "statement dropped", statement, i, ";")
                if round_ == 0:
                    statement = i + 1
            if word == ")" and round_ == 0:
                opened = i
                depth = 0
                while opened > begin:
                    depth += {")": 1, "(": -1}.get(tokens[opened][1], 0)
                    if depth == 0:
                        break
                    opened -= 1
                if tokens[opened - 1][1] in ("if", "for", "while"):
                    statement = i + 1
    return [m for m in out if not MARKS.search(text[text.rfind("\n", 0, m[2]) + 1:].lstrip())]


def kernels_with_reference(which):
    """Manifests; `which` is "all", "gallery" (neither of them with what is held out) or "held out"."""
    ours = {row["manifest"]: row["held_out"] for row in gallery.kernels().values()}
    if which != "all":
        return [path for path, held_out in ours.items() if held_out == (which == "held out")]
    out = []
    for folder in ("kernels", "tests/kernels"):
        for path in sorted((ROOT / folder).rglob("*.toml")):
            try:
                manifest = tomllib.loads(path.read_text())
            except tomllib.TOMLDecodeError:
                continue
            source = path.parent / manifest.get("source", path.stem + ".cu")
            if manifest.get("reference") and source.suffix == ".cu" and source.is_file() and not ours.get(path):
                out.append(path)
    return out


def tried(program, mutant, search, timeout):
    kernel, (kind, line, offset, length, replacement) = mutant
    manifest = tomllib.loads(kernel.read_text())
    source = kernel.parent / manifest.get("source", kernel.stem + ".cu")
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        top = pathlib.Path(folder) / "k"
        shutil.copytree(kernel.parent, top, ignore=shutil.ignore_patterns("__pycache__", "*.wlcap"))
        text = source.read_text()
        target = (top / os.path.relpath(source, kernel.parent)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text[:offset] + replacement + text[offset + length:])
        said = scoring.diagnose(program, top / kernel.name, ["--threads", "1"], search, timeout)
    head = {"kernel": str(kernel.relative_to(ROOT)), "kind": kind, "line": line, "replacement": replacement}
    row = head | scoring.score(scoring.wrong_of_edit(text, offset, length, replacement), *said)
    row["score"] = "does not compile" if row["verdict"] == "error" else row["score"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("kernels", nargs="*", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--search", type=int, default=10)
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--json")
    parser.add_argument("--kind", help="of these alone")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--gallery", dest="which", action="store_const", const="gallery", default="all")
    which.add_argument("--held-out", dest="which", action="store_const", const="held out")
    o = parser.parse_intermixed_args()
    program = str(pathlib.Path(o.program).resolve())
    mutants = []
    for kernel in [k.resolve() for k in o.kernels] or kernels_with_reference(o.which):
        manifest = tomllib.loads(kernel.read_text())
        source = kernel.parent / manifest.get("source", kernel.stem + ".cu")
        mutants += [(kernel, m) for m in mutations_of(source.read_text()) if o.kind in (None, m[0])]
    random.Random(o.seed).shuffle(mutants)
    print(f"{len(mutants)} mutants; {min(o.count, len(mutants))} are drawn", flush=True)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for row in pool.map(lambda m: tried(program, m, o.search, o.timeout), mutants[:o.count]):
            rows.append(row)
            print(f"{row['score']:16} {row['kind']:18} {row['kernel']}:{row['line']}  {row.get('rule', '')} "
                  f"{row.get('at', '')} {row.get('title', '')[:70]}", file=sys.stderr, flush=True)
    scoring.table([r for r in rows if r["score"] != "missed"], "kind")
    print(f"{sum(r['score'] == 'missed' for r in rows)} differ from no reference")
    scoring.summary(rows)
    if o.json:
        pathlib.Path(o.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
