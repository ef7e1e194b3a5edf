#!/usr/bin/env python3
"""Which memory keeps what a kernel wrote before it faulted, and what writing there costs.

    python3 tests/gpu/fault_buffer.py OUT.json COMMIT

A kernel of 64 blocks fills a buffer, says of each block that it is done, and one block more reads address 16. Each run
is a process of its own, as a fault ends the use of the device: the buffer in device memory or in pinned memory of the
host, filled with or without a fence behind. After the fault the buffer is read, by cuMemcpyDtoH or where it lies.
"""
import ctypes
import datetime
import json
import pathlib
import subprocess
import sys

BLOCKS, THREADS = 64, 256
WORDS = 1024  # of a thread, 16 bytes each: 256 MiB in all
SMALL = 16  # the same behind a fault

# Block b, thread t, word k: word (b * words + k) * 256 + t of 16 bytes becomes (b, t, k, 1).
PTX = """.version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 p_out, .param .u64 p_done, .param .u32 p_words, .param .u32 p_faulty) {
    .reg .b64 place, flag, wide;
    .reg .b32 block, thread, k, words, faulty, at, one, left;
    .reg .pred more, fails;
    ld.param.u64 place, [p_out];
    ld.param.u64 flag, [p_done];
    ld.param.u32 words, [p_words];
    ld.param.u32 faulty, [p_faulty];
    mov.u32 block, %ctaid.x;
    mov.u32 thread, %tid.x;
    setp.eq.u32 fails, block, faulty;
    @fails bra WAIT;
    mov.u32 k, 0;
    mov.u32 one, 1;
    mul.lo.u32 at, block, words;
    mad.lo.u32 at, at, 256, thread;
    mad.wide.u32 place, at, 16, place;
TURN:
    st.global.v4.u32 [place], {block, thread, k, one};
    add.u64 place, place, 4096;
    add.u32 k, k, 1;
    setp.lt.u32 more, k, words;
    @more bra TURN;
    FENCE
    mad.wide.u32 flag, block, 4, flag;
    st.global.u32 [flag], one;
    ret;
WAIT:
    mov.u32 left, 20000;
SLEEP:
    nanosleep.u32 1000;
    sub.u32 left, left, 1;
    setp.ne.u32 more, left, 0;
    @more bra SLEEP;
    mov.u64 wide, 16;
    ld.global.u32 left, [wide];
    st.global.u32 [flag], left;
    ret;
}
"""


class Memory:
    """Bytes that a kernel writes: `address` for it, and read() afterwards."""

    def __init__(self, device, size, pinned):
        self.device, self.size, self.pinned = device, size, pinned
        address = ctypes.c_uint64()
        if pinned:
            self.host = ctypes.c_void_p()
            device._check("cuMemHostAlloc", ctypes.byref(self.host), ctypes.c_size_t(size), 2)  # DEVICEMAP
            device._check("cuMemHostGetDevicePointer_v2", ctypes.byref(address), self.host, 0)
            ctypes.memset(self.host, 0xFF, size)
        else:
            device._check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
            device._check("cuMemsetD8_v2", address, 0xFF, ctypes.c_size_t(size))
        self.address = address.value

    def read(self):
        """The bytes, or what the driver answers."""
        from cuda_driver import DriverError

        if self.pinned:
            return ctypes.string_at(self.host, self.size)
        try:
            return self.device.get(self.address, self.size)
        except DriverError as error:
            return str(error)


def whole_blocks(data, words):
    """Blocks whose words are all there."""
    size = words * THREADS * 16
    return sum(data[b * size : (b + 1) * size].count(b"\xff\xff\xff\xff") == 0 for b in range(BLOCKS))


def one(memory, fence, faults):
    from cuda_driver import Device, DriverError

    device = Device(1 << 20)
    words = SMALL if faults or device.name == "emulated device" else WORDS
    buffer = Memory(device, BLOCKS * words * THREADS * 16, memory == "pinned")
    flags = Memory(device, 4 * BLOCKS, True)
    module = device.load(PTX.replace("FENCE", "fence.acq_rel.sys;" if fence else ""))
    function = device.function(module, "fill")
    shape = {"grid": [BLOCKS + (1 if faults else 0), 1, 1], "block": [THREADS, 1, 1], "shared": 0, "cooperative": False}
    numbers = [buffer.address.to_bytes(8, "little"), flags.address.to_bytes(8, "little"), words.to_bytes(4, "little"),
               (BLOCKS if faults else 0xFFFFFFFF).to_bytes(4, "little")]
    said = {"memory": memory, "fence": fence, "faults": faults, "bytes": buffer.size}
    try:
        if not faults:
            device.start(function, shape, numbers)
            said["seconds"] = min(timed(device, function, shape, numbers) for _ in range(10))
            said["bytes_a_second"] = buffer.size / said["seconds"]
        else:
            device.start(function, shape, numbers)
        said["ended"] = "well"
    except DriverError as error:
        said["ended"] = str(error)
    data, done = buffer.read(), flags.read()
    if isinstance(data, str):
        said["read"] = data
    else:
        said["read"] = "ok"
        said["whole_blocks"] = whole_blocks(data, words)
    said["blocks_done"] = done.count(b"\x01\x00\x00\x00") if isinstance(done, bytes) else done
    print(json.dumps(said))


def timed(device, function, shape, numbers):
    begin, end, took = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    device._check("cuEventCreate", ctypes.byref(begin), 0)
    device._check("cuEventCreate", ctypes.byref(end), 0)
    device._check("cuEventRecord", begin, None)
    device.start(function, shape, numbers)
    device._check("cuEventRecord", end, None)
    device._check("cuCtxSynchronize")
    device._check("cuEventElapsedTime", ctypes.byref(took), begin, end)
    return took.value * 1e-3


def main():
    if sys.argv[1] == "--one":
        return one(sys.argv[2], sys.argv[3] == "1", sys.argv[4] == "1")
    out, commit = sys.argv[1:3]
    rows = []
    for memory in ("device", "pinned"):
        for fence in (False, True):
            for faults in (False, True):
                command = [sys.executable, __file__, "--one", memory, str(int(fence)), str(int(faults))]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                lines = done.stdout.strip().splitlines()
                rows.append(json.loads(lines[-1]) if lines else {"memory": memory, "failed": done.stderr[-300:]})
                print(rows[-1])
    driver = pathlib.Path("/proc/driver/nvidia/version")
    pathlib.Path(out).write_text(json.dumps({
        "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
        "date": datetime.date.today().isoformat(), "commit": commit,
        "command": "python3 tests/gpu/fault_buffer.py OUT.json COMMIT", "rows": rows}, indent=1) + "\n")
    return 1 if any("failed" in r for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
