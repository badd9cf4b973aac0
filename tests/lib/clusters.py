"""clusters.py - rows that tests of the program under mpirun draw: clusters that overlap, so that initialisations
differ."""
import numpy as np


def overlapping(n, clusters=4, apart=4):
    """(generator, cluster of each row, rows) of n rows in two columns."""
    r = np.random.default_rng(5)
    k = r.integers(clusters, size=n)
    return r, k, r.normal(size=(n, 2)) * (1 + .5 * k[:, None]) + apart * np.stack([k % 2, k // 2], 1)
