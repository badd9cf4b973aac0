#!/usr/bin/env python3
"""07_relay.py record FOLDER FROM:TO ..: carries connections from ports to ports of this machine and
stores all bytes of each in FOLDER. 07_relay.py search FOLDER GENESIS.json ROWS.csv ..: looks in these
bytes for every row as text, and for every number of the rows, their sums and sums of squares and
products as float64, in the units of the file and in those of the genesis. Status 1: one was found."""
import asyncio
import csv
import json
import os
import struct
import sys


async def carry(reader, writer, stored):
    try:
        while data := await reader.read(65536):
            stored.write(data)
            stored.flush()
            writer.write(data)
            await writer.drain()
    except (ConnectionError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


async def record(folder, links):
    os.makedirs(folder, exist_ok=True)
    count = 0

    def serve(to):
        async def connected(reader, writer):
            nonlocal count
            count += 1
            try:
                there, back = await asyncio.open_connection('127.0.0.1', to)
            except OSError:
                writer.close()
                return
            with open(f'{folder}/{count}-there', 'wb') as one, open(f'{folder}/{count}-back', 'wb') as two:
                await asyncio.gather(carry(reader, back, one), carry(there, writer, two))
        return connected
    for link in links:
        port, to = map(int, link.split(':'))
        await asyncio.start_server(serve(to), '127.0.0.1', port)
    await asyncio.Event().wait()


def patterns(file, genesis):
    """Every row as text, and every number of the rows and their sums: name, bytes."""
    with open(file, newline='') as text:
        lines = list(csv.reader(text))
    names, rows = lines[0], [[float(x) for x in line] for line in lines[1:]]
    for i, line in enumerate(lines[1:]):
        yield f'row {i + 1} as text', ','.join(line).encode()
    agreed = [[(x - o) / s for x, o, s in zip(row, genesis['origin'], genesis['scale'])] for row in rows]
    for unit, table in (('units of the file', rows), ('units of the genesis', agreed)):
        for i, row in enumerate(table):
            for name, x in zip(names, row):
                yield f'row {i + 1} {name}, {unit}', struct.pack('<d', x)
        for d, name in enumerate(names):
            yield f'sum of {name}, {unit}', struct.pack('<d', sum(row[d] for row in table))
            for e in range(d + 1):
                yield f'sum of {name} {names[e]}, {unit}', struct.pack('<d', sum(row[d] * row[e] for row in table))


def search(folder, genesis, files):
    sent = b''.join(open(f'{folder}/{name}', 'rb').read() + b'\n' for name in sorted(os.listdir(folder)))
    with open(genesis) as text:
        agreed = json.load(text)
    tried, found = 0, []
    if sent.count(b'MBM1') < 100:
        sys.exit('the stored bytes have fewer than 100 frames: nothing was recorded')
    for file in files:
        for what, pattern in patterns(file, agreed):
            # As many bytes of zeros as a zero has are in every frame.
            if any(pattern):
                tried += 1
                found += [f'{file}: {what}'] if pattern in sent else []
    print(f'{tried} rows, numbers of rows and sums were looked for in all that was sent: {len(found)} found')
    for line in found:
        print(line)
    sys.exit(bool(found))


if __name__ == '__main__':
    if sys.argv[1] == 'record':
        try:
            asyncio.run(record(sys.argv[2], sys.argv[3:]))
        except KeyboardInterrupt:
            pass
    else:
        search(sys.argv[2], sys.argv[3], sys.argv[4:])
