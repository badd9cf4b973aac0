"""Windows by age: how old the rows of a node can be when a storm is over, from its schedule alone.

A row's age is what its node's clock says has passed since it came, also while the node was paused or
down. Where the clock goes back, or on by more than a day, between two readings (ticks, frames, or rows
that come), nothing has passed, and the time between them is lost. A blank start gives a node its rows
anew. Which ticks read a clock, and which checkpoint a start finds, is not in the schedule: an age is
known between two bounds, which are equal in most cases.
"""
DAY = 86400.0
READ = 1.5                                         # the most seconds of a clock between two readings at rest
AWAKE = 1.6 / 0.7                                  # virtual seconds after which it has been read
CLOSE = 0.005                                      # clocks are read in milliseconds


class Ages:
    """Bounds of the ages of one node's pieces of rows, [least, most, rows], in the order they came."""

    def __init__(self, storm, here):
        self.kept = storm['options']['checkpoint-ticks'] > 0
        self.here, self.up, self.since = here, here, 0.0   # up: live, not paused; since when
        self.now, self.drift = 0.0, 1.0
        self.jumps, self.unread, self.jumped = [], [], 0.0  # ever; since the clock was surely read; when
        self.wiped, self.end = False, None
        self.pieces, self.waiting = [], []
        self.doubtful = 0                          # of the pieces, from the first: see unknown()

    def pass_to(self, now):
        if self.end is not None and self.end <= now:
            end, self.end = self.end, None
            self.pass_to(end)
            self.up, self.since = True, end
        read = min(now, max(self.now, self.since + AWAKE, self.jumped + AWAKE)) if self.up else now
        for k, piece in enumerate(self.pieces):
            piece[0] += (now - (read if k < self.doubtful else self.now)) * self.drift
            piece[1] += (now - self.now) * self.drift
        self.now = now
        if self.read():
            self.unread, self.doubtful = [], 0

    def read(self):
        """The clock has surely been read since it last jumped, and since the node woke."""
        return self.up and self.now >= max(self.since, self.jumped if self.jumps else 0) + AWAKE

    def unknown(self):
        """Nor do they surely grow older until the clock has been read: the time until then may be lost."""
        for piece in self.pieces:
            piece[0], piece[1] = 0.0, float('inf')
        self.doubtful = len(self.pieces)

    @staticmethod
    def is_good(jumps):
        return all(x > 0 for x in jumps) and sum(jumps) < DAY - 1000

    def jump(self, x):
        alone = self.read() and not self.unread
        self.jumps.append(x)
        self.unread.append(x)
        self.jumped = self.now
        if self.is_good(self.unread):
            for piece in self.pieces:
                piece[0], piece[1] = piece[0] + x, piece[1] + x
        elif alone:
            for piece in self.pieces:
                piece[0] = max(0.0, piece[0] - READ)
        else:
            self.unknown()

    def stop(self):
        """Pause, kill, wipe: when the clock is read next is not known."""
        if not self.is_good(self.unread):
            self.unknown()
        self.up, self.end = False, None

    def start(self):
        if not self.here or self.wiped or not self.kept:
            self.waiting = [rows for _, _, rows in self.pieces] + self.waiting
            self.pieces, self.doubtful = [], 0
        elif not self.is_good(self.jumps):
            self.unknown()
        for piece in self.pieces:
            piece[0] = 0.0                         # unless the checkpoint has it, it comes anew
        self.here, self.up, self.since, self.wiped = True, True, self.now, False
        self.pieces += [[0.0, 0.0, rows] for rows in self.waiting]
        self.waiting = []

    def happen(self, now, what, b, alive):
        self.pass_to(now)
        if what == 'clock':
            self.jump(b)
        elif what == 'drift':
            self.drift = b
        elif what in ('kill', 'wipe', 'pause'):
            self.stop()
            self.wiped = self.wiped or what == 'wipe'
            self.end = now + b if what == 'pause' and b else None
        elif what in ('start', 'join'):
            self.start()
        elif what == 'resume' and not self.up:
            self.up, self.since, self.end = True, now, None
        elif what == 'rows' and alive:
            self.pieces.append([0.0, 0.0, b])
        elif what == 'rows':
            self.waiting.append(b)


def bounds(storm, i, end, own, more):
    """[least, most, rows] of the pieces of node i at the time `end`, in the order they came."""
    joins = any(what == 'join' and a == i for _, what, a, _ in storm['events'])
    ages, alive = Ages(storm, not joins), not joins
    (ages.waiting if joins else ages.pieces).append(own if joins else [0.0, 0.0, own])
    for now, what, a, b in storm['events']:
        if a != i or isinstance(a, list):
            continue
        alive = what not in ('kill', 'wipe') and (alive or what in ('start', 'join'))
        ages.happen(now, what, more[int(b[4:-4])] if what == 'rows' else b, alive)
    ages.pass_to(end)
    return ages.pieces


def present(pieces, window, count):
    """(rows left, whether the schedule alone says so, a complaint or None): count is the node's."""
    left = [rows for _, _, rows in pieces]
    gone = 0
    while gone < len(left) and sum(len(X) for X, _ in left[gone:]) > count:
        gone += 1
    left = left[gone:]
    if sum(len(X) for X, _ in left) != count:
        return left, False, f'{count} rows are no number of whole arrivals'
    for k, (least, most, rows) in enumerate(pieces):
        if k < gone and most < window - CLOSE:
            return left, True, f'{len(rows[0])} rows of age {most:.3f} s at most have left'
        if k >= gone and least > window + CLOSE:
            return left, True, f'{len(rows[0])} rows of age {least:.3f} s at least are there'
    return left, not any(least < window + CLOSE and most > window - CLOSE for least, most, _ in pieces), None
