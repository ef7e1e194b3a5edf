"""Runs the Python that the documentation shows for reading a capture, on a capture, as it stands there.

usage: capture_python_test.py WRITE_SYNTHETIC_CAPTURE DOCUMENT...
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np


def code_blocks(document):
    blocks = re.findall(r"```python\n(.*?)```", pathlib.Path(document).read_text(), re.S)
    return [block for block in blocks if ".wlcap" in block]


def check_scores(names, block):
    """S is a 64x64 tile whose elements agree with the reference stored beside it."""
    scores = names["S"]
    assert scores.shape == (64, 64) and scores.dtype == np.float32, (scores.shape, scores.dtype)
    row = names["sqlite3"].connect("run.wlcap").execute(
        "SELECT reference, bound, owner, verdict FROM tiles WHERE probe='scores' AND cta=? AND iter=5", (block,)
    )
    reference, bound, owner, verdict = row.fetchone()
    reference = np.frombuffer(reference, "<f8").reshape(64, 64)
    assert np.all(np.abs(scores - reference) <= np.frombuffer(bound, "<f4").reshape(64, 64))
    assert np.ptp(scores) > 1 and verdict == "ok"
    warps = np.frombuffer(owner, "u1").reshape(64, 64, 8)[:, :, 0]
    assert np.array_equal(warps, np.arange(64)[:, None] // 8 * np.ones((1, 64), "u1")), warps


def check_events(names):
    """Replaying the recorded writes gives every element of l after the last iteration, which is 32 times too large."""
    events = names["events"]
    l = names["sqlite3"].connect("run.wlcap").execute(
        "SELECT data, reference FROM tiles WHERE probe='l' AND data IS NOT NULL ORDER BY iter DESC"
    )
    got, reference = (np.frombuffer(blob, kind) for blob, kind in zip(l.fetchone(), ("<f4", "<f8")))
    address = names["sqlite3"].connect("run.wlcap").execute("SELECT max(address) FROM tile t JOIN probe USING(probe_id) WHERE name='l'")
    base = address.fetchone()[0]
    writes = events[(events["kind"] == 0) & (events["address"] >= base) & (events["address"] < base + 256)]
    last = {int(e["address"]): e["value"] for e in writes}
    replayed = np.array([last[base + 4 * i] for i in range(64)], "<u8").astype("<u4").view("<f4")
    assert np.array_equal(replayed, got)
    assert np.allclose(got / reference, 32, rtol=1e-5)


def check_blobs_in_rows(tool, folder):
    """Blobs that go on in other rows, here of 1000 bytes, are the same arrays."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    from warplens.capture import Tiles

    whole, cut = (Tiles(folder / name) for name in ("whole.wlcap", "cut.wlcap"))
    subprocess.run([tool, folder / "whole.wlcap"], check=True)
    subprocess.run([tool, folder / "cut.wlcap", "0", "1000"], check=True)
    assert list(whole) == list(cut) and "O" in whole
    for name in whole:
        one, other = whole.tile(name), cut.tile(name)
        assert one.got.nbytes > 1000 or one.got.shape[1] == 1, name
        assert np.array_equal(one.got, other.got, equal_nan=True), name
        assert np.array_equal(one.reference, other.reference, equal_nan=True), name
        assert np.array_equal(one.bound, other.bound), name
    assert whole.output_bytes() == cut.output_bytes() and whole.output_bytes().keys() == {"O"}


def main(tool, documents):
    with tempfile.TemporaryDirectory() as folder:
        check_blobs_in_rows(tool, pathlib.Path(folder))
    for document in documents:
        blocks = code_blocks(document)
        assert blocks, f"{document} shows no Python that opens a .wlcap"
        for block in blocks:
            cta = int(re.search(r"cta=(\d+)", block).group(1))
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                subprocess.run([tool, "run.wlcap", str(cta)], check=True)
                names = {}
                exec(compile(block, document, "exec"), names)
                os.chdir("/")
                os.chdir(folder)
                if "S" in names:
                    check_scores(names, cta)
                if "events" in names:
                    check_events(names)
                assert {"S", "events"} & names.keys(), block
                os.chdir("/")
        print(f"{document}: {len(blocks)} blocks of Python ran")


main(str(pathlib.Path(sys.argv[1]).resolve()), [str(pathlib.Path(path).resolve()) for path in sys.argv[2:]])
