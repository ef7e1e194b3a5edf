"""What a build server runs: ci/check.sh over right and broken kernels, and the files that it leaves."""

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("WARPLENS_PROGRAM", ROOT / "build/release/app/warplens"))
MANIFEST = """args = [{ name = "c", dtype = "f32", shape = [100], fill = "ones", output = true }]
[launch]
grid = [1]
block = [128]
[output.c]
compare = false
"""
RIGHT = 'extern "C" __global__ void k(float* c) { if (threadIdx.x < 100) c[threadIdx.x] += 1; }\n'
BEYOND = RIGHT.replace("<", "<=")


class Page(HTMLParser):
    """Counts elements, and keeps what the page would fetch."""

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.headings = [], [], 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.fetched += [value for name, value in attrs if name in ("src", "href") and not value.startswith("data:")]
        self.headings += tag == "h1"
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


# Asks a page in a frame what a browser made of it.
ASKING = """<iframe id="page" src="page.html" style="width:1100px;height:800px"></iframe><p id="said"></p><script>
document.getElementById("page").onload = event => {
    const page = event.target.contentDocument, style = getComputedStyle(page.body);
    document.getElementById("said").textContent = JSON.stringify({
        drawn: [...page.images].filter(image => image.complete && image.naturalWidth > 0).length, all: page.images.length,
        ground: style.backgroundColor, wide: page.documentElement.scrollWidth <= 1100,
        title: page.title, mark: getComputedStyle(page.querySelector("pre .here")).backgroundColor });
};
</script>"""
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium") or shutil.which("google-chrome")


@unittest.skipUnless(CHROMIUM, "there is no Chromium here")
class InABrowser(unittest.TestCase):
    def seen(self, folder, *words):
        said = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
             f"--user-data-dir={folder}/profile", "--virtual-time-budget=4000", *words, "--dump-dom",
             f"file://{folder}/asking.html"], capture_output=True, text=True, timeout=120)
        told = re.search(r'<p id="said">(.*?)</p>', said.stdout)
        self.assertIsNotNone(told, said.stdout + said.stderr[-2000:])
        return json.loads(html.unescape(told[1]))

    def test_pictures_are_drawn_and_the_readers_colours_are_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "run", "v2c_3", "--fault", "32x", "--shape", "1,1,64,64", "-o", f"{folder}/x.wlcap",
                            "--report", f"{folder}/page.html"], capture_output=True)
            Path(folder, "asking.html").write_text(ASKING)
            light = self.seen(folder, "--blink-settings=preferredColorScheme=1")
            dark = self.seen(folder, "--blink-settings=preferredColorScheme=0")
        self.assertEqual(light["title"], "v2c_3+32x: findings")
        self.assertEqual((light["drawn"], light["wide"]), (light["all"], True))
        self.assertGreaterEqual(light["all"], 9)
        self.assertEqual((light["ground"], dark["ground"]), ("rgb(255, 255, 255)", "rgb(16, 18, 21)"))
        self.assertNotEqual(light["mark"], dark["mark"])


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = Path(self.folder.name)
        for name, text in (("right", RIGHT), ("beyond", BEYOND)):
            (self.at / f"{name}.cu").write_text(text)
            (self.at / f"{name}.toml").write_text(MANIFEST)

    def tearDown(self):
        self.folder.cleanup()

    def check(self, *words, **more):
        environment = os.environ | {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", **more}
        return subprocess.run(["bash", ROOT / "ci/check.sh", *words], cwd=self.at, env=environment,
                              capture_output=True, text=True)

    def test_the_worst_verdict_counts_and_every_kernel_has_its_files(self):
        said = self.check("run", "out", "beyond.toml", "right.toml", "--", "--search", "0")
        self.assertEqual(said.returncode, 1, said.stdout + said.stderr)
        self.assertIn("out_of_bounds", said.stdout)
        names = {path.name for path in (self.at / "out").iterdir()}
        self.assertEqual(names, {f"{kernel}.{kind}" for kernel in ("right", "beyond")
                                 for kind in ("sarif", "junit.xml", "wlcap", "html")})
        results = {kernel: json.loads((self.at / f"out/{kernel}.sarif").read_text())["runs"][0]["results"]
                   for kernel in ("right", "beyond")}
        self.assertEqual((len(results["right"]), results["beyond"][0]["ruleId"]), (0, "out_of_bounds"))
        self.assertEqual(ElementTree.parse(self.at / "out/beyond.junit.xml").getroot().get("failures"), "1")
        page = Page((self.at / "out/beyond.html").read_text())
        self.assertEqual((page.fetched, page.open, page.headings), ([], [], 1))

    def test_a_baseline_lets_the_known_pass(self):
        self.assertEqual(self.check("hazards", "out", "right.toml").returncode, 0)
        self.assertEqual(self.check("hazards", "out", "beyond.toml").returncode, 1)
        subprocess.run([PROGRAM, "hazards", "beyond.toml", "--write-baseline", "known.json"], cwd=self.at,
                       capture_output=True)
        said = self.check("hazards", "out", "beyond.toml", "--", "--baseline", "known.json")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual(ElementTree.parse(self.at / "out/beyond.junit.xml").getroot().get("failures"), "0")

    def test_a_log_of_github_takes_no_line_of_a_kernel_for_a_command(self):
        said = self.check("run", "out", "right.toml", GITHUB_ACTIONS="true").stdout.splitlines()
        self.assertRegex(said[0], "^::stop-commands::[0-9a-f]{32}$")
        self.assertEqual(said[-1], f"::{said[0].rsplit(':', 1)[1]}::")
        self.assertNotIn("::", self.check("run", "out", "right.toml", GITHUB_ACTIONS="").stdout)

    def test_what_cannot_be_run_is_an_error(self):
        said = self.check("run", "out", "right.toml", "nowhere.toml")
        self.assertEqual(said.returncode, 2)
        self.assertIn("nowhere.toml", said.stderr)
        self.assertIn("check.sh VERB FOLDER", self.check("run").stderr)
        self.assertEqual(self.check("accept", "out", "beyond.toml").returncode, 1)


if __name__ == "__main__":
    unittest.main()
