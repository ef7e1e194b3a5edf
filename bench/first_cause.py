"""From a clean home to the cause on the screen: clicks and seconds, in the window driven by its script.

    python3 bench/first_cause.py build/release/app/warplens [--shots FOLDER]

Three faults of the lineage from their cards on Home, and three of our own in bench/first_cause/blur.cu, which a user
opens by its path. Each starts with a home of its own that holds nothing; a click is a click, text typed into a field
that has the focus is none. Status 1 if a cause is not the one that is there, or takes more than 3 clicks or 10 seconds.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
OWN = HERE / "first_cause"
CLICKS, SECONDS = 3, 10

# Kernel and fault of the lineage, and the cause that its run has to lead to.
LINEAGE = [
    ("v2c_3", "32x", "constant_factor at v2c_3.cu:104"),
    ("v2c_4", "ld", "wrong_leading_dimension at v2c_4.cu:82"),
    ("v2", "race", "race_shared at v2.cu:100"),
]
# What was done to blur.cu, the text and what stands in its place, and the cause.
MINE = [
    ("a barrier left out", "    __syncthreads();\n", "\n", "race_shared at blur.cu:15"),
    ("a neighbour's column", "first > 0 ? first - 1 : 0", "first > 0 ? first : 0", "boundary_off_by_one at blur.cu:9"),
    ("a wrong weight", "sum * 0.25f", "sum * 0.2f", "constant_factor at blur.cu:16"),
]


# A name, steps of a script, and the cause.
def cases(folder):
    for kernel, fault, cause in LINEAGE:
        yield f"{kernel} with {fault}", f"click home/{kernel}/{fault}\n", cause
    source = (OWN / "blur.cu").read_text()
    for number, (name, text, fault, cause) in enumerate(MINE):
        own = folder / f"own{number}"
        own.mkdir()
        for other in ("blur.toml", "blur.py"):
            shutil.copy(OWN / other, own)
        if source.count(text) != 1:
            sys.exit(f"blur.cu does not hold {text!r} once")
        (own / "blur.cu").write_text(source.replace(text, fault))
        keys = "wait 3\nhold Ctrl\nkey A\nrelease Ctrl\n"
        yield f"blur with {name}", f"click home/open\n{keys}type {own / 'blur.cu'} <enter>\n", cause


# Seconds from the start of the program to the cause; what went wrong.
def drive(program, steps, cause, folder, shot):
    script, home = folder / "script", folder / "home"
    home.mkdir()
    shown = f"until cause {cause}\nuntil control/findings/0 shown\n"
    script.write_text(f"until control/home/open shown\n{steps}{shown}wait 4\nshot {shot}\n")
    places = {"HOME": home, "XDG_CONFIG_HOME": home / ".config", "XDG_CACHE_HOME": home / ".cache"}
    environment = {**os.environ, **{name: str(path) for name, path in places.items()}}
    words = [program, "open", "--script", script, "--screenshot", folder / "last.png", "--size", "1600x1000"]
    begin = time.monotonic()
    window = subprocess.Popen(
        list(map(str, words)), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder
    )
    took = None
    while window.poll() is None:
        if shot.exists() and took is None:
            took = time.monotonic() - begin
            window.terminate()
        time.sleep(0.01)
    said = window.communicate()[1].strip()
    return took, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--shots", type=lambda text: pathlib.Path(text).resolve(), help="a picture of each end")
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, steps, cause) in enumerate(cases(pathlib.Path(scratch))):
            folder = pathlib.Path(scratch) / str(number)
            folder.mkdir()
            shot = (options.shots or folder) / f"first_cause_{number}.png"
            shot.unlink(missing_ok=True)
            took, said = drive(options.program, steps, cause, folder, shot)
            clicks = steps.count("click ")
            good = took is not None and took <= SECONDS and clicks <= CLICKS
            failed += not good
            seconds = f"{took:5.1f} s" if took is not None else "      -"
            print(f"{name:32} {clicks} click{'s' * (clicks != 1):1} {seconds}  {cause if took is not None else said}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
