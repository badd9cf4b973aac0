#!/usr/bin/python3
"""check_bits.py PROGRAM LANGUAGE FOLDER: R or Octave give what the program writes into its files, to the bit, for all
models and algorithms that the library lists. FOLDER has the package for R, or the mex file."""
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests', 'reference'))
from check_bind import (RING, ROUNDS, Handle, Refused, Rows, by_program, formula_cases, library, same,
                        spelled, tried, asked, usual_options)
from harness import main

FORMS = ('numbers', 'gaps', 'weights', 'groups', 'kinds')


def quoted(text):
    return '"' + str(text).replace('\\', '\\\\').replace('"', '\\"') + '"'


class R:
    """Rows as raw doubles, column by column, and one script for all cases."""

    def __init__(self, prog, folder):
        self.prog, self.folder, self.lines = prog, folder, []

    def array(self, name, x):
        with open(self.prog.file(name), 'wb') as f:
            f.write(x.T.astype('<f8').tobytes())
        rows = f', {x.shape[0]}' if x.ndim > 1 else ''
        read = f'readBin({quoted(name)}, "double", {x.size})'
        return f'matrix({read}{rows})' if rows else read

    def case(self, k, model, rows, options, more):
        x = self.array(f'{k}.x', rows.x)
        frame, given = f'x <- as.data.frame({x}); names(x) <- paste0("x", seq_along(x))', []
        for name, kind in rows.declared()[:3] if rows.kinds else []:
            if kind.startswith('category'):
                frame += f'; x${name} <- factor(c("a", "b", "c")[x${name} + 1], c("a", "b", "c"))'
            elif kind != 'number':
                given.append(f'kinds = list({name} = "{kind}")')
        if rows.y is not None:
            y = self.array(f'{k}.y', rows.y)
            words = rows.kinds and rows.kinds[3].startswith('category')
            given.append('y = ' + (f'factor(c("a", "b")[{y} + 1], c("a", "b"))' if words else y))
        if rows.w is not None:
            given.append('weights = ' + self.array(f'{k}.w', rows.w))
        if rows.group is not None:
            given.append('groups = ' + self.array(f'{k}.g', rows.group))
        given += [f'{name.replace("-", "_")} = {quoted(value)}' for name, value in options.items()]
        given += [f'{name} = {quoted(value)}' for name, value in more.items()]
        self.lines.append(f'run({k}, function() {{ {frame}; vbfit(x, model = "{model}", {", ".join(given)}) }})')

    def run(self):
        head = ['library(meshbayes)', 'run <- function(k, fit) tryCatch(vbwrite(suppressWarnings(fit()), '
                'paste0(k, ".json")), meshbayes_error = function(e) writeLines(conditionMessage(e), '
                'paste0(k, ".error")))']
        with open(self.prog.file('cases.R'), 'w') as f:
            f.write('\n'.join(head + self.lines) + '\n')
        env = dict(os.environ, R_LIBS=self.folder)
        subprocess.run(['Rscript', '--vanilla', 'cases.R'], cwd=self.prog.folder, env=env, check=True)


class Octave(R):
    """The same for the mex file."""

    def array(self, name, x):
        super().array(name, x)
        return f'raw({quoted(name)}, {x.shape[0]})'

    def case(self, k, model, rows, options, more):
        given = [self.array(f'{k}.x', rows.x)]
        for name, x in (('y', rows.y), ('sample_weight', rows.w), ('group', rows.group)):
            if x is not None:
                given += [quoted(name), self.array(f'{k}.{name}', x)]
        for name, words in (('targets', ['y'] * (rows.y is not None)), ('kinds', rows.kinds or [])):
            if words:
                given += [quoted(name), f'{{{", ".join(map(quoted, words))}}}']
        for name, value in {**options, **more, 'model': model}.items():
            given += [quoted(name), quoted(value)]
        self.lines.append(f'try, [~, t] = vbfit({", ".join(given)}); put("{k}.json", t); '
                          f'catch e, put("{k}.error", e.message); end')

    def run(self):
        head = [f'addpath({quoted(self.folder)}); addpath({quoted(os.path.join(TOP, "octave"))});',
                'function x = raw(name, n), f = fopen(name); x = reshape(fread(f, Inf, "double"), n, []); '
                'fclose(f); end',
                'function put(name, text), f = fopen(name, "w"); fputs(f, text); fclose(f); end']
        with open(self.prog.file('cases.m'), 'w') as f:
            f.write('1;\n' + '\n'.join(head + self.lines) + '\n')
        subprocess.run(['octave-cli', '--no-init-file', 'cases.m'], cwd=self.prog.folder, check=True,
                       stderr=subprocess.DEVNULL)


def cases(lib):
    """Model, rows, options, and what the binding is asked for beside; the program's answer by `wanted`."""
    with Handle(lib) as b:
        models, algorithms = ([row[0] for row in b.list(what)] for what in ('models', 'algorithms'))
    for model in models:
        with Handle(lib, model) as b:
            own = {row[0] for row in b.list('options') if row[1] == model}
        targets, usual = usual_options(own)
        for form in FORMS:
            yield model, form, Rows(1, targets, form).suit(model, usual), usual, None
        for form, options in formula_cases(usual) if targets else []:
            yield model, form, Rows(1, True, form), options, None
    for algorithm in algorithms:
        options = {'n-components': 3, 'rounds': ROUNDS}
        yield 'gmm', 'numbers', Rows(1, False, 'numbers'), options, algorithm


def wanted(prog, model, rows, options, algorithm):
    if not algorithm:
        return by_program(prog, model, rows, options)[0]
    rows.write(prog.file('rows.csv'))
    asked(prog, 'sim', '--data', 'rows.csv', '--topology', RING, '--deal', 'blocks', '--algorithm', algorithm,
          '--out', 'o.json', *spelled(options))
    return prog.json('o.json')


def check(claims, prog):
    language = {'R': R, 'Octave': Octave}[sys.argv[2]](prog, os.path.abspath(sys.argv[3]))
    found = list(cases(library(prog)))
    for k, (model, form, rows, options, algorithm) in enumerate(found):
        language.case(k, model, rows, options, {'network': RING, 'algorithm': algorithm} if algorithm else {})
    language.run()
    fits = 0
    for k, (model, form, rows, options, algorithm) in enumerate(found):
        name = f'{model}, {algorithm or form}' + (f', {options["formula"]}' if 'formula' in options else '')
        want, said = tried(wanted, prog, model, rows, options, algorithm)
        if want and os.path.exists(prog.file(f'{k}.json')):
            same(claims, prog.json(f'{k}.json'), want, name)
            fits += 1
        else:
            claims.check(not want and os.path.exists(prog.file(f'{k}.error')), f'{name}: both refuse')
    claims.check(fits > len(found) / 2, f'{fits} of {len(found)} are fits')


if __name__ == '__main__':
    main(check)
