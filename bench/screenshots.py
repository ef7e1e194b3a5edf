"""Pictures of every panel, workspace and menu of the window, at several sizes, in both themes.

    python3 bench/screenshots.py build/release/app/warplens OUT [--kernel v2c_3] [--fault 32x] [--sizes 960x600,1280x720]
                                 [--themes dark,light] [--only NAME,...]

Draws off screen, so no display is needed. Each size and theme is a process that walks through all views by a script
(app/shell/driver.h) and writes OUT/WIDTHxHEIGHT[@SCALE]-THEME/NAME.png; Fragments are those of v2c_4 --fault ld, which
multiplies by matrix instructions. A view that cannot be reached, holds nothing, or has a text over another or cut off,
fails the run with the line of the script that says why.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = "960x600,1280x720,1920x1080,2880x1800@3"

REST = "move menu/file"  # the mouse, where no panel is
CTRL = "hold Ctrl\nkey {0}\nrelease Ctrl"
# Name and script; each begins where the one before left the window.
VIEWS = [
    ("heatmaps", "panel Heatmaps"),
    ("hovered", "move heat/difference .4 .4\nwait 3"),
    ("cells", "key Z\nwait 2\nmove heat/got .5 .5"),
    ("ratio", "key F\nkey 3\nmove menu/file"),
    ("split", CTRL.format("3")),
    ("blend", CTRL.format("4")),
    ("in_one_place", CTRL.format("2")),
    ("look", CTRL.format("1") + "\nkey 1\nclick heat/look\nwait 2"),
    ("profiles", "click heat/profiles\nkey Escape\nmove heat/got .5 .5"),
    ("rectangle", "click heat/look\nclick heat/profiles\nkey Escape\nhold Shift\ndrag heat/got .2 .2 40 30\nrelease Shift"),
    ("lanes", f"panel Lanes\n{REST}\nwait 3\nuntil waiting no"),
    ("shared_memory", f"panel Shared memory\n{REST}\nwait 3\nuntil waiting no"),
    ("provenance", f"panel Provenance\n{REST}\nwait 3\nuntil waiting no"),
    ("banks_unasked", "panel Banks\nwait 3"),
    ("banks", f"click banks/count\n{REST}\nuntil banks counted\nwait 3"),
    ("learn", "panel Learn\nwait 3\nuntil waiting no"),
    ("findings", "panel Findings"),
    ("source", "panel Source"),
    ("errors", "panel Errors"),
    ("ownership", "panel Ownership"),
    ("element", "panel Element"),
    ("compare_without_b", "panel Heatmaps\npanel Compare"),
    ("earlier", "key E\nwait 4\nuntil waiting no\nkey M\nuntil against B\nwait 3\nuntil waiting no"),
    ("compare", CTRL.format("K") + "\nwait 2\nuntil waiting no"),
    ("element_against_b", "panel Element"),
    ("workspace_step", "hold Shift\nkey V\nrelease Shift\nhold Shift\n" + CTRL.format("2") + "\nrelease Shift\nwait 4\nuntil waiting no"),
    ("workspace_layout", "hold Shift\n" + CTRL.format("3") + "\nrelease Shift\nwait 4\nuntil waiting no"),
    ("workspace_learn", "hold Shift\n" + CTRL.format("4") + "\nrelease Shift\nwait 4\nuntil waiting no"),
    ("finder", "hold Shift\n" + CTRL.format("1") + "\nrelease Shift\nwait 4\n" + CTRL.format("P") + "\nwait 3\ntype sco\nwait 3"),
    ("keys", "key Escape\nwait 3\nkey F1\nwait 3"),
    ("menu_view", "key F1\nwait 3\nclick menu/view\nwait 2"),
    ("menu_step", "key Escape\nwait 2\nclick menu/step\nwait 2"),
    ("open", "key Escape\nwait 2\n" + CTRL.format("O") + "\nwait 3"),
    ("home", "key Escape\nwait 2\nclick menu/home\nwait 3"),
]

MATRIX_VIEWS = [("fragments", f"panel Fragments\n{REST}\nwait 3\nuntil waiting no\nexpect control/fragments/matrix/cells shown")]
EMPTY_VIEWS = [("empty", "click menu/home\nwait 3")]


def run(words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, cwd=ROOT)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stderr}")


def script_of(views, folder, only):
    lines = []
    for name, script in views:
        lines.append(script)
        if not only or name in only:
            lines += [f"shot {folder / name}.png", "expect legible yes"]
    return "\n".join(lines) + "\n"


def draw(program, captures, folder, size, theme, only):
    extent, _, scale = size.partition("@")
    folder.mkdir(parents=True, exist_ok=True)
    for capture, views in ((captures[0], VIEWS), (captures[1], MATRIX_VIEWS), (None, EMPTY_VIEWS)):
        if only and not only & {name for name, _ in views}:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".script") as script:
            script.write(script_of(views, folder, only))
            script.flush()
            words = [program, "open", *filter(None, [capture]), "--script", script.name]
            words += ["--screenshot", folder / "last.png", "--size", extent, "--scale", scale or 1, "--theme", theme]
            run(words)
    (folder / "last.png").unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("out", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--kernel", default="v2c_3")
    parser.add_argument("--fault", default="32x", help="empty for none")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--themes", default="dark,light")
    parser.add_argument("--only", default="", help="these views alone")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    captures = []
    for kernel, fault in ((options.kernel, options.fault), ("v2c_4", "ld")):
        captures.append(options.out / f"{pathlib.Path(kernel).stem}.wlcap")
        words = [options.program, "run", kernel, *(["--fault", fault] if fault else [])]
        run([*words, "-o", captures[-1], "--quiet"])
    only = set(filter(None, options.only.split(",")))
    for size in options.sizes.split(","):
        for theme in options.themes.split(","):
            folder = options.out / f"{size}-{theme}"
            draw(options.program, captures, folder, size, theme, only)
            print(f"{folder}: {len(list(folder.glob('*.png')))} pictures")


if __name__ == "__main__":
    main()
