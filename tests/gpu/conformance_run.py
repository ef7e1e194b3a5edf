"""Runs a bundle of conformance_tool on a GPU and writes what it answers.

usage: conformance_run.py BUNDLE OUT [WORKERS]

OUT gets results.json (record; status, offset and bytes of each case) and results.<n>.bin (at most 15 MB each). Each
worker is a process: a case that faults or hangs takes only its own process along, and is reported as failed.
"""
import datetime
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))

SECONDS_A_CASE = 10  # the driver compiles a module within this, and no case takes longer
SECONDS_IN_ALL = 240  # what has not begun by then is reported as never run
PART_BYTES = 15 << 20


def worker(bundle, scratch):
    """Reads `module first-case` lines; answers `ok case offset bytes`, `failed case reason` and `end`."""
    from cuda_driver import Device, DriverError

    device = Device()
    listing = json.loads((bundle / "cases.json").read_text())
    pool = zlib.decompress((bundle / "inputs.z").read_bytes())

    def initial(buffer):
        size, offset = buffer["bytes"], buffer["offset"]
        return bytes(size) if offset < 0 else pool[offset : offset + size]

    def say(*words):
        print(*words, flush=True)

    for line in sys.stdin:
        index, first = map(int, line.split())
        entry = listing["modules"][index]
        try:
            module = device.load((bundle / entry["file"]).read_text())
        except DriverError as error:
            for i in range(first, len(entry["cases"])):
                say("failed", i, "module refused:", str(error).replace("\n", " ")[:300])
            say("end")
            continue
        with open(scratch / f"m{index}.bin", "ab") as out:
            for i, case in enumerate(entry["cases"][first:], first):
                say("start", i)
                try:
                    value = initial(case["value"]) if "value" in case else b""
                    function = device.function(module, case["entry"])
                    after = device.launch(function, case["grid"], case["block"], [initial(b) for b in case["buffers"]], value)
                except DriverError as error:
                    say("failed", i, str(error))
                    sys.exit(3)  # an error of a kernel stays with the context
                data = b"".join(a for a, b in zip(after, case["buffers"]) if b["compared"])
                offset = out.tell()
                out.write(data)
                out.flush()
                say("ok", i, offset, len(data))
        device.unload(module)
        say("end")


class Runner:
    def __init__(self, bundle, workers):
        self.bundle, self.workers = bundle, workers
        self.listing = json.loads((bundle / "cases.json").read_text())
        self.scratch = pathlib.Path(tempfile.mkdtemp())
        self.todo = queue.Queue()
        self.deadline = time.time() + SECONDS_IN_ALL
        self.status = {}  # (module, case) -> ("ok", offset, bytes) or ("failed", reason)

    def spawn(self):
        process = subprocess.Popen(
            [sys.executable, __file__, "--worker", str(self.bundle), str(self.scratch)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
        )
        process.lines = queue.Queue()  # an empty line: the process ended

        def read():
            for line in process.stdout:
                process.lines.put(line)
            process.lines.put("")

        threading.Thread(target=read, daemon=True).start()
        return process

    def one_module(self, process, index, first):
        """Returns the case to go on with, or None at the module's end; a dead process is to be replaced."""
        process.stdin.write(f"{index} {first}\n")
        process.stdin.flush()
        current = first
        while True:
            try:
                line = process.lines.get(timeout=SECONDS_A_CASE)
            except queue.Empty:
                process.kill()
                self.status[index, current] = ("failed", f"no answer in {SECONDS_A_CASE} s")
                return current + 1
            words = line.split() or ["?"]
            if not line:
                self.status.setdefault((index, current), ("failed", f"the process ended with {process.wait()}"))
                return current + 1
            if words[0] == "end":
                return None
            if words[0] == "start":
                current = int(words[1])
            elif words[0] == "ok":
                self.status[index, int(words[1])] = ("ok", int(words[2]), int(words[3]))
            elif words[0] == "failed":
                self.status[index, int(words[1])] = ("failed", " ".join(words[2:]))

    def serve(self):
        process = self.spawn()
        while True:
            try:
                index, first = self.todo.get_nowait()
                late = time.time() > self.deadline
            except queue.Empty:
                late = True
            if late:
                process.stdin.close()
                process.wait()
                return
            after = self.one_module(process, index, first)
            if after is None:
                continue
            process.kill()
            process.wait()
            process = self.spawn()
            if after < len(self.listing["modules"][index]["cases"]):
                self.todo.put((index, after))

    def run(self):
        risky = lambda m: any(c["risky"] for c in m["cases"])
        for phase in (False, True):  # what may fault or hang runs when all else is safe
            for index, module in enumerate(self.listing["modules"]):
                if risky(module) == phase:
                    self.todo.put((index, 0))
            threads = [threading.Thread(target=self.serve) for _ in range(self.workers if not phase else 4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()

    def write(self, out, record):
        cases, parts, data = {}, 0, bytearray()
        whole = 0
        for index, module in enumerate(self.listing["modules"]):
            path = self.scratch / f"m{index}.bin"
            answers = path.read_bytes() if path.exists() else b""
            for i, case in enumerate(module["cases"]):
                status = self.status.get((index, i), ("failed", "never run"))
                if status[0] == "ok":
                    cases[case["name"]] = {"status": "ok", "offset": whole, "bytes": status[2]}
                    data += answers[status[1] : status[1] + status[2]]
                    whole += status[2]
                else:
                    cases[case["name"]] = {"status": status[1]}
        for at in range(0, max(1, len(data)), PART_BYTES):
            (out / f"results.{parts}.bin").write_bytes(data[at : at + PART_BYTES])
            parts += 1
        (out / "results.json").write_text(json.dumps({"record": record, "cases": cases}))
        bad = {n: c["status"] for n, c in cases.items() if c["status"] != "ok"}
        print(f"{len(cases) - len(bad)} cases answered in {parts} file(s), {len(bad)} failed")
        for name, reason in list(bad.items())[:40]:
            print("  failed:", name, "|", reason)


def describe_device():
    """Name and driver version as nvidia-smi tells them; fails rather than store results of an unknown device."""
    asked = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=True
    )
    return asked.stdout.strip().splitlines()[0].split(", ")


def main():
    if sys.argv[1] == "--worker":
        return worker(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    bundle, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else min(12, os.cpu_count() or 1)
    out.mkdir(parents=True, exist_ok=True)
    name, driver = describe_device()
    record = {
        "device": name,
        "driver": driver,
        "date": datetime.date.today().isoformat(),
        "command": "tests/gpu/conformance_run.py",
        "commit": (bundle / "commit").read_text().strip() if (bundle / "commit").exists() else "unknown",
    }
    begin = time.time()
    runner = Runner(bundle, workers)
    runner.run()
    runner.write(out, record)
    print(f"{record} in {time.time() - begin:.1f} s with {workers} workers")


if __name__ == "__main__":
    main()
