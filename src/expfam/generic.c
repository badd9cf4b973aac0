/* generic.c - operations on a whole message, written once for every family. */
#include "meshbayes/expfam.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Writes the record for a family's status; MB_OK passes. */
static mb_status check(mb_status s, const mb_layout *l, int32_t b, int32_t i, mb_err *err)
{
    if (s < 0)
        MB_FAIL(err, s, "block %" PRId32 " (%s), slice %" PRId32 ": %s", b,
                l->block[b].family->name, i, mb_status_text(s));
    return MB_OK;
}

static size_t at(const mb_block *k, int32_t i)
{
    return k->off + k->len * (size_t)i;
}

mb_status mb_moments(const mb_layout *l, const double *phi, double *mu, double *A, double *scratch,
                     mb_err *err)
{
    double sum = 0, part = 0;

    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        for (int32_t i = 0; i < k->count; i++) {
            MB_TRY(check(k->family->moments(k->dim, phi + at(k, i), mu ? mu + at(k, i) : NULL,
                                            A ? &part : NULL, scratch),
                         l, b, i, err));
            sum += part;
        }
    }
    if (A)
        *A = sum;
    return MB_OK;
}

mb_status mb_project(const mb_layout *l, const double *eps, double *phi, double *dist2,
                     double *scratch, mb_err *err)
{
    double part;

    *dist2 = 0;
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        for (int32_t i = 0; i < k->count; i++) {
            MB_TRY(check(k->family->project(k->dim, eps[b], phi + at(k, i), &part, scratch), l, b,
                         i, err));
            *dist2 += part;
        }
    }
    return MB_OK;
}

mb_status mb_margin(const mb_layout *l, const double *prior, double *eps, double *scratch,
                    mb_err *err)
{
    double part;

    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        for (int32_t i = 0; i < k->count; i++) {
            MB_TRY(
                check(k->family->margin(k->dim, prior + at(k, i), &part, scratch), l, b, i, err));
            if (i == 0 || part < eps[b])
                eps[b] = part;
        }
    }
    return MB_OK;
}

/* KL of one slice, and the size of what was added up: rounding is a small multiple of eps times it. */
static mb_status slice_kl(const mb_block *k, const double *p, const double *q, double *kl,
                          double *size, double *mu, double *rest)
{
    double Ap, Aq, dot = 0;

    MB_TRY(k->family->moments(k->dim, p, mu, &Ap, rest));
    MB_TRY(k->family->moments(k->dim, q, NULL, &Aq, rest));
    for (size_t e = 0; e < k->len; e++) {
        dot += (p[e] - q[e]) * mu[e];
        *size += (fabs(p[e]) + fabs(q[e])) * fabs(mu[e]);
    }
    *size += fabs(Ap) + fabs(Aq);
    *kl += dot - (Ap - Aq);
    return MB_OK;
}

/* Summed slice by slice: large A(p), A(q) cancel before they meet the other slices'. */
mb_status mb_kl(const mb_layout *l, const double *p, const double *q, double *kl, double *scratch,
                mb_err *err)
{
    static const double rounding =
        4096 * DBL_EPSILON; /* of sums of squares of messages, and ln det */
    double *mu = scratch, *rest = scratch + l->len;
    double  size = 0;

    *kl = 0;
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        for (int32_t i = 0; i < k->count; i++)
            MB_TRY(
                check(slice_kl(k, p + at(k, i), q + at(k, i), kl, &size, mu, rest), l, b, i, err));
    }
    if (!(*kl >= -rounding * size) || !isfinite(*kl))
        MB_FAIL(err, MB_E_NUMERIC, "KL divergence of %.6g nats: lost to rounding", *kl);
    *kl = *kl > 0 ? *kl : 0; /* equal ones: rounding decides the sign */
    return MB_OK;
}

mb_status mb_to_par(const mb_layout *l, const double *phi, double *par, double *scratch,
                    mb_err *err)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        for (int32_t i = 0; i < k->count; i++)
            MB_TRY(check(k->family->to_par(k->dim, phi + at(k, i), par + at(k, i), scratch), l, b,
                         i, err));
    }
    return MB_OK;
}

mb_status mb_from_par(const mb_layout *l, const double *par, double *phi, mb_err *err)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        for (int32_t i = 0; i < k->count; i++)
            MB_TRY(
                check(k->family->from_par(k->dim, par + at(k, i), phi + at(k, i)), l, b, i, err));
    }
    return MB_OK;
}

size_t mb_random_len(const mb_layout *l)
{
    size_t len = 0;

    for (int32_t b = 0; b < l->nblock; b++)
        if (l->block[b].family->draw_len)
            len += l->block[b].family->draw_len(l->block[b].dim) * (size_t)l->block[b].count;
    return len;
}

mb_status mb_random(const mb_layout *l, const double *par, mb_rng *rng, double *out,
                    double *scratch, mb_err *err)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        if (!k->family->draw)
            MB_FAIL(err, MB_E_NOSUP, "block %" PRId32 " (%s) has no draws", b, k->family->name);
        for (int32_t i = 0; i < k->count; i++) {
            MB_TRY(check(k->family->draw(k->dim, par + at(k, i), rng, out, scratch), l, b, i, err));
            out += k->family->draw_len(k->dim);
        }
    }
    return MB_OK;
}

void mb_move_par(const mb_layout *l, const double *origin, const double *scale, double *par)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        for (int32_t i = 0; k->family->move_par && i < k->count; i++)
            k->family->move_par(k->dim, origin, scale, par + at(k, i));
    }
}

void mb_to_paper(const mb_layout *l, const double *phi, const double *origin, const double *scale,
                 double *out, double *scratch)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];
        double         *to = out + k->paper_off;

        for (int32_t i = 0; i < k->count; i++, to += k->paper_len)
            if (k->family->to_paper)
                k->family->to_paper(k->dim, phi + at(k, i), origin, scale, to, scratch);
            else
                memcpy(to, phi + at(k, i), k->len * sizeof *to);
    }
}
