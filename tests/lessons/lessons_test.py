#!/usr/bin/env python3
"""Every shipped lesson as a student goes through it: its text with what its commands print, the exercise as it is
handed out, which fails as promised, hints one at a time, and the solution that is kept here. And a teacher's own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("WL_PROGRAM", str(ROOT / "build/release/app/warplens"))
LESSONS = sorted(p for p in (ROOT / "lessons").iterdir() if p.is_dir())
SUBJECTS = (
    "divergence reductions races banks padding swizzle copies fragments row_major mma.sync softmax ownership masks "
    "precision occupancy lineage").split()


class Student(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = Path(self.folder.name)

    def say(self, *words, home=None):
        environment = os.environ | {"XDG_STATE_HOME": str(home or self.at / "state"), "NO_COLOR": "1", "COLUMNS": "1000"}
        environment.pop("WARPLENS_LESSONS", None)
        return subprocess.run(
            [PROGRAM, *words], cwd=self.at, env=environment, capture_output=True, text=True, timeout=300)

    def ask(self, *words, status=0):
        done = self.say("learn", *words, "--json")
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout[-3000:]}{done.stderr}")
        return json.loads(done.stdout)


def table(lesson):
    return (lesson / "lesson.toml").read_text()


class Lessons(Student):
    def for_each(self, check):
        with ThreadPoolExecutor(2) as pool:
            for lesson, problem in zip(LESSONS, pool.map(lambda lesson: self.problem(check, lesson), LESSONS)):
                with self.subTest(lesson.name):
                    self.assertIsNone(problem, problem)

    def problem(self, check, lesson):
        try:
            check(lesson)
        except Exception as e:  # told for each lesson by itself
            return f"{type(e).__name__}: {e}"
        return None

    def test_there_are_lessons_on_all_subjects(self):
        lessons = self.ask()["lessons"]
        self.assertEqual([one["name"] for one in lessons], [p.name for p in LESSONS])
        titles = " ".join(f"{one['name']} {one['title']} {one['about']}" for one in lessons).lower()
        for subject in SUBJECTS:
            self.assertIn(subject, titles)
        self.assertGreaterEqual(len(lessons), 16)

    def test_the_page_says_what_the_text_says_piece_by_piece(self):
        page = self.ask("08")["page"]
        kinds = [piece["kind"] for piece in page]
        self.assertEqual(kinds[:7], ["title", "paragraph", "code", "paragraph", "paragraph", "command", "output"])
        self.assertEqual(page[0]["text"], "08 Fragments: who holds element (9, 4)?")
        self.assertNotIn("\n", page[1]["text"], "a paragraph is one line, to be wrapped by who shows it")
        self.assertIn("lane 6, register 2", page[6]["text"])
        self.assertEqual(kinds.count("item"), 3)
        self.assertTrue(page[kinds.index("item")]["text"].startswith("**Four lanes make a row**"))
        listing = page[kinds.index("code")]["text"]
        self.assertEqual(len(listing.splitlines()), 6)
        self.assertTrue(listing.startswith("wmma::fragment<"))
        self.assertIn("The rule", [p["text"] for p in page if p["kind"] == "heading"])

    def test_the_text_stands_between_what_its_commands_print(self):
        def check(lesson):
            number = lesson.name.split("-")[0]
            text = self.ask(number)["text"]
            lines = text.splitlines()
            commands = [k for k, line in enumerate(lines) if line.startswith("    $ warplens ")]
            self.assertGreaterEqual(len(commands), 2)
            for k in commands:
                self.assertTrue(lines[k + 1].startswith("    ") and not lines[k + 1].startswith("    $"), lines[k])
                if lesson.name != "15-launch":  # whose launch is refused
                    self.assertNotIn("warplens: error", lines[k + 1], lines[k])
            for word in ("```", "no such file"):
                self.assertNotIn(word, text)

        self.for_each(check)

    def test_the_start_fails_as_promised_and_the_solution_passes(self):
        def check(lesson):
            number = lesson.name.split("-")[0]
            started = self.ask(number, "--start", lesson.name)
            self.assertTrue(set(started["edit"]) <= set(started["files"]))
            at_first = self.ask(number, "--check", lesson.name, status=1)
            self.assertEqual(at_first["verdict"], "not yet")
            promise = table(lesson).split("promise = \"")[1].split("\"")[0]
            self.assertIn(promise, at_first["output"])
            self.assertIn(f"\"{at_first['says']}\"", table(lesson))
            solution = ROOT / "tests/lessons" / lesson.name
            self.assertEqual(sorted(p.name for p in solution.iterdir()), sorted(started["edit"]))
            for file in started["edit"]:
                shutil.copy(solution / file, self.at / lesson.name / file)
            solved = self.say("learn", number, "--check", lesson.name, "--json", home=self.at / lesson.name / "home")
            self.assertEqual(solved.returncode, 0, solved.stdout)
            self.assertEqual(json.loads(solved.stdout)["verdict"], "solved")

        self.for_each(check)

    def test_wrong_solutions_are_refused_by_their_own_reason(self):
        def solution(lesson, file, *changes):
            text = (ROOT / "tests/lessons" / lesson / file).read_text()
            for old, new in changes:
                self.assertIn(old, text)
                text = text.replace(old, new)
            return lesson, file, text

        def fours(*changes):
            return solution("01-lanes", "fours.cu", *changes)

        def rowsum(*changes):
            return solution("02-reductions", "rowsum.cu", *changes)

        inner = "        __syncthreads();  // the neighbour's number is there\n"
        guard, call = "    float v = 0.0f;\n    if (i < n) v = x[i];", "sum = warp_sum(sum);"
        own, all_columns = "int column = lane; column < columns; column += 32", "int column = 0; column < columns; ++column"
        wrong = {
            "a race:": fours((inner, "")),
            "have left the kernel before the barrier": fours((guard, "    if (i >= n) return;\n    float v = x[i];")),
            "past the end of the array": fours(("if (i < n) v = x[i]", "v = x[i]")),
            "does not depend on x[2]": fours(("d <= 2", "d <= 1")),
            "all 32 lanes hold the same number": rowsum((own, all_columns), (call, "sum = warp_sum(sum) / 32;")),
            "some lanes hold the same number": rowsum(("    for (" + own, "    if (lane == 0) for (" + all_columns)),
            "the lanes exchange nothing": rowsum((own, all_columns), (call, "")),
            "does not depend on x[0,1]": rowsum(("distance > 0", "distance > 1")),
        }

        def check(case):
            number, (reason, (lesson, file, text)) = case
            folder = self.at / f"wrong{number}"
            folder.mkdir()
            (folder / file).write_text(text)
            said = self.say("learn", lesson[:2], "--check", str(folder), "--json", home=folder / "home")
            return reason, said.returncode, json.loads(said.stdout).get("says", "")

        with ThreadPoolExecutor(2) as pool:
            for reason, status, says in pool.map(check, enumerate(wrong.items())):
                self.assertEqual(status, 1, reason)
                self.assertIn(reason, says)

    def test_hints_open_one_at_a_time(self):
        for lesson in LESSONS:
            number = lesson.name.split("-")[0]
            first = self.ask(number, "--hint")
            count = first["of"]
            self.assertGreaterEqual(count, 3, lesson.name)
            for opened in range(2, count + 2):  # the last call opens nothing more
                said = self.ask(number, "--hint")["hints"]
                self.assertEqual(len(said), min(opened, count))
                self.assertEqual(said[0], first["hints"][0])


SCRIPT = """click home/learn
until lesson 16 lessons
wait 5
click learn/02
wait 5
until lesson 02-reductions
click learn/start
wait 5
until lesson 02-reductions
click learn/check
wait 5
until lesson 02-reductions not yet
click learn/hint
wait 5
until lesson 02-reductions not yet 1 of 3 hints
click learn/run
until kernel rowsum
expect verdict findings
shot learn.png
"""


class Window(Student):
    def test_the_panel_starts_runs_checks_and_helps(self):
        (self.at / "script").write_text(SCRIPT)
        said = self.say("open", "--script", "script", "--screenshot", "last.png")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertTrue((self.at / "02-reductions/rowsum.cu").exists())
        self.assertEqual((self.at / "learn.png").read_bytes()[:4], b"\x89PNG")
        if os.environ.get("WL_PICTURES"):
            shutil.copy(self.at / "learn.png", os.environ["WL_PICTURES"])
        self.assertEqual(len(self.ask("02", "--hint")["hints"]), 2, "the window's hint was the first")
        shutil.copy(ROOT / "tests/lessons/02-reductions/rowsum.cu", self.at / "02-reductions/rowsum.cu")
        solved = SCRIPT.split("click learn/check")[0].replace("click learn/start\nwait 5\nuntil lesson 02-reductions\n", "")
        (self.at / "script").write_text(solved + "click learn/check\nwait 5\nuntil lesson 02-reductions solved\n")
        said = self.say("open", "--script", "script", "--screenshot", "last.png")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertTrue(self.ask()["lessons"][1]["solved"])


class Verb(Student):
    def test_names_numbers_and_misspellings(self):
        for word in ("2", "02", "02-reductions", "reductions"):
            self.assertEqual(self.ask(word, "--hint")["lesson"], "02-reductions")
        said = self.say("learn", "reduction")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertIn('did you mean "reductions"?', said.stderr)
        self.assertIn("there are 01 to 16", self.say("learn", "99").stderr)
        self.assertIn("which lesson?", self.say("learn", "--check").stderr)

    def test_a_students_files_are_not_written_over(self):
        self.ask("02", "--start")
        mine = self.at / "02-reductions/rowsum.cu"
        mine.write_text("mine")
        again = self.say("learn", "02", "--start")
        self.assertEqual(again.returncode, 2)
        self.assertIn("02-reductions/rowsum.cu is there already", again.stderr)
        self.assertEqual(mine.read_text(), "mine")
        missing = self.say("learn", "02", "--check", "elsewhere")
        self.assertIn("`warplens learn 02 --start elsewhere` puts it there", missing.stderr)

    def test_a_check_says_what_is_wrong_and_the_list_what_is_solved(self):
        self.ask("02", "--start")
        said = self.say("learn", "02", "--check")
        self.assertEqual(said.returncode, 1)
        for text in ("not yet\n  before the reduction all 32 lanes hold the same number", "$ warplens diagnose rowsum.toml",
                     "y is 32x the reference", "rowsum.cu:11", "warplens learn 02 --hint opens hint 1 of 3"):
            self.assertIn(text, said.stdout)
        self.assertFalse(self.ask()["lessons"][1]["solved"])
        shutil.copy(ROOT / "tests/lessons/02-reductions/rowsum.cu", self.at / "02-reductions/rowsum.cu")
        self.assertEqual(self.say("learn", "02", "--check").stdout, "02 Shuffles and reductions: solved\n")
        self.assertTrue(self.ask()["lessons"][1]["solved"])
        self.assertIn("* 02  Shuffles", self.say("learn").stdout)

    def test_what_does_not_compile_is_not_yet(self):
        self.ask("02", "--start")
        (self.at / "02-reductions/rowsum.cu").write_text("// __shfl_xor_sync\nsomething else\n")
        said = self.say("learn", "02", "--check")
        self.assertEqual(said.returncode, 1)
        self.assertIn("rowsum.cu:2", said.stdout)

    def test_an_exercise_is_not_solved_by_going_round_it(self):
        self.ask("02", "--start")
        source = self.at / "02-reductions/rowsum.cu"
        source.write_text(source.read_text().replace("__shfl_xor_sync", "other"))
        self.assertIn("`__shfl_xor_sync`", self.ask("02", "--check", status=1)["says"])
        (self.at / "02-reductions/rowsum.py").write_text("def reference(inputs, params): return {}")
        source.write_text((ROOT / "lessons/02-reductions/rowsum.cu").read_text())
        self.assertIn("32x", self.ask("02", "--check", status=1)["output"], "the reference is the lesson's")

    def test_a_teachers_lesson_needs_no_more_than_a_folder(self):
        mine = self.at / "mine/01-sums"
        shutil.copytree(ROOT / "lessons/02-reductions", mine)
        (mine / "lesson.md").write_text("# Mine\n\n```console\n$ warplens diagnose rowsum.toml | head -n 1\n```\n")
        text = self.say("learn", "1", "--lessons", "mine").stdout
        self.assertIn("Mine\n\n    $ warplens diagnose rowsum.toml | head -n 1\n    rowsum  ROWS=16 COLUMNS=96", text)
        self.assertIn("warplens learn 01 --lessons mine --check", text)
        (mine / "lesson.md").write_text("```console\n$ warplens kernels | sort\n```\n```console\n$ rm -r .\n```\n")
        self.assertIn("only head -n N, tail -n N", self.say("learn", "1", "--lessons", "mine").stderr)
        broken = table(mine).replace("promise", "promises")
        (mine / "lesson.toml").write_text(broken)
        said = self.say("learn", "--lessons", "mine")
        self.assertEqual(said.returncode, 2)
        self.assertRegex(said.stderr, r'lesson.toml:\d+: .*"promises"')
        self.assertIn("there is no lesson in nowhere", self.say("learn", "--lessons", "nowhere").stderr)

    def test_nothing_but_warplens_is_run(self):
        mine = self.at / "mine/01-sums"
        shutil.copytree(ROOT / "lessons/02-reductions", mine)
        (mine / "lesson.md").write_text("```console\n$ touch here\n```\n")
        said = self.say("learn", "1", "--lessons", "mine")
        self.assertEqual(said.returncode, 2)
        self.assertIn('a lesson runs nothing but warplens: "touch here"', said.stderr)
        self.assertFalse((mine / "here").exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
