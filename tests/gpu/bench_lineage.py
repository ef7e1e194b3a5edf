#!/usr/bin/env python3
"""Times every kernel of the lineage beside PyTorch's attention, and what observing costs.

    LD_LIBRARY_PATH=build/bundle/lib python3 tests/gpu/bench_lineage.py build/bundle/warplens OUT.json COMMIT [brief]

`bench --observed` of each kernel at the mission shape (1,8,512,64), one after the other, the last against PyTorch; and
once more with a header that makes every mark nothing. brief: only what observing costs.
"""
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile


def ask(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"failed": (done.stderr or done.stdout)[-400:], "status": done.returncode}


def without_marks(program, folder):
    """The program with a header beside it that makes every mark nothing: it looks there first."""
    shutil.copy(program, folder)
    pathlib.Path(folder, "probe").mkdir()
    names = ["STAGE", "TILE", "WARP_TILE", "FRAGMENT", "LANES", "LAYOUT"]
    pathlib.Path(folder, "probe/warplens.cuh").write_text(
        "#pragma once\n" + "".join(f"#define WL_{name}(...) static_cast<void>(0)\n" for name in names))
    return str(pathlib.Path(folder, pathlib.Path(program).name))


def main():
    program, out, commit = sys.argv[1:4]
    brief = sys.argv[4:] == ["brief"]
    folder = tempfile.TemporaryDirectory()
    bare = without_marks(program, folder.name)
    kernels = [k["name"] for k in ask([program, "kernels", "--json"])["kernels"]]
    rows = []
    for name in kernels:
        against = ["--against", "torch"] if name == kernels[-1] and not brief else []
        said = ask([program, "bench", name, "--preset", "mission", "--flops", "4*B*H*S*S*D", "--json", "--observed",
                    *against])
        plain = {} if brief else ask([bare, "bench", name, "--preset", "mission", "--json", "--check", "none"])
        rows.append({"kernel": name, "verdict": said.get("verdict"), "timing": said.get("timing"),
                     "without_marks": plain.get("timing"), "failed": said.get("failed") or plain.get("failed")})
        timing = said.get("timing")
        if timing:
            print(f"{name}: warm {timing['warm']['median'] * 1e6:.2f} us, cold {timing['cold']['median'] * 1e6:.2f} us")
            if plain.get("timing"):
                print(f"    with marks / without: {timing['warm']['median'] / plain['timing']['warm']['median']:.3f}")
            elif not brief:
                print("    without marks:", plain)
            seen = timing["observed"]
            print("    observed", {key: round(seen[key]["median"] / seen["plain"]["median"], 2)
                                   for key in ("idle", "one", "all")}, seen["bytes"], seen["dropped"],
                  f"{seen['dump_rate'] / seen['fill_rate']:.2f} of the fill rate")
            for backend in timing.get("torch", {}).get("backends", []):
                print("   ", backend)
        else:
            print(name, said)
    driver = pathlib.Path("/proc/driver/nvidia/version")
    devices = ask([program, "devices", "--json"])["executors"]
    gpu = next(d for d in devices if d["executor"] == "gpu")
    pathlib.Path(out).write_text(json.dumps({
        "device": gpu["name"], "cuda": gpu["cuda"],
        "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
        "date": datetime.date.today().isoformat(), "commit": commit,
        "command": "python3 tests/gpu/bench_lineage.py build/bundle/warplens OUT.json COMMIT", "preset": "mission",
        "kernels": rows,
    }, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
