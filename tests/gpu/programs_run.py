"""Runs the whole programs of tests/programs on a GPU and writes what they answer.

usage: programs_run.py BUNDLE OUT [PROGRAM ...]

BUNDLE is a folder of `programs_tool bundle`. OUT gets results.json (record; hash, status, offset and bytes of each
program) and results.0.bin. Each program has a process of its own, which gives its compared arguments in order and then
what the kernel printed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).parent))

SECONDS_A_PROGRAM = 60
STACK_BYTES = 4096  # recursion needs more than the 1024 that a context begins with


def run_one(bundle, name, answer):
    """Prints what the kernel prints; the compared arguments go into the file `answer`."""
    from cuda_driver import Device
    from cuda_texture import Image

    program = next(p for p in json.loads((bundle / "programs.json").read_text()) if p["name"] == name)
    pool = zlib.decompress((bundle / "data.z").read_bytes())

    def part(place):
        size, offset = place["bytes"], place["offset"]
        return bytes(size) if offset < 0 else pool[offset : offset + size]

    device = Device()
    device.set_stack(STACK_BYTES)
    function = device.function(device.load(part(program["code"])), name)
    parameters, compared, at = [], [], device.arena
    for argument in program["arguments"]:
        data = part(argument)
        if argument["value"]:
            parameters.append(data)
            continue
        if "image" in argument:
            image = Image(device, argument["image"], data)
            parameters.append(image.handle.to_bytes(8, "little"))
            if argument["compared"]:
                compared.append(image.bytes)
            continue
        device.put(at, data)
        parameters.append(at.to_bytes(8, "little"))
        if argument["compared"]:
            compared.append(lambda at=at, size=len(data): device.get(at, size))
        at += (len(data) + 255) // 256 * 256 + 256
    device.start(function, program, parameters)
    answer.write_bytes(b"".join(bytes_after() for bytes_after in compared))


def ask(bundle, name, scratch):
    """Returns (status, bytes)."""
    answer = scratch / name
    command = [sys.executable, __file__, "--one", str(bundle), name, str(answer)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS_A_PROGRAM)
    except subprocess.TimeoutExpired:
        return f"no answer in {SECONDS_A_PROGRAM} s", b""
    if done.returncode != 0:
        return f"ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}", b""
    return "ok", answer.read_bytes() + done.stdout


def main():
    from conformance_run import make_record

    bundle, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    programs = [p for p in json.loads((bundle / "programs.json").read_text()) if not sys.argv[3:] or p["name"] in sys.argv[3:]]
    record = make_record("tests/gpu/programs_run.py", bundle)
    scratch = pathlib.Path(tempfile.mkdtemp())
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        answers = list(pool.map(lambda p: ask(bundle, p["name"], scratch), programs))
    results, data = {}, bytearray()
    for program, (status, answer) in zip(programs, answers):
        results[program["name"]] = {"hash": program["hash"], "status": status, "offset": len(data), "bytes": len(answer)}
        data += answer
        print(f"{program['name']}: {status}, {len(answer)} bytes")
    (out / "results.0.bin").write_bytes(data)
    (out / "results.json").write_text(json.dumps({"record": record, "programs": results}))
    print(record)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run_one(pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4]))
    else:
        main()
