/* matrix_project.c - the nearest point of the domain of several targets: their cones share a matrix. */
#include "expfam/matrix_form.h"
#include "expfam/matrix_normal_gamma.h"
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t mb_mng_len_(int32_t dim)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);

    return s.head + (size_t)s.T * s.tail;
}

/* A member's matrices, and of each target a factor's last row and a correction of the projection. */
size_t mb_mng_scratch_(int32_t dim)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const size_t        one = s.head + s.tail;

    return mb_mf_scratch_(s.p) + one + (size_t)s.T * (one + s.tail) + mb_mng_len_(dim);
}

void mb_mng_one_(const mb_mng_sizes_ *s, const double *phi, int32_t t, double *out)
{
    memcpy(out, phi, s->head * sizeof *out);
    memcpy(out + s->head, phi + s->head + (size_t)t * s->tail, s->tail * sizeof *out);
}

/* 1 when the matrices of all targets have eigenvalues of at least eps. */
static int all_inside(const mb_mng_sizes_ *s, double eps, const double *phi, double *scratch)
{
    const size_t n = s->tail;
    double      *one = scratch + mb_mf_scratch_(s->p), *M = scratch;

    for (int32_t t = 0; t < s->T; t++) {
        mb_mng_one_(s, phi, t, one);
        mb_mf_matrix_(s->p, one, M);
        for (size_t i = 0; i < n; i++)
            M[i * n + i] -= eps;
        if (mb_chol_(M, s->p + 1) != 0)
            return 0;
    }
    return 1;
}

/* One step of Dykstra's algorithm [Boyle86]: the point plus the correction of target t is projected
 * on its own cone; what that moved is the new correction. *change: of the correction, squared. */
static mb_status project_one(const mb_mng_sizes_ *s, double eps, double *phi, int32_t t,
                             double *correction, double *change, double *scratch)
{
    const size_t n = s->head + s->tail;
    double      *one = scratch + mb_mf_scratch_(s->p), *to = phi + s->head + (size_t)t * s->tail;
    double       dist2, moved;

    mb_mng_one_(s, phi, t, one);
    for (size_t e = 1; e < n; e++)
        one[e] += correction[e];
    MB_TRY(mb_mf_project_(s->p, -(double)INFINITY, eps, one, &dist2, scratch));
    for (size_t e = 1; e < n; e++) {
        double *x = e < s->head ? &phi[e] : &to[e - s->head];

        moved = *x + correction[e] - one[e];
        *change += (moved - correction[e]) * (moved - correction[e]);
        correction[e] = moved;
        *x = one[e];
    }
    return MB_OK;
}

/* Adds what is missing to all eigenvalues: rounding, once the rounds have converged. */
static void lift(const mb_mng_sizes_ *s, double by, double *phi)
{
    size_t at = 0;

    for (int32_t i = 0; i < s->p; i++) {
        at += (size_t)i + 1;
        phi[at] -= 0.5 * by;
    }
    for (int32_t t = 0; t < s->T; t++)
        phi[s->head + (size_t)t * s->tail + (size_t)s->p] -= 0.5 * by;
}

/* The nearest point of the intersection of the targets' cones, which share the eigenvalues' matrix:
 * no single decomposition has it. */
static mb_status project_all(const mb_mng_sizes_ *s, double eps, double *phi, double *scratch)
{
    enum { ROUNDS = 20000 };
    const size_t n = s->head + s->tail, all = s->head + (size_t)s->T * s->tail;
    double      *correction = scratch + mb_mf_scratch_(s->p) + n, size = eps * eps, change = 1;

    memset(correction, 0, (size_t)s->T * n * sizeof *correction);
    for (size_t e = 1; e < all; e++)
        size += phi[e] * phi[e];
    for (int k = 0; k < ROUNDS && change > size * 1e-31; k++) {
        change = 0;
        for (int32_t t = 0; t < s->T; t++)
            MB_TRY(project_one(s, eps, phi, t, correction + (size_t)t * n, &change, scratch));
    }
    for (double by = 4 * DBL_EPSILON * sqrt(size); !all_inside(s, eps, phi, scratch); by *= 2)
        lift(s, by, phi);
    return MB_OK;
}

mb_status mb_mng_project_(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    const mb_mng_sizes_ s = mb_mng_of_(dim);
    const size_t        n = mb_mng_len_(dim);
    const double        low = s.p / 2.0 - 1 + fmax(eps, 4 * s.p * DBL_EPSILON);
    double             *before = scratch + mb_mng_scratch_(dim) - n;

    *dist2 = 0;
    for (size_t e = 0; e < n; e++)
        if (!isfinite(phi[e]))
            return MB_E_NUMERIC;
    memcpy(before, phi, n * sizeof *before);
    phi[0] = fmax(phi[0], low);
    if (!all_inside(&s, eps, phi, scratch))
        MB_TRY(project_all(&s, eps, phi, scratch));
    for (size_t e = 0; e < n; e++)
        *dist2 += (phi[e] - before[e]) * (phi[e] - before[e]);
    return MB_OK;
}
