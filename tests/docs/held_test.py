#!/usr/bin/env python3
"""Every sentence of docs/trust.md and docs/security.md has a test, by name, that there is."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FEWEST = {"trust": 16, "security": 16}  # sentences


def rows(page):
    for number, line in enumerate((ROOT / f"docs/{page}.md").read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] not in ("sentence", "---"):
            yield number, cells


def tests():
    """`Suite.Name` of C++, `Class.test_name` of Python."""
    found = set()
    for path in (ROOT / "tests").rglob("*_test.cpp"):
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.M):
            found.add(f"{suite}.{name}")
    for path in (ROOT / "tests").rglob("*_test.py"):
        suite = ""
        for line in path.read_text().splitlines():
            if match := re.match(r"class (\w+)", line):
                suite = match[1]
            elif match := re.match(r"    def (test_\w+)", line):
                found.add(f"{suite}.{match[1]}")
    return found


class Held(unittest.TestCase):
    def test_every_sentence_has_a_test(self):
        there = tests()
        for page, fewest in FEWEST.items():
            sentences = 0
            for number, cells in rows(page):
                sentences += 1
                with self.subTest(page=page, line=number):
                    self.assertEqual(len(cells), 2)
                    name = re.fullmatch(r"`([\w.]+)`", cells[1])
                    self.assertIsNotNone(name, "no test is named")
                    self.assertIn(name[1], there)
            self.assertGreaterEqual(sentences, fewest, page)

    def test_nothing_is_said_outside_the_tables(self):
        for page in FEWEST:
            lines = (ROOT / f"docs/{page}.md").read_text().split("\n## ", 1)[1].splitlines()
            said = [line for line in lines[1:] if line and not line.startswith(("|", "#"))]
            self.assertEqual(said, [], page)


if __name__ == "__main__":
    unittest.main()
