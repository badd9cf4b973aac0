"""page_speed.py RESULT.json DOCS | --self-test RESULT.json: writes DOCS/speed.md from the result of `script/bench --full speed`,
which is kept as DOCS/figures/speed.json. Fails if a row of the table in bench/speed.py is missing or if ours
predicts worse than a peer at quick sizes. --self-test: asks for these failures with results that are wrong."""
import json
import os
import sys
import tempfile

import speed
from page_section import number

TEXT = '''# Speed beside peers

How long a user waits. Written by `script/bench --full --page speed` or, from its result, by `bench/page_speed.py`: a run on {date} ({cpu}, commit {commit}, load before it {load}); `figures/speed.json` is that run.{remarks} The rows are the table in `bench/speed.py`; `--rows=REGEX` runs some of them. {size}

All programs get the same data and one thread. Ours is the whole process, from the file (NPY unless the row says CSV) to the written posterior, with all defaults unless the row has options; a peer's time begins when it reads the file and ends with the fitted estimator, without imports and the start of Python or R. Programs alternate for up to {turns} turns, no further one after {enough} s; cells are medians of seconds of **processor time** (in brackets seconds of the clock, which mean little where the machine has other work: see the load), ratios are those of processor time within a turn, the peer's over ours, with quartiles: above 1 ours is faster. A peer that needs more than {limit} s of processor time is stopped. Both stop by their own rules. Held out: mean log density of further rows, nats a row, of a regression that of the target; the predictive density where the peer has a posterior with full covariances (computed from its attributes) or a point estimate; beside BayesianGaussianMixture with other covariances what that program's `score` takes, Gaussians at the expected logarithms, for both; of topics a word of the second halves of documents, given the first (exp of minus it is the perplexity), and rows and columns are documents and terms.

## Fits

| what | rows | columns | K | ours, s | peer | its s | ratio | held out, ours | held out, peer |
|---|---|---|---|---|---|---|---|---|---|
{fits}

{slower}

{worse}

## Default fits beside one initialisation

`meshbayes fit` with all defaults over `--n-init 1`, processor time. "Reached": initialisations that ended at the best bound, of those that were made.

| what | default, s | one initialisation, s | ratio | reached | held out, default | held out, one |
|---|---|---|---|---|---|---|
{starts}

{aims}

## Predictions

`meshbayes predict --what responsibilities` and `score --samples` of rows in an NPY file, the result written as NPY, beside scikit-learn's `predict_proba` and `score_samples` by the same posterior, read and written likewise.

| what | rows | columns | K | rows a second and core | peer | its rows a second | ratio | largest difference |
|---|---|---|---|---|---|---|---|---|
{predictions}

## Nodes

Processes `meshbayes-node` of the paper's problem on this machine, links encrypted, 100 rows a node: from the first status of all nodes until all have settled, and some seconds of rest from two seconds later on.

| nodes | network | moving, s | a core, % of each node | bytes a second and node | at rest: a core, % | bytes a second and node |
|---|---|---|---|---|---|---|
{nodes}
'''


def mid(s):
    return f'{number(s["median"])} ({number(s["low"])} to {number(s["high"])})'


def seconds(p):
    return f'{number(p["seconds"]["median"])} ({number(p["wall"]["median"])})'


def density(p):
    return f'{p["density"]:.4f}' if 'density' in p else '-'


def by_name(row):
    return {p['program']: p for p in row['programs']}


def of(rows, kind):
    """Rows of one kind: fits, predictions or nodes."""
    names = {r.name for r in speed.TABLE if (kind == 'nodes') == (not r.make) and (kind == 'predictions') == speed.is_prediction(r)}
    return [row for row in rows if row['name'] in names]


def peers(row):
    return [p for p in row['programs'] if p['program'] not in ('ours', speed.SINGLE)]


def line(words):
    return '| ' + ' | '.join(map(str, words)) + ' |'


def fit_lines(row):
    mine = by_name(row)['ours']
    first = [row['name'] + (f' (`{row["options"]}`)' if row['options'] else ''), f'{row["n"]:,}', row['D'], row['K'] or '-', seconds(mine)]
    for p in peers(row) or [{'program': 'none'}]:
        if 'seconds' in p:
            cells = [seconds(p), mid(p['ratio'])]
        elif 'over' in p:
            cells = [f'more than {p["over"]}', f'more than {number(p["at_least"])}']
        else:
            cells = [f'not run: {p["absent"]}' if 'absent' in p else '-', '-']
        yield line([*first, p['program'], *cells, f'{beside(row, p):.4f}', density(p)])
        first = [''] * len(first)


def median_ratio(p):
    return p['ratio']['median'] if 'ratio' in p else None


def slower(rows):
    """The rows below 1, each with its reason."""
    words, why = [], {row.name: row.why for row in speed.TABLE}
    for row in rows:
        behind = [f'{p["program"]} {number(median_ratio(p))}' for p in peers(row) if median_ratio(p) is not None and median_ratio(p) < 1]
        if behind:
            words.append(f'- {row["name"]} ({", ".join(behind)}): {why[row["name"]] or "no reason is known"}.')
    return 'Rows below 1 and the reason:\n\n' + '\n'.join(words) if words else 'No row is below 1.'


def beside(row, p):
    """The density of ours in the measure of a peer."""
    mine = by_name(row)['ours']
    return mine.get('expected', mine['predictive']) if p['program'] == speed.BAYES else mine['predictive']


def lead(row, p):
    """Nats a row by which a peer predicts better than ours."""
    return p['density'] - beside(row, p) if 'density' in p else -1e300


def is_worse(row, p, tolerance):
    return lead(row, p) > tolerance


def worse(rows, tolerance):
    words = [f'{row["name"]} ({p["program"]} {lead(row, p):.3f} higher)'
             for row in rows for p in peers(row) if is_worse(row, p, tolerance)]
    return (f'Held out, ours is more than {tolerance} nats a row worse in: {"; ".join(words)}.' if words else
            f'Held out, ours is nowhere more than {tolerance} nats a row worse.')


def start_line(row):
    mine, one = by_name(row)['ours'], by_name(row)[speed.SINGLE]
    return line([row['name'], number(mine['seconds']['median']), number(one['seconds']['median']),
                 number(1 / median_ratio(one)), f'{mine["at_best"]} of {mine["attempts"]}', density(mine), density(one)])


def aims(rows):
    """Whether the two aims of default fits hold in this run."""
    slow = [row['name'] for row in rows for p in peers(row)
            if p['program'] == speed.BAYES and (p['at_least'] if 'at_least' in p else median_ratio(p)) < 1]
    dear = [row['name'] for row in rows
            if by_name(row)['ours']['at_best'] == by_name(row)['ours']['attempts'] and median_ratio(by_name(row)[speed.SINGLE]) < .5]
    return (f'Slower than one initialisation of {speed.BAYES}: {"; ".join(slow) or "none"}. More than twice the time of one '
            f'initialisation although all agree: {"; ".join(dear) or "none"}.')


def prediction_line(row):
    mine, its = by_name(row)['ours'], peers(row)[0]
    rate = lambda p: f'{row["n"] / p["seconds"]["median"]:.3g}'
    return line([row['name'], f'{row["n"]:,}', row['D'], row['K'], rate(mine), its['program'], rate(its), mid(its['ratio']),
                 f'{row["difference"]:.0e}'])


def node_line(row):
    if 'absent' in row:
        return line([row['name'], f'not run: {row["absent"]}', *'-----'])
    cells = [cell for state in ('moving', 'resting') for cell in (number(100 * row[state]['core_share']), number(row[state]['bytes_a_second']))]
    return line([row['nodes'], row['topology'], number(row['moving']['seconds']), *cells])


def trouble(result):
    """What is wrong with a result, one line each."""
    rows = result['rows']
    found, names = [], {row['name'] for row in rows}
    for row in speed.TABLE:
        if row.name not in names and not result['every']:
            found.append(f'row "{row.name}" is missing')
    for row in rows:
        expected = next((r for r in speed.TABLE if r.name == row['name']), None)
        if expected is None:
            found.append(f'row "{row["name"]}" is not in the table')
        elif expected.make:
            absent = {'ours', *expected.peers} - set(by_name(row))
            found += [f'{row["name"]}: no result of {name}' for name in sorted(absent)]
    for row in of(rows, 'fits'):
        found += [f'{row["name"]}: {p["program"]} predicts better, by {lead(row, p):.4f} nats a row'
                  for p in peers(row) if is_worse(row, p, result['tolerance']) and result['size'] == 'quick']
    return found + [f'{row["name"]}: predictions differ by {row["difference"]:.1e}'
                    for row in of(rows, 'predictions') if not row['difference'] <= result['largest_difference']]


def page(run, result):
    rows = result['rows']
    fits, default = of(rows, 'fits'), [row for row in of(rows, 'fits') if speed.SINGLE in by_name(row)]
    quick = '**Quick sizes**: these show that the benchmark runs, and nothing else.'
    some = f'Only rows with `{result["every"]}`.' if result['every'] else ''
    return TEXT.format(date=run['date'][:10], cpu=run['machine']['cpu'], commit=run['commit'], load=run['machine']['load_before'],
                       remarks=''.join(f' {remark}' for remark in run.get('remarks', [])), size=' '.join(filter(None, [quick if result['size'] == 'quick' else '', some])), turns=speed.TURNS_FULL,
                       enough=speed.SECONDS_A_ROW, limit=result['limit'], fits='\n'.join(text for row in fits for text in fit_lines(row)),
                       slower=slower(fits), worse=worse(fits, result['tolerance']), starts='\n'.join(map(start_line, default)),
                       aims=aims(default), predictions='\n'.join(map(prediction_line, of(rows, 'predictions'))),
                       nodes='\n'.join(map(node_line, of(rows, 'nodes'))))


def write(run, docs):
    result = next((r for r in run['results'] if r['bench'] == 'speed' and 'error' not in r), None)
    found = trouble(result) if result else ['no result of "speed"']
    if found:
        return found
    os.makedirs(os.path.join(docs, 'figures'), exist_ok=True)
    for name, text in (('speed.md', page(run, result)), (os.path.join('figures', 'speed.json'),
                                                         json.dumps({**run, 'results': [result]}, indent=1) + '\n')):
        with open(os.path.join(docs, name), 'w', encoding='utf-8') as f:
            f.write(text)
    return []


def self_test(path):
    """Results with one mistake each must be refused, the result itself must not."""
    def planted(change):
        with open(path, encoding='utf-8') as f:
            run = json.load(f)
        result = next(r for r in run['results'] if r['bench'] == 'speed')
        change(result)
        with tempfile.TemporaryDirectory() as folder:
            return write(run, folder)

    def row(result, name):
        return next(r for r in result['rows'] if r['name'] == name)

    def lower(result):
        by_name(row(result, 'logistic'))['ours']['predictive'] -= 1

    faults = {'row "linear" is missing': lambda result: result['rows'].remove(row(result, 'linear')),
              'no result of PoissonRegressor': lambda result: row(result, 'Poisson')['programs'].pop(1),
              'logistic: LogisticRegression predicts better': lower,
              'predictions differ': lambda result: row(result, 'score of each row').update(difference=1.0)}
    missed = [name for name, change in faults.items() if not any(name in text for text in planted(change))]
    return [f'not refused: {name}' for name in missed] + planted(lambda _: None)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == '--self-test':
        found = self_test(sys.argv[2])
    else:
        with open(sys.argv[1], encoding='utf-8') as f:
            found = write(json.load(f), sys.argv[2])
    if found:
        sys.exit('page_speed.py: ' + '\n'.join(found))


if __name__ == '__main__':
    main()
