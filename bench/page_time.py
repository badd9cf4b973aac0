"""page_time.py RESULT.json DOCS: the section of DOCS/performance.md about the time until an answer of equal
quality, from the result of `script/bench --full --data=DIR time_to_answer`, which is kept as
DOCS/figures/performance-time.json."""
import math
import sys

import page_section
import time_to_answer

NAME = 'time_to_answer'
TEXT = '''
## Time to an answer of equal quality

Written by `script/bench --full --data=DIR --page time_to_answer` or, from its result, by `bench/page_time.py`: a run on {date} ({cpu}, commit {commit}, load before it {load}); `figures/performance-time.json` is that run.{remarks} Processor seconds of one thread until the density of rows held out is within {tolerance} nats a row
of the best answer of any program; a setting that gets there in a share of its {seeds} seeds needs its mean time divided by that share, and of each program the fastest setting is shown. A posterior (`meshbayes fit`, BayesianGaussianMixture) is judged by its predictive density, a mixture of Student's t, any other answer by the mixture of its weights, means and covariances. The time of `meshbayes fit` is that of the whole
process, from the NPY file to the written posterior; that of a peer begins when it reads the file and leaves imports out. On sets of 100,000 rows and more there is one seed, and only the first settings are tried, one of a peer. A run may take {limit} s, and a setting that needs more is not tried with another seed; {at_once} sets are measured at once, each on one processor. "not reached": no run got there; the density is then the median of its best setting.

| set | rows | columns | K | best density | {programs} |
|---|---|---|---|---|{lines}|
{rows}

{verdict}

How high the density can be depends on the prior. Rows of few values, as pixels and counts have them, have no best density, only the highest that a prior of the covariances or a least variance allows. And a prior that counts as one row at the mean of all rows (`--prior.beta0`, `mean_precision_prior`: 1 by default) widens the covariance of a cluster of N rows, m away from that mean, by m m' / N, which matters where clusters are narrow and their distances large. Maximum likelihood has no prior, so both programs that have one are also given weaker priors of covariances (`--prior.w0inv`, `covariance_prior`: down to the `reg_covar` of maximum likelihood) and of means. Which ones was decided after a look at these sets: {settings}.

Here is the same run with the peer of the same model alone, prior by prior: the fastest setting of BayesianGaussianMixture that is at most {tolerance} nats below its highest density, and the fastest setting of `meshbayes fit` that is at most {tolerance} nats below that one (medians over the seeds). The two numbers of a prior are those of covariances and of means; "any" is the best of all priors, of each program its own.

| prior | set | density of BayesianGaussianMixture | its time | ours | our time | ratio |
|---|---|---|---|---|---|---|
{alike}

{mean}
<!-- -->'''


def words_of(setting):
    return f'`{setting}`' if setting else 'default'


def cell(found):
    if found is None:
        return '-'
    if found['until'] is None:
        return 'no answer' if found['density'] is None else f'not reached ({found["density"]:.3f})'
    return f'{page_section.number(found["until"])} s ({words_of(found["setting"])})'


def verdict(sets, programs):
    """The ratios of each peer where both got there, and the sets on which ours is not the fastest."""
    words = []
    for peer in programs[1:]:
        pairs = []
        for s in sets:
            by = {p['program']: p['until'] for p in s['programs']}
            if by.get('meshbayes') and by.get(peer):
                pairs.append(by[peer] / by['meshbayes'])
        if pairs:
            mean = math.exp(sum(map(math.log, pairs)) / len(pairs))
            words.append(f'{peer} {page_section.number(mean)} times ({len(pairs)} of {len(sets)} sets)')
    behind = []
    for s in sets:
        reached = {p['program']: p['until'] for p in s['programs'] if p['until'] is not None}
        if not reached or min(reached, key=reached.get) != 'meshbayes':
            behind.append(s['set'])
    first = f'Time against `meshbayes fit`, geometric mean over the sets where both got there: {"; ".join(words)}.'
    return first + (f' `meshbayes fit` is not the fastest on: {"; ".join(behind)}.' if behind else ' `meshbayes fit` is the fastest on every set.')


def of_prior(program, prior):
    """The settings of a program that have an answer, under one prior of covariances ('': the default) or, None, any."""
    word = '--prior.w0inv ' if program['program'] == 'meshbayes' else 'covariance_prior='
    return [t for t in program['settings'] if t['density'] is not None and
            (prior is None or (word + prior in t['setting'] if prior else word not in t['setting']))]


def same_model(s, prior, tolerance):
    """Of a set (the peer's fastest setting among its best, ours that is as good and fastest); None where there
    is none."""
    of = {p['program']: of_prior(p, prior) for p in s['programs']}
    its = of.get('BayesianGaussianMixture', [])
    fastest = lambda settings, least: min((t for t in settings if t['density'] >= least - tolerance),
                                          key=lambda t: t['seconds'], default=None)
    its = fastest(its, max((t['density'] for t in its), default=math.inf))
    return its, fastest(of['meshbayes'], its['density']) if its else None


def alike(sets, tolerance):
    """Lines of the table, and what they come to."""
    lines, means = [], []
    weaker = [(f'{covariances}, {means}', covariances) for covariances, means in time_to_answer.PRIORS]
    for name, prior in [('default', ''), *weaker, ('any', None)]:
        ratios, asked = [], 0
        for s in sets:
            its, ours = same_model(s, prior, tolerance)
            if not its:
                continue  # no answer in time, or a set too large for a further prior
            asked += 1
            words = [name, s['set'], f'{its["density"]:.3f}', f'{page_section.number(its["seconds"])} s ({words_of(its["setting"])})',
                     'not reached', '-', '-']
            if ours:
                ratios.append(its['seconds'] / ours['seconds'])
                words[4:] = (f'{ours["density"]:.3f}', f'{page_section.number(ours["seconds"])} s ({words_of(ours["setting"])})',
                             page_section.number(ratios[-1]))
            lines.append('| ' + ' | '.join(words) + ' |')
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            means.append(f'{name} {page_section.number(mean)} ({len(ratios)} of {asked} sets)')
    return '\n'.join(lines), f'Times as fast, geometric mean, by prior (aim: 10): {"; ".join(means)}.'


def section(run, result):
    sets = result['sets']
    programs = [p['program'] for p in max(sets, key=lambda s: len(s['programs']))['programs']]
    rows = []
    for s in sets:
        by = {p['program']: p for p in s['programs']}
        rows.append('| ' + ' | '.join([s['set'], f'{s["n"]:,}', str(s['columns']), str(s['K']), f'{s["best"]:.3f}',
                                       *(cell(by.get(p)) for p in programs)]) + ' |')
    tried = {name: max((p['settings'] for s in sets for p in s['programs'] if p['program'] == name), key=len) for name in programs}
    settings = '; '.join(f'{name} {", ".join(words_of(t["setting"]) for t in tried[name])}' for name in programs)
    table, mean = alike(sets, result['tolerance'])
    remarks = ''.join(f' {remark}' for remark in run.get('remarks', []))
    return TEXT.format(settings=settings, alike=table, mean=mean, remarks=remarks, date=run['date'][:10], cpu=run['machine']['cpu'], load=run['machine']['load_before'], commit=run['commit'],
                       tolerance=result['tolerance'], limit=result['limit'], at_once=result['at_once'], seeds=max(s['seeds'] for s in sets), programs=' | '.join(programs),
                       lines='|'.join('---' for _ in programs), rows='\n'.join(rows), verdict=verdict(sets, programs))


if __name__ == '__main__':
    page_section.write_section(sys.argv, __doc__, NAME, 'performance-time.json', section)
