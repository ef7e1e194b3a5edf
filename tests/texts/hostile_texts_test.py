#!/usr/bin/env python3
"""Texts of a stranger's capture in every column there is, where terminals, browsers and build servers read them.

The browser is chromium-headless-shell (or chromium); without one its test is skipped."""

import hashlib
import base64
import html.parser
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

PROGRAM = os.environ["WL_PROGRAM"]
TOOL = os.environ["WL_HOSTILE_CAPTURE"]
BROWSER = shutil.which("chromium-headless-shell") or shutil.which("chromium")

RUNS = "document.title='ran'"
HOSTILE = (f"\"'><img src=x onerror=\"{RUNS}\"><script>{RUNS}</script></style></title></pre><svg onload={RUNS}>"
           f"<a href=\"javascript:{RUNS}\" style=\"color:red\">]]>--> &lt;\n::error file=x::made up ##[error]x\r"
           "::add-mask::x %0A\t\x1b[2J\x1b]0;title\x07\x7f\u009b31m\u202etxt\u2066\uffff").encode() + b"\xff\xc3"
HARMLESS = b"a harmless text\na second line"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL, check=False)


class Structure(html.parser.HTMLParser):
    """Elements with their attributes, in order; texts left out."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *attrs))

    def handle_endtag(self, tag):
        self.tags.append(("/" + tag,))


class Texts(unittest.TestCase):
    """The files of both kinds are made once."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="warplens-texts-")
        cls.hostile, cls.harmless = Path(cls.folder.name, "hostile"), Path(cls.folder.name, "harmless")
        said = []
        for folder, text in ((cls.hostile, HOSTILE), (cls.harmless, HARMLESS)):
            folder.mkdir()
            said.append(subprocess.run([TOOL, folder, text], capture_output=True, check=True).stdout)
        lines = said[0].decode(errors="replace").split("\n")
        cls.read = [line.split(" ")[0] for line in lines if line.endswith(" read")]
        cls.refused = [line.split(" ")[0] for line in lines if " refused: " in line]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def page(self, capture, *words):
        path = Path(self.folder.name, "page.html")
        path.unlink(missing_ok=True)
        said = run("diagnose", capture, "--report", path, *words)
        self.assertIn(said.returncode, (0, 1, 3), said.stderr)
        return path.read_bytes().decode(), said

    def check_shown(self, data, what):
        text = data.decode()  # strictly
        self.assertIsNone(STEERS.search(text), f"{what}: {text!r}")
        return text

    def test_every_text_column_is_tried(self):
        with sqlite3.connect(self.hostile / "plain.wlcap") as file:
            columns = {f"{table}.{column}" for table, column in file.execute(
                "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
                "WHERE m.type = 'table' AND c.type LIKE '%TEXT%'")}
        tried = {".".join(name.split(".")[:2]) for name in (*self.read, *self.refused)}
        self.assertEqual(columns - tried, {"meta.key"})
        for words in ("meta.value.verdict", "meta.value.blocks", "probe.kind", "probe.dtype", "probe.logical", "probe.memory", "tile.verdict",
                      "output.verdict", "output.decided_by", "launch.build", "item.list", "place.role",
                      "finding.evidence_kind"):
            self.assertIn(words, self.refused)
        for words in ("launch.kernel", "source.text", "source.path", "finding.rule", "finding.title", "item.name",
                      "meta.value.tool_version", "meta.value.reference_problem"):
            self.assertIn(words, self.read)

    def test_a_word_that_is_not_known_is_refused_in_a_sentence(self):
        for name in self.refused:
            said = run("diagnose", self.hostile / f"{name}.wlcap")
            self.assertEqual(said.returncode, 2, name)
            self.check_shown(said.stdout + said.stderr, name)
            self.assertIn(b"is damaged", said.stderr)

    def test_a_text_of_any_column_is_shown(self):
        for name in self.read:
            said = run("diagnose", self.hostile / f"{name}.wlcap", "-v")
            self.assertIn(said.returncode, (0, 1, 3), said.stderr)
            self.check_shown(said.stdout + said.stderr, name)

    def test_a_page_has_the_elements_of_its_harmless_twin(self):
        for name in ("all", "unsupported"):
            hostile, harmless = (self.page(at / f"{name}.wlcap")[0] for at in (self.hostile, self.harmless))
            ours, theirs = (Structure(text).tags for text in (harmless, hostile))
            self.assertEqual([tag for tag in ours if tag[0] != "meta"], [tag for tag in theirs if tag[0] != "meta"])
            self.assertIn("made up", hostile)
            self.check_shown(hostile.encode(), name)

    def test_the_policy_lets_nothing_run(self):
        text, _ = self.page(self.hostile / "all.wlcap")
        style = text[text.index("<style>") + 7:text.index("</style>")]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        metas = [dict(tag[1:]) for tag in Structure(text).tags if tag[0] == "meta"]
        policy = next(one["content"] for one in metas if one.get("http-equiv") == "Content-Security-Policy")
        self.assertEqual(policy, f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
                         "form-action 'none'")
        self.assertFalse(any(one[0] == "style" for tag in Structure(text).tags for one in tag[1:]))
        self.assertNotIn("<style", text[text.index("</style>"):])

    @unittest.skipUnless(BROWSER, "no chromium-headless-shell")
    def test_a_browser_runs_no_script_of_a_page(self):
        def opened(text):
            path = Path(self.folder.name, "opened.html")
            path.write_text(text)
            return subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                                   "--virtual-time-budget=1000", f"--user-data-dir={self.folder.name}/browser",
                                   path.as_uri()], capture_output=True, check=True).stdout.decode()

        plain = f"<html><head><title>no</title></head><body><script>{RUNS}</script></body></html>"
        self.assertIn("<title>ran</title>", opened(plain), "a script is noticed")
        hostile, harmless = (self.page(at / "all.wlcap")[0] for at in (self.hostile, self.harmless))
        seen = opened(hostile)
        self.assertNotIn("<title>ran</title>", seen)
        ours, theirs = (Structure(text).tags for text in (opened(harmless), seen))
        self.assertEqual([tag for tag in ours if tag[0] != "meta"], [tag for tag in theirs if tag[0] != "meta"])
        unescaped = hostile.replace("<main>", f"<main><script>{RUNS}</script><img src=x onerror=\"{RUNS}\">")
        self.assertNotIn("<title>ran</title>", opened(unescaped), "the policy holds by itself")
        self.assertIn("<title>ran</title>", opened(re.sub("<meta http-equiv[^>]*>", "", unescaped)))

    def test_a_terminal_gets_text(self):
        for name in ("all", "unsupported"):
            capture = self.hostile / f"{name}.wlcap"
            for words in (("diagnose", capture, "-v"), ("tiles", capture), ("compare", capture, capture, "--all"),
                          ("show", capture, "--tile", "no\x1b[31m\n such"), ("diagnose", Path(f"no\x1b[31m.wlcap"))):
                said = run(*words)
                self.check_shown(said.stdout + said.stderr, words)
            said = run("diagnose", capture, "-v", "--color", "always")
            ours = re.sub(b"\x1b\\[(0|1|2|31|32|33)m", b"", said.stdout)
            self.assertNotEqual(ours, said.stdout)
            self.check_shown(ours, "colours")
            self.assertNotIn(b"\x1b[2J", said.stdout)

    def test_json_keeps_what_the_file_says(self):
        for name in ("all", "unsupported"):
            for words in (("diagnose",), ("tiles",))[:2 if name == "all" else 1]:
                said = run(*words, self.hostile / f"{name}.wlcap", "--json")
                self.check_shown(said.stdout, words)
                answer = json.loads(said.stdout)
                self.assertIn("\u009b31m\u202etxt\u2066\uffff\ufffd\ufffd", json.dumps(answer, ensure_ascii=False))

    def test_sarif_is_json(self):
        for name in ("all", "unsupported"):
            said = run("diagnose", self.hostile / f"{name}.wlcap", "--format", "sarif")
            self.check_shown(said.stdout, name)
            for result in json.loads(said.stdout)["runs"][0]["results"]:
                for place in result.get("locations", []) + result.get("relatedLocations", []):
                    self.assertRegex(place["physicalLocation"]["artifactLocation"]["uri"], "^[A-Za-z0-9._~/%-]+$")

    def test_junit_is_xml(self):
        for name in ("all", "unsupported"):
            structures = []
            for folder in (self.hostile, self.harmless):
                said = run("diagnose", folder / f"{name}.wlcap", "--format", "junit")
                self.check_shown(said.stdout, name)
                tree = xml.etree.ElementTree.fromstring(said.stdout)
                structures.append([(one.tag, sorted(one.attrib)) for one in tree.iter()])
            self.assertEqual(*structures)

    def test_github_gets_the_annotations_of_ours_alone(self):
        for name in ("all", "unsupported"):
            counts = []
            for folder in (self.hostile, self.harmless):
                said = run("diagnose", folder / f"{name}.wlcap", "--format", "github")
                lines = self.check_shown(said.stdout, name).splitlines()
                commands = [line for line in lines if line.lstrip().startswith("::")]
                for line in commands:  # as the runner splits one: a word, properties, data
                    word, properties = line[2:].split("::")[0].split(" ", 1)
                    self.assertIn(word, ("error", "warning", "notice"))
                    self.assertLessEqual({one.split("=")[0] for one in properties.split(",")}, {"file", "line", "title"})
                self.assertFalse([line for line in lines if line not in commands and "##[" in line])
                counts.append((len(lines), len(commands)))
            self.assertEqual(*counts)


class Sources(unittest.TestCase):
    """A source in Latin-1, and a manifest with a hostile name: what compiles, runs and is told."""

    def test_a_source_that_is_no_utf8(self):
        with tempfile.TemporaryDirectory(prefix="warplens-texts-") as folder:
            Path(folder, "k.cu").write_bytes(
                b"extern \"C\" __global__ void k(float* y)\n{\n"
                b"    if (threadIdx.x == 3) printf(\"it said \\033[2J \\233\\n\");\n"
                b"    y[threadIdx.x + 1] = 1; // caf\xe9 \x1b[31m \xc2\x9b \n}\n")
            manifest = Path(folder, "::add-mask::k##[x].toml")
            manifest.write_text(
                "source = \"k.cu\"\nargs = [{ name = \"y\", dtype = \"f32\", shape = [32], output = true }]\n"
                "[launch]\ngrid = [1]\nblock = [32]\n")
            page = Path(folder, "r.html")
            for form in ("text", "json", "sarif", "junit", "github"):
                words = ("diagnose", manifest, "--format", form, "--report", page, "--search", "0")
                said = run(*words, "--write-baseline", Path(folder, f"known-{form}.json"), "-o", Path(folder, "k.wlcap"))
                self.assertIn(said.returncode, (0, 1), said.stderr)
                text = said.stdout.decode()
                self.assertIsNone(STEERS.search(text + said.stderr.decode()))
                if form == "text":
                    self.assertIn("it said \\u001b[2J \\x9b", re.sub(r"\s+", " ", text), "of the device's printf")
                if form in ("json", "sarif"):
                    json.loads(text)
                if form == "github":
                    commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
                    self.assertTrue(all(line.startswith("::error ") for line in commands), commands)
                    self.assertIn("\n%3A%3Aadd-mask::k##%5Bx]: findings", text)
                if form == "junit":
                    xml.etree.ElementTree.fromstring(text)
                self.assertIn("caf\\xe9 \\u001b[31m \\u009b", page.read_text(encoding="utf-8"))
                json.loads(Path(folder, f"known-{form}.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
