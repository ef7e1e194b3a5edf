"""The wheel of this build: packed, installed into a fresh virtual environment, and a first finding there.

NumPy comes from this Python's own packages and NVRTC from where the build has it: nothing is fetched."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = os.environ.get("WL_BUILD")  # of a build that is to be shipped
FIRST = """import numpy as np, pathlib, warplens as wl
k = wl.kernel("__global__ void add(const float* a, float* c, int n) {\\n"
              "    int i = blockIdx.x * 256 + threadIdx.x;\\n    if (i <= n) c[i] = a[i];\\n}\\n")
c = np.zeros(1000, np.float32)
print(pathlib.Path(wl.program.program()).relative_to(pathlib.Path(wl.__file__).parent))
print(k[4, 256].debug(c + 1, wl.out(c), 1000, reference=lambda a: a, search=0).findings[0])
"""


@unittest.skipUnless(BUILD, "WL_BUILD names no build")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = Path(cls.folder.name)
        packed = subprocess.run([sys.executable, ROOT / "cmake/wheel.py", BUILD, cls.at], capture_output=True,
                                text=True, check=True)
        cls.wheel = Path(packed.stdout.strip())
        venv.create(cls.at / "venv", with_pip=False, symlinks=True)
        cls.python = cls.at / "venv/bin/python"
        subprocess.run([sys.executable, "-m", "pip", "--python", cls.python, "install", "-q", "--no-index", "--no-deps",
                        "--no-compile", "--disable-pip-version-check", cls.wheel], check=True)
        site = next((cls.at / "venv/lib").glob("python*/site-packages"))
        (site / "numpy.pth").write_text(str(Path(np.__file__).parents[1]))
        ours = ("WARPLENS_", "PYTHON", "VIRTUAL_ENV")
        cls.environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_there(self, *words, status=0):
        said = subprocess.run(words, cwd=self.at, env=self.environment, capture_output=True, text=True)
        self.assertEqual(said.returncode, status, said.stdout + said.stderr)
        return said.stdout

    def test_its_name_says_what_it_runs_on(self):
        self.assertRegex(self.wheel.name, r"^warplens-0\.1\.0-py3-none-manylinux_2_\d+_x86_64\.whl$")

    def test_a_first_finding(self):
        where, finding = self.run_there(self.python, "-c", FIRST).splitlines()
        self.assertEqual(where, "installed/bin/warplens")
        self.assertIn("out_of_bounds at kernel.cu:3", finding)

    def test_the_console_script_finds_kernels_lessons_and_headers(self):
        script = self.at / "venv/bin/warplens"
        kernels = json.loads(self.run_there(script, "kernels", "--json"))["kernels"]
        self.assertTrue(all("site-packages/warplens/installed" in one["path"] for one in kernels), kernels)
        self.assertIn("01", self.run_there(script, "learn"))
        self.run_there(script, "run", "v2c_3", "--shape", "1,1,64,64", "--fault", "32x", "--search", "0", "-o",
                       "bad.wlcap", "--quiet", status=1)
        self.assertIn("l ", self.run_there(script, "tiles", "bad.wlcap", status=1))

    def test_libraries_are_the_wheels_own(self):
        program = next(self.at.glob("venv/lib/python*/site-packages/warplens/installed/bin/warplens"))
        needed = self.run_there("ldd", program)
        foreign = [line.split()[0] for line in needed.splitlines() if "=>" in line and "/warplens/" not in line]
        self.assertEqual(sorted(foreign), ["libc.so.6", "libgcc_s.so.1", "libm.so.6", "libstdc++.so.6"])


if __name__ == "__main__":
    unittest.main()
