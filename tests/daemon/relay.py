#!/usr/bin/python3
"""relay.py LISTEN:TARGET..: a process between TCP connections of this machine that does to their bytes
what networks do, and worse.

Each line of standard input is a JSON object of faults, which replaces the one before:
  delay      seconds, of a chunk on its way (bytes of one connection stay in order, connections overtake)
  jitter     up to so many seconds more, drawn for each chunk
  reorder    share of chunks that leave after the one behind them
  duplicate  share of chunks that leave twice
  corrupt    share of chunks in which up to three bytes are changed
  cut        share of chunks after a part of which the connection is closed
  stall      share of chunks after which the connection is silent for .2 to 1.6 s, as TCP is when packets
             are lost
  blackhole  list of ports LISTEN: their connections stay, and nothing passes; what waits is dropped, and
             the connections are cut when it ends
A chunk is what one read gives, mostly a frame. The answer to a line is a line: counts of what was done so
far, as JSON. The end of standard input ends the process. Class Relay runs one.
"""
import asyncio
import collections
import json
import os
import random
import subprocess
import sys

CHUNK = 1 << 16
HELD_MOST = 200                # chunks of one direction that wait


class Link:
    """The relay of one pair of ports; all have one set of faults."""

    def __init__(self, world, listen, target):
        self.world, self.listen, self.target = world, listen, target

    def dark(self):
        return self.listen in self.world.fault.get('blackhole', ())

    async def accept(self, reader, writer):
        try:
            there, back = await asyncio.open_connection('127.0.0.1', self.target)
        except OSError:
            writer.transport.abort()
            return
        self.world.count['connections'] += 1
        both = (writer, back)
        self.world.open[both] = self.listen
        pumps = [asyncio.ensure_future(p) for p in
                 (self.pump(reader, back, both), self.pump(there, writer, both))]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for p in pumps:
            p.cancel()
        self.world.cut(both)

    async def pump(self, reader, writer, both):
        queue = asyncio.Queue(HELD_MOST)
        leaves = asyncio.ensure_future(self.leave(queue, writer, both))
        try:
            held = None
            while data := await reader.read(CHUNK):
                if self.dark():
                    continue
                if held is None and self.world.hits('reorder'):
                    held = data
                    continue
                for chunk in [data] if held is None else [data, held]:
                    await self.change(chunk, queue, both)
                held = None
        except OSError:
            pass
        finally:
            leaves.cancel()

    async def change(self, chunk, queue, both):
        """Into the queue, with its faults."""
        w, loop = self.world, asyncio.get_running_loop()
        if w.hits('corrupt'):
            broken = bytearray(chunk)
            for _ in range(w.rng.randint(1, 3)):
                broken[w.rng.randrange(len(broken))] ^= w.rng.randint(1, 255)
            chunk = bytes(broken)
        at = loop.time() + w.is_('delay') + w.rng.random() * w.is_('jitter')
        if w.hits('stall'):
            at += .2 * 2 ** w.rng.uniform(0, 3)
        ends = w.hits('cut')
        if ends:
            chunk = chunk[:w.rng.randrange(len(chunk) + 1)]
        for _ in range(2 if w.hits('duplicate') else 1):
            await queue.put((at, chunk, ends))

    async def leave(self, queue, writer, both):
        loop = asyncio.get_running_loop()
        while True:
            at, chunk, ends = await queue.get()
            if at > loop.time():
                await asyncio.sleep(at - loop.time())
            if self.dark():
                continue
            writer.write(chunk)
            try:
                await writer.drain()
            except OSError:
                ends = True
            if ends:
                self.world.cut(both)


class World:
    def __init__(self, seed):
        self.rng, self.fault = random.Random(seed), {}
        self.open, self.count = {}, collections.Counter()

    def is_(self, name):
        return self.fault.get(name, 0)

    def hits(self, name):
        hit = self.rng.random() < self.is_(name)
        self.count[name] += hit
        return hit

    def cut(self, both):
        if self.open.pop(both, None) is not None:
            for one in both:
                one.transport.abort()

    def obey(self, line):
        before = set(self.fault.get('blackhole', ()))
        self.fault = json.loads(line)
        ended = before - set(self.fault.get('blackhole', ()))
        for both in [b for b, listen in self.open.items() if listen in ended]:
            self.cut(both)
        return dict(self.count)


async def serve(pairs):
    world, loop = World(1), asyncio.get_running_loop()
    for listen, target in pairs:
        await asyncio.start_server(Link(world, listen, target).accept, '127.0.0.1', listen)
    commands = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    print('{}', flush=True)
    while line := await commands.readline():
        print(json.dumps(world.obey(line)), flush=True)


class Relay:
    """The process: pairs of ports (listen, target)."""

    def __init__(self, pairs):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), *(f'{a}:{b}' for a, b in pairs)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def set(self, **faults):
        """From now on these faults; the counts so far."""
        self.process.stdin.write(json.dumps(faults) + '\n')
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


if __name__ == '__main__':
    asyncio.run(serve([tuple(map(int, pair.split(':'))) for pair in sys.argv[1:]]))
