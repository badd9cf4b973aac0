#!/usr/bin/python3
"""check_frame.py PROGRAM: frames of the mesh, written by the library (frames.c, compiled here) and read by
numpy with nothing but the table of docs/protocol.md.

The CRC-32C is divided out bit by bit; float16 differences, halfway cases of all binades among them, are
those of numpy's own float16."""
import os
import re
import subprocess

import numpy as np

from crc_by_bit import crc32c
from harness import main

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = ['tests/reference/frames.c', 'src/mesh/frame.c', 'src/base/*.c',
         'src/expfam/*.c', 'src/num/*.c']
BLOCKS = [2, 21, 2]  # a Dirichlet of 2, three normal-Wisharts of 2 columns, the two numbers after them
LEN = sum(BLOCKS)
NUMPY = {'u8': 'u1', 'u16': '<u2', 'u32': '<u4', 'u64': '<u8', 'f64': '<f8'}
WANT = {'version': 1, 'flags': 5, 'count': 27, 'plan': 0x8182838485868788, 'run': 0x9192939495969798, 'from': 11,
        'to': 12, 'incarnation': 13, 'echo_life': 14, 'echo': 15, 'beat': 17, 'leader': 18, 'hop': 19, 'hops': 20,
        'ttl': 21, 'quiet': 22, 'rounds': 23, 'degree': 24, 'parts': 0, 'kappa': 25.5, 'n_nodes': 26.25, 'samples': 0}


def header():
    """The fixed part as a type of numpy."""
    with open(os.path.join(TOP, 'docs/protocol.md'), encoding='utf-8') as f:
        rows = re.findall(r'^\| (\d+) \| (u8|u16|u32|u64|f64) \| (\w+) \|', f.read(), re.M)
    return np.dtype({'names': [r[2] for r in rows], 'formats': [NUMPY[r[1]] for r in rows],
                     'offsets': [int(r[0]) for r in rows], 'itemsize': 128})


def cases():
    """Pairs (v, base): random ones of all sizes, and differences halfway between float16 numbers."""
    rng = np.random.default_rng(15)
    out = [rng.standard_normal((2, LEN)) * 2.0 ** rng.integers(-60, 60, (2, LEN)) for _ in range(300)]
    half = np.arange(0x7801, dtype='<u2').view('<f2').astype(float)  # 0 to 2^15
    middle = (half[:-1] + half[1:]) / 2
    near = np.concatenate([middle, np.nextafter(middle, 0), np.nextafter(middle, np.inf), -middle, half[:-1]])
    near = rng.permutation(near)[:20 * 2000].reshape(-1, 20)
    for k, row in enumerate(near):
        e = 2.0 ** (k % 200 - 100)
        v = np.zeros(LEN)
        v[2], v[3:23] = 2.0 ** 15 * e, row * e  # the block's largest number is 2^15 e
        out.append(np.stack([v, np.zeros(LEN)]))
    return out


def coded(v, base):
    """The payload and its numbers as the document says, by numpy."""
    data, sent, at = b'', np.empty(LEN), 0
    for n in BLOCKS:
        d = (v - base)[at:at + n]
        most = np.abs(d).max()
        k = next(k for k in range(-128, 128) if most <= 2.0 ** (k + 15))
        h = (d / 2.0 ** k).astype('<f2')
        data += np.int8(k).tobytes() + h.tobytes()
        sent[at:at + n] = base[at:at + n] + 2.0 ** k * h.astype(float)
        at += n
    return data, sent


def payload(code, v, base):
    if code == 2:
        return coded(v, base)
    x = v.astype('<f4' if code == 1 else '<f8')
    return x.tobytes(), x.astype(float)


def frames(prog, pairs):
    """(frame, numbers that the sender takes for decoded) of each pair and coding."""
    tool = prog.file('frames')
    subprocess.run(' '.join(['cc', '-std=c11', '-O1', '-D_POSIX_C_SOURCE=200809L', '-Iinclude', '-Isrc', *PARTS,
                             '-lm', '-o', tool]), shell=True, check=True, cwd=TOP)
    said = subprocess.run([tool], input=np.array(pairs).astype('<f8').tobytes(), capture_output=True, check=True).stdout
    at, out = 0, []
    while at < len(said):
        n = int(np.frombuffer(said, '<u4', 1, at)[0])
        out.append((said[at + 4:at + 4 + n], np.frombuffer(said, '<f8', LEN, at + 4 + n)))
        at += 4 + n + 8 * LEN
    return out


def check(claims, prog):
    fields, pairs = header(), cases()
    got = frames(prog, pairs)
    wrong = {'header': 0, 'checksum': 0, 'float64': 0, 'float32': 0, 'float16': 0}
    for k, (frame, sent) in enumerate(got):
        code, (v, base) = k % 3, pairs[k // 3]
        head = np.frombuffer(frame, fields, 1)[0]
        want = dict(WANT, tick=k // 3 + 1, code=code, base=16 * (code == 2), bytes=len(frame) - 132)
        wrong['header'] += frame[:4] != b'MBM1' or any(head[name] != x for name, x in want.items())
        if k % 50 < 3:
            wrong['checksum'] += crc32c(frame[:-4]) != int.from_bytes(frame[-4:], 'little')
        data, numbers = payload(code, v, base)
        wrong[f'float{(64, 32, 16)[code]}'] += data != frame[128:-4] or not np.array_equal(numbers, sent)
    claims.check(len(got) == 3 * len(pairs), f'{len(got)} frames of {len(pairs)} vectors')
    claims.check(set(fields.names) == {*WANT, 'magic', 'tick', 'code', 'base', 'bytes'},
                 f'the document has {len(fields.names)} fields, those of the frame')
    for what, count in wrong.items():
        claims.check(count == 0, f'{what}: {count} frames are not as numpy makes them')


main(check)
