#!/usr/bin/python3
"""frames.py RECORD..: CSV of frames that recorded nodes received, one of each set of flags and
coding, as bytes and as the fields that the table of docs/protocol.md says, which is all that is
read here: the frame is not decoded by the library."""
import pathlib
import re
import struct
import sys

KINDS = {"u8": "B", "u16": "<H", "u32": "<I", "u64": "<Q", "f64": "<d"}
MAGIC, TAIL = b"MBM1", 4
protocol = pathlib.Path(__file__).resolve().parents[2] / "docs" / "protocol.md"
FIELDS = [(int(at), KINDS[kind], name) for at, kind, name in
          re.findall(r"^\| (\d+) \| ([uf]\d+) \| (\w+) \|", protocol.read_text(), re.M)]
HEAD = max(at + struct.calcsize(kind) for at, kind, _ in FIELDS)


def main():
    seen = set()
    print("frame," + ",".join(name for _, _, name in FIELDS))
    for path in sys.argv[1:]:
        data = pathlib.Path(path).read_bytes()
        for found in re.finditer(MAGIC, data):
            head = {name: struct.unpack_from(kind, data, found.start() + at)[0] for at, kind, name in FIELDS}
            kind = head["flags"], head["code"], head["samples"] > 0
            if kind in seen:
                continue
            seen.add(kind)
            frame = data[found.start():found.start() + HEAD + head["bytes"] + TAIL]
            print(frame.hex() + "," + ",".join(str(head[name]) for _, _, name in FIELDS))


main()
