"""Layout algebra against CuTe's own (pycute, from the CUTLASS wheel) on random layouts.

    python3 tests/layouts/pycute_check.py build/release/app/warplens [COUNT]

Fetches the wheel from PyPI into a temporary folder. What warplens answers has to be the same function; what it refuses
has to be refused by pycute too, or be unsound: pycute rounds extents that do not divide, and gives layouts that are
not the composition, and complements that overlap or leave gaps.
"""
import json
import random
import subprocess
import sys
import tempfile

WHEEL = "nvidia-cutlass==4.2.0.0"


def fetch(folder):
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary=:all:", "--no-deps",
         "--no-compile", "--target", folder, WHEEL], check=True)
    sys.path.insert(0, folder)


def random_pair(dice, depth=0):
    """Shape and stride, nested alike."""
    if depth >= 2 or dice.randrange(3) == 0:
        return dice.randint(1, 6), dice.choice([0, 1, 2, 3, 4, 6, 8, 16, 32])
    pairs = [random_pair(dice, depth + 1) for _ in range(dice.randint(1, 3))]
    return tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)


def text(tree):
    return str(tree) if isinstance(tree, int) else "(" + ",".join(map(text, tree)) + ")"


def composes(pycute, a, b):
    """Is what pycute makes of it the composition?"""
    made = attempt(lambda: pycute.composition(a, b))
    return made is not None and made.size() == b.size() and all(made(i) == a(b(i)) for i in range(b.size()))


def is_complement(layout, target, made):
    """Do the two, side by side, take every offset below the target, and none twice?"""
    if made is None or made.size() == 0:
        return False
    own = {layout(i) for i in range(layout.size())}
    taken = {x + made(k) for x in own for k in range(made.size())}
    return len(taken) == len(own) * made.size() and all(x in taken for x in range(target))


def attempt(make):
    try:
        return make()
    except (AssertionError, ZeroDivisionError, IndexError):
        return None


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    folder = tempfile.TemporaryDirectory()
    fetch(folder.name)
    import pycute

    dice, questions, wanted, sound = random.Random(20), [], [], []

    def ask(expression, make, is_sound):
        questions.append(expression)
        wanted.append(attempt(make))
        sound.append(is_sound)  # of what pycute gives, asked only where warplens refuses

    for _ in range(count):
        (sa, da), (sb, db) = random_pair(dice), random_pair(dice)
        a, b = pycute.Layout(sa, da), pycute.Layout(sb, db)
        ta, tb, n = f"{text(sa)}:{text(da)}", f"{text(sb)}:{text(db)}", dice.randint(1, 200)
        beside = attempt(lambda: pycute.complement(b, a.size()))
        over = attempt(lambda: pycute.complement(a, a.size() * b.cosize()))
        ask(ta, lambda: a, lambda: True)
        ask(f"coalesce({ta})", lambda: pycute.coalesce(a), lambda: True)
        ask(f"complement({ta},{n})", lambda: pycute.complement(a, n),
            lambda a=a, n=n: is_complement(a, n, attempt(lambda: pycute.complement(a, n))))
        ask(f"{ta} o {tb}", lambda: pycute.composition(a, b), lambda a=a, b=b: composes(pycute, a, b))
        ask(f"divide({ta},{tb})", lambda: pycute.logical_divide(a, b),
            lambda a=a, b=b, c=beside: is_complement(b, a.size(), c) and composes(pycute, a, pycute.make_layout(b, c)))
        ask(f"product({ta},{tb})", lambda: pycute.logical_product(a, b),
            lambda a=a, b=b, c=over: is_complement(a, a.size() * b.cosize(), c) and composes(pycute, c, b))
    said = subprocess.run([program, "layout", "-"], input="\n".join(questions) + "\n", capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in said.stdout.splitlines()]
    assert len(answers) == len(questions)
    agreed = refused = different = wrongly = 0
    for question, layout, is_sound, answer in zip(questions, wanted, sound, answers):
        if "error" in answer:
            refused += 1
            if layout is not None and attempt(is_sound):
                wrongly += 1
                print("refused without a reason:", question, layout, answer["error"])
        elif layout is None or answer["offsets"] != [layout(i) for i in range(layout.size())]:
            different += 1
            print("different:", question, answer["layout"], layout)
        else:
            agreed += 1
    print(f"{agreed} agree, {different} differ; {refused} refused, {wrongly} of them without a reason")
    return 1 if different or wrongly else 0


if __name__ == "__main__":
    sys.exit(main())
