#!/usr/bin/env python3
"""Every sentence of docs/trust.md has a test, by name, that there is."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def rows():
    for number, line in enumerate((ROOT / "docs/trust.md").read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] not in ("sentence", "---"):
            yield number, cells


def tests():
    found = set()
    for path in (ROOT / "tests").rglob("*_test.cpp"):
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.M):
            found.add(f"{suite}.{name}")
    return found


class Trust(unittest.TestCase):
    def test_every_sentence_has_a_test(self):
        there, sentences = tests(), 0
        for number, cells in rows():
            sentences += 1
            with self.subTest(line=number):
                self.assertEqual(len(cells), 2)
                name = re.fullmatch(r"`([\w.]+)`", cells[1])
                self.assertIsNotNone(name, "no test is named")
                self.assertIn(name[1], there)
        self.assertGreater(sentences, 15)

    def test_nothing_is_said_outside_the_tables(self):
        lines = (ROOT / "docs/trust.md").read_text().split("\n## ", 1)[1].splitlines()
        said = [line for line in lines[1:] if line and not line.startswith(("|", "#"))]
        self.assertEqual(said, [])


if __name__ == "__main__":
    unittest.main()
