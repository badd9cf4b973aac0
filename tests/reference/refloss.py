"""Which messages of a run with --loss-directed are lost: Philox4x32-10 in Python [Salmon11].

The counter is (draw, sender, round low, stream and round high), the key the seed, where "round" numbers
(round, kind of fault, receiver) as transport/faults.c says: (2 t + 1) N + receiver."""
import numpy as np

LOSS = 5                                                       # the stream of the generator
MASK = 0xffffffff


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c[0], 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * c[2], 1 << 32)
        c = [high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def uniform(seed, stream, node, place):
    out = philox([0, node, place & MASK, stream << 24 | place >> 32 & 0xffffff],
                 [seed & MASK, seed >> 32])
    return (((out[0] << 32 | out[1]) >> 12) + 0.5) * 2.0 ** -52


def arrives(N, t, loss, seed=0):
    """N x N: 1 where the message of row node to column node, sent in round t, is heard."""
    if not loss:
        return np.ones((N, N))
    return np.array([[float(uniform(seed, LOSS, j, (2 * t + 1) * N + i) >= loss) for i in range(N)]
                     for j in range(N)])
