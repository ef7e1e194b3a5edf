"""Runs a bundle of conformance_tool on a GPU and writes what it answers.

usage: conformance_run.py BUNDLE OUT [--workers N] [--seconds N]

OUT gets results.json (record; status, offset and bytes of each case) and results.<n>.bin (at most 15 MB each). Each
worker is a process, each case a cubin of its own: a case that faults or hangs takes nothing but its process along, and
is reported as failed. What may fault or hang runs when all else is done.
"""
import argparse
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

SECONDS_A_CASE = 6  # a kernel of a case takes less than a millisecond
SECONDS_TO_START = 60  # until a worker has its context, with as many others that want theirs
CASES_AT_ONCE = 25  # that a worker takes from the queue
RISKY_AT_ONCE = 5
PART_BYTES = 15 << 20


def worker(bundle, scratch):
    """Says `ready`; reads lines `first end`; answers `start case`, then `ok case offset bytes` or `failed case reason`,
    and `end` after the last. The bytes are in the file <process id>.bin of the folder `scratch`."""
    from cuda_driver import Device, DriverError
    from cuda_texture import Image

    device = Device()
    listing = json.loads((bundle / "cases.json").read_text())
    pool = zlib.decompress((bundle / "data.z").read_bytes())

    def part(place):
        size, offset = place["bytes"], place["offset"]
        return bytes(size) if offset < 0 else pool[offset : offset + size]

    def answer(case):
        module = device.load(part(case["code"]))
        function = device.function(module, listing["entry"])
        buffers = case["buffers"]
        value = part(case["value"]) if "value" in case else b""
        images = [Image(device, form, part(form)) for form in case.get("images", [])]
        handles = [image.handle for image in images]
        after = device.launch(function, case["grid"], case["block"], [part(b) for b in buffers], value, handles=handles)
        answers = [a for a, b in zip(after, buffers) if b["compared"]]
        answers += [image.bytes() for image in images if image.form["compared"]]
        for image in images:
            image.destroy()
        device.unload(module)
        return b"".join(answers)

    def say(*words):
        print(*words, flush=True)

    say("ready")
    with open(scratch / f"{os.getpid()}.bin", "ab") as out:
        for line in sys.stdin:
            for i in range(*map(int, line.split())):
                say("start", i)
                try:
                    data = answer(listing["cases"][i])
                except DriverError as error:
                    say("failed", i, str(error).replace("\n", " ")[:300])
                    sys.exit(3)  # an error of a kernel stays with the context
                offset = out.tell()
                out.write(data)
                out.flush()
                say("ok", i, offset, len(data))
            say("end")


class Runner:
    def __init__(self, bundle, workers, seconds, command=(sys.executable, __file__)):
        self.bundle, self.workers, self.command = bundle, workers, list(command)
        self.cases = json.loads((bundle / "cases.json").read_text())["cases"]
        self.scratch = pathlib.Path(tempfile.mkdtemp())
        self.todo = queue.Queue()
        self.deadline = time.time() + seconds
        self.status = {}  # case -> ("ok", file, offset, bytes) or ("failed", reason)

    def spawn(self):
        process = subprocess.Popen(
            [*self.command, "--worker", str(self.bundle), str(self.scratch)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
        )
        process.lines = queue.Queue()  # an empty line: the process ended
        process.ready = False

        def read():
            for line in process.stdout:
                process.lines.put(line)
            process.lines.put("")

        threading.Thread(target=read, daemon=True).start()
        return process

    def some_cases(self, process, first, end):
        """Returns the case to go on with in a new process, or None after the last."""
        try:
            process.stdin.write(f"{first} {end}\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass  # told below by the end of its output
        current, said = first, ""
        while True:
            try:
                line = process.lines.get(timeout=SECONDS_A_CASE if process.ready else SECONDS_TO_START)
            except queue.Empty:
                self.status[current] = ("failed", f"no answer in {SECONDS_A_CASE} s")
                return current + 1
            if not line:
                self.status.setdefault(current, ("failed", f"the process ended with {process.wait()} {said}".strip()))
                return current + 1
            words = line.split() or [""]
            if words[0] == "ready":
                process.ready = True
            elif words[0] == "end":
                return None
            elif words[0] == "start":
                current = int(words[1])
            elif words[0] == "ok":
                self.status[int(words[1])] = ("ok", process.pid, int(words[2]), int(words[3]))
            elif words[0] == "failed":
                self.status[int(words[1])] = ("failed", " ".join(words[2:]))
            else:
                said = line.strip()[:200]  # of an exception or a crash: the last line tells most

    def serve(self):
        process = self.spawn()
        while time.time() < self.deadline:
            try:
                first, end = self.todo.get_nowait()
            except queue.Empty:
                break
            after = self.some_cases(process, first, end)
            if after is None:
                continue
            process.kill()
            process.wait()
            process = self.spawn()
            if after < end:
                self.todo.put((after, end))
        process.stdin.close()
        process.kill()
        process.wait()

    def run(self):
        safe = next((i for i, c in enumerate(self.cases) if c["risky"]), len(self.cases))
        for begin, end, step in [(0, safe, CASES_AT_ONCE), (safe, len(self.cases), RISKY_AT_ONCE)]:
            for first in range(begin, end, step):
                self.todo.put((first, min(first + step, end)))
            threads = [threading.Thread(target=self.serve) for _ in range(min(self.workers, self.todo.qsize()))]
            for t in threads:
                t.start()
            for t in threads:
                t.join()

    def write(self, out, record):
        cases, parts, data = {}, 0, bytearray()
        answers = {path.name: path.read_bytes() for path in self.scratch.glob("*.bin")}
        for i, case in enumerate(self.cases):
            status = self.status.get(i, ("failed", "never run"))
            if status[0] == "ok":
                _, process, offset, size = status
                cases[case["name"]] = {"status": "ok", "offset": len(data), "bytes": size}
                data += answers[f"{process}.bin"][offset : offset + size]
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


def make_record(command, folder):
    """What stands with every stored result; the file `commit` of the folder names the tree that it was made from."""
    name, driver = describe_device()
    commit = folder / "commit"
    return {
        "device": name,
        "driver": driver,
        "date": datetime.date.today().isoformat(),
        "command": command,
        "commit": commit.read_text().strip() if commit.exists() else "unknown",
    }


def main():
    if sys.argv[1:2] == ["--worker"]:
        return worker(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=min(12, os.cpu_count() or 1))
    parser.add_argument("--seconds", type=int, default=240, help="what has not begun by then is reported as never run")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    record = make_record("tests/gpu/conformance_run.py", args.bundle)
    begin = time.time()
    runner = Runner(args.bundle, args.workers, args.seconds)
    runner.run()
    runner.write(args.out, record)
    print(f"{record} in {time.time() - begin:.1f} s with {args.workers} workers")


if __name__ == "__main__":
    main()
