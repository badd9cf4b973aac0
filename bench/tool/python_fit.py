"""python_fit.py FILE.npy: for each line, options of a fit as JSON, fits the Python package to the rows, which are in
memory, and answers with the seconds that it took, wall clock and processor, and the lower bound."""
import json
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'python', 'src'))
import meshbayes  # noqa: E402  after the path

rows = np.load(sys.argv[1])
for line in sys.stdin:
    options = json.loads(line)
    if 'topology' in options:
        options['network'] = options.pop('topology')
    given = (rows[:, :-1], rows[:, -1]) if options.get('model') == 'linreg' else (rows,)
    before, began = os.times(), time.perf_counter()
    found = meshbayes.fit(*given, **options)
    wall, after = time.perf_counter() - began, os.times()
    print(json.dumps({'wall': wall, 'cpu': sum(after[:2]) - sum(before[:2]), 'bound': found.bound, 'rounds': found.rounds}), flush=True)
