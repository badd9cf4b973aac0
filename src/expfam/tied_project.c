/* tied_project.c - the nearest posterior of means that share a precision, eq. (38b).
 *
 * M = [diag(beta), C; C', T] less eps I is to become positive semidefinite: beta >= 0 and T >= S =
 * sum_k c_k c_k'/beta_k. With the price Z >= 0 (D x D) of that the nearest one has
 *     T = T0 + Z,  c_k = beta_k (beta_k + Z)^-1 c0_k,  and beta_k solves a scalar equation,
 * and the dual function of Z, concave by at least 1, has the gradient S(Z) - T0 - Z: its maximum is
 * found by projected gradients with the steps of Barzilai and Borwein (docs/math.md, section 24). */
#include "expfam/tied_wishart.h"
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880, SQRT_HALF = 0.70710678118654752440;

enum { STEPS = 4000, NEWTON = 200, HALVINGS = 60, MATRICES = 8 };

/* What the search knows, all in the arena of the caller's scratch. */
typedef struct search {
    int32_t       dim, D, K;
    double        eps, least; /* taken from M's diagonal; the least beta */
    const double *phi;        /* what is projected                       */
    double       *T0;         /* D x D                                   */
    double       *Z, *G;      /* D x D: the price, and the gradient      */
    double       *Z1, *G1;    /* of the trial                            */
    double       *S, *V, *R;  /* D x D: S(Z); eigenvectors of Z; room    */
    double       *z, *y, *t;  /* D: eigenvalues; room                    */
    double        value;      /* of the dual function at the trial       */
} search;

size_t mb_tw_project_scratch_(int32_t dim)
{
    const size_t d = (size_t)mb_tw_columns_(dim);

    return MATRICES * d * d + 3 * d + mb_tw_len_(dim);
}

/* The largest number that has M's unit. */
static double largest(int32_t dim, const double *phi)
{
    const size_t a = mb_tw_shared_(dim);
    double       most = 0;

    for (size_t e = 0; e < mb_tw_len_(dim); e++)
        most = e == a ? most : fmax(most, fabs(phi[e]));
    return 2 * most;
}

/* beta >= least with beta - beta0 = sum_i y_i^2 z_i/(beta + z_i)^2. The difference of the two sides
 * is concave and rises, so Newton's steps from the left stay there. */
static double root(const search *q, double beta0)
{
    double beta = fmax(beta0, q->least);

    for (int step = 0; step < NEWTON; step++) {
        double gap = beta - beta0, slope = 1, next;

        for (int32_t i = 0; i < q->D; i++) {
            const double r = q->y[i] / (beta + q->z[i]), term = r * r * q->z[i];

            gap -= term;
            slope += 2 * term / (beta + q->z[i]);
        }
        next = beta - gap / slope;
        if (!(next > beta))
            break;
        beta = next;
    }
    return beta;
}

/* y := V' c0_k. */
static void rotate(const search *q, int32_t k)
{
    const double *c = q->phi + (size_t)k * mb_tw_part_(q->dim) + 1;

    for (int32_t i = 0; i < q->D; i++) {
        q->y[i] = 0;
        for (int32_t j = 0; j < q->D; j++)
            q->y[i] -= SQRT2 * c[j] * q->V[j * q->D + i];
    }
}

/* out := V A V', A symmetric (lower triangle), both triangles of out. */
static void back(const search *q, const double *A, double *out)
{
    const int32_t D = q->D;

    for (int32_t i = 0; i < D; i++) {
        for (int32_t l = 0; l < D; l++) {
            q->t[l] = 0;
            for (int32_t k = 0; k < D; k++)
                q->t[l] += q->V[i * D + k] * A[k > l ? k * D + l : l * D + k];
        }
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0;

            for (int32_t l = 0; l < D; l++)
                sum += q->t[l] * q->V[j * D + l];
            out[i * D + j] = out[j * D + i] = sum;
        }
    }
}

/* beta, c and S for the price of V and z; into `out`, a message, beta and c, unless it is NULL. */
static void respond(search *q, double *out)
{
    const size_t D = (size_t)q->D;

    memset(q->R, 0, D * D * sizeof *q->R);
    for (int32_t k = 0; k < q->K; k++) {
        const double beta0 = mb_tw_beta_(q->dim, q->phi, k) - q->eps;
        double      *to = out ? out + (size_t)k * mb_tw_part_(q->dim) : NULL, beta;

        rotate(q, k);
        beta = root(q, beta0);
        q->value += 0.5 * (beta - beta0) * (beta - beta0);
        for (size_t i = 0; i < D; i++) {
            q->value += q->y[i] * (q->z[i] / (beta + q->z[i])) * q->y[i];
            q->y[i] *= beta / (beta + q->z[i]);
        }
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j <= i; j++)
                q->R[i * D + j] += q->y[i] / beta * q->y[j];
        for (size_t i = 0; to && i < D; i++) {
            to[0] = -0.5 * (beta + q->eps);
            to[1 + i] = 0;
            for (size_t j = 0; j < D; j++)
                to[1 + i] -= SQRT_HALF * q->V[i * D + j] * q->y[j];
        }
    }
    back(q, q->R, q->S);
}

/* Z1 := the positive part of X, with V and z; X is destroyed. */
static mb_status positive(search *q, double *X)
{
    const size_t D = (size_t)q->D;

    MB_TRY(mb_eig_sym_(X, q->D, q->z, q->V));
    memset(q->R, 0, D * D * sizeof *q->R);
    for (size_t i = 0; i < D; i++)
        q->R[i * D + i] = q->z[i] = fmax(q->z[i], 0);
    back(q, q->R, q->Z1);
    return MB_OK;
}

/* The trial: Z1 the positive part of Z + step G, G1 its gradient, and the value there. */
static mb_status try(search *q, double step)
{
    const size_t n = (size_t)q->D * (size_t)q->D;

    for (size_t e = 0; e < n; e++)
        q->S[e] = q->Z[e] + step * q->G[e];
    MB_TRY(positive(q, q->S));
    q->value = 0;
    for (size_t e = 0; e < n; e++)
        q->value -= q->Z1[e] * (0.5 * q->Z1[e] + q->T0[e]);
    respond(q, NULL);
    for (size_t e = 0; e < n; e++)
        q->G1[e] = q->S[e] - q->T0[e] - q->Z1[e];
    return MB_OK;
}

/* Z1 and G1 become Z and G; *move: what Z has moved; returns the next step, at most 1 because the
 * dual function is concave by at least 1. */
static double accept(search *q, double *move)
{
    const size_t n = (size_t)q->D * (size_t)q->D;
    double       ss = 0, sy = 0;

    for (size_t e = 0; e < n; e++) {
        const double s = q->Z1[e] - q->Z[e];

        ss += s * s;
        sy -= s * (q->G1[e] - q->G[e]);
    }
    memcpy(q->Z, q->Z1, n * sizeof *q->Z);
    memcpy(q->G, q->G1, n * sizeof *q->G);
    *move = sqrt(ss);
    return sy > ss ? ss / sy : 1;
}

/* Z := the best price. The value never falls: without that the steps cycle around prices near 0, where
 * the gradient has no bound. */
static mb_status climb(search *q, double size)
{
    double step = 0, move;

    for (int t = 0; t < STEPS; t++) {
        const double bound = q->value, slack = 1e-13 * (fabs(bound) + size * size);
        double       now = step;

        MB_TRY(try(q, now));
        for (int i = 0; t && q->value < bound - slack && i < HALVINGS; i++)
            MB_TRY(try(q, now *= 0.25));
        step = accept(q, &move);
        if (t && move <= 4 * DBL_EPSILON * now * size)
            break;
    }
    return MB_OK;
}

/* The prices begin with 0 where each beta is positive, else with M's size. */
static mb_status begin(search *q, int32_t dim, double eps, const double *before, double slack,
                       double *scratch)
{
    const size_t n = (size_t)mb_tw_columns_(dim) * (size_t)mb_tw_columns_(dim);
    double     **matrix[MATRICES] = {&q->T0, &q->Z, &q->G, &q->Z1, &q->G1, &q->S, &q->V, &q->R};
    int          easy = 1;

    *q = (search){.dim = dim,
                  .D = mb_tw_columns_(dim),
                  .K = mb_tw_parts_(dim),
                  .eps = eps,
                  .least = slack,
                  .phi = before};
    for (int m = 0; m < MATRICES; m++, scratch += n)
        *matrix[m] = scratch;
    q->z = scratch;
    q->y = q->z + q->D;
    q->t = q->y + q->D;
    mb_unsvec_(before + mb_tw_shared_(dim) + 1, q->D, q->T0);
    memset(q->Z, 0, n * sizeof *q->Z);
    memset(q->G, 0, n * sizeof *q->G);
    for (int32_t k = 0; k < q->K; k++)
        easy = easy && mb_tw_beta_(dim, before, k) - eps > slack;
    for (size_t e = 0; e < n; e++)
        q->T0[e] *= -2;
    for (int32_t i = 0; i < q->D; i++) {
        q->T0[i * (q->D + 1)] -= eps;
        q->Z[i * (q->D + 1)] = easy ? 0 : largest(dim, before);
    }
    return climb(q, largest(dim, before) + eps);
}

/* phi := the answer: beta and c of the price, and T = S + the positive part of T0 - S, which is T0 +
 * Z up to rounding. */
static mb_status end(search *q, double *phi)
{
    const size_t n = (size_t)q->D * (size_t)q->D;

    memset(q->G, 0, n * sizeof *q->G);
    MB_TRY(try(q, 0));
    respond(q, phi);
    memcpy(q->Z, q->S, n * sizeof *q->Z);
    for (size_t e = 0; e < n; e++)
        q->G1[e] = q->T0[e] - q->Z[e];
    MB_TRY(positive(q, q->G1));
    for (size_t e = 0; e < n; e++)
        q->Z[e] += q->Z1[e];
    for (int32_t i = 0; i < q->D; i++)
        q->Z[i * (q->D + 1)] += q->eps;
    mb_svec_(q->Z, q->D, phi + mb_tw_shared_(q->dim) + 1);
    for (size_t e = mb_tw_shared_(q->dim) + 1; e < mb_tw_len_(q->dim); e++)
        phi[e] *= -0.5;
    return MB_OK;
}

mb_status mb_tw_project_(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    const size_t  len = mb_tw_len_(dim), a = mb_tw_shared_(dim);
    const int32_t n = mb_tw_columns_(dim) + mb_tw_parts_(dim);
    const double  low = mb_tw_least_(dim) + fmax(eps, 4 * n * DBL_EPSILON);
    const double  slack = 32 * n * DBL_EPSILON * largest(dim, phi);
    double       *before = scratch, *rest = before + len;
    search        q;

    *dist2 = 0;
    for (size_t e = 0; e < len; e++)
        if (!isfinite(phi[e]))
            return MB_E_NUMERIC;
    memcpy(before, phi, len * sizeof *phi);
    phi[a] = fmax(phi[a], low);
    if (!mb_tw_positive_(dim, fmax(eps - slack, slack), phi, rest)) {
        MB_TRY(begin(&q, dim, fmax(eps, 2 * slack), before, slack, rest));
        MB_TRY(end(&q, phi));
        phi[a] = fmax(before[a], low);
    }
    for (size_t e = 0; e < len; e++)
        *dist2 += (phi[e] - before[e]) * (phi[e] - before[e]);
    return MB_OK;
}
