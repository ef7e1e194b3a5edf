#!/usr/bin/env python3
"""gallery.toml, manifests and sources of the gallery agree; a few of its kernels are right, and wrong with a fault."""
import collections
import os
import re
import sys
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import gallery  # noqa: E402
import scoring  # noqa: E402

KERNELS = gallery.kernels()
RUN = {"gemm_tiled": "rows", "transpose": "sync", "softmax": "divide", "scan": "tail", "rope": "token"}


class Table(unittest.TestCase):
    def test_every_kernel_of_the_folders_is_listed(self):
        there = {str(p.relative_to(gallery.GALLERY).with_suffix("")) for p in gallery.GALLERY.rglob("*.cu")}
        self.assertEqual(there, {f"{kernel['folder']}/{name}" for name, kernel in KERNELS.items()})

    def test_faults_are_those_of_manifest_and_source(self):
        for name, kernel in KERNELS.items():
            source, manifest = kernel["source"].read_text(), tomllib.loads(kernel["manifest"].read_text())
            self.assertEqual(set(kernel["faults"]), set(manifest["fault"]), name)
            self.assertEqual({scoring.macro(f) for f in kernel["faults"]}, set(re.findall(r"WL_FAULT_\w+", source)), name)
            self.assertEqual("WL_" in re.sub(r"WL_FAULT_\w+", "", source), kernel["marks"], name)

    def test_a_fault_changes_at_most_three_lines_and_they_are_known(self):
        for name, kernel in KERNELS.items():
            for fault in kernel["faults"]:
                wrong = scoring.wrong_of_fault(kernel["source"].read_text(), fault, set())
                with self.subTest(kernel=name, fault=fault):
                    self.assertIn(len(wrong.changed) + len(wrong.dropped), (1, 2, 3))

    def test_every_class_is_in_six_kernels_and_every_kernel_has_six(self):
        kernels_of = collections.defaultdict(set)
        for name, kernel in KERNELS.items():
            self.assertGreaterEqual(len(set(kernel["faults"].values())), 6, name)
            for kind in kernel["faults"].values():
                kernels_of[kind].add(name)
        self.assertEqual(set(kernels_of), set(scoring.CAUSES))
        for kind, names in kernels_of.items():
            self.assertGreaterEqual(len(names), 6, kind)

    def test_a_third_is_held_out_and_half_has_marks(self):
        self.assertGreaterEqual(len(KERNELS), 30)
        self.assertIn(sum(k["held_out"] for k in KERNELS.values()) * 3 // len(KERNELS), (0, 1))
        self.assertIn(sum(k["marks"] for k in KERNELS.values()) - len(KERNELS) // 2, (-1, 0, 1))


class Scoring(unittest.TestCase):
    TEXT = "a\n#ifdef WL_FAULT_X\nif (i <= n)\n#else\nif (i < n)\n#endif\nb\n#ifndef WL_FAULT_Y\nsync\n#endif\nc\nd\n"

    def finding(self, rule, line, title="", kind="fit"):
        return {"rule": rule, "where": {"line": line}, "title": title, "evidence_kind": kind}

    def test_lines_are_those_that_the_compiler_sees(self):
        wrong = scoring.wrong_of_fault(self.TEXT, "x", set())
        self.assertEqual([scoring.distance(wrong, line) for line in (1, 3, 7, 9, 11)], [1, 0, 1, 2, 3])
        dropped = scoring.wrong_of_fault(self.TEXT, "y", set())
        self.assertEqual([scoring.distance(dropped, line) for line in (5, 7, 11, 12)], [2, 1, 1, 2])

    def test_a_finding_is_named_by_its_cause_or_its_edit(self):
        wrong = scoring.wrong_of_fault(self.TEXT, "x", {"boundary_off_by_one"})
        for score, *finding in (
            ("named", "boundary_off_by_one", 3),
            ("named", "wrong_operand", 3, "`<=` should be `<`"),
            ("named", "wrong_constant", 3, "`n` should be `n - 1`", "proven"),
            ("line", "wrong_constant", 7, "`n` should be `n - 1`", "proven"),
            ("line", "wrong_operand", 3, "`n` should be `m`"),
            ("seen", "boundary_off_by_one", 12),
            ("elsewhere", "boundary_off_by_one", 12, "`<=` should be `<`", "proven"),
            ("seen", "values_differ", 12),
            ("seen", "race_shared", 12, "", "witness"),
            ("elsewhere", "wrong_operand", 12),
        ):
            self.assertEqual(scoring.judged(wrong, self.finding(*finding)), score, finding)


class Runs(unittest.TestCase):
    def test_kernels_are_right_and_their_faults_are_seen(self):
        program = os.environ.get("WL_PROGRAM") or self.skipTest("WL_PROGRAM is not set")
        for name, fault in RUN.items():
            clean, _ = scoring.diagnose(program, KERNELS[name]["manifest"])
            self.assertEqual((clean["verdict"], clean.get("findings")), ("ok", []), name)
            wrong, _ = scoring.diagnose(program, KERNELS[name]["manifest"], ["--fault", fault], search=0)
            self.assertEqual(wrong["verdict"], "findings", f"{name} --fault {fault}")


if __name__ == "__main__":
    unittest.main()
