/* tied_parts.c - what a message of means that share a precision says, and its domain. */
#include "expfam/expfam.h"
#include "expfam/tied_wishart.h"
#include "num/num.h"

#include <float.h>

static const double LN2 = 0.69314718055994530942, SQRT2 = 1.41421356237309504880,
                    SQRT_HALF = 0.70710678118654752440;

/* dim = D + STEP (K - 1). */
enum { STEP = 16384 };

int32_t mb_tw_columns_(int32_t dim)
{
    return dim % STEP;
}

int32_t mb_tw_parts_(int32_t dim)
{
    return 1 + dim / STEP;
}

int32_t mb_tied_dim(int32_t D, int32_t K)
{
    return D > 0 && D < STEP && K > 0 && K <= MB_TIED_MOST ? D + STEP * (K - 1) : 0;
}

size_t mb_tw_len_(int32_t dim)
{
    return mb_tw_shared_(dim) + 1 + mb_svec_len_(mb_tw_columns_(dim));
}

double mb_tw_nu_(int32_t dim, const double *phi)
{
    return 2 * phi[mb_tw_shared_(dim)] + mb_tw_columns_(dim) + 1 - mb_tw_parts_(dim);
}

double mb_tw_beta_(int32_t dim, const double *phi, int32_t k)
{
    return -2 * phi[(size_t)k * mb_tw_part_(dim)];
}

/* beta m = -sqrt 2 of what follows. */
void mb_tw_mean_(int32_t dim, const double *phi, int32_t k, double *m)
{
    const double *v = phi + (size_t)k * mb_tw_part_(dim);
    const double  size = SQRT_HALF / v[0];

    for (int32_t i = 0; i < mb_tw_columns_(dim); i++)
        m[i] = size * v[1 + i];
}

double mb_tw_logdet_(int32_t dim, const double *L)
{
    const int32_t D = mb_tw_columns_(dim);

    return 2 * mb_log_product_(L, (size_t)D + 1, D);
}

double mb_tw_e_logdet_(int32_t dim, const double *phi, const double *L)
{
    const int32_t D = mb_tw_columns_(dim);

    return mb_digamma_multi_(D, 0.5 * mb_tw_nu_(dim, phi)) + D * LN2 - mb_tw_logdet_(dim, L);
}

/* The lower triangle of S := T - eps I. */
static void shared(int32_t dim, double eps, const double *phi, double *S)
{
    const size_t  d = (size_t)mb_tw_columns_(dim);
    const double *v = phi + mb_tw_shared_(dim) + 1;

    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i; j++)
            S[i * d + j] = -SQRT2 * *v++;
        S[i * d + i] = -2 * *v++ - eps;
    }
}

/* T - sum_k c_k c_k'/beta_k, of which M's last part consists once the first K are eliminated. */
int mb_tw_positive_(int32_t dim, double eps, const double *phi, double *S)
{
    const int32_t D = mb_tw_columns_(dim);
    const size_t  d = (size_t)D;

    shared(dim, eps, phi, S);
    for (int32_t k = 0; k < mb_tw_parts_(dim); k++) {
        const double *c = phi + (size_t)k * mb_tw_part_(dim) + 1;
        const double  beta = mb_tw_beta_(dim, phi, k) - eps;

        if (!(beta > 0 && beta <= DBL_MAX))
            return 0;
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j <= i; j++)
                S[i * d + j] -= 2 * c[i] / beta * c[j];
    }
    return mb_chol_(S, D) == 0;
}

mb_status mb_tw_factor_(int32_t dim, const double *phi, double *L)
{
    const double a = phi[mb_tw_shared_(dim)];

    if (!(a - mb_tw_least_(dim) > 0 && a <= DBL_MAX) || !mb_tw_positive_(dim, 0, phi, L))
        return MB_E_DOMAIN;
    return MB_OK;
}
