/* linreg_noisy.c - the posterior of a regression whose second moments have noise of a known size,
 * docs/math.md, section 32. */
#include "model/linreg_par.h"
#include "model/prior.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* p coefficients, their moments A (p x p), the noise's variance s2 in a diagonal entry. */
typedef struct noisy {
    int32_t p;
    int     constant; /* 1: the first entry of A is known */
    double  s2;
    double *L, *m;   /* chol of the moments ((p + 1) x (p + 1)); p: coefficients */
    double  rest;    /* squares that they leave                                  */
    double  of_rest; /* variance of the noise in it */
    double  g;       /* 1 + m'm                     */
} noisy;

static mb_status solve(mb_arena *a, const mb_noisy *from, noisy *q, mb_err *err)
{
    const size_t n = (size_t)q->p + 1;

    MB_NEW(q->L, a, n * n, err);
    MB_NEW(q->m, a, n, err);
    memcpy(q->L, from->moments, n * n * sizeof *q->L);
    if (mb_chol_(q->L, (int32_t)n) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "moments: expected a positive definite matrix");
    for (size_t i = n - 1; i-- > 0;) {
        double sum = q->L[(n - 1) * n + i];

        for (size_t j = i + 1; j + 1 < n; j++)
            sum -= q->L[j * n + i] * q->m[j];
        q->m[i] = sum / q->L[i * n + i];
    }
    q->rest = q->L[n * n - 1] * q->L[n * n - 1];
    q->g = 1;
    for (int32_t i = 0; i < q->p; i++)
        q->g += q->m[i] * q->m[i];
    q->of_rest = q->s2 * (q->g * q->g - (q->constant ? pow(q->m[0], 4) : 0));
    return MB_OK;
}

/* S (p x p) := A + Q/variance, Q the covariance of the noise in b - A m. */
static void widen(const mb_noisy *from, const noisy *q, double variance, double *S)
{
    const size_t p = (size_t)q->p;
    const double half = 0.5 * q->s2 / variance;

    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            S[i * p + j] =
                from->moments[i * (p + 1) + j] + half * ((i == j ? q->g : 0) + q->m[i] * q->m[j]);
    if (q->constant)
        S[0] -= 2 * half * q->m[0] * q->m[0];
}

/* The precision A S^-1 A, whose inverse is A^-1 + A^-1 Q A^-1/variance, as a packed triangle. */
static mb_status precision(mb_arena *a, const mb_noisy *from, const noisy *q, double variance,
                           double *out, mb_err *err)
{
    const size_t p = (size_t)q->p;
    double      *S, *W;

    MB_NEW(S, a, p * p + 1, err);
    MB_NEW(W, a, p * p + 1, err);
    widen(from, q, variance, S);
    if (mb_chol_(S, q->p) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "moments: expected a positive definite matrix");
    for (size_t i = 0; i < p; i++) {
        memcpy(W + i * p, from->moments + i * (p + 1), p * sizeof *W);
        mb_chol_forward_(S, q->p, W + i * p);
        for (size_t j = 0; j <= i; j++, out++) {
            *out = 0;
            for (size_t l = 0; l < p; l++)
                *out += W[i * p + l] * W[j * p + l];
        }
    }
    return MB_OK;
}

mb_status mb_linreg_noisy_(mb_arena *a, const mb_sizes *s, const mb_noisy *from, double *par,
                           double *prior, mb_err *err)
{
    const double flat = 1e-12; /* of no weight beside the rows */
    noisy        q = {.p = mb_linreg_coefficients_(s), .constant = s->intercept};
    const double dof = (double)(from->rows - q.p);
    double       variance, relative;

    if (!(dof > 4))
        MB_FAIL(err, MB_E_ARG, "--privacy: got %" PRId64 " rows; expected at least %" PRId32,
                from->rows, q.p + 5);
    q.s2 = from->sd * from->sd;
    MB_TRY(solve(a, from, &q, err));
    variance = q.rest / (dof - 2);
    relative = 1 / (0.5 * dof - 2) + q.of_rest / (q.rest * q.rest);
    par[PAR_A] = 2 + 1 / relative;
    par[PAR_B] = variance * (par[PAR_A] - 1);
    memcpy(par + PAR_M, q.m, (size_t)q.p * sizeof *par);
    mb_prior_par_(-0.5 * q.p, flat, q.p, NULL, NULL, flat, prior);
    return precision(a, from, &q, variance, par + PAR_M + q.p, err);
}
