#!/usr/bin/env python3
"""Every example of README.md, docs/*.md and `warplens VERB --help` is run, and what it quotes is compared.

A block whose lines begin with `$ ` is a session: each such line is run, and the lines after it are what it prints,
blank lines aside. `...` stands for any text, and on a line of its own for any lines; a session that quotes nothing
says only that its commands work. Commands other than `./dev run` and `warplens` are not run. Blocks marked toml,
python, sql, json and cpp are checked as what they are."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("WL_PROGRAM", str(ROOT / "build/release/app/warplens"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_RUN = {"open", "bench", "nvcc", "record"}  # a window, a GPU, a toolkit, a program that uses a GPU


PICTURES = """extern "C" __global__ void pictures(cudaTextureObject_t image, cudaSurfaceObject_t out) {
    const float4 texel = tex2D<float4>(image, threadIdx.x / 8.0f, threadIdx.y / 8.0f);
    surf2Dwrite(texel.x, out, threadIdx.x * 4, threadIdx.y);
}
"""
MATRICES = """#include <cuda_fp16.h>
extern "C" __global__ void gemm(const __half* A, const __half* B, float* C) {
    const int N = 96, K = 160, column = blockIdx.x * 32 + threadIdx.x;
    for (int row = blockIdx.y * 32 + threadIdx.y; row < blockIdx.y * 32 + 32; row += 8) {
        float sum = 0;
        for (int i = 0; i < K; ++i) sum += __half2float(A[row * K + i]) * __half2float(B[i * N + column]);
        C[row * N + column] = sum;
    }
}
"""


class Block:
    def __init__(self, page, line, language, lines):
        self.page, self.line, self.language, self.lines = page, line, language, lines

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks():
    for page in PAGES:
        inside, indent = None, 0
        for number, line in enumerate(page.read_text().splitlines(), 1):
            fence = re.match(r"( *)```(.*)$", line)
            if not fence:
                if inside is not None:
                    inside.lines.append(line[indent:])
            elif inside is None:
                indent = len(fence[1])
                inside = Block(page, number, fence[2].strip(), [])
            else:
                yield inside
                inside = None


def of_language(language):
    return [block for block in blocks() if block.language == language]


def sessions():
    """(block, [(command, quoted lines)]) of every block with commands."""
    for block in blocks():
        steps = []
        for line in block.lines:
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif steps:
                steps[-1][1].append(line)
        if steps:
            yield block, steps


def arguments(command):
    """What to run of a command line; None: it is not ours."""
    words = re.sub(r"\s+#.*$", "", command)
    for begin in ("./dev run ", "warplens "):
        if words.startswith(begin):
            return words[len(begin):]
    return None


def quoted_line(line):
    return ".*".join(re.escape(part) for part in line.rstrip().split("..."))


def mismatch(quoted, printed):
    """The first quoted line that is not there; None: all of it is."""
    printed = [line.rstrip() for line in printed.splitlines() if line.strip()]
    at, loose = 0, False
    for line in (line for line in quoted if line.strip()):
        if line.strip() == "...":
            loose = True
            continue
        pattern = re.compile(quoted_line(line) + r"\Z")
        found = next((k for k in range(at, len(printed)) if pattern.match(printed[k])), None)
        if found is None or (found != at and not loose):
            return f"quoted:  {line}\nprinted: {printed[at] if at < len(printed) else 'nothing more'}"
        at, loose = found + 1, False
    if at < len(printed) and not loose and any(line.strip() for line in quoted):
        return f"printed after what is quoted: {printed[at]}"
    return None


class Examples(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = Path(cls.folder.name)
        shutil.copytree(ROOT / "kernels", cls.at / "kernels")
        shutil.copytree(ROOT / "tests/kernels", cls.at / "tests/kernels")
        cls.environment = os.environ | {"WARPLENS_KERNELS": str(cls.at / "kernels"), "NO_COLOR": "1"}
        cls.known = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_words(self, words):
        """What `warplens WORDS` said; the same words are run once."""
        if words not in self.known:
            self.known[words] = subprocess.run(
                f"'{PROGRAM}' {words}", shell=True, cwd=self.at, env=self.environment, capture_output=True,
                text=True, timeout=300)
        return self.known[words]

    def check_status(self, words, allowed=(0, 1)):
        said = self.run_words(words)
        self.assertIn(said.returncode, allowed, f"warplens {words}\n{said.stdout[-2000:]}{said.stderr}")
        return said

    def test_sessions_print_what_they_quote(self):
        count = 0
        for block, steps in sessions():
            for command, quoted in steps:
                words = arguments(command)
                if words is None:
                    continue
                count += 1
                with self.subTest(f"{block}: {command}"):
                    said = self.check_status(words, (0, 1, 3))
                    if said.returncode == 3:
                        self.assertIn("unsupported", " ".join(quoted))
                    if any(line.strip() for line in quoted):
                        self.assertIsNone(mismatch(quoted, said.stdout), f"\n{said.stdout[:6000]}")
        self.assertGreater(count, 8)

    def test_every_example_of_help_works(self):
        (self.at / "mine.cu").write_text(
            'extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= TILE; }\n')
        (self.at / "include").mkdir(exist_ok=True)
        self.check_status("run v2c_3 --fault 32x -o bad.wlcap")
        verbs = re.findall(r"^  (\w+) {2,}\w", self.run_words("--help").stdout, re.MULTILINE)
        self.assertGreater(len(verbs), 12)
        for verb in verbs:
            page = self.run_words(f"{verb} --help").stdout
            example = re.search(r"Example:\n\s+(.*)", page)
            with self.subTest(verb):
                self.assertIsNotNone(example, page)
                words = re.search(r"warplens ((?:'[^']*'|[^|)'])*)", example[1])[1].strip()  # as a shell reads it
                self.assertEqual(words.split()[0], verb, example[1])
                if verb in NOT_RUN:
                    continue
                # As many schedules and presets as show that the words are understood.
                words = words.replace("--explore 50", "--explore 2").replace("mission,mission_causal", "mission")
                self.check_status(words)

    def test_the_first_steps_are_verbs_of_dev(self):
        usage = subprocess.run([ROOT / "dev"], capture_output=True, text=True).stdout
        verbs = set(re.findall(r"^  (\w+)", usage, re.MULTILINE))
        for block in blocks():
            for line in block.lines:
                for verb in re.findall(r"^\$? ?\./dev (\w+)", line):
                    self.assertIn(verb, verbs, f"{block}: {line}")

    def test_json_has_the_keys_that_the_page_shows(self):
        race = "diagnose tests/kernels/hazards/turn.toml --fault raw --json"
        said = [json.loads(self.check_status(words).stdout)
                for words in ("diagnose v2c_3 --fault 32x --json", race)]
        for block in of_language("json"):
            self.compare_keys(json.loads(block.text()), said, str(block))

    def compare_keys(self, shown, said, where):
        """Is what is shown of the kind of one of `said`, key by key?"""
        kind = lambda value: "number" if type(value) in (int, float) else type(value).__name__
        said = [value for value in said if kind(value) == kind(shown)]
        self.assertTrue(said, f"{where} is shown as {kind(shown)}")
        if isinstance(shown, dict):
            for key, value in shown.items():
                self.compare_keys(value, [one[key] for one in said if key in one], f"{where}.{key}")
        elif isinstance(shown, list) and shown:
            self.compare_keys(shown[0], [value for one in said for value in one], where)

    def test_manifests_are_manifests(self):
        folder = self.at / "manifests"
        shutil.copytree(ROOT / "tests/kernels", folder)
        self.assertGreaterEqual(len(of_language("toml")), 3)
        for block in of_language("toml"):
            text, name = block.text(), "gemm"
            if text.startswith("[[launch]]"):  # the launches of a sequence
                name = "sequences/two_pass"
                whole = (ROOT / f"tests/kernels/{name}.toml").read_text()
                text = whole[: whole.index("[[launch]]")] + text + "\n" + whole[whole.index("[reference]") :]
            elif not re.search(r"^args = ", text, re.MULTILINE):  # some arguments of a manifest
                name = "pictures"
                text = f"args = [\n{text}]\n[params]\nH = 8\nW = 8\n[launch]\ngrid = [1]\nblock = [8, 8]\n[output.out]\ncompare = false\n"
                (folder / "pictures.cu").write_text(PICTURES)
            elif "title" not in text:  # of a kernel whose only arguments are matrices
                (folder / "gemm.cu").write_text(MATRICES)
                shutil.copy(folder / "gemm_naive.py", folder / "gemm.py")
            (folder / f"{name}.toml").write_text(text)
            with self.subTest(str(block)):
                said = self.check_status(f"run {folder}/{name}.toml -o one.wlcap -v", (0,))
                shown = {"gemm": "output C: ok", "pictures": "output out: not compared"}.get(name, "output total: ok")
                self.assertIn(shown, said.stdout)
            if name == "gemm":
                for file in ("gemm.cu", "gemm.py"):
                    shutil.copy(ROOT / "tests/kernels" / file, folder / file)
            self.known.clear()

    def test_questions_in_sql_are_answered_by_a_capture(self):
        self.check_status("run v2c_3 --fault 32x -o bad.wlcap")
        for block in of_language("sql"):
            with sqlite3.connect(self.at / "bad.wlcap") as capture:
                for statement in filter(str.strip, block.text().split(";")):
                    with self.subTest(f"{block}: {statement}"):
                        self.assertTrue(capture.execute(statement).fetchall())

    # What Python does with captures: tests/capture/capture_python_test.py.
    def test_a_reference_in_python_is_that_of_a_gemm(self):
        for block in of_language("python"):
            if "def reference" not in block.text():
                continue
            with self.subTest(str(block)):
                (self.at / "tests/kernels/gemm_naive.py").write_text(block.text())
                said = self.check_status("run tests/kernels/gemm_naive.toml -o one.wlcap -v", (0,))
                self.assertIn("output C: ok", said.stdout)

    def test_the_paths_of_the_architecture_and_internals_are_there(self):
        pages = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs/internals").glob("*.md")]
        text = "\n".join(re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL) for page in pages)
        seen = 0
        for name in re.findall(r"`([\w.*{},-]+/[\w./*{},-]*)`", text):
            if re.search(r"[A-Z]{4}", name) or name.startswith((".env/", "build/")):
                continue  # NAME stands for one; these two are made
            seen += 1
            brace = re.search(r"\{(.*?)\}", name)
            for one in brace[1].split(",") if brace else [""]:
                path = name.replace(brace[0], one) if brace else name
                found = [*ROOT.glob(path), *(ROOT / "instrumentation").glob(path)]
                self.assertTrue(found, name)
        self.assertGreater(seen, 150)

    def test_marks_compile(self):
        for block in of_language("cpp"):
            lines = {True: [], False: []}  # of the preprocessor
            for line in block.lines:
                lines[line.startswith("#")].append(line)
            (self.at / "page.cu").write_text("\n".join([
                *lines[True], 'extern "C" __global__ void page() {', "__shared__ float sums[32 * 33];",
                "sums[threadIdx.x] = 0;", *lines[False], "}", ""]))
            with self.subTest(str(block)):
                self.known.clear()
                self.check_status(f"check page.cu -I '{ROOT}/instrumentation/probe'", (0,))


if __name__ == "__main__":
    unittest.main()
