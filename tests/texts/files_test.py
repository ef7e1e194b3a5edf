#!/usr/bin/env python3
"""Files that verbs write: whole or as they were, whatever the disk, the other machine or the name does."""

import json
import os
import resource
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["WL_PROGRAM"]
TOOL = os.environ["WL_HOSTILE_CAPTURE"]
OLD = b"what was here before"
SMALL = ["--shape", "1,1,64,64", "--search", "0"]


def no_room():
    """Room for three bytes: a file that is written in place loses its first ones."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, 3))


def run(*words, cwd, full=False, said=b"", **environment):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, input=said, cwd=cwd, check=False,
                          env={**os.environ, "XDG_STATE_HOME": str(cwd), **environment},
                          preexec_fn=no_room if full else None)


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(prefix="warplens-files-")
        subprocess.run([TOOL, cls.made.name, "x"], capture_output=True, check=True)
        cls.capture = Path(cls.made.name, "plain.wlcap")

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="warplens-files-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_full_disk_leaves_what_was_there(self):
        Path(self.folder, "k.cu").write_text('extern "C" __global__ void k(float* y) { y[threadIdx.x] = 1; }\n')
        baseline = b'{"baseline": 1, "findings": []}'
        run("run", "v2c_3", *SMALL, "-o", "warm.wlcap", cwd=self.folder)
        for name, words in (
                ("r.html", ("diagnose", self.capture, "--report", "r.html")),
                ("b.json", ("diagnose", self.capture, "--write-baseline", "b.json")),
                ("t.png", ("show", self.capture, "--tile", "l", "--plain", "-o", "t.png")),
                ("c.wlcap", ("run", "v2c_3", *SMALL, "-o", "c.wlcap")),
                ("f.svg", ("fragments", "mma.m16n8k16", "f16", "-o", "f.svg")),
                ("f.txt", ("fragments", "mma.m16n8k16", "f16", "-o", "f.txt")),
                ("l.json", ("layout", "(4,8):(8,1)", "-o", "l.json")),
                ("w.npy", ("writers", "v2c_3", "--shape", "1,1,64,64", "--array", "O", "-o", "w.npy")),
                ("i.toml", ("init", "k.cu", "--force", "-o", "i.toml"))):
            path = Path(self.folder, name)
            old = baseline if name == "b.json" else OLD
            path.write_bytes(old)
            path.chmod(0o640)
            before = sorted(os.listdir(self.folder))
            said = run(*words, cwd=self.folder, full=True)
            lines = said.stderr.decode().strip().splitlines()
            self.assertEqual(said.returncode, 2, (words, said))
            self.assertEqual(lines[-1:], [f"warplens: error: cannot write {name}: File too large."], words)
            self.assertEqual(path.read_bytes(), old, words)
            self.assertEqual(sorted(os.listdir(self.folder)), before, "nothing is left behind")
            said = run(*words, cwd=self.folder)
            self.assertIn(said.returncode, (0, 1), said)
            self.assertNotEqual(path.read_bytes(), old, words)
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640, "permissions stay")

    def test_a_device_that_is_full_is_said_and_pipes_are_written(self):
        said = run("diagnose", self.capture, "--report", "/dev/full", cwd=self.folder)
        self.assertEqual(said.returncode, 2)
        self.assertIn(b"cannot write /dev/full: No space left on device.", said.stderr)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        said = run("diagnose", self.capture, "--report", "/dev/stdout", "--json", cwd=self.folder)
        self.assertIn(b"<!DOCTYPE html>", said.stdout)

    def test_a_link_stays_a_link(self):
        Path(self.folder, "real.html").write_bytes(OLD)
        Path(self.folder, "link.html").symlink_to("real.html")
        run("diagnose", self.capture, "--report", "link.html", cwd=self.folder)
        self.assertTrue(Path(self.folder, "link.html").is_symlink())
        self.assertIn(b"<!DOCTYPE html>", Path(self.folder, "real.html").read_bytes())

    def test_a_lesson_is_handed_out_whole_or_not(self):
        said = run("learn", "01", "--start", cwd=self.folder, full=True)
        self.assertEqual(said.returncode, 2)
        self.assertIn(b"File too large", said.stderr)
        self.assertEqual([one for one in self.folder.rglob("*") if one.is_file()], [])

    def other_machine(self, answer):
        """What stands for ssh: takes what it is sent and answers with these bytes."""
        Path(self.folder, "answer").write_bytes(answer)
        ssh = Path(self.folder, "ssh")
        ssh.write_text(f"#!/bin/sh\ncat '{self.folder}/answer'\n")
        ssh.chmod(0o755)
        return str(ssh)

    def test_what_another_machine_sends_never_takes_the_place_of_a_good_capture(self):
        good, said = self.capture.read_bytes(), b"what it said\x1b[2J\n"
        Path(self.folder, "k.cu").write_text('extern "C" __global__ void k(float* y) { y[threadIdx.x] = 1; }\n')
        Path(self.folder, "k.toml").write_text(
            'args = [{ name = "y", dtype = "f32", shape = [32], output = true }]\n[launch]\ngrid = [1]\nblock = [32]\n')

        def answer(capture, head=None):
            return (head or b"warplens-remote 0 %d %d\n" % (len(said), len(capture))) + said + capture

        at = good.index(b"attention")
        huge = b"%d" % (2**64 - len(said) + 5)
        for what, bad in {
                "no capture": b"<html>",
                "one that is cut off": good[:len(good) // 2],
                "one byte of it changed": good[:at] + bytes([good[at] ^ 1]) + good[at + 1:],
                "another file": b"SQLite format 3\0" + bytes(5000)}.items():
            target = Path(self.folder, "c.wlcap")
            target.write_bytes(good)
            out = run("run", "k.toml", "--host", "there", "-o", "c.wlcap", cwd=self.folder,
                      WARPLENS_SSH=self.other_machine(answer(bad)))
            self.assertEqual(out.returncode, 2, what)
            self.assertIn(b"what there sent", out.stderr, what)
            self.assertIn(b"c.wlcap is left as it was.", out.stderr, what)
            self.assertEqual(target.read_bytes(), good, what)
        for head in (b"warplens-remote 0 %d 999999999\n" % len(said), b"warplens-remote 0 %b 5\n" % huge,
                     b"warplens-remote 0 -5 5\n", b"warplens-remote 0 1 2\n", b"warplens-remote x\n"):
            out = run("run", "k.toml", "--host", "there", "-o", "c.wlcap", cwd=self.folder,
                      WARPLENS_SSH=self.other_machine(answer(b"<html>", head)))
            self.assertEqual(out.returncode, 2, head)
            self.assertIn(b"the connection to there failed or broke", out.stderr, head)
            self.assertEqual(target.read_bytes(), good, head)
        target.write_bytes(OLD)
        out = run("run", "k.toml", "--host", "there", "-o", "c.wlcap", cwd=self.folder,
                  WARPLENS_SSH=self.other_machine(answer(good)))
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertEqual(target.read_bytes(), good)
        self.assertIn(b"what it said\\u001b[2J\n", out.stdout)

    def test_questions_that_are_no_utf8_are_answered(self):
        lines = [b"--block 0 caf\xe9", b"\xff\xfe\x00 x", b"--block 0 \xed\xa0\x80", b"--block 999", b"--bl\xc3"]
        for verb in ("at", "why"):
            said = run(verb, "v2c_3", "--shape", "1,1,64,64", "--serve", cwd=self.folder, said=b"\n".join(lines) + b"\n")
            self.assertEqual(said.returncode, 0, said.stderr)
            answers = [json.loads(line) for line in said.stdout.decode().splitlines()]
            self.assertEqual(len(answers), len(lines))
            self.assertTrue(all(one["error"] for one in answers), answers)

    def test_a_folder_cannot_put_words_into_a_script_for_slurm(self):
        for name in ("a\n#SBATCH --uid=0", 'a"b', "a\\b", "a\rb", "a\tb"):
            said = run("sweep", "v2c_3", "--slurm", "-o", name, cwd=self.folder)
            self.assertEqual(said.returncode, 2, name)
            self.assertIn(b"a script for sbatch cannot name a folder", said.stderr)
            self.assertEqual(said.stdout, b"")
        said = run("sweep", "v2c_3", "--slurm", "-o", "a b%j'c#d", cwd=self.folder)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn(b"#SBATCH --output=\"a b%%j'c#d/part-%a.log\"\n", said.stdout)
        self.assertEqual(said.stdout.count(b"#SBATCH"), 5)


if __name__ == "__main__":
    unittest.main()
