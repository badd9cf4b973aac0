"""Cases of soak.py in which the network is at fault: bytes by a relay process, packets by namespaces."""
import time

from hour import ROWS, Rows
from mesh import right, ring, rows_taken
from netns import Net, NotPermitted
from relay import Relay

HARM = {'cut': .03, 'corrupt': .05, 'duplicate': .05, 'reorder': .05}    # shares of chunks


def relayed(soak, wait=120, **more):
    """A network all of whose connections pass a relay process: (network, relay)."""
    n = 4 if soak.opt.small else 20
    base = soak.opt.port + 100 * (soak.count + 1)
    port = {pair: base + 50 + k for k, pair in enumerate(sorted(ring(n)))}
    relay = Relay([(port[pair], base + pair[0]) for pair in port])
    m = soak.mesh(n, via=lambda i, j: port[(j, i)] if i > j else base + j, **more)
    m.ports = port
    try:
        m.settle(wait)
    except AssertionError:
        m.close()
        relay.close()
        raise
    return m, relay


def arriving(m, seconds, every=.5, nodes=None):
    """Rows arrive for so long, so that there is something to disturb."""
    arrive, end = Rows(m, every, nodes=nodes), time.monotonic() + seconds
    while time.monotonic() < end:
        arrive.poll()
        time.sleep(.1)


def refused(m):
    """Frames and connections by cause, over all nodes."""
    out = {}
    for i in range(m.n):
        now = m.status(i)
        for causes in (now['host']['connections_refused'], now['frames_refused']):
            for cause, count in causes.items():
                out[cause] = out.get(cause, 0) + count
    return out


def disturbed(soak, m, relay, causes, **fault):
    """Faults while rows arrive, until each has been done and refused for each of `causes` (a minute at
    most); then calm: what is said of it."""
    drawn = [k for k in ('cut', 'corrupt', 'duplicate', 'reorder', 'stall') if k in fault]
    before, begun, done = relay.set(**fault), time.monotonic(), {}
    arriving(m, 3 if soak.opt.small else soak.opt.seconds)
    while time.monotonic() - begun < 60:
        now = relay.set(**fault)
        done = {k: v - before.get(k, 0) for k, v in now.items() if v > before.get(k, 0)}
        if all(done.get(k) for k in drawn) and all(refused(m).get(k) for k in causes):
            break
        arriving(m, 1)
    relay.set()
    rows_taken(m)
    said = right(m, 120, done=done, refused=refused(m))
    missing = [k for k in drawn if k not in done] + [k for k in causes if not refused(m).get(k)]
    assert not missing, f'{missing} did not happen: {done}, {refused(m)}'
    return f'{done}; refused {refused(m)}; {said}'


def a_relay_does_harm(soak):
    """Delays, and cut, changed, repeated and swapped bytes. Encrypted: a changed byte ends a connection
    for good, and it must come back; in clear: the frames are refused by cause."""
    said = []
    for what, more, causes in (('encrypted', {}, ['damaged']),
                               ('in clear', {'insecure': True}, ['damaged', 'old'])):
        m, relay = relayed(soak, follow=True, window={'rows': ROWS}, **more)
        try:
            said.append(f'{what}: ' + disturbed(soak, m, relay, causes, delay=.005, jitter=.03, **HARM))
            m.figures[-1].update(what=what)
        finally:
            m.close()
            relay.close()
    return '; '.join(said)


class Spaces:
    """Faults of packets, in namespaces; NotPermitted says why there are none."""

    def __init__(self, soak, n):
        self.net = Net(n).open()
        try:
            self.m = soak.mesh(n, host=self.net.host, inside=self.net.inside, follow=True,
                               window={'rows': ROWS})
            self.m.settle(120)
        except BaseException:
            self.net.close()
            raise
        self.loss, self.rate = self.net.loss, self.net.rate

    def part(self, halves):
        self.net.partition(halves)

    def calm(self):
        """What was done since the fault began."""
        dropped = self.net.dropped()
        self.net.loss(0)
        self.net.rate(None)
        return f'{dropped} packets dropped'

    def close(self):
        self.m.close()
        self.net.close()


class Relayed:
    """The same as far as bytes can show it: connections pause as they do when packets are lost."""

    def __init__(self, soak):
        self.m, self.relay = relayed(soak, follow=True, window={'rows': ROWS})

    def loss(self, percent):
        self.relay.set(stall=percent / 100)

    def rate(self, limit):
        self.relay.set(delay=.2)

    def part(self, halves):
        self.relay.set(blackhole=[port for (a, b), port in self.m.ports.items()
                                  if (a in halves[0]) != (b in halves[0])])

    def calm(self):
        return f'relay: {self.relay.set()}'

    def close(self):
        self.m.close()
        self.relay.close()


def halves_answer(m, halves, seconds):
    """Each half settles on its own rows, and is right when the time is over."""
    end = time.monotonic() + seconds
    for half in halves:
        m.settle(60, half)
    time.sleep(max(0, end - time.monotonic()))
    return '; '.join(f'a half of {len(half)}: {right(m, 60, half, what=f"half {k + 1} of a partition")}'
                     for k, half in enumerate(halves))


def networks_fail(soak):
    """1 to 50 % loss, less bandwidth than the frames want, a partition for 10 s; after each fault right
    within 120 s, during the partition each half for itself."""
    small = soak.opt.small
    try:
        way = Spaces(soak, 4 if small else 20)
    except NotPermitted as e:
        soak.skipped.append(f'network namespaces, so that faults came through the relay: {e}')
        way = Relayed(soak)
    m, said = way.m, []
    try:
        for what, begin in ([(f'{p} % lost', lambda p=p: way.loss(p))
                             for p in ((20,) if small else (1, 5, 20, 50))] +
                            [(f'{rate} a node', lambda rate=rate: way.rate(rate))
                             for rate in (('256kbit',) if small else ('1mbit', '128kbit'))]):
            begin()
            arriving(m, 3 if small else soak.opt.seconds)
            done = way.calm()
            rows_taken(m)
            said.append(f'{what} ({done}): {right(m, 120, what=what, done=done)}')
        halves = [range(m.n // 2), range(m.n // 2, m.n)]
        way.part(halves)
        said.append('partition: ' + halves_answer(m, halves, 5 if small else 10))
        done = way.calm()
        said.append(f'healed: {right(m, 120, what="a partition healed", done=done)}')
        return '; '.join(said)
    finally:
        way.close()
