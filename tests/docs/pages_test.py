#!/usr/bin/env python3
"""Pages lead where they say, docs/README.md lists them all, and what a repository is expected to hold is there and whole."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs/README.md"


def pages():
    return [*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.md"), *(ROOT / "docs").rglob("*.md")]


def prose(page):
    """Its lines without blocks of code, each with its number."""
    inside = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if re.match(r" *```", line):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(page):
    """Of its headings, as GitHub makes them."""
    found = {}
    for _, line in prose(page):
        if heading := re.match(r"#+ (.*)", line):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found[name] = found.get(name, -1) + 1
    return {name if k == 0 else f"{name}-{k}" for name, last in found.items() for k in range(last + 1)}


def links(page):
    for number, line in prose(page):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if not re.match(r"[a-z]+:", target):
                yield number, target


class Pages(unittest.TestCase):
    def test_links_lead_to_what_is_there(self):
        seen = 0
        for page in pages():
            for number, target in links(page):
                seen += 1
                path, _, anchor = target.partition("#")
                to = (page.parent / path).resolve() if path else page
                with self.subTest(page=str(page.relative_to(ROOT)), line=number, target=target):
                    self.assertTrue(to.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(to))
        self.assertGreater(seen, 200)

    def test_the_index_lists_every_page(self):
        listed = {target for _, target in links(INDEX)}
        there = {page for page in (ROOT / "docs").rglob("*.md") if page != INDEX}
        for page in there:
            with self.subTest(page=str(page.relative_to(ROOT))):
                if page.parent.name != "measured" or page.name == "README.md":  # records have an index of their own
                    self.assertIn(str(page.relative_to(INDEX.parent)), listed)

    def test_records_are_listed(self):
        listed = (ROOT / "docs/measured/README.md").read_text()
        unlisted = [path.name for path in (ROOT / "docs/measured").iterdir() if path.name not in listed]
        self.assertEqual(unlisted, ["README.md"])

    def test_sources_that_internals_name_are_there(self):
        there = {path.name for folder in ("app", "instrumentation", "shim", "fuzz", "tests", "bench")
                 for path in (ROOT / folder).rglob("*.*")}
        named = [name for page in (ROOT / "docs/internals").glob("*.md")
                 for _, line in prose(page) for name in re.findall(r"`([a-z]\w*\.(?:h|cpp|cuh|inc|py|toml))`", line)]
        self.assertGreater(len(named), 50)
        self.assertEqual([name for name in named if name not in there], [])

    def test_the_architecture_is_two_pages(self):
        text = (ROOT / "ARCHITECTURE.md").read_text()
        self.assertLessEqual(len(text.splitlines()), 110)
        self.assertLessEqual(len(text.split()), 1100)


class Repository(unittest.TestCase):
    def test_each_step_of_ci_is_a_job(self):
        steps = re.findall(r"^step (\w+) ", (ROOT / ".ci/run").read_text(), re.M)
        workflow = (ROOT / ".github/workflows/ci.yml").read_text()
        jobs = re.search(r"^ +step: \[(.*)\]$", workflow, re.M)
        self.assertEqual(jobs[1].split(", "), steps)
        self.assertIn("run: .ci/run ${{ matrix.step }}", workflow)

    def test_a_step_that_is_none_fails(self):
        said = subprocess.run([ROOT / ".ci/run", "nonsense"], capture_output=True, text=True)
        self.assertEqual(said.returncode, 1)
        self.assertIn("nonsense: no such step", said.stdout)

    def test_templates_and_workflows_are_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("Python has no yaml")
        found = [*(ROOT / ".github").rglob("*.yml"), ROOT / "action.yml", ROOT / "ci/gitlab.yml"]
        self.assertGreaterEqual(len(found), 6)
        for path in found:
            with self.subTest(path.name):
                self.assertIsInstance(yaml.safe_load(path.read_text()), dict)

    def test_the_newest_entry_of_the_changelog_is_the_programs_version(self):
        entry = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[1]
        version = re.search(r"project\(WarpLens VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(entry.split("-")[0], version)


class Licence(unittest.TestCase):
    def check(self, root):
        return subprocess.run([sys.executable, ROOT / "cmake/spdx.py", root], capture_output=True, text=True)

    def test_every_file_has_one(self):
        said = self.check(ROOT)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_a_file_without_one_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("LICENSE", "pyproject.toml", "CMakeLists.txt", "LICENSES/MIT.txt", "src/a.cpp", "other/b.cpp"):
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text("# SPDX-License-Identifier: MIT\n")
            row = '[[annotations]]\npath = ["{}"]\nSPDX-FileCopyrightText = "us"\nSPDX-License-Identifier = "{}"\n'
            (root / "REUSE.toml").write_text("version = 1\n" + row.format("**", "MIT"))
            self.assertEqual(self.check(root).returncode, 0)
            (root / "REUSE.toml").write_text(
                "version = 1\n" + row.format('*", "LICENSES/*", "src/**', "MIT"))
            self.assertEqual(self.check(root).stdout, "other/b.cpp: no row of REUSE.toml covers it\n")
            (root / "REUSE.toml").write_text("version = 1\n" + row.format("**", "Zlib"))
            self.assertEqual(self.check(root).stdout, "LICENSES/Zlib.txt is missing\n")
            (root / "REUSE.toml").write_text("version = 1\n" + row.format("**", "MIT"))
            (root / "LICENSE").write_text("MIT License\n")
            self.assertEqual(self.check(root).stdout, "LICENSE: its first line has no SPDX-License-Identifier\n")


if __name__ == "__main__":
    unittest.main()
