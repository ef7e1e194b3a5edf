#!/usr/bin/env python3
"""Records stores and barriers of every kernel of this repository on the GPU and in the emulator, and compares them.

    LD_LIBRARY_PATH=build/bundle/lib python3 tests/gpu/recording_run.py build/bundle/warplens OUT.json COMMIT [NAME ...]

Compared are, of block 0: which lane stores how often at which instruction, what it stores, and of each shared array at
each barrier the elements and their owners. Who stores and who owns must be the same: exit status 1 when it is not.
Values may differ by rounding and are counted. Kernels with faults are left out: their races may come otherwise.
"""
import collections
import concurrent.futures
import datetime
import json
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

JOBS = 8
SECONDS = 240
EVENT = struct.Struct("<QQIIHBBBBH")  # docs/format.md
TILES = """SELECT p.name, t.iter, v.data, o.data FROM tile t JOIN probe p USING(probe_id)
           JOIN blob v ON v.blob_id = t.blob_id LEFT JOIN blob o ON o.blob_id = t.owner_id
           WHERE p.name LIKE 'shared.%' AND t.cta = 0"""


def kernels(program, wanted):
    listed = json.loads(subprocess.run([program, "kernels", "--json"], capture_output=True, text=True).stdout)
    names = [k["name"] for k in listed["kernels"]] + sorted(map(str, pathlib.Path("tests/kernels").rglob("*.toml")))
    return [n for n in names if not wanted or n in wanted]


def recorded(program, kernel, on, folder):
    """stores by (warp, lane, site), tiles by (name, barrier), what the notes say; or why there is nothing."""
    path = f"{folder}/{on}.wlcap"
    done = subprocess.run(
        [program, "run", kernel, "--on", on, "--check", "none", "--record", "0,0,0", "--record", "stores", "--record",
         "barriers", "--quiet", "--threads", "2", "-o", path], capture_output=True, text=True, timeout=SECONDS)
    if not pathlib.Path(path).exists():
        return None, (done.stderr or done.stdout).strip()[-300:]
    db = sqlite3.connect(path)
    stores = collections.defaultdict(list)
    mnemonics = dict(db.execute("SELECT site_id, text FROM site"))
    pages = db.execute("SELECT data FROM event_page JOIN record USING(record_id) WHERE cta=0 ORDER BY page_id")
    events = [e for e in EVENT.iter_unpack(b"".join(p for p, in pages)) if e[7] == 0]
    # Words of mbarriers, whose bits are the hardware's own: a copy in bulk changes one when it lands, too.
    opaque = {address for address, _, _, site, *_ in events if mnemonics[site].startswith("mbarrier")}
    for address, value, _, site, _, warp, lane, _, size, _ in events:
        if address not in opaque:
            stores[warp, lane, site].append(value.to_bytes(8, "little")[:size])
    tiles = {(name, barrier): (values, owners) for name, barrier, values, owners in db.execute(TILES)}
    notes = [value for value, in db.execute("SELECT name FROM item WHERE list='note'")]
    atomics = {site for site, text in mnemonics.items() if re.match(r"(@\S+ )?(atom|red)\.", text)}
    return (stores, tiles, notes, atomics), ""


def who(owners):
    """Warp, lane and instruction of each element: epochs of copies count where they are issued, or where they land."""
    return [(o[0], o[1], o[3]) for o in struct.iter_unpack("<BBHI", owners)]


def compare(program, kernel):
    with tempfile.TemporaryDirectory() as folder:
        try:
            cpu, why = recorded(program, kernel, "cpu", folder)
            gpu, why_not = recorded(program, kernel, "gpu", folder)
        except subprocess.TimeoutExpired:
            return {"kernel": kernel, "outcome": "timeout"}
    row = {"kernel": kernel}
    if cpu is None or gpu is None:
        return row | {"outcome": "not run by both", "said": why or why_not}
    polls = cpu[3]
    streams = [{k: b"".join(v) for k, v in side[0].items() if k[2] not in polls} for side in (cpu, gpu)]
    row["stores"] = sum(map(len, cpu[0].values()))
    row["same_makers"] = {k: len(v) for k, v in streams[0].items()} == {k: len(v) for k, v in streams[1].items()}
    row["bytes"] = sum(map(len, streams[0].values()))
    row["bytes_equal"] = sum(a == b for k, v in streams[0].items() for a, b in zip(v, streams[1].get(k, b"")))
    row["arrays"], row["arrays_missing"] = len(cpu[1]), len(cpu[1].keys() ^ gpu[1].keys())
    both = cpu[1].keys() & gpu[1].keys()
    row["arrays_equal"] = sum(cpu[1][k][0] == gpu[1][k][0] for k in both)
    owned = [k for k in both if cpu[1][k][1] and gpu[1][k][1]]
    row["owners_equal"] = sum(who(cpu[1][k][1]) == who(gpu[1][k][1]) for k in owned)
    row["owners"] = len(owned)
    row["notes"] = [n for n in gpu[2] if re.search("measured|observing|not dumped|lost|differ", n)]
    racy = any("observing changed the result" in n or "two runs" in n for n in gpu[2])
    fine = row["same_makers"] and row["arrays_missing"] == 0 and row["owners_equal"] == row["owners"]
    row["outcome"] = "same" if fine else "racy" if racy else "DIFFERENT"
    return row


def main():
    program, out, commit, *wanted = sys.argv[1:]
    devices = json.loads(subprocess.run([program, "devices", "--json"], capture_output=True, text=True).stdout)
    gpu = next(d for d in devices["executors"] if d["executor"] == "gpu")
    driver = pathlib.Path("/proc/driver/nvidia/version")
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        rows = list(pool.map(lambda kernel: compare(program, kernel), kernels(program, set(wanted))))
    pathlib.Path(out).write_text(json.dumps({
        "device": gpu["name"], "cuda": gpu["cuda"],
        "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
        "date": datetime.date.today().isoformat(), "commit": commit,
        "command": "python3 tests/gpu/recording_run.py build/bundle/warplens OUT.json COMMIT", "kernels": rows,
    }, indent=1) + "\n")
    run = [r for r in rows if "stores" in r]
    counts = collections.Counter(r["outcome"] for r in rows)
    print(f"{len(rows)} kernels: {dict(counts)}; {sum(r['stores'] for r in run)} stores, "
          f"{sum(r['bytes_equal'] for r in run)} of {sum(r['bytes'] for r in run)} bytes equal; "
          f"{sum(r['arrays_equal'] for r in run)} of {sum(r['arrays'] for r in run)} arrays at barriers equal, owners of "
          f"{sum(r['owners_equal'] for r in run)} of {sum(r['owners'] for r in run)}")
    for r in rows:
        if r["outcome"] != "same":
            print(r["kernel"], r)
    return 1 if counts["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
