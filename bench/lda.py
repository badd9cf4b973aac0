#!/usr/bin/python3
"""lda.py - topics beside scikit-learn's LatentDirichletAllocation (batch), one thread each: the perplexity of the
second halves of documents held out, given the first halves, and the seconds of processor time to the answer. Documents
of words that follow Zipf's law, or with --data FILE of a file in LDA-C's format ("N term:count .."), of which the
most frequent 2,000 terms have names. With --full 2,000 documents, and it fails where the perplexity is more than 1 %
above scikit-learn's. A row of bench/speed.py is made of the same functions."""
import gzip
import json
import os
import resource
import sys
import time

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from harness import Bench, say

TOPICS, VOCABULARY, ROUNDS, TOLERANCE = 20, 2000, 100, 1.01


def read(path):
    """Counts of documents x terms, the rarest terms as one."""
    with gzip.open(path, 'rt') if path.endswith('.gz') else open(path) as f:
        lines = [[tuple(map(int, w.split(':'))) for w in line.split()[1:]] for line in f]
    document = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    term, count = np.array([w for line in lines for w in line]).T
    common = np.argsort(-np.bincount(term, count), kind='stable')[:VOCABULARY]
    place = np.full(term.max() + 1, len(common))
    place[common] = np.arange(len(common))
    return sparse.csr_matrix((count, (document, place[term])), (len(lines), len(common) + 1))


def draw(rng, documents, terms=1000, topics=TOPICS, words=120):
    """Each topic has Zipf's probabilities of the terms in an order of its own; documents have few topics."""
    zipf = 1 / np.arange(1, terms + 1) ** 1.1
    beta = np.array([zipf[rng.permutation(terms)] for _ in range(topics)])
    beta /= beta.sum(1, keepdims=True)
    shares = rng.dirichlet(np.full(topics, .1), documents)
    return sparse.csr_matrix([rng.multinomial(rng.poisson(words) + 10, s @ beta) for s in shares])


def write(path, counts):
    counts = counts.tocoo()
    order = np.lexsort((counts.col, counts.row))
    with open(path, 'w') as f:
        f.write('document,term,count\n')
        f.writelines(f'd{d},t{v},{int(n)}\n' for d, v, n in zip(counts.row[order], counts.col[order], counts.data[order]))


def halves(counts, rng):
    first = counts.copy()
    first.data = rng.binomial(counts.data.astype(int), .5)
    first.eliminate_zeros()
    return first, counts - first


def density(theta, beta, counts):
    """Mean log probability of a word; its perplexity is exp of minus that."""
    counts = counts.tocoo()
    p = (theta[counts.row] * beta.T[counts.col]).sum(1)
    return float((counts.data * np.log(p)).sum() / counts.data.sum())


def ours(bench, train, known, hidden, topics):
    """Seconds of processor time and of the clock, rounds, the density of hidden words."""
    write(bench.file('train.csv'), train)
    write(bench.file('known.csv'), known)
    levels = '|'.join(f't{v}' for v in range(train.shape[1]))
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    said, _ = bench.json('fit', '--data', 'train.csv', '--group-column', 'document', '--model', 'lda', '--n-components', topics,
                         '--n-init', 1, '--lda.vocabulary', 0, '--threads', 1, '--rounds', ROUNDS,
                         '--column', f'term:category({levels}),count:count', '--out', 'topics.json')
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    bench.meshbayes('predict', '--posterior', 'topics.json', '--data', 'known.csv', '--group-column', 'document', '--out', 'shares.csv')
    with open(bench.file('topics.json')) as f:
        beta = np.array(json.load(f)['topics'])
    theta = np.full((known.shape[0], topics), 1 / topics)
    theta[np.flatnonzero(known.getnnz(axis=1))] = np.loadtxt(bench.file('shares.csv'), delimiter=',', skiprows=1)
    return {'seconds': after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 'wall': wall,
            'iterations': said['algorithms'][0]['rounds'], 'density': density(theta, beta, hidden)}


def peer(topics):
    return LatentDirichletAllocation(topics, learning_method='batch', max_iter=ROUNDS, random_state=1)


def density_of_peer(fitted, known, hidden):
    return density(fitted.transform(known), fitted.components_ / fitted.components_.sum(1, keepdims=True), hidden)


def main():
    bench = Bench('lda')
    text = bench.data if os.path.isfile(bench.data) else None
    documents, held_out = (2000, 246) if bench.full else (100, 20)
    rng = np.random.default_rng(1)
    counts = read(text) if text else draw(rng, documents + held_out)
    counts = counts[rng.permutation(counts.shape[0])[:documents + held_out]]
    train, test = counts[:documents], counts[documents:]
    known, hidden = halves(test, rng)
    got = ours(bench, train, known, hidden, TOPICS)
    own, seconds = np.exp(-got['density']), got['seconds']
    began = time.process_time()
    fitted = peer(TOPICS).fit(train)
    taken = time.process_time() - began
    other = np.exp(-density_of_peer(fitted, known, hidden))
    say(f'{train.shape[0]} documents, {train.shape[1]} terms: perplexity {own:.1f} ({seconds:.1f} s); scikit-learn {other:.1f} ({taken:.1f} s)')
    bench.finish(documents=train.shape[0], terms=train.shape[1], topics=TOPICS, rounds=ROUNDS, perplexity=own, seconds=seconds,
                 peer={'name': 'LatentDirichletAllocation', 'perplexity': other, 'seconds': taken})
    sys.exit(int(bench.full and own > TOLERANCE * other))


if __name__ == '__main__':
    main()
