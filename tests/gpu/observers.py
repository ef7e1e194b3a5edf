#!/usr/bin/env python3
"""What other observers cost on the kernel whose tiles WarpLens dumps: compute-sanitizer's tools, and cuda-gdb.

    LD_LIBRARY_PATH=build/bundle/lib python3 tests/gpu/observers.py build/bundle/warplens OUT.json COMMIT [KERNEL]
    python3 tests/gpu/observers.py --launch CUBIN ENTRY TIMES                      (what the tools watch)

The kernel (v2c_3 unless named) at the mission shape, compiled by nvcc, is launched by this script on zeros. Under each
tool the launch itself is timed by events, and the process by the clock. cuda-gdb stops at the first WL_TILE and prints
that tile of 64 x 64 elements. Tools that are not there are said. Beside it the same tile by `warplens run --on gpu`.
"""
import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SECONDS = 40
B, H, S, D, M, N = 1, 8, 512, 64, 64, 64
LAUNCHES = 5


def launch(cubin, entry, times):
    """Prints the microseconds of the last launches, the shortest."""
    from cuda_driver import Device

    from fault_buffer import timed

    device = Device(1 << 20)
    function = device.function(device.load(pathlib.Path(cubin).read_bytes()), entry)
    size = B * H * S * D * 2
    import ctypes
    addresses = []
    for _ in range(4):
        address = ctypes.c_uint64()
        device._check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        device._check("cuMemsetD8_v2", address, 0, ctypes.c_size_t(size))
        addresses.append(address.value.to_bytes(8, "little"))
    manifest = tomllib.loads((ROOT / "kernels" / f"{entry}.toml").read_text())
    shared, threads = int(sys.argv[5]), int(sys.argv[6])
    device._check("cuFuncSetAttribute", function, 8, shared)
    shape = {"grid": [-(-S // M), H, B], "block": [threads, 1, 1], "shared": shared, "cooperative": False}
    assert manifest["args"], "the kernel takes Q, K, V, O and seq"
    numbers = [*addresses, S.to_bytes(4, "little")]
    device.start(function, shape, numbers)
    print("microseconds", min(timed(device, function, shape, numbers) for _ in range(times)) * 1e6, flush=True)


def clocked(command, **more):
    begin = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, **more)
        text, status = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as error:
        text, status = (error.stdout or b"").decode(errors="replace"), f"no end in {SECONDS} s"
    row = {"status": status, "wall_seconds": round(time.time() - begin, 2)}
    found = re.search(r"microseconds ([\d.e+-]+)", text)
    if found:
        row["microseconds"] = float(found[1])
    return row, text


def under_gdb(command, source):
    """Stops where the first tile is taken, and prints it: 64 x 64 floats of shared memory, v2c_3's `scores`."""
    lines = source.read_text().splitlines()
    line = next(k for k, text in enumerate(lines, 1) if "WL_TILE(" in text or "WL_FRAGMENT(" in text)
    script = ["set pagination off", "set breakpoint pending on", "set print elements 0", "set print repeats 1000000",
              f"break {source.name}:{line}", "run", "print *(@shared float*)46080@4096", "kill"]
    words = ["cuda-gdb", "-batch"] + [w for s in script for w in ("-ex", s)] + ["--args", *command]
    row, text = clocked(words)
    row["printed_values"] = text[text.rfind("$1 = "):].count(",") + 1 if "$1 = " in text else 0
    row["stopped"] = bool(re.search(r"hit Breakpoint|Breakpoint 1,", text))
    row["said"] = text[-300:] if row["printed_values"] < 4096 else ""
    return row


def launch_of(program, kernel):
    """Dynamic shared memory and threads of a block, as the capture of the same launch has them; and what it took."""
    import sqlite3

    with tempfile.TemporaryDirectory() as folder:
        row, text = clocked([program, "run", kernel, "--preset", "mission", "--on", "gpu", "--check", "none", "--quiet",
                             "-o", f"{folder}/x.wlcap"])
        db = sqlite3.connect(f"{folder}/x.wlcap")
        block, shared = db.execute("SELECT block, dynamic_shared FROM launch").fetchone()
        row["measured"] = next((n for n, in db.execute("SELECT name FROM item WHERE list='note'") if n.startswith("measured:")), "")
    return json.loads(block)[0], shared, row


def main():
    if sys.argv[1] == "--launch":
        return launch(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    program, out, commit = sys.argv[1:4]
    kernel = sys.argv[4] if len(sys.argv) > 4 else "v2c_3"
    threads, shared, ours = launch_of(program, kernel)
    rows = {"warplens run --on gpu": ours}
    source = ROOT / "kernels" / f"{kernel}.cu"
    cubin = pathlib.Path(tempfile.mkdtemp()) / f"{kernel}.cubin"
    compiler = shutil.which("nvcc") or next(iter(sorted(map(str, pathlib.Path("/usr/local").glob("cuda*/bin/nvcc")))), None)
    if compiler is None:
        rows["nvcc"] = {"missing": "nvcc is not there: nothing to launch under the tools"}
    else:
        defines = [f"-D{k}={v}" for k, v in {"D": D, "M": M, "N": N, "CAUSAL": 0}.items()]
        subprocess.run([compiler, "-cubin", "-arch=sm_90", "-lineinfo", "-std=c++17", *defines, "-I",
                        str(ROOT / "instrumentation/probe"), "-o", str(cubin), str(source)], check=True)
        command = [sys.executable, __file__, "--launch", str(cubin), kernel, str(LAUNCHES), str(shared), str(threads)]
        rows["plain"], text = clocked(command)
        rows["plain"]["said"] = "" if rows["plain"]["status"] == 0 else text[-300:]
        for tool in TOOLS:
            if shutil.which("compute-sanitizer") is None:
                rows[tool] = {"missing": "compute-sanitizer is not there"}
                continue
            few = [*command[:5], "1", *command[6:]]
            rows[tool], text = clocked(["compute-sanitizer", "--tool", tool, *few])
            rows[tool]["summary"] = re.findall(r"SUMMARY: .*", text)[:1]
        gdb = shutil.which("cuda-gdb") is not None
        rows["cuda-gdb, one tile"] = under_gdb(command, source) if gdb else {"missing": "cuda-gdb is not there"}
    base = rows.get("plain", {}).get("microseconds")
    for name, row in rows.items():
        if base and "microseconds" in row:
            row["times_plain"] = round(row["microseconds"] / base, 1)
        print(name, row)
    driver = pathlib.Path("/proc/driver/nvidia/version")
    pathlib.Path(out).write_text(json.dumps({
        "kernel": kernel, "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
        "date": datetime.date.today().isoformat(), "commit": commit,
        "command": "python3 tests/gpu/observers.py build/bundle/warplens OUT.json COMMIT", "rows": rows}, indent=1) + "\n")
    return 0 if rows.get("plain", {}).get("status") == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
