#!/usr/bin/python3
"""check_bits.py PROGRAM: the package gives what the program writes into its files, to the bit, for all
models and algorithms that the library lists."""
import csv
import json

from beside import package
from check_bind import (RING, ROUNDS, Rows, Refused, asked, batch_forms, batches_by_program, bits, by_program,
                        formula_cases, groups_of, in_groups, library, same, spelled, tried, trace_of, usual_options)
from harness import main


def given(rows):
    """The rows as arguments of a fit."""
    return {'X': rows.x, 'y': rows.y, 'sample_weight': rows.w, 'groups': rows.group,
            'kinds': rows.kinds}


def keywords(options):
    return {name.replace('-', '_'): value for name, value in options.items()}


def by_package(mb, model, rows, options):
    try:
        r = mb.fit(**given(rows), model=model, trace=True, **keywords(options))
    except mb.MeshbayesError as why:
        raise Refused(str(why)) from None
    return json.loads(r.posterior.to_json()), r.trace.tolist()


def same_fit(claims, prog, mb, model, form, targets, options):
    """1: both have the same answer; 0: both refuse, or they differ."""
    rows = Rows(1, targets, form).suit(model, options)
    got, why = tried(by_package, mb, model, rows, options)
    want, said = tried(by_program, prog, model, rows, options)
    if got and want:
        same(claims, dict(got[0], trace=got[1]), dict(want[0], trace=want[1]), f'{model}, {form}')
        return 1
    claims.check(not got and not want, f'{model}, {form}: both refuse: "{why}" "{said.strip()}"')
    return 0


def every_model(claims, prog, mb):
    groups = groups_of(library(prog))
    for model in mb.models():
        own = {o.name for o in mb.options(model) if o.owner == model}
        targets, usual = usual_options(own)
        fits = sum(same_fit(claims, prog, mb, model, form, targets, usual)
                   for form in ('numbers', 'gaps', 'weights', 'groups', 'kinds'))
        claims.check(fits >= 2, f'{model}: {fits} fits')
        if targets:
            formulas = sum(same_fit(claims, prog, mb, model, form, True, how) for form, how in formula_cases(usual))
            claims.check(formulas >= 6, f'{model}: {formulas} fits by formulas')
        for form, more in batch_forms(targets):
            batches(claims, prog, mb, model, targets, form, dict(usual, **more), in_groups(groups, model, own))


def batches(claims, prog, mb, model, targets, form, options, grouped):
    some, said = batches_by_program(prog, model, targets, form, options, grouped)
    p = mb.fit(**given(some[0]), model=model, **keywords(options)).posterior
    before = p.to_json()
    found, why = tried(updated, mb, p, some[1:])
    if said or why:
        claims.check(said and why, f'{model}, {form}: both refuse an update: "{why}" "{said.strip()}"')
    else:
        same(claims, json.loads(found.to_json()), prog.json('o.json'), f'{model}, {form}: a fit and two updates')
    claims.check(p.to_json() == before, f'{model}, {form}: an update leaves the posterior as it was')


def updated(mb, p, some):
    try:
        for rows, forget in zip(some, (1, .5)):
            p = p.update(rows.x, rows.y, groups=rows.group, forget=forget)
        return p
    except mb.MeshbayesError as why:
        raise Refused(str(why)) from None


NUMBERS = ('moved', 'disagreement', 'outside', 'frames', 'bytes', 'bound', 'rounds')


def every_algorithm(claims, prog, mb):
    """simulate gives what `meshbayes sim` writes; with faults and nodes of the rows, too."""
    rows = Rows(1, False, 'numbers')
    rows.write(prog.file('rows.csv'))
    names = ['cvb', *mb.algorithms()]
    for text, options in (('', {'deal': 'blocks'}), (', with losses', {'deal': 'random', 'loss': .3, 'seed': 4})):
        options.update({'n-components': 3, 'rounds': ROUNDS})
        command = ['sim', '--data', 'rows.csv', '--topology', RING, *spelled(options), '--algorithm']
        network = mb.Network.draw(RING, options.get('seed', 0))
        found = mb.simulate(rows.x, network, algorithms=names, **keywords(options))
        said = json.loads(asked(prog, *command, ','.join(found), '--trace', 'trace.csv', '--metrics', 'bound',
                                '--json', '--out', 'dir'))['algorithms']
        with open(prog.file('trace.csv')) as f:
            traces = list(csv.DictReader(f))
        with open(prog.file('dir/nodes.csv')) as f:
            apart = list(csv.DictReader(f))
        table = {row[0]: dict(zip(found.columns, row)) for row in found.rows}
        claims.check(list(table) == names and len(found) > 3, f'a row for each algorithm{text}')
        for of in said:
            as_sim(claims, found[of['name']], table[of['name']], of, prog, of['name'] + text,
                   [t for t in traces if t['algorithm'] == of['name']],
                   [n['disagreement'] for n in apart if n['algorithm'] == of['name']])
        for name, why in found.errors.items():
            refusal, words = tried(asked, prog, *command, name)[1], f'{name} needs every message'
            claims.check(words in refusal and words in str(why) and table[name]['error'] == str(why),
                         f'{name}{text}: both refuse: "{why}" "{refusal.strip()}"')


def as_sim(claims, r, row, said, prog, text, trace, apart):
    """One result beside what the program says and writes of it."""
    names = NUMBERS if r.agreement else ('bound', 'rounds')
    same(claims, {k: row[k] for k in names}, {k: said[k] for k in names}, f'{text}: table')
    claims.check(row['verdict'] == said['verdict'], f'{text}: verdict')
    same(claims, json.loads(r.posterior.to_json()), prog.json('dir/' + said['posterior']),
         f"{text}: the network's posterior")
    claims.check(bits(r.trace.tolist()) == bits([[float(t['t']), float(t['mean'])] for t in trace]),
                 f'{text}: trace')
    claims.check(not r.agreement or [f'{x:.9g}' for x in r.agreement.distance] == apart,
                 f'{text}: distances of the nodes, in the nine digits of the file')


def a_node(claims, prog, mb):
    rows = Rows(1, False, 'numbers')
    options = {'n-components': 3, 'rounds': ROUNDS, 'deal': 'blocks'}
    asked(prog, 'sim', '--data', 'rows.csv', '--topology', RING, *spelled(options), '--out', 'o.json', '--node', '4')
    r = mb.fit(rows.x, network=RING, **keywords(options))
    same(claims, json.loads(r.node(3).to_json()), prog.json('o.json'), "a node's posterior")


def check(claims, prog):
    mb = package(prog)
    every_model(claims, prog, mb)
    every_algorithm(claims, prog, mb)
    a_node(claims, prog, mb)


main(check)
