/* generic.c - operations on a whole message, written once for every family. */
#include "base/format.h"
#include "expfam/expfam.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Member m of slice i of block b of a message. */
typedef struct slice {
    const mb_block  *block;
    const mb_family *f;
    int32_t          dim, b, i, m;
    size_t           at, len; /* doubles before it, and its own */
    size_t           column;  /* its first column               */
} slice;

/* Moves s to the next member, the first one if s is zeroed; 0 after the last. */
static int next(const mb_layout *l, slice *s)
{
    if (s->block && ++s->m == s->block->members) {
        s->m = 0;
        if (++s->i == s->block->count) {
            s->b++;
            s->i = 0;
        }
    }
    if (s->b == l->nblock)
        return 0;
    s->at += s->len; /* after the one before */
    if (s->block != &l->block[s->b] || s->block->dims) {
        s->block = &l->block[s->b];
        s->f = s->block->family;
        s->dim = s->block->dims ? s->block->dims[s->m] : s->block->dim;
        s->len = s->f->len(s->dim);
    }
    s->column = s->block->column ? (size_t)s->block->column[s->m] : 0;
    return 1;
}

/* The status of a family's function with the slice, and its member where it has several, in its
 * message; MB_OK passes. */
static mb_status check(mb_status status, const slice *s, mb_err *err)
{
    char member[32];

    if (status >= 0)
        return MB_OK;
    *member = '\0';
    if (s->block->members > 1)
        (void)mb_format_(member, sizeof member, ", member %" PRId32, s->m);
    MB_FAIL(err, status, "block %" PRId32 " (%s), slice %" PRId32 "%s: %s", s->b, s->f->name, s->i,
            member, mb_status_text(status));
}

mb_status mb_moments(const mb_layout *l, const double *phi, double *mu, double *A, double *scratch,
                     mb_err *err)
{
    double sum = 0, part = 0;

    for (slice s = {0}; next(l, &s); sum += part)
        MB_TRY(
            check(s.f->moments(s.dim, phi + s.at, mu ? mu + s.at : NULL, A ? &part : NULL, scratch),
                  &s, err));
    if (A)
        *A = sum;
    return MB_OK;
}

/* An improper slice has no mu. */
static mb_status prior_slice(const slice *s, const double *prior, double *mu, double *A,
                             double *scratch)
{
    const mb_status st = s->f->moments(s->dim, prior, mu, A, scratch);

    if (st != MB_E_DOMAIN || !s->f->improper)
        return st;
    if (mu)
        memset(mu, 0, s->len * sizeof *mu);
    return s->f->improper(s->dim, prior, A, scratch);
}

mb_status mb_prior_moments(const mb_layout *l, const double *prior, double *mu, double *A,
                           double *scratch, mb_err *err)
{
    double sum = 0, part;

    for (slice s = {0}; next(l, &s); sum += part)
        MB_TRY(
            check(prior_slice(&s, prior + s.at, mu ? mu + s.at : NULL, &part, scratch), &s, err));
    if (A)
        *A = sum;
    return MB_OK;
}

mb_status mb_project(const mb_layout *l, const double *eps, double *phi, double *dist2,
                     double *scratch, mb_err *err)
{
    double part;

    *dist2 = 0;
    for (slice s = {0}; next(l, &s); *dist2 += part)
        MB_TRY(check(s.f->project(s.dim, eps[s.b], phi + s.at, &part, scratch), &s, err));
    return MB_OK;
}

mb_status mb_margin(const mb_layout *l, const double *prior, double *eps, double *scratch,
                    mb_err *err)
{
    double part;

    for (slice s = {0}; next(l, &s);) {
        const double *p = prior + s.at;
        const size_t  back = s.block->dims ? s.block->len : s.len;

        if ((s.i || (s.m && !s.block->dims)) && !memcmp(p, p - back, s.len * sizeof *p))
            continue; /* as the member before, or the same member before */
        MB_TRY(check(s.f->margin(s.dim, p, &part, scratch), &s, err));
        eps[s.b] = s.i || s.m ? fmin(eps[s.b], part) : part;
    }
    return MB_OK;
}

/* *kl += KL of one slice; *size += the sizes of its terms, to which rounding is proportional. */
static mb_status slice_kl(const slice *s, const double *p, const double *q, double *kl,
                          double *size, double *mu, double *rest)
{
    double Ap, Aq, dot = 0;

    MB_TRY(s->f->moments(s->dim, p, mu, &Ap, rest));
    MB_TRY(s->f->moments(s->dim, q, NULL, &Aq, rest));
    for (size_t e = 0; e < s->len; e++) {
        dot += (p[e] - q[e]) * mu[e];
        *size += (fabs(p[e]) + fabs(q[e])) * fabs(mu[e]);
    }
    *size += fabs(Ap) + fabs(Aq);
    *kl += dot - (Ap - Aq);
    return MB_OK;
}

/* Summed slice by slice: large A(p) and A(q) cancel before other slices are added. */
mb_status mb_kl(const mb_layout *l, const double *p, const double *q, double *kl, double *scratch,
                mb_err *err)
{
    static const double rounding =
        4096 * DBL_EPSILON; /* of sums of squares of messages, and ln det */
    double *mu = scratch, *rest = scratch + l->len;
    double  size = 0;

    *kl = 0;
    for (slice s = {0}; next(l, &s);)
        MB_TRY(check(slice_kl(&s, p + s.at, q + s.at, kl, &size, mu, rest), &s, err));
    if (!(*kl >= -rounding * size) || !isfinite(*kl))
        MB_FAIL(err, MB_E_NUMERIC, "KL divergence of %.6g nats: lost to rounding", *kl);
    *kl = *kl > 0 ? *kl : 0; /* of equal p and q rounding decides the sign */
    return MB_OK;
}

mb_status mb_to_par(const mb_layout *l, const double *phi, double *par, double *scratch,
                    mb_err *err)
{
    for (slice s = {0}; next(l, &s);)
        MB_TRY(check(s.f->to_par(s.dim, phi + s.at, par + s.at, scratch), &s, err));
    return MB_OK;
}

mb_status mb_from_par(const mb_layout *l, const double *par, double *phi, mb_err *err)
{
    for (slice s = {0}; next(l, &s);)
        MB_TRY(check(s.f->from_par(s.dim, par + s.at, phi + s.at), &s, err));
    return MB_OK;
}

mb_status mb_to_free(const mb_layout *l, const double *phi, double *free, double *scratch,
                     mb_err *err)
{
    for (slice s = {0}; next(l, &s);)
        if (s.f->to_free)
            MB_TRY(check(s.f->to_free(s.dim, phi + s.at, free + s.at, scratch), &s, err));
        else
            memcpy(free + s.at, phi + s.at, s.len * sizeof *free);
    return MB_OK;
}

mb_status mb_from_free(const mb_layout *l, const double *prior, double *free, double *phi,
                       mb_err *err)
{
    for (slice s = {0}; next(l, &s);)
        if (s.f->from_free) {
            s.f->from_free(s.dim, prior + s.at, free + s.at);
            MB_TRY(check(s.f->from_par(s.dim, free + s.at, phi + s.at), &s, err));
        } else
            memcpy(phi + s.at, free + s.at, s.len * sizeof *phi);
    return MB_OK;
}

size_t mb_random_len(const mb_layout *l)
{
    size_t len = 0;

    for (slice s = {0}; next(l, &s);)
        len += s.f->draw_len ? s.f->draw_len(s.dim) : 0;
    return len;
}

mb_status mb_random(const mb_layout *l, const double *par, mb_rng *rng, double *out,
                    double *scratch, mb_err *err)
{
    for (slice s = {0}; next(l, &s); out += s.f->draw_len(s.dim)) {
        if (!s.f->draw)
            MB_FAIL(err, MB_E_NOSUP, "block %" PRId32 " (%s) cannot be sampled", s.b, s.f->name);
        MB_TRY(check(s.f->draw(s.dim, par + s.at, rng, out, scratch), &s, err));
    }
    return MB_OK;
}

/* The entries of x (of each column) that a slice reads; NULL stays. room: MB_PICKS_MAX. */
static const double *of_slice(const slice *s, const double *x, double *room)
{
    if (!x || !s->block->pick)
        return x ? x + s->column : NULL;
    for (int32_t k = 0; k < s->block->picks; k++)
        room[k] = x[s->block->pick[k]];
    return room;
}

void mb_move_par(const mb_layout *l, const double *origin, const double *scale, double *par)
{
    double o[MB_PICKS_MAX], c[MB_PICKS_MAX];

    for (slice s = {0}; next(l, &s);)
        if (s.f->move_par)
            s.f->move_par(s.dim, of_slice(&s, origin, o), of_slice(&s, scale, c), par + s.at);
}

void mb_to_paper(const mb_layout *l, const double *phi, const double *origin, const double *scale,
                 double *out, double *scratch)
{
    double o[MB_PICKS_MAX], c[MB_PICKS_MAX];

    for (slice s = {0}; next(l, &s); out += s.f->paper_len ? s.f->paper_len(s.dim) : s.len)
        if (s.f->to_paper)
            s.f->to_paper(s.dim, phi + s.at, of_slice(&s, origin, o), of_slice(&s, scale, c), out,
                          scratch);
        else
            memcpy(out, phi + s.at, s.len * sizeof *out);
}
