#!/usr/bin/env python3
"""docs/lineage.md tells of every shipped kernel and fault, with the stories of their manifests and pictures that exist."""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "lineage.md").read_text()
MAKE_IT = "run ./dev lineage, which writes docs/lineage.md"


def manifests():
    return {path.stem: path.read_text() for path in sorted((ROOT / "kernels").glob("*.toml"))}


def stories(manifest):
    return [" ".join(text.split()) for text in re.findall(r'^story\s*=\s*"""(.*?)"""', manifest, re.M | re.S)]


class LineagePage(unittest.TestCase):
    def test_every_kernel_and_fault_has_its_section(self):
        headings = set(re.findall(r"^##+ (.*)$", PAGE, re.M))
        for name, text in manifests().items():
            self.assertIn(name, headings, MAKE_IT)
            for fault in re.findall(r"^\[fault\.(.+?)\]", text, re.M):
                self.assertIn(f"{name} --fault {fault}", headings, MAKE_IT)

    def test_every_kernel_and_fault_tells_its_story(self):
        for name, text in manifests().items():
            self.assertEqual(len(stories(text)), 1 + len(re.findall(r"^\[fault\.", text, re.M)), name)
            for story in stories(text):
                self.assertIn(story, PAGE, MAKE_IT)

    def test_the_times_of_bench_are_those_of_the_record(self):
        record = json.loads((ROOT / "docs/measured/bench-lineage-h200.json").read_text())
        for case in record["kernels"]:
            warm, cold = (f"{case['timing'][kind]['median'] * 1e6:.1f}" for kind in ("warm", "cold"))
            section = PAGE.split(f"\n## {case['kernel']}\n")[1].split("\n## ")[0].split("\n### ")[0]
            row = next(line for line in section.splitlines() if line.startswith(f"| `{record['preset']}` |"))
            self.assertTrue(row.endswith(f"| {warm} | {cold} |"), f"{row}: run python3 bench/lineage.py --times")

    def test_times_alone_can_be_put_into_the_page(self):
        made = subprocess.run(
            [sys.executable, str(ROOT / "bench/lineage.py"), "--times", "--page", "/dev/stdout"],
            capture_output=True, text=True)
        self.assertEqual(made.stdout, PAGE, made.stderr)

    def test_every_section_has_a_picture_and_every_picture_is_shown(self):
        shown = re.findall(r'<img src="(.*?)"', PAGE)
        folder = ROOT / "docs" / "images" / "lineage"
        self.assertEqual(sorted(set(shown)), sorted(f"images/lineage/{p.name}" for p in folder.glob("*.png")), MAKE_IT)
        without = PAGE.count("*no tile was taken*")
        self.assertEqual(len(shown) + without, len(re.findall(r"^###? ", PAGE, re.M)), "a section without its picture")


if __name__ == "__main__":
    sys.exit(unittest.main())
