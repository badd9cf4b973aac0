/* eig.c - symmetric eigenvalues by cyclic Jacobi rotations [Golub13, 8.5]. */
#include "num/num.h"

#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 60, MAX_SOLVES = 200 };

/* Squares of the entries below the diagonal. */
static double off_diagonal(const double *A, int32_t n)
{
    double sum = 0;

    for (int32_t r = 1; r < n; r++)
        for (int32_t c = 0; c < r; c++)
            sum += A[(size_t)r * n + c] * A[(size_t)r * n + c];
    return sum;
}

/* Rotates rows (stride 1) or columns (stride n) x and y by (c, s). */
static void turn(double *x, double *y, size_t stride, int32_t n, double c, double s)
{
    for (int32_t l = 0; l < n; l++) {
        double xl = x[l * stride], yl = y[l * stride];

        x[l * stride] = c * xl - s * yl;
        y[l * stride] = s * xl + c * yl;
    }
}

static void rotate(double *A, int32_t n, int32_t p, int32_t q, double *V)
{
    const double apq = A[(size_t)p * n + q];
    double       theta, t, c, s;

    if (!(fabs(apq) > 0))
        return;
    theta = (A[(size_t)q * n + q] - A[(size_t)p * n + p]) / (2 * apq);
    t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
    c = 1 / sqrt(t * t + 1);
    s = t * c;
    turn(A + p, A + q, (size_t)n, n, c, s);
    turn(A + (size_t)p * n, A + (size_t)q * n, 1, n, c, s);
    A[(size_t)p * n + q] = A[(size_t)q * n + p] = 0;
    if (V)
        turn(V + p, V + q, (size_t)n, n, c, s);
}

static void sort_ascending(int32_t n, double *w, double *V)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t low = i;
        double  swap;

        for (int32_t j = i + 1; j < n; j++)
            if (w[j] < w[low])
                low = j;
        swap = w[i];
        w[i] = w[low];
        w[low] = swap;
        for (int32_t r = 0; V && low != i && r < n; r++) {
            swap = V[(size_t)r * n + i];
            V[(size_t)r * n + i] = V[(size_t)r * n + low];
            V[(size_t)r * n + low] = swap;
        }
    }
}

mb_status mb_eig_sym_(double *A, int32_t n, double *w, double *V)
{
    double total = 0;

    for (size_t l = 0; l < (size_t)n * (size_t)n; l++)
        total += A[l] * A[l];
    if (!isfinite(total))
        return MB_E_NUMERIC;
    for (int32_t i = 0; V && i < n; i++)
        for (int32_t j = 0; j < n; j++)
            V[(size_t)i * n + j] = i == j;
    for (int sweep = 0; off_diagonal(A, n) > 1e-34 * total; sweep++) {
        if (sweep == MAX_SWEEPS)
            return MB_E_NUMERIC;
        for (int32_t p = 0; p < n - 1; p++)
            for (int32_t q = p + 1; q < n; q++)
                rotate(A, n, p, q, V);
    }
    for (int32_t i = 0; i < n; i++)
        w[i] = A[(size_t)i * n + i];
    sort_ascending(n, w, V);
    return MB_OK;
}

static double squares(const double *x, int32_t n)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* The largest Rayleigh quotient of the inverse, which rises from solve to solve. With x = C^-T y, |y|
 * = 1, it is |x|^2: half a solve. The first vector has no symmetry that could leave out the one
 * looked for. */
double mb_eig_least_(const double *C, int32_t n, double *x)
{
    double square = 0, before = 0;

    for (int32_t i = 0; i < n; i++)
        x[i] = 1 + i / (double)n;
    for (int t = 0; t < MAX_SOLVES; t++) {
        double norm;

        mb_chol_forward_(C, n, x);
        norm = sqrt(squares(x, n));
        for (int32_t i = 0; i < n; i++)
            x[i] /= norm;
        mb_chol_backward_(C, n, x);
        before = square;
        square = squares(x, n);
        if (!(square > before * (1 + 1e-6)))
            break;
    }
    return 1 / fmax(square, before);
}
