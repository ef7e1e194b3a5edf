"""Single changes of correct kernels, and whether the diagnosis names them: the number to drive.

    python3 bench/mutants.py build/release/app/warplens [--count 100] [--seed 0] [--jobs 2] [--search 10]
        [--json table.json] [kernel.toml ...]

A mutant is one expression or statement of a kernel's own source changed: relational and arithmetic operators,
constants by one, operands and index terms exchanged, statements and barriers dropped. Kept are those that compile
and of which something is found; what differs from no reference is counted apart. Scored by the first finding:

  named      it claims a cause (any rule but values_differ and never_written), within two lines of the change
  seen       it stands within two lines, or claims no cause
  elsewhere  it claims a cause in another place: `proven` of these are false stories, or other ways to mend it

The same seed draws the same mutants. Kernels: those of kernels/ and tests/kernels/ with a reference, unless named.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
NEAR = 2  # lines
CLAIMS_NOTHING = {"values_differ", "never_written"}

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


def compiled_lines(text):
    """Numbers of the lines that a build without faults and macros of the user's compiles, directives left out."""
    lines, stack = set(), []
    for number, line in enumerate(text.splitlines(), 1):
        directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if not directive:
            if all(on for on, _ in stack):
                lines.add(number)
            continue
        word, rest = directive.groups()
        if word in ("if", "ifdef", "ifndef"):
            on = word == "ifndef" if "WL_FAULT" in rest else True
            if word == "if" and rest.strip().startswith("!defined(WL_FAULT"):
                on = True
            stack.append((on, on))
        elif word in ("elif", "else") and stack:
            _, any_on = stack.pop()
            on = not any_on and ("WL_FAULT" not in rest)
            stack.append((on, any_on or on))
        elif word == "endif" and stack:
            stack.pop()
    return lines


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
    tokens, lines = tokens_of(text) + [("sign", "", len(text))] * 3, compiled_lines(text)
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


def kernels_with_reference():
    out = []
    for folder in ("kernels", "tests/kernels"):
        for path in sorted((ROOT / folder).rglob("*.toml")):
            try:
                manifest = tomllib.loads(path.read_text())
            except tomllib.TOMLDecodeError:
                continue
            source = path.parent / manifest.get("source", path.stem + ".cu")
            if manifest.get("reference") and source.suffix == ".cu" and source.is_file():
                out.append(path)
    return out


def run(program, manifest, search, timeout):
    command = [program, "diagnose", str(manifest), "--json", "--quiet", "--threads", "1"]
    if search:
        command += ["--search", str(search)]
    begin = time.monotonic()
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        answer = json.loads(said.stdout)
    except subprocess.TimeoutExpired:
        return {"verdict": "timeout"}, timeout
    except json.JSONDecodeError:
        return {"verdict": "crash", "said": said.stderr[-300:]}, time.monotonic() - begin
    return answer, time.monotonic() - begin


def score(mutant, answer, seconds):
    kernel, (kind, line, _, _, replacement) = mutant
    row = {"kernel": str(kernel.relative_to(ROOT)), "kind": kind, "line": line, "replacement": replacement,
           "verdict": answer["verdict"], "seconds": round(seconds, 2)}
    findings = answer.get("findings") or []
    if answer["verdict"] == "error" or not findings:
        row["score"] = {"ok": "not seen", "error": "does not compile"}.get(answer["verdict"], answer["verdict"])
        return row
    first = findings[0]
    where = first["where"]
    near = where.get("line", 0) and abs(where["line"] - line) <= NEAR
    claims = first["rule"] not in CLAIMS_NOTHING
    row |= {"rule": first["rule"], "at": where.get("line", 0), "proven": first["proven"], "title": first["title"]}
    row["score"] = "named" if near and claims else "seen" if near or not claims else "elsewhere"
    return row


def tried(program, mutant, search, timeout):
    kernel, (_, _, offset, length, replacement) = mutant
    manifest = tomllib.loads(kernel.read_text())
    source = kernel.parent / manifest.get("source", kernel.stem + ".cu")
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        top = pathlib.Path(folder) / "k"
        shutil.copytree(kernel.parent, top, ignore=shutil.ignore_patterns("__pycache__", "*.wlcap"))
        text = source.read_text()
        target = (top / os.path.relpath(source, kernel.parent)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text[:offset] + replacement + text[offset + length:])
        return score(mutant, *run(program, top / kernel.name, search, timeout))


def table(rows):
    kept = [r for r in rows if r["score"] in ("named", "seen", "elsewhere")]
    print(f"{'kind':20} {'kept':>5} {'named':>6} {'seen':>5} {'elsewhere':>10} {'of these proven':>16}")
    kinds = collections.defaultdict(list)
    for r in kept:
        kinds[r["kind"]].append(r)
    for kind, group in sorted(kinds.items()) + [("all", kept)]:
        count = collections.Counter(r["score"] for r in group)
        false = sum(r["score"] == "elsewhere" and r["proven"] for r in group)
        print(f"{kind:20} {len(group):5} {count['named']:6} {count['seen']:5} {count['elsewhere']:10} {false:16}")
    others = collections.Counter(r["score"] for r in rows if r not in kept)
    print("besides: " + (", ".join(f"{n} {what}" for what, n in others.items()) or "none"))
    if kept:
        seconds = [r["seconds"] for r in kept]
        named = sum(r["score"] == "named" for r in kept)
        print(f"named {named} of {len(kept)} = {100 * named / len(kept):.0f} %; median {statistics.median(seconds):.1f} s, "
              f"worst {max(seconds):.1f} s")


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
    o = parser.parse_intermixed_args()
    program = str(pathlib.Path(o.program).resolve())
    mutants = []
    for kernel in [k.resolve() for k in o.kernels] or kernels_with_reference():
        manifest = tomllib.loads(kernel.read_text())
        source = kernel.parent / manifest.get("source", kernel.stem + ".cu")
        mutants += [(kernel, m) for m in mutations_of(source.read_text())]
    random.Random(o.seed).shuffle(mutants)
    print(f"{len(mutants)} mutants; {min(o.count, len(mutants))} are drawn", flush=True)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for row in pool.map(lambda m: tried(program, m, o.search, o.timeout), mutants[:o.count]):
            rows.append(row)
            print(f"{row['score']:16} {row['kind']:18} {row['kernel']}:{row['line']}  {row.get('rule', '')} "
                  f"{row.get('at', '')} {row.get('title', '')[:70]}", file=sys.stderr, flush=True)
    table(rows)
    if o.json:
        pathlib.Path(o.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
