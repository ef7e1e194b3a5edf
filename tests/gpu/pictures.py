#!/usr/bin/env python3
"""Counts the pixels in which two PNG files differ: pictures.py A.png B.png OUT.json [KEY=VALUE ...]
A VALUE of @FILE stands for that file's lines.

For the window drawn by a GPU's own driver beside the same capture's drawn by llvmpipe. Eight bits a channel, as the
window writes them. A pixel differs slightly when no channel is off by more than 2 of 255: edges are smoothed otherwise.
Exit status 1: the pictures have other sizes.
"""
import json
import pathlib
import struct
import sys
import zlib

SLIGHT = 2
CHANNELS = {2: 3, 6: 4}  # by colour type


def read_png(path):
    """(width, height, channels, rows)"""
    data = pathlib.Path(path).read_bytes()
    at, packed, width, height, channels = 8, b"", 0, 0, 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            if depth != 8 or colour not in CHANNELS or interlaced:
                sys.exit(f"{path}: a PNG of another kind than the window writes")
            channels = CHANNELS[colour]
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    return width, height, channels, rows_of(zlib.decompress(packed), width * channels, height, channels)


def rows_of(data, size, height, channels):
    rows, above = [], bytes(size)
    for y in range(height):
        kind, line = data[y * (size + 1)], bytearray(data[y * (size + 1) + 1 : (y + 1) * (size + 1)])
        for x in range(size) if kind else ():
            left = line[x - channels] if x >= channels else 0
            corner = above[x - channels] if x >= channels else 0
            line[x] = (line[x] + predicted(kind, left, above[x], corner)) & 255
        rows.append(bytes(line))
        above = line
    return rows


def predicted(kind, left, above, corner):
    """PNG specification, 9.2: filters of a row."""
    if kind == 1:
        return left
    if kind == 2:
        return above
    if kind == 3:
        return (left + above) // 2
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


def compare(a, b):
    width, height, channels, ours = read_png(a)
    others = read_png(b)
    if others[:3] != (width, height, channels):
        return {"width": width, "height": height, "other": others[:3]}
    slight = much = worst = 0
    for one, two in zip(ours, others[3]):
        if one == two:
            continue
        for x in range(0, len(one), channels):
            if one[x : x + channels] == two[x : x + channels]:
                continue
            off = max(abs(p - q) for p, q in zip(one[x : x + channels], two[x : x + channels]))
            worst = max(worst, off)
            much, slight = (much + 1, slight) if off > SLIGHT else (much, slight + 1)
    return {"width": width, "height": height, "pixels": width * height, "slightly": slight, "more": much, "worst": worst}


def main():
    a, b, out = sys.argv[1:4]
    told = dict(pair.split("=", 1) for pair in sys.argv[4:])
    for key, value in told.items():
        if value.startswith("@"):
            told[key] = pathlib.Path(value[1:]).read_text().splitlines()
    said = {**told, **compare(a, b)}
    pathlib.Path(out).write_text(json.dumps(said, indent=1) + "\n")
    print(json.dumps(said))
    return 1 if "other" in said else 0


if __name__ == "__main__":
    sys.exit(main())
