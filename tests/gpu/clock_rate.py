#!/usr/bin/env python3
"""How many cycles a warp's clock passes for each PTX instruction that the warp issues.

    python3 tests/gpu/clock_rate.py OUT.json COMMIT

The emulator's clocks count what a warp issues; kernels that wait until a clock has passed a number would wait for far more
turns there. Three loops, as programs have them: one that only asks the clock (4 instructions a turn), one of 16 dependent
additions (20), one that reads memory, each line once (8). By one warp, and by 2048 threads of each multiprocessor.
"""
import datetime
import json
import pathlib
import struct
import sys

from cuda_driver import Device

HEAD = """.version 7.0
.target sm_70
.address_size 64
.visible .entry %s(.param .u64 p_out, .param .u64 p_turns) {
    .reg .b64 out, turns, n, begin, now, passed, at, thread64;
    .reg .b32 thread, block, width, x;
    .reg .pred more;
    ld.param.u64 out, [p_out];
    ld.param.u64 turns, [p_turns];
    mov.u32 thread, %%tid.x;
    mov.u32 block, %%ctaid.x;
    mov.u32 width, %%ntid.x;
    mad.lo.u32 thread, block, width, thread;
    mad.wide.u32 at, thread, 16, out;
    mov.u64 n, 0;
    mov.u32 x, thread;
    mov.u64 begin, %%clock64;
TURN:
"""
TAIL = """
    add.u64 n, n, 1;
    mov.u64 now, %clock64;
    setp.lt.u64 more, n, turns;
    @more bra TURN;
    sub.u64 passed, now, begin;
    st.global.u64 [at], passed;
    cvt.u64.u32 thread64, x;
    st.global.u64 [at+8], thread64;
    ret;
}
"""
LOOPS = {
    "clock": ("", 4),
    "additions": ("    mad.lo.u32 x, x, x, 7;\n" * 16, 20),
    "memory": ("    shl.b64 thread64, n, 7;\n    add.u64 thread64, thread64, at;\n"
               "    ld.global.cv.u32 width, [thread64];\n    add.u32 x, x, width;\n", 8),
}
TURNS = 1000


def main():
    out, commit = pathlib.Path(sys.argv[1]), sys.argv[2]
    device = Device()
    rows = []
    for name, (body, instructions) in LOOPS.items():
        module = device.load(HEAD % name + body + TAIL)
        function = device.function(module, name)
        for blocks, threads in ((1, 32), (264, 1024)):
            count = blocks * threads
            buffer = bytes(16 * count + 128 * (TURNS + 1))
            left, = device.launch(function, (blocks, 1, 1), (threads, 1, 1), [buffer], handles=(TURNS,))
            passed = struct.unpack_from(f"<{2 * count}Q", left)[::2]
            per = sorted(p / (TURNS * instructions) for p in passed)
            rows.append({"loop": name, "blocks": blocks, "threads": threads, "instructions_a_turn": instructions,
                         "cycles_per_instruction_median": round(per[len(per) // 2], 2)})
            print(rows[-1])
        device.unload(module)
    driver = pathlib.Path("/proc/driver/nvidia/version")
    out.write_text(json.dumps({"device": device.name, "driver": driver.read_text().splitlines()[0] if driver.exists() else "", "driver_api": device.driver_api, "commit": commit,
                               "date": datetime.date.today().isoformat(),
                               "command": "python3 tests/gpu/clock_rate.py OUT.json COMMIT", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
