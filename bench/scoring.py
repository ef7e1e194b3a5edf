"""What a diagnosis is worth when the fault is known: one measure for faults, mutants and whatever else is switched on.

A fault is known by its lines and what they should say (`Wrong`). The first finding is judged:

  named      it gives the right cause within two lines, or an edit of the wrong line itself that is the right one or
             is proven
  line       it stands within two lines, and claims another cause or none
  seen       it stands elsewhere, and what it says is true: the right hazard or fit, another hazard with its witness,
             or no cause
  elsewhere  it claims a cause that is not it, or an edit, at another line; `proven` of these are false stories, or
             other ways to mend it
  missed     nothing is found

Lines are counted as the compiler sees them, without what the preprocessor leaves out. A finding stands where it says,
where what it says was inlined, and a race at both of its accesses and where its barrier is proven to belong.
"""

import bisect
import collections
import dataclasses
import json
import re
import statistics
import subprocess
import time

NEAR = 2  # lines
CLAIMS_NOTHING = {"values_differ", "never_written"}
RACES = {"race_shared", "race_warp", "race_global"}
HAZARDS = RACES | {"async_copy_wait", "out_of_bounds", "misaligned", "uninitialised", "shuffle_misuse"}
MISSING = re.compile("`(.+)` is missing")
EDIT = re.compile("(?!`the condition`)(.+) should be (.+)")  # one that is taken always, or never, is no edit
FAILED = {"error", "timeout", "crash", "incomplete", "unsupported"}

# Rules that say what a class of faults is, the class's own name beside them.
CAUSES = {
    "wrong_operand": {"wrong_index"},
    "wrong_index": {"wrong_operand", "permuted_operand"},
    "swapped_indices": {"wrong_index", "transposed_operand", "permuted_operand"},
    "off_by_one": {"boundary_off_by_one", "wrong_constant", "partial_reduction", "double_count", "out_of_bounds"},
    "missing_guard": {"out_of_bounds", "wrong_condition"},
    "wrong_leading_dimension": {"wrong_index", "wrong_constant"},
    "partial_reduction": {"boundary_off_by_one", "wrong_constant", "wrong_condition"},
    "double_count": {"boundary_off_by_one", "wrong_constant", "wrong_condition", "constant_factor"},
    "missing_term": {"partial_reduction"},
    "wrong_initial_value": {"wrong_constant", "uninitialised"},
    "wrong_factor": {"constant_factor", "row_factor", "missing_rescale", "wrong_constant"},
    "wrong_operator": {"wrong_operation"},
    "precision": set(),
    "truncation": {"precision", "wrong_operation", "boundary_off_by_one", "wrong_constant"},
    "overflow": {"precision", "nan_birth"},
    "shuffle_misuse": {"uniform_reduction", "wrong_constant", "wrong_operation"},
    "missing_barrier": RACES,
    "async_wait": {"async_copy_wait"},
    "misaligned": set(),
    "uninitialised": {"wrong_initial_value"},
    "never_written": {"uninitialised", "wrong_condition", "boundary_off_by_one", "wrong_constant"},
    "stale_tile": {"race_shared", "wrong_index", "wrong_constant", "boundary_off_by_one"},
    "missing_rescale": {"constant_factor", "row_factor", "wrong_operation"},
    "mask_off_by_one": {"boundary_off_by_one", "wrong_condition", "wrong_constant"},
}


@dataclasses.dataclass
class Wrong:
    """A source with a fault, by its compiled lines: (number, text) each, and those that differ from the right one."""

    lines: list
    changed: list  # positions in `lines` of the wrong ones
    dropped: list  # positions before which right ones are missing
    right: list  # texts that should stand there
    causes: set | None = None  # rules that name it; None: any that claims a cause


def holds(condition, macros):
    """Truth of a condition of the preprocessor over defined(...); what it cannot read is taken to hold."""
    text = re.sub(r"__has_include\s*\([^)]*\)", "1", condition.split("//")[0])
    text = re.sub(r"defined\s*\(?\s*(\w+)\s*\)?", lambda m: str(int(m[1] in macros)), text)
    text = re.sub(r"\bWL_FAULT_\w+", lambda m: str(int(m[0] in macros)), text)  # `#if WL_FAULT_X`
    text = text.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    if re.search(r"[A-Za-z_]\w*", re.sub(r"\b(and|or|not)\b", "", text)):
        return True
    return bool(eval(text))


def compiled_lines(text, macros=()):
    """(number, text) of the lines that a build with these macros compiles, directives left out."""
    out, branches = [], []  # of each open conditional: whether this branch is taken, whether any was
    for number, line in enumerate(text.splitlines(), 1):
        directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        word, rest = directive.groups() if directive else ("", "")
        if not directive:
            if all(taken for taken, _ in branches):
                out.append((number, line))
        elif word in ("if", "ifdef", "ifndef"):
            taken = holds(rest, macros) if word == "if" else (rest.split()[0] in macros) == (word == "ifdef")
            branches.append((taken, taken))
        elif word in ("elif", "else"):
            _, any_taken = branches.pop()
            taken = not any_taken and (word == "else" or holds(rest, macros))
            branches.append((taken, any_taken or taken))
        elif word == "endif":
            branches.pop()
    return out


def macro(fault):
    """The macro that a fault of a manifest is compiled with, as base/fault_macro.h has it."""
    return "WL_FAULT_" + re.sub(r"[^A-Z0-9]", "_", fault.upper())


def wrong_of_fault(text, fault, causes):
    """A fault that a macro of the source switches on."""
    right, lines = compiled_lines(text), compiled_lines(text, {macro(fault)})
    have, numbers = {n for n, _ in right}, [n for n, _ in lines]
    missing = [(n, t) for n, t in right if n not in set(numbers)]
    changed = [k for k, n in enumerate(numbers) if n not in have]
    dropped = [] if changed else [bisect.bisect(numbers, n) for n, _ in missing]
    return Wrong(lines, changed, dropped, [t for _, t in missing], causes)


def wrong_of_edit(text, offset, length, replacement):
    """A source changed in one place."""
    number = text.count("\n", 0, offset)
    end = text.count("\n", 0, offset + length)
    changed = text[:offset] + replacement + text[offset + length:]
    lines = compiled_lines(changed)
    at = [k for k, (n, _) in enumerate(lines) if n == number + 1]
    return Wrong(lines, at, [], text.splitlines()[number:end + 1])


def distance(wrong, line):
    """Lines between one that is told and the nearest wrong one; None where the source has no such line."""
    numbers = [n for n, _ in wrong.lines]
    if not line or line > numbers[-1] + 1:
        return None
    at = bisect.bisect_left(numbers, line)
    return min([abs(at - k) for k in wrong.changed] + [k - at if at < k else at - k + 1 for k in wrong.dropped],
               default=None)


def squeezed(text):
    return re.sub(r"\s+", "", text)


def is_right_edit(wrong, finding):
    """Whether the change that a finding proposes makes the wrong lines the right ones, or puts the missing one in."""
    missing = MISSING.match(finding.get("title", ""))
    if missing and wrong.dropped:
        return squeezed(missing[1]) == squeezed("".join(wrong.right))
    said = EDIT.match(finding.get("title", ""))
    if not said or not wrong.changed:
        return False
    was, now = (part.strip("`").replace(" = ...", " =").replace(" += ...", " +=") for part in said.groups())
    right = squeezed("".join(wrong.right))
    text = "".join(wrong.lines[k][1] for k in wrong.changed)
    places = [m.start() for m in re.finditer(re.escape(was), text)]
    return any(squeezed(text[:p] + now + text[p + len(was):]) == right for p in places) or \
        squeezed(text.replace(was, now)) == right


def judged(wrong, finding):
    rule, where, kind = finding["rule"], finding["where"], finding.get("evidence_kind")
    places = [where, *where.get("inlined_at", [])]
    if rule in RACES:
        places += [finding.get("other", {}), {"line": int(dict(finding.get("evidence") or {}).get("barrier_line", 0))}]
    away = min((d for d in (distance(wrong, place.get("line")) for place in places) if d is not None), default=None)
    is_edit = bool(EDIT.match(finding.get("title", "")))
    claims = rule not in CLAIMS_NOTHING or kind == "proven"
    right = claims if wrong.causes is None else rule in wrong.causes
    if away is not None and away <= NEAR:
        mends = away == 0 and is_edit and kind == "proven"
        return "named" if right or mends or is_right_edit(wrong, finding) else "line"
    right = right and wrong.causes is not None and (rule in HAZARDS or kind != "proven")
    return "seen" if right or not claims or kind == "witness" else "elsewhere"


def score(wrong, answer, seconds):
    """A row: score, verdict, seconds, and what the first finding says."""
    row = {"verdict": answer["verdict"], "seconds": round(seconds, 2)}
    findings = answer.get("findings") or []
    if answer["verdict"] in FAILED and not findings:
        return row | {"score": answer["verdict"], "said": str(answer.get("error") or answer.get("said") or "")}
    if not findings:
        return row | {"score": "missed"}
    first = findings[0]
    row |= {"rule": first["rule"], "at": first["where"].get("line", 0), "title": first["title"],
            "evidence_kind": first.get("evidence_kind"), "proven": first["proven"],
            "tried": int(dict(first.get("evidence") or {}).get("tried", 0))}
    return row | {"score": judged(wrong, first)}


def diagnose(program, manifest, words=(), search=10, timeout=120):
    """The answer of `warplens diagnose --json`, and its seconds."""
    command = [program, "diagnose", str(manifest), "--json", "--quiet", "--search", str(search), *words]
    begin = time.monotonic()
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        answer = json.loads(said.stdout)
    except subprocess.TimeoutExpired:
        answer = {"verdict": "timeout"}
    except json.JSONDecodeError:
        answer = {"verdict": "crash", "said": said.stderr[-300:]}
    return answer, time.monotonic() - begin


SCORES = ("named", "line", "seen", "elsewhere", "missed")


def table(rows, key):
    """Scores by what `key` says of a row, and of all."""
    judged_rows = [r for r in rows if r["score"] in SCORES]
    groups = collections.defaultdict(list)
    for r in judged_rows:
        groups[r[key]].append(r)
    print(f"{key:26} {'all':>4} {'named':>6} {'':5} {'line':>5} {'seen':>5} {'elsewhere':>10} {'of these proven':>16} {'missed':>7}")
    for name, group in sorted(groups.items()) + [("all", judged_rows)]:
        n = collections.Counter(r["score"] for r in group)
        false = sum(r["score"] == "elsewhere" and r["proven"] for r in group)
        print(f"{name:26} {len(group):4} {n['named']:6} {100 * n['named'] // max(1, len(group)):3} % {n['line']:5} "
              f"{n['seen']:5} {n['elsewhere']:10} {false:16} {n['missed']:7}")


def summary(rows):
    """What came to nothing, and how long the others took."""
    others = collections.Counter(r["score"] for r in rows if r["score"] not in SCORES)
    if others:
        print("besides: " + ", ".join(f"{n} {what}" for what, n in others.items()))
    seconds = [r["seconds"] for r in rows if r["score"] in SCORES]
    if seconds:
        print(f"median {statistics.median(seconds):.1f} s, worst {max(seconds):.1f} s")
