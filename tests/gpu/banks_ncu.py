"""Shared-memory wavefronts and global sectors of the patterns in tests/kernels/banks.cu, counted by Nsight Compute.

Usage: python3 tests/gpu/banks_ncu.py OUT.json [--commit HASH]
Builds the kernels with nvcc for sm_90, launches each once as 16 blocks of one warp under ncu, and writes what every
counter rose by for one warp, with the memory instructions of the machine code; then the whole kernels v2b and v2c_3 at
B, H, S, D = 1, 1, 128, 64 with zeros for inputs. Needs nvcc, nvdisasm and ncu.
"""
import argparse
import csv
import datetime
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/kernels/banks.cu"
BLOCKS = 16
WHOLE = {"v2b": 81664, "v2c_3": 81664}  # bytes of shared memory, as their .toml says for M = N = D = 64
SEQUENCE = 128
COUNTERS = re.compile(
    r"l1tex__data_pipe_lsu_wavefronts_mem_shared(_op_\w+)?"
    r"|l1tex__data_bank_conflicts_pipe_lsu_mem_shared(_op_\w+)?"
    r"|l1tex__data_bank_(reads|writes)"
    r"|smsp__inst_executed_op_(shared\w*|ldsm|ldgsts)"
    r"|smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared\w*"
    r"|l1tex__t_(requests|sectors)_pipe_lsu_mem_global_op_(ld|st)"
)


def tool(name):
    folders = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin", str(ROOT / ".env/wheels/nvidia/cu13/bin")]
    folders += [str(p) for p in sorted(pathlib.Path("/opt/nvidia").glob("nsight-compute/*"))]
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))
    return found or sys.exit(f"banks_ncu: there is no {name} on this machine")


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"banks_ncu: {' '.join(map(str, command))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def launch_all(cubin, names):
    """What runs under ncu: every kernel once."""
    from cuda_driver import Device

    device = Device()
    module = device.load(cubin.read_bytes())
    for name in names:
        if name in WHOLE:
            array = bytes(2 * SEQUENCE * 64)
            value = struct.pack("<i", SEQUENCE)
            device.launch(device.function(module, name), (SEQUENCE // 64, 1, 1), (256, 1, 1), [array] * 4, value, WHOLE[name])
            continue
        device.launch(device.function(module, name), (BLOCKS, 1, 1), (32, 1, 1), [bytes(1 << 16)])


def machine_code(cubin):
    """Memory instructions by kernel, without those that never execute (@!PT, beside LDGSTS)."""
    found, kernel = {}, None
    for line in output_of(tool("nvdisasm"), "-c", str(cubin)).splitlines():
        if section := re.match(r"\.text\.(\w+):", line):
            kernel = found.setdefault(section[1], [])
        memory = re.search(r"\*/\s+(?:@!?U?P\d+ )?((?:LDS|STS|LDSM|STSM|ATOMS|REDS|LDGSTS|LDG|STG)\b[.\w]*)", line)
        if memory and kernel is not None:
            kernel.append(memory[1])
    return found


def available_counters(ncu):
    lines = output_of(ncu, "--query-metrics").splitlines()
    names = sorted({line.split()[0] for line in lines if line.strip() and COUNTERS.fullmatch(line.split()[0])})
    return names or sys.exit("banks_ncu: ncu --query-metrics lists none of the counters")


def profile(ncu, cubins, counters, log):
    command = [ncu, "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
    command += ["--metrics", ",".join(name + ".sum" for name in counters), "--log-file", str(log), "--force-overwrite"]
    command += [sys.executable, __file__, "--launch", *map(str, cubins)]
    return subprocess.run(command, capture_output=True, text=True)


def rows_of(log):
    lines = log.read_text().splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        sys.exit("banks_ncu: ncu wrote no table:\n" + "\n".join(lines[-40:]))
    return [row for row in csv.DictReader(lines[start:]) if row["ID"]]  # the row of units has no ID


def number(text):
    value = float(text.replace(",", ""))
    return int(value) if value == int(value) else value


def measure(out, commit):
    begin = datetime.datetime.now(datetime.timezone.utc)
    with tempfile.TemporaryDirectory() as folder:
        cubin, log, ncu = pathlib.Path(folder, "banks.cubin"), pathlib.Path(folder, "ncu.csv"), tool("ncu")
        nvcc = [tool("nvcc"), "-cubin", "-arch=sm_90", "-o"]
        output_of(*nvcc, str(cubin), str(SOURCE))
        cubins, code, counters = [cubin], machine_code(cubin), available_counters(ncu)
        for name in WHOLE:
            cubins.append(pathlib.Path(folder, name + ".cubin"))
            output_of(*nvcc, str(cubins[-1]), "-DD=64", "-DM=64", "-DN=64", "-DCAUSAL=0", str(ROOT / f"kernels/{name}.cu"))
            code |= machine_code(cubins[-1])
        done = profile(ncu, cubins, counters, log)
        if done.returncode:  # counters of the machine code need a patched copy of it, which not every setting allows
            print("ncu with all counters failed, once more without smsp__sass:", done.stdout[-1500:], log.read_text()[-1500:] if log.exists() else "")
            counters = [name for name in counters if not name.startswith("smsp__sass")]
            done = profile(ncu, cubins, counters, log)
        if done.returncode:
            sys.exit(f"banks_ncu: ncu failed\n{done.stdout[-3000:]}{done.stderr[-3000:]}{log.read_text()[-3000:] if log.exists() else ''}")
        rows = rows_of(log)
    patterns, whole = {}, {}
    for row in rows:
        name = row["Kernel Name"].split("(")[0]
        warps = 1 if name in WHOLE else BLOCKS
        counts = {c: number(row[c + ".sum"]) / warps for c in counters if row.get(c + ".sum")}
        into = whole if name in WHOLE else patterns
        into[name] = {"machine_code": code[name], "counters": {c: number(str(v)) for c, v in counts.items() if v}}
    missing = sorted(set(code) - set(patterns) - set(whole))
    device, driver = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").strip().splitlines()[0].split(", ")
    record = {
        "device": device,
        "driver": driver,
        "nvcc": output_of(tool("nvcc"), "--version").strip().splitlines()[-2],
        "ncu": output_of(ncu, "--version").strip().splitlines()[-1],
        "date": begin.date().isoformat(),
        "commit": commit,
        "command": "python3 tests/gpu/banks_ncu.py banks-h200.json",
        "unit": f"increments for one warp: {BLOCKS} blocks of one warp, divided by {BLOCKS}; of whole_kernels: for the launch; zeros are left out",
        "counters": counters,
    }
    out.write_text(json.dumps({"record": record, "whole_kernels": whole, "patterns": dict(sorted(patterns.items()))}, indent=1) + "\n")
    seconds = (datetime.datetime.now(datetime.timezone.utc) - begin).total_seconds()
    print(f"{device}, driver {driver}: {len(patterns)} patterns in {seconds:.0f} s, {len(missing)} missing {missing}")
    for name, pattern in (patterns | whole).items():
        c = pattern["counters"]
        print(f"{name:32} wavefronts {c.get('l1tex__data_pipe_lsu_wavefronts_mem_shared', 0)}", *pattern["machine_code"][:8])
    return 1 if missing else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", nargs="?", type=pathlib.Path, help="the .json to write")
    arguments.add_argument("--commit", default="unknown")
    arguments.add_argument("--launch", type=pathlib.Path, nargs="+", help="launch every kernel of these cubins: what ncu watches")
    options = arguments.parse_args()
    if options.launch:
        for cubin in options.launch:
            launch_all(cubin, sorted(machine_code(cubin)))
        return 0
    return measure(options.out or arguments.error("name the .json to write"), options.commit)


if __name__ == "__main__":
    sys.exit(main())
