#!/usr/bin/python3
"""check_r.py PROGRAM: where R is installed (script/bootstrap r), formulas make the columns of its
model.matrix, and its own examples give its coefficients. R's data sets are under its licence: they are
read from R, and nothing of them is here. Without R a line says what is skipped."""
import csv
import os
import shutil
import subprocess

import numpy as np

from check_formula import FORMULAS, LEVELS, design, draw, make_tool
from harness import main

# Standard errors of a mean from a maximum: esoph has one case in its first age group.
MOST = .6
# Names of a data set, its model in R and ours; each level list is the order of R's factor.
EXAMPLES = {
    'warpbreaks': ('glm(breaks ~ wool + tension, poisson, warpbreaks)', 'breaks ~ wool + tension',
                   ['--family', 'poisson', '--column', 'tension:category(L|M|H)']),
    'infert': ('glm(case ~ spontaneous + induced, binomial, infert)', 'case ~ spontaneous + induced', ['--family', 'binomial']),
    'esoph': ('glm(cbind(ncases, ncontrols) ~ agegp + tobgp + alcgp, binomial, esoph)', 'case ~ agegp + tobgp + alcgp',
              ['--family', 'binomial', '--column', 'agegp:category(25-34|35-44|45-54|55-64|65-74|75+),'
               'tobgp:category(0-9g/day|10-19|20-29|30+),alcgp:category(0-39g/day|40-79|80-119|120+)']),
    'mtcars': ('lm(mpg ~ wt * hp + cyl, transform(mtcars, cyl = factor(cyl)))', 'mpg ~ wt*hp + cyl',
               ['--column', 'cyl:category']),
}
R = '''
options(contrasts = c("contr.treatment", "contr.treatment"), digits = 17)
put <- function(x, name) write.csv(x, name, row.names = FALSE, quote = TRUE)
data <- read.csv("data.csv", check.names = FALSE)
levels <- list(%s)
for (f in names(levels)) data[[f]] <- factor(levels[[f]][data[[f]] + 1], levels[[f]])
formulas <- readLines("formulas.txt")
for (coding in c("treatment", "sum")) {
    options(contrasts = rep(paste0("contr.", coding), 2))
    for (k in seq_along(formulas)) put(model.matrix(as.formula(formulas[k]), data), paste0(coding, k, ".csv"))
}
options(contrasts = c("contr.treatment", "contr.treatment"))
put(warpbreaks, "warpbreaks.csv")
put(infert, "infert.csv")
put(mtcars, "mtcars.csv")
long <- rbind(cbind(esoph[1:3], case = 1, weight = esoph$ncases), cbind(esoph[1:3], case = 0, weight = esoph$ncontrols))
put(long, "esoph.csv")
fit <- function(name, m) put(data.frame(name = names(coef(m)), mean = coef(m), sd = sqrt(diag(vcov(m)))), paste0(name, "-r.csv"))
%s
if (requireNamespace("lme4", quietly = TRUE)) {
    put(lme4::sleepstudy, "sleepstudy.csv")
    put(t(lme4::fixef(lme4::lmer(Reaction ~ Days + (Days | Subject), lme4::sleepstudy))), "sleepstudy-r.csv")
}
if (suppressMessages(suppressWarnings(require("flexmix", quietly = TRUE)))) {
    data(NPreg)
    put(NPreg[c("x", "yn")], "npreg.csv")
    set.seed(1)
    put(t(parameters(stepFlexmix(yn ~ x + I(x^2), data = NPreg, k = 2, nrep = 5, verbose = FALSE))), "npreg-r.csv")
}
'''


def read(prog, name):
    with open(prog.file(name)) as f:
        return list(csv.reader(f))


def run_r(prog, data):
    levels = ', '.join('%s = c(%s)' % (k, ', '.join('"%s"' % x for x in v)) for k, v in LEVELS.items())
    fits = '\n'.join('fit("%s", %s)' % (name, e[0]) for name, e in EXAMPLES.items())
    prog.write_csv('data.csv', ['y', *data], np.column_stack([np.zeros(len(data['x'])), *data.values()]).tolist())
    with open(prog.file('formulas.txt'), 'w') as f:
        f.write('\n'.join(FORMULAS) + '\n')
    subprocess.run(['Rscript', '--vanilla', '-e', R % (levels, fits)], cwd=prog.folder, check=True, stderr=subprocess.DEVNULL)


def columns(claims, prog, data):
    tool = make_tool(prog)
    for at, coding in enumerate(('treatment', 'sum')):
        wrong, worst = [], 0
        for k, text in enumerate(FORMULAS):
            head, *rows = read(prog, f'{coding}{k + 1}.csv')
            want = np.array(rows, float)
            keep = [c for c, name in enumerate(head) if name != '(Intercept)']
            names, x, intercept = design(tool, text, data, at)
            called = [head[c].replace('`', '') for c in keep]
            want = want[:, keep] if keep else np.empty((len(data['x']), 0))
            if [n.replace('`', '') for n in names] != called or intercept != ('(Intercept)' in head) or x.shape != want.shape:
                wrong.append('%s: %s, R has %s' % (text, names, called))
            elif x.size:
                worst = max(worst, np.abs(x - want).max() / (1 + np.abs(want).max()))
        claims.check(not wrong, f"{len(FORMULAS)} formulas, {coding}: R's model.matrix has these columns by these names")
        claims.check(worst <= 1e-12, f'to 1e-12 ({worst:.1e})')
        for text in wrong:
            claims.note(text)


def coefficients(prog, file):
    o = prog.json(file)
    return dict(zip(['(Intercept)', *o['features']], [o['intercept'], *o['coef']]))


def example(claims, prog, name):
    text, options = EXAMPLES[name][1:]
    linear = '--family' not in options
    rows = read(prog, name + '.csv')
    weight = rows[0].index('weight') if 'weight' in rows[0] else -1
    want = {r[0]: (float(r[1]), float(r[2])) for r in read(prog, name + '-r.csv')[1:]}
    off, heavy = {}, {}
    for times, to in ((1, off), (1000, heavy)):
        body = [[*(c for k, c in enumerate(r) if k != weight), repr(times * float(r[weight] if weight >= 0 else 1))] for r in rows[1:]]
        with open(prog.file('rows.csv'), 'w', newline='') as f:
            csv.writer(f).writerows([[*(c for k, c in enumerate(rows[0]) if k != weight), 'times'], *body])
        prog.run('fit', '--data', 'rows.csv', '--model', 'linreg' if linear else 'glm', '--formula', text, '--weight-column', 'times',
                 '--out', 'fit.json', *options)
        got = coefficients(prog, 'fit.json')
        to.update({k: got.get(k, float('nan')) - v[0] for k, v in want.items()})
    worst = max(off, key=lambda k: abs(off[k]))
    claims.check(all(abs(off[k]) < max(.005, MOST * s) for k, (_, s) in want.items()),
                 f"{name}: R's {len(want)} coefficients within .005 or {MOST} standard errors (largest: {worst}, {off[worst]:+.4f})")
    if abs(off[worst]) >= .005:
        claims.check(all(abs(d) < .005 for d in heavy.values()),
                     f'{name}: which is a mean less a maximum: with each row 1000 times within .005 ({max(map(abs, heavy.values())):.1e})')


def groups(claims, prog):
    want = [float(x) for x in read(prog, 'sleepstudy-r.csv')[1]]
    prog.run('fit', '--data', 'sleepstudy.csv', '--model', 'mixed', '--formula', 'Reaction ~ Days + (1 + Days | Subject)', '--out', 'fit.json')
    got = list(coefficients(prog, 'fit.json').values())
    claims.check(abs(got[0] - want[0]) < .1 and abs(got[1] - want[1]) < .01,
                 f"sleepstudy: lmer's fixed effects, {want[0]:.3f} and {want[1]:.4f}, within .1 and .01")


def segments(claims, prog):
    """Coefficients of both components; flexmix's noise has the divisor rows less coefficients."""
    want = sorted(([float(x) for x in row] for row in read(prog, 'npreg-r.csv')[1:]))
    prog.run('fit', '--data', 'npreg.csv', '--model', 'mixreg', '--formula', 'yn ~ x + I(x^2)', '--out', 'fit.json')
    got = prog.json('fit.json')
    rows = [200 * w for w in got['weights']]
    got = sorted([i, *c, (b / a * n / (n - 3))**.5] for i, c, a, b, n in
                 zip(got['intercept'], got['coef'], got['shape'], got['rate'], rows))
    off = np.abs(np.subtract(got, want)).max()
    claims.check(off < .02 and np.abs(np.subtract(got, want))[:, :3].max() < .01,
                 f"NPreg: flexmix's two lines within .01 and their noise within .02 (largest {off:.4f})")


def check(claims, prog):
    if not shutil.which('Rscript'):
        claims.note("skipped, as R is not installed: formulas beside model.matrix, R's examples")
        return
    data = draw()
    run_r(prog, data)
    columns(claims, prog, data)
    for name in EXAMPLES:
        example(claims, prog, name)
    if os.path.exists(prog.file('sleepstudy.csv')):
        groups(claims, prog)
    else:
        claims.note('skipped, as lme4 is not installed (r-cran-lme4): sleepstudy')
    if os.path.exists(prog.file('npreg.csv')):
        segments(claims, prog)
    else:
        claims.note('skipped, as flexmix is not installed (r-cran-flexmix): NPreg')


main(check)
