"""Names and texts of strangers in the Python package: paths of captures, tiles' names, what a notebook shows."""

import html.parser
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np
import warplens as wl
from warplens import program
from warplens.capture import Tiles
from warplens.describe import toml

SOURCE = """extern "C" __global__ void k(float* y) { // \x1b[31m
    y[threadIdx.x + 1] = 1; }
"""


class Tags(html.parser.HTMLParser):
    """The elements of a fragment with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.y = np.zeros(32, np.float32)
        cls.result = wl.kernel(SOURCE)[1, 32].debug(wl.out(cls.y), reference=lambda y: np.ones(32, np.float32))

    def test_a_capture_is_read_whatever_its_path(self):
        wanted = self.result.tiles.output_bytes()
        for name in (b"a b", b"o'clock \"x\"", b"what?mode=rwc", b"#1", b"100%41", b"caf\xe9", "Gr\u00fc\u00dfe".encode()):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, os.fsdecode(name), "x?y#z%20.wlcap")
                path.parent.mkdir()
                self.result.save(path)
                self.assertEqual(Tiles(path).output_bytes(), wanted, name)
                self.assertEqual(list(path.parent.iterdir()), [path], "nothing else was made")

    def test_a_journal_beside_a_capture_is_not_looked_at(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.result.save(Path(folder, "x.wlcap"))
            Path(folder, "x.wlcap-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(504))
            self.assertEqual(Tiles(path).output_bytes(), self.result.tiles.output_bytes())
            self.assertTrue(Path(folder, "x.wlcap-journal").exists())

    def test_a_page_in_a_notebook_may_run_nothing(self):
        frame = self.result._repr_mimebundle_()["text/html"]
        (tag, attributes), = Tags(frame).tags
        self.assertEqual((tag, attributes["sandbox"]), ("iframe", ""))
        self.assertIn("Content-Security-Policy", attributes["srcdoc"])
        self.assertIn("\\u001b[31m", attributes["srcdoc"])
        self.result.verdict, kept = "\"><script>alert(1)</script>", self.result.verdict
        try:
            self.assertEqual([one for one, _ in Tags(self.result._repr_mimebundle_()["text/html"]).tags], ["iframe"])
        finally:
            self.result.verdict = kept

    def test_the_name_of_a_tile_is_no_option(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.result.save(Path(folder, "x.wlcap"))
            tile = Tiles(path).tile("y")
            stolen = Path(folder, "stolen")
            object.__setattr__(tile, "name", f"--out={stolen}")
            with self.assertRaises(wl.Error):
                tile._repr_png_()
            self.assertFalse(stolen.exists())

    def test_what_is_printed_steers_no_terminal(self):
        finding = self.result.findings[0]
        object.__setattr__(finding, "title", "x\x1b[2J\u202e\u009b")
        self.assertIn("x\\u001b[2J\\u202e\\u009b", repr(finding))
        self.assertNotIn("\x1b", repr(self.result) + self.result.text)
        with self.assertRaises(wl.Error) as raised:
            program.ask(["diagnose", "no\x1b[2J.toml"])
        self.assertNotIn("\x1b", str(raised.exception))

    def test_a_manifest_names_any_utf8_and_refuses_the_rest(self):
        self.assertEqual(toml("a\"\\\n\x7f\u202e"), '"a\\"\\\\\\n\\u007f\u202e"')
        with self.assertRaises(wl.Error) as raised:
            toml(Path(os.fsdecode(b"caf\xe9.cu")))
        self.assertIn("rename it", str(raised.exception))
