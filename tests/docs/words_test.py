#!/usr/bin/env python3
"""Documents and printed texts use plain English: the words of WORDS stand in no page and in no string that is printed."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Pattern: what to write instead.
WORDS = {
    r"behind": "after, past, following",
    r"nobody ask(s|ed)|no one asks": "unused, unread",
    r"(hang|hangs|hanging|hung) on": "depends on",
    r"told": "reported, given, printed",
    r"parted|parts from|part ways|(they|lanes|tiles|iterations|warps|builds|runs|values) part|first part(?=[,.])": "differ, diverge",
}
PAGES = [*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.md"), *(ROOT / "docs").rglob("*.md"),
         *(ROOT / "lessons").rglob("*.md")]
FOLDERS = ("app", "instrumentation", "shim")  # whose strings are printed
WHOLE = ("dev", "action.yml", "ci/*", "python/warplens/*.py", "instrumentation/manifest/*.py", "kernels/*.toml",
         "lessons/*/lesson.toml", "bench/classes.toml")  # read or printed as they are

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<include>^[ \t]*\#[ \t]*include[^\n]*)
      | R"(?P<mark>[^(\s"\\]*)\((?P<raw>.*?)\)(?P=mark)"
      | "(?P<text>(?:[^"\\\n]|\\.)*)"
      | '(?:[^'\\\n]|\\.)+'""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)
JOINED = re.compile(r"\s+")


def strings(source):
    """(line, text) of the strings of C++ source; strings side by side are one, as the compiler has it."""
    found, end = [], None
    for token in TOKEN.finditer(source):
        text = token["text"] if token["text"] is not None else token["raw"]
        if text is None:
            continue
        if end is not None and JOINED.fullmatch(source, end, token.start()):
            found[-1][1] += text
        else:
            found.append([source.count("\n", 0, token.start()) + 1, text])
        end = token.end()
    return found


def plain(word_pattern, text):
    return re.search(rf"\b(?:{word_pattern})\b", re.sub(r"\b[A-Z](?=[a-z])", lambda first: first[0].lower(), text))


def objections(name, line, text):
    return [f"{name}:{line}: \"{hit[0]}\": write {instead}"
            for pattern, instead in WORDS.items() if (hit := plain(pattern, text))]


def lines(page):
    """(number, text) of a page without code: blocks and words in backticks are sources, names and commands."""
    block = None
    for number, line in enumerate(page.splitlines(), 1):
        if re.match(r" *```", line):
            block = [] if block is None else None
        elif block is None:
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)
        else:
            block.append(line)
            if block[0].startswith("$ "):  # a session: what is printed is ours
                yield number, line


class Words(unittest.TestCase):
    maxDiff = None

    def test_pages_use_plain_words(self):
        found = []
        self.assertGreater(len(PAGES), 40)
        for page in PAGES:
            name = str(page.relative_to(ROOT))
            for number, line in lines(page.read_text()):
                found += objections(name, number, line)
        self.assertEqual(found, [])

    def test_what_is_shown_whole_uses_plain_words(self):
        found = []
        for pattern in WHOLE:
            paths = sorted(ROOT.glob(pattern))
            self.assertTrue(paths, pattern)
            for path in paths:
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    found += objections(str(path.relative_to(ROOT)), number, line)
        self.assertEqual(found, [])

    def test_printed_texts_use_plain_words(self):
        found, count = [], 0
        for folder in FOLDERS:
            for path in [*(ROOT / folder).rglob("*.cpp"), *(ROOT / folder).rglob("*.h"), *(ROOT / folder).rglob("*.inc")]:
                for line, text in strings(path.read_text()):
                    count += 1
                    if re.fullmatch(r"[\w.]+", text) and "behind" not in text:
                        continue  # a name: of a field of --json, of an option
                    found += objections(str(path.relative_to(ROOT)), line, text)
        self.assertGreater(count, 15000)
        self.assertEqual(found, [])

    def test_strings_are_found_where_they_are(self):
        source = '''#include "a/behind.h"
// "behind" in a comment
const char* a = "one " // said
    "behind", b = '"', *c = R"x(it "hangs
on")x";
f("\\"told\\"");
'''
        self.assertEqual(strings(source), [[3, "one "], [4, "behind"], [4, 'it "hangs\non"'], [6, '\\"told\\"']])
        self.assertEqual(strings('a("x "\n  "y")'), [[1, "x y"]])

    def test_code_of_a_page_is_left_out(self):
        page = "a `b`\n```cpp\nbehind\n```\nc [d](behind.md)\n```\n$ run\nbehind\n```\n```\ne\n```\nf"
        self.assertEqual(list(lines(page)), [(1, "a "), (5, "c [d"), (7, "$ run"), (8, "behind"), (13, "f")])

    def test_the_words_are_words(self):
        for text in ("left behind", "A parts from B", "where the lanes part", "it hung on", "Told once", "tiles first part, by"):
            self.assertTrue(objections("page", 1, text), text)
        for text in ("parts of it", "takes part", "in a first part of the launch", "behindhand", "the part from there", "bra PARTED"):
            self.assertFalse(objections("page", 1, text), text)


if __name__ == "__main__":
    unittest.main()
