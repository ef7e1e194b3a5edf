#!/usr/bin/env python3
"""Packs a wheel of a build that is there: wheel.py BUILD OUT. What it holds and is called stands in pyproject.toml.

`pip install .` makes the same by scikit-build-core, which builds all of it anew."""

import base64
import hashlib
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WHEN = (2026, 1, 1, 0, 0, 0)  # the same build makes the same wheel


def version(settings):
    where = settings["metadata"]["version"]
    return re.search(where["regex"], (ROOT / where["input"]).read_text())["value"]


def tag():
    """A machine with this C library or a newer one."""
    major, minor = platform.libc_ver()[1].split(".")[:2]
    return f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"


def metadata(project, number):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {number}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {one}" for one in project["classifiers"]]
    lines += [f"Requires-Dist: {one}" for one in project["dependencies"]]
    for extra, wanted in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {one} ; extra == '{extra}'" for one in wanted]
    return "\n".join(lines) + "\nDescription-Content-Type: text/markdown\n\n" + (ROOT / project["readme"]).read_text()


def entry_points(project):
    tables = {"console_scripts": project["scripts"], **project["entry-points"]}
    return "\n".join(f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in table.items())
                     for name, table in tables.items())


def contents(build, stage, settings):
    """(path in the wheel, file) of the package and of what is installed."""
    for component in settings["install"]["components"]:
        subprocess.run(["cmake", "--install", build, "--prefix", stage, "--component", component, "--strip"],
                       check=True, stdout=subprocess.DEVNULL)
    for package in map(ROOT.joinpath, settings["wheel"]["packages"]):
        for path in sorted(package.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield f"{package.name}/{path.relative_to(package)}", path
    for path in sorted(Path(stage).rglob("*")):
        if path.is_file():
            yield f"{settings['wheel']['install-dir']}/{path.relative_to(stage)}", path


def main():
    build, out = sys.argv[1:]
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, settings = told["project"], told["tool"]["scikit-build"]
    number = version(settings)
    about = f"{project['name']}-{number}.dist-info"
    record = []

    with tempfile.TemporaryDirectory() as stage:
        Path(out).mkdir(parents=True, exist_ok=True)
        wheel = Path(out, f"{project['name']}-{number}-{tag()}.whl")
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            def add(name, data, mode=0o644):
                info = zipfile.ZipInfo(name, WHEN)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
                archive.writestr(info, data)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record.append(f"{name},sha256={digest},{len(data)}")

            for name, path in contents(build, stage, settings):
                add(name, path.read_bytes(), path.stat().st_mode & 0o777)
            add(f"{about}/METADATA", metadata(project, number).encode())
            add(f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: warplens\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
            add(f"{about}/entry_points.txt", entry_points(project).encode())
            add(f"{about}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
            archive.writestr(zipfile.ZipInfo(f"{about}/RECORD", WHEN), "\n".join([*record, f"{about}/RECORD,,", ""]))
    print(wheel)


main()
