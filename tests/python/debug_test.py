"""Findings, tiles, provenance and references from Python, and the doctests of the package."""

import contextlib
import doctest
import importlib.util
import io
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import warplens as wl

ROOT = Path(__file__).resolve().parents[2]
SCALE = """__global__ void scale(const float* x, float* y, float s, int rows, int cols) {
    for (int i = threadIdx.x; i < rows * cols; i += blockDim.x) y[i] = x[i] * s;
}
"""


class Debug(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.k = wl.kernel(SCALE)
        cls.x = np.random.default_rng(1).standard_normal((6, 50)).astype(np.float32)
        cls.args = (cls.x, wl.out(np.zeros_like(cls.x)), 3.0, 6, 50)

    def debug(self, **options):
        return self.k[1, 64].debug(*self.args, **options)

    def test_right_is_ok_and_without_a_reference_incomplete(self):
        self.assertTrue(self.debug(reference=lambda x, s: x * s).ok)
        bare = self.debug()
        self.assertEqual((bare.ok, bare.verdict, bare.findings), (False, "incomplete", []))
        self.assertTrue(self.debug(ignore=["y"]).ok)

    def test_a_wrong_kernel_is_explained(self):
        said = self.debug(reference=lambda x, s: x + s)
        self.assertEqual(said.verdict, "findings")
        self.assertIn("proven", said.text)
        self.assertTrue(said.findings[0].proven, said.text)
        self.assertIn("+    ", said.patch)
        self.assertEqual(said.tiles["y"].shape, (6, 50))
        np.testing.assert_allclose(said.tiles["y"], self.x * np.float32(3))
        tile = said.tile("y")
        np.testing.assert_allclose(tile.reference, self.x.astype(float) + 3)
        self.assertTrue(tile.wrong.all())
        self.assertIn("findings", repr(said))

    def test_why_names_the_line_and_the_input(self):
        said = self.debug(reference=lambda x, s: x * s + 1, search=0)
        why = said.why("y", (3, 5))
        self.assertIn("y[3,5]", why.text)
        self.assertIn("y[i] = x[i] * s;", why.text)
        self.assertEqual(why.json["verb"], "why")
        kept = wl.program.run(["why", said.capture, "--tile", "y", "--element", "3,5"])  # as the window asks
        self.assertEqual(kept.returncode, 1, kept.stderr)
        self.assertIn("y[3,5]", kept.stdout)

    def test_a_notebook_shows_the_page_and_tiles_as_pictures(self):
        said = self.debug(reference=lambda x, s: x + s, search=0)
        shown = said._repr_mimebundle_()
        self.assertEqual(shown["text/plain"], said.text)
        self.assertTrue(shown["text/html"].startswith('<iframe sandbox="" srcdoc="&lt;!DOCTYPE html'))
        self.assertIn("values_differ", shown["text/html"])
        self.assertEqual(said.tile("y")._repr_png_()[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_reference_may_answer_in_several_ways(self):
        for reference in (lambda x, s: x * s, lambda *all_of_them: all_of_them[0] * all_of_them[2],
                          lambda x, s: {"y": x * s, "y.scale": abs(x * s)}, lambda s, x: (s * x,)):
            self.assertTrue(self.debug(reference=reference).ok)
        for reference, kind, words in [(lambda x: 1 / 0, ZeroDivisionError, "division"),
                                       (lambda x: (x, x), wl.Error, "returned 2 arrays"),
                                       (lambda x: {"z": x}, wl.Error, "returned z"),
                                       (lambda x: x[:2], wl.Error, "shape")]:
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                self.debug(reference=reference)

    def test_arrays_keep_what_they_hold_unless_told(self):
        y = np.zeros_like(self.x)
        self.k[1, 64].debug(self.x, y, 2.0, 6, 50, ignore=["y"])
        self.assertFalse(y.any())
        self.k[1, 64].debug(self.x, y, 2.0, 6, 50, ignore=["y"], write=True)
        np.testing.assert_array_equal(y, 2 * self.x)

    def test_limits_are_taken(self):
        off = lambda x, s: x * s + 1e-3
        self.assertFalse(self.debug(reference=off, search=0).ok)
        self.assertTrue(self.debug(reference=off, tolerance=2e-3).ok)
        self.assertTrue(self.debug(reference=off, tolerance={"y": 2e-3}).ok)

    def test_tiles_of_marks_have_references(self):
        k = wl.kernel(ROOT / "tests/kernels/gemm.cu", "gemm", defines={"TILE": 32})
        random = np.random.default_rng(2)
        a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((64, 96), (96, 32)))
        tile = {"of": "sums", "at": ["iteration", "block.y * 32", "block.x * 32"], "terms": 96}

        def reference(a, b):
            steps = np.stack([a[:, : 32 * (i + 1)] @ b[: 32 * (i + 1)] for i in range(3)])
            return {"C": a @ b, "sums": steps}

        names = [one.name for one in k.parameters]
        c = np.zeros((64, 32), np.float32)
        said = k[(1, 2), (32, 8)].debug(a, b, wl.out(c), 64, 32, 96, terms=96, tiles={"sums": tile},
                                        reference=lambda *v: reference(v[0], v[1]))
        self.assertTrue(said.ok, said.text)
        self.assertIn("sums", said.tiles)
        one = said.tile("sums", block=(0, 0, 0), iteration=1)
        self.assertEqual((one.block, one.iteration, one.got.shape), ((0, 0, 0), 1, (32, 32)))
        np.testing.assert_allclose(one.got, a[:32, :64].astype(float) @ b[:64].astype(float), atol=1e-3)
        with self.assertRaisesRegex(KeyError, "summs"):
            said.tile("summs")
        self.assertEqual(names[:3], ["A", "B", "C"])

    def test_assert_kernel(self):
        drawn = []

        def args(random):
            x = random.standard_normal((6, 50)).astype(np.float32)
            drawn.append(x)
            return x, wl.out(np.zeros_like(x)), 3.0, 6, 50

        wl.assert_kernel(self.k[1, 64], args, reference=lambda x, s: x * s, seeds=3)
        self.assertEqual(len(drawn), 3)
        self.assertFalse(np.array_equal(drawn[0], drawn[1]))
        wl.assert_kernel(self.k[1, 64], self.args)
        with self.assertRaisesRegex(AssertionError, r"scale.*seed 0: findings(.|\n)*should be"):
            wl.assert_kernel(self.k[1, 64], self.args, reference=lambda x, s: x + s)


PLUGIN = """import numpy as np
import warplens as wl

def test_right_and_wrong(assert_kernel):
    k = wl.kernel('extern "C" __global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }\\n')
    x = np.ones(4, np.float32)
    assert_kernel(k[1, 4], (x, wl.out(x.copy())), reference=lambda x: 2 * x)
    assert_kernel(k[1, 4], (x, wl.out(x.copy())), reference=lambda x: 3 * x, search=0)
"""


@unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
class Plugin(unittest.TestCase):
    def test_the_fixture_asserts_and_keeps_the_capture(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_plugin.py").write_text(PLUGIN)
            said = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "warplens.pytest_plugin", "--warplens-captures", "kept"],
                cwd=folder, capture_output=True, text=True)
            self.assertEqual(said.returncode, 1, said.stdout)
            self.assertIn("1 failed", said.stdout)
            self.assertIn("y differs from the reference in 4 of 4 elements", said.stdout)
            self.assertTrue(Path(folder, "kept/test_right_and_wrong.wlcap").is_file(), said.stdout)


class Doctests(unittest.TestCase):
    def test_every_example_runs(self):
        attempted = 0
        for module in pkgutil.iter_modules(wl.__path__):
            if module.name != "pytest_plugin":
                told = doctest.testmod(importlib.import_module(f"warplens.{module.name}"))
                self.assertEqual(told.failed, 0, module.name)
                attempted += told.attempted
        self.assertGreater(attempted, 10)

    def test_every_example_of_the_page_runs(self):
        page = (ROOT / "docs/python.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        self.assertGreaterEqual(len(blocks), 2)
        for block in blocks:
            names = {}
            with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                self.addCleanup(os.chdir, ROOT)
                exec(compile(block, "docs/python.md", "exec"), names)
                for name, function in names.items():
                    if name.startswith("test_"):
                        function(wl.assert_kernel)


if __name__ == "__main__":
    unittest.main()
