/* paper_clip.c - a model whose local step bears a phi outside the domain: it works on the nearest
 * point inside, and phi itself stays. The first author's program does this to a node's covariances
 * before every local step of dVB-ADMM, with the smallest eigenvalue 1e-5; the paper's text projects
 * phi itself, eq. (38b). */
#include "paper_run.h"

#include <string.h>

typedef struct clip {
    const mb_model *base;
    double         *eps; /* nblock */
} clip;

/* scratch: [phi L | of the model or of the families]. */
static mb_status inside(const clip *c, const double *phi, double *scratch, mb_err *err)
{
    const mb_layout *l = &c->base->layout;
    double           dist2;

    memcpy(scratch, phi, l->len * sizeof *phi);
    return mb_project(l, c->eps, scratch, &dist2, scratch + l->len, err);
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const clip     *c = m->spec;
    const mb_model *b = c->base;
    double         *rest = scratch + b->layout.len;
    mb_status       st = b->ops->stats(b, phi, rows, s, logz, rest, err);

    if (st != MB_E_DOMAIN)
        return st;
    MB_TRY(inside(c, phi, scratch, err));
    return b->ops->stats(b, scratch, rows, s, logz, rest, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    const clip *c = m->spec;

    return c->base->ops->seed_stats(c->base, rows, resp, s, scratch, err);
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const clip     *c = m->spec;
    const mb_model *b = c->base;
    double         *rest = scratch + b->layout.len;
    mb_status       st = b->ops->predict(b, phi, rows, want, out, rest, err);

    if (st != MB_E_DOMAIN)
        return st;
    MB_TRY(inside(c, phi, scratch, err));
    return b->ops->predict(b, scratch, rows, want, out, rest, err);
}

mb_status paper_clip(mb_arena *a, const mb_model *base, mb_model *out, mb_err *err)
{
    static const mb_model_ops ops = {
        .name = "gmm", .stats = stats, .seed_stats = seed_stats, .predict = predict};
    const double least = 1e-5;
    clip        *c;

    MB_NEW(c, a, 1, err);
    MB_NEW(c->eps, a, base->layout.nblock, err);
    c->base = base;
    for (int32_t b = 0; b < base->layout.nblock; b++)
        c->eps[b] = least / 2; /* phi holds -M/2 */
    *out = *base;
    out->ops = &ops;
    out->spec = c;
    out->scratch = base->layout.len +
                   (base->scratch > base->layout.scratch ? base->scratch : base->layout.scratch);
    return MB_OK;
}
