#!/usr/bin/python3
"""reading_peer.py HOW FILE: seconds of processor time that a peer needs to have the numbers of a file in
memory and to have looked at each; imports apart. HOW: numpy.load, numpy.loadtxt or pandas. Prints
JSON; status 3 where the peer is missing."""
import json
import sys
import time

import numpy as np


def read(how, file):
    if how == 'pandas':
        return pandas.read_csv(file).to_numpy()
    return np.load(file) if how == 'numpy.load' else np.loadtxt(file, delimiter=',', skiprows=1)


if __name__ == '__main__':
    if sys.argv[1] == 'pandas':
        try:
            import pandas
        except ImportError:
            sys.exit(3)
    began = time.process_time()
    total = float(read(sys.argv[1], sys.argv[2]).sum())
    print(json.dumps({'cpu': time.process_time() - began, 'sum': total}))
