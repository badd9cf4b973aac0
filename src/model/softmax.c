/* softmax.c - expectations of a category's likelihood, docs/math.md, section 28.
 *
 * The tilted bound [KnowlesMinka11]: for every a, with u_0 = 0 and unit vectors u_c,
 *     E[ln sum_c exp(u_c' eta)] <= f(a) = a'Va/2 + ln sum_c exp(u_c'e + u_c'Vu_c/2 - u_c'Va),
 * which is convex, with the gradient V (a - s(a)) and the Hessian V + V H V, H = diag(s) - s s'. */
#include "model/softmax.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

/* Of s - a; of the search along a step. */
static const double SMALL = 1e-12, LEAST_GAIN = 1e-4, ROUNDING = 1e-13;
enum { STEPS = 500, HALVINGS = 40 };

size_t mb_softmax_scratch_(int32_t T)
{
    const size_t t = (size_t)T;

    return 3 * t * t + 3 * t + 2 * (t + 1) + (size_t)MB_SOFTMAX_PAIRS_ * t;
}

mb_softmax_ mb_softmax_carve_(const mb_kernel_ *with, int32_t T, double *scratch)
{
    const size_t t = (size_t)T;
    mb_softmax_  w = {.with = with, .T = T, .e = scratch};

    w.V = w.e + t;
    w.s = w.V + t * t;
    w.a = w.s + t;
    w.K = w.a + t;
    w.B = w.K + t * t;
    w.u = w.B + t * t;
    w.d = w.u + t + 1;
    w.z = w.d + t + 1;
    return w;
}

/* The shares of classes with predictors eta (T) into s, which may be eta; returns ln sum exp. */
static double shares(int32_t T, const double *eta, double *s)
{
    double top = 0, sum;

    for (int32_t c = 0; c < T; c++)
        top = fmax(top, eta[c]);
    sum = exp(-top);
    for (int32_t c = 0; c < T; c++) {
        s[c] = exp(eta[c] - top);
        sum += s[c];
    }
    for (int32_t c = 0; c < T; c++)
        s[c] /= sum;
    return top + log(sum);
}

/* f(a), and s(a). */
static double tilted(mb_softmax_ *w)
{
    const size_t T = (size_t)w->T;
    double       square = 0;

    for (size_t c = 0; c < T; c++) {
        double Va = 0;

        for (size_t k = 0; k < T; k++)
            Va += w->V[c * T + k] * w->a[k];
        w->s[c] = w->e[c] + 0.5 * w->V[c * T + c] - Va;
        square += w->a[c] * Va;
    }
    return 0.5 * square + shares(w->T, w->s, w->s);
}

void mb_softmax_factor_(mb_softmax_ *w)
{
    const size_t T = (size_t)w->T;

    memcpy(w->K, w->V, T * T * sizeof *w->K);
    if (mb_chol_(w->K, w->T) != 0)
        memset(w->K, 0, T * T * sizeof *w->K);
    for (size_t c = 0; c < T; c++)
        memset(w->K + c * T + c + 1, 0, (T - c - 1) * sizeof *w->K);
}

/* d: Newton's step (I + H V)^-1 r, r = s - a, which is r - H K B^-1 K'r with B = I + K'H K; returns
 * the slope of f along it, -(K'r)' B^-1 K'r. */
static double newton(mb_softmax_ *w)
{
    const size_t  T = (size_t)w->T;
    const double *K = w->K, *s = w->s;
    double       *y = w->u, *Ks = w->d, slope = 0, mean = 0;

    for (size_t i = 0; i < T; i++) {
        y[i] = Ks[i] = 0;
        for (size_t c = i; c < T; c++) {
            y[i] += K[c * T + i] * (s[c] - w->a[c]);
            Ks[i] += K[c * T + i] * s[c];
        }
        for (size_t j = 0; j <= i; j++) {
            double sum = (i == j) - Ks[i] * Ks[j];

            for (size_t c = i; c < T; c++)
                sum += K[c * T + i] * s[c] * K[c * T + j];
            w->B[i * T + j] = sum;
        }
    }
    mb_chol_(w->B, w->T); /* its eigenvalues are at least 1, or it is NaN */
    mb_chol_forward_(w->B, w->T, y);
    for (size_t i = 0; i < T; i++)
        slope -= y[i] * y[i];
    mb_chol_backward_(w->B, w->T, y);
    for (size_t c = 0; c < T; c++) {
        w->d[c] = 0;
        for (size_t i = 0; i <= c; i++)
            w->d[c] += K[c * T + i] * y[i];
        mean += s[c] * w->d[c];
    }
    for (size_t c = 0; c < T; c++)
        w->d[c] = s[c] - w->a[c] - s[c] * (w->d[c] - mean);
    return slope;
}

/* The part of the step after which f has fallen; returns f there. */
static double search(mb_softmax_ *w, double f, double slope)
{
    const double most = f + ROUNDING * (1 + fabs(f));
    double       part = 1, now;

    memcpy(w->u, w->a, (size_t)w->T * sizeof *w->u);
    for (int k = 0;; k++, part /= 2) {
        for (int32_t c = 0; c < w->T; c++)
            w->a[c] = w->u[c] + part * w->d[c];
        now = tilted(w);
        if (now <= most + LEAST_GAIN * part * slope || k == HALVINGS)
            return now;
    }
}

/* |s - a|, largest entry. */
static double left(const mb_softmax_ *w)
{
    double most = 0;

    for (int32_t c = 0; c < w->T; c++)
        most = fmax(most, fabs(w->s[c] - w->a[c]));
    return most;
}

/* f is convex and any a gives a bound: the steps from the shares at e end. */
double mb_softmax_bound_(mb_softmax_ *w)
{
    double f;

    shares(w->T, w->e, w->a);
    mb_softmax_factor_(w);
    f = tilted(w);
    for (int k = 0; k < STEPS && left(w) > SMALL; k++)
        f = search(w, f, newton(w));
    return f;
}

/* ---- the same of several rows, as lanes ---- */

enum { ROWS = MB_LANES_MAX, MOST = MB_CLASSES_MOST };

/* exp is the kernel's, to whose domain smaller numbers are moved. */
static double above(double x)
{
    return x > -700 ? x : -700;
}

/* The shares of T + 1 classes of rows with predictors eta (T + 1 x ROWS), which they replace; ln: ln
 * sum exp, NULL: not wanted. */
static void shares_of_rows(const mb_kernel_ *with, int32_t T, double *eta, double *ln)
{
    const int32_t all = (T + 1) * ROWS;
    double        top[ROWS], sum[ROWS] = {0};

    memcpy(top, eta, sizeof top);
    for (int32_t i = ROWS; i < all; i++)
        top[i % ROWS] = eta[i] > top[i % ROWS] ? eta[i] : top[i % ROWS];
    for (int32_t i = 0; i < all; i++)
        eta[i] = above(eta[i] - top[i % ROWS]);
    with->exp(all, eta, eta);
    for (int32_t i = 0; i < all; i++)
        sum[i % ROWS] += eta[i];
    if (ln)
        with->log(ROWS, sum, ln);
    for (int u = 0; u < ROWS; u++) {
        if (ln)
            ln[u] += top[u];
        sum[u] = 1 / sum[u];
    }
    for (int32_t i = 0; i < all; i++)
        eta[i] *= sum[i % ROWS];
}

/* ---- expectations over N(e, V) ---- */

/* The points of N(0, I) up to number `pairs`: those of the additive sequence with the powers of
 * 1/golden, folded (the baker's transform), as quantiles. Each stands for its mirror image, too. */
static void make_points(mb_softmax_ *w, int32_t pairs)
{
    const int32_t whole = (pairs + ROWS / 2 - 1) / (ROWS / 2) * (ROWS / 2);
    const double  edge = 1e-12;

    for (int k = 0; !w->made && k < 100; k++)
        w->golden = k ? pow(1 + w->golden, 1.0 / (w->T + 1)) : 2;
    for (; w->made < whole; w->made++) {
        double step = 1;

        for (int32_t c = 0; c < w->T; c++) {
            double u;

            step /= w->golden;
            u = 0.5 + (w->made + 1) * step;
            u = 1 - fabs(2 * (u - floor(u)) - 1);
            w->z[w->made * w->T + c] =
                mb_student_quantile((double)INFINITY, fmin(fmax(u, edge), 1 - edge));
        }
    }
}

static double trace(const mb_softmax_ *w)
{
    double sum = 0;

    for (int32_t c = 0; c < w->T; c++)
        sum += w->V[c * w->T + c];
    return sum;
}

/* Up to this trace of V the series is nearer than as many points as there are. */
static const double SERIES = 0.02;

/* a: the shares at e; u_c (T + 1): E[share c]/share c - 1 to the first order of V, half the trace of V
 * times the second derivatives (u_c - a)(u_c - a)' - H of the share, over it. Returns ln sum exp e. */
static double series(mb_softmax_ *w)
{
    const size_t T = (size_t)w->T;
    const double ln = shares(w->T, w->e, w->a);
    double       square = 0, own = 0;

    for (size_t c = 0; c < T; c++) {
        double Va = 0;

        for (size_t k = 0; k < T; k++)
            Va += w->V[c * T + k] * w->a[k];
        square += w->a[c] * Va;
        own += w->a[c] * w->V[c * T + c];
        w->u[c + 1] = 0.5 * w->V[c * T + c] - Va;
    }
    w->u[0] = square - 0.5 * own;
    for (size_t c = 1; c <= T; c++)
        w->u[c] += w->u[0];
    return ln;
}

/* A share s_c has the second derivatives s_c ((u_c - s)(u_c - s)' - H), whose eigenvalues are at most
 * 1/2 in magnitude: its expectation differs by trace(V)/4 at most from that at e. */
int32_t mb_softmax_likeliest_(mb_softmax_ *w)
{
    const double points = 4e-3; /* the error of both expectations by points, and more */
    double       most = exp(-shares(w->T, w->e, w->a)), next = 0;
    int32_t      best = 0;

    for (int32_t c = 0; c < w->T; c++) {
        next = fmax(next, fmin(w->a[c], most));
        best = w->a[c] > most ? c + 1 : best;
        most = fmax(most, w->a[c]);
    }
    return most - next > 0.5 * trace(w) + points ? best : -1;
}

/* What makes the integrand curved is the variance: more of it, more points. */
static int32_t pairs(const mb_softmax_ *w)
{
    const int32_t least = 64;
    const double  sum = trace(w);

    return sum < 1 ? least + (int32_t)((MB_SOFTMAX_PAIRS_ - least) * sum) : MB_SOFTMAX_PAIRS_;
}

/* eta (T + 1 x ROWS) at `pair` and those after it, each followed by its mirror image. */
static void visit(const mb_softmax_ *w, int32_t pair, double *eta)
{
    const size_t T = (size_t)w->T;

    memset(eta, 0, ROWS * sizeof *eta);
    for (size_t c = 0; c < T; c++)
        for (int u = 0; u < ROWS; u += 2) {
            const double *z = w->z + (size_t)(pair + u / 2) * T;
            double        sum = 0;

            for (size_t i = 0; i <= c; i++)
                sum += w->K[c * T + i] * z[i];
            eta[(c + 1) * ROWS + (size_t)u] = w->e[c] - sum;
            eta[(c + 1) * ROWS + (size_t)u + 1] = w->e[c] + sum;
        }
}

/* Of the points from `pair` on, of n pairs. */
static int left_of(int32_t n, int32_t pair)
{
    return n - pair < ROWS / 2 ? 2 * (n - pair) : ROWS;
}

void mb_softmax_mean_(mb_softmax_ *w, double *out)
{
    const int32_t n = pairs(w);
    double        eta[(MOST + 1) * ROWS];

    if (trace(w) <= SERIES) {
        const double ln = series(w); /* which makes u */

        *out = exp(-ln) * (1 + w->u[0]);
        for (int32_t c = 0; c < w->T; c++)
            out[c + 1] = w->a[c] * (1 + w->u[c + 1]);
        return;
    }
    make_points(w, n);
    memset(out, 0, ((size_t)w->T + 1) * sizeof *out);
    for (int32_t k = 0; k < n; k += ROWS / 2) {
        visit(w, k, eta);
        shares_of_rows(w->with, w->T, eta, NULL);
        for (int32_t c = 0; c <= w->T; c++)
            for (int u = 0; u < left_of(n, k); u++)
                out[c] += eta[c * ROWS + u];
    }
    for (int32_t c = 0; c <= w->T; c++)
        out[c] /= 2.0 * n;
}

/* ln(p/(1 - p)) of class y at a point, its number of eta. */
static double odds(int32_t T, int32_t y, const double *eta)
{
    double top = -(double)INFINITY, sum = 0;

    for (int32_t c = 0; c <= T; c++)
        top = c != y ? fmax(top, eta[c * ROWS]) : top;
    for (int32_t c = 0; c <= T; c++)
        sum += c != y ? exp(eta[c * ROWS] - top) : 0;
    return eta[y * ROWS] - top - log(sum);
}

void mb_softmax_odds_(mb_softmax_ *w, int32_t y, double *mean, double *sd)
{
    const int32_t n = pairs(w);
    double        eta[(MOST + 1) * ROWS], first = 0, sum = 0, square = 0;

    make_points(w, n);
    for (int32_t k = 0; k < n; k += ROWS / 2) {
        visit(w, k, eta);
        first = k ? first : odds(w->T, y, eta);
        for (int u = 0; u < left_of(n, k); u++) {
            const double x = odds(w->T, y, eta + u) - first;

            sum += x;
            square += x * x;
        }
    }
    sum /= 2.0 * n;
    *mean = first + sum;
    *sd = sqrt(fmax(square / (2.0 * n) - sum * sum, 0));
}

double mb_softmax_log_mean_(mb_softmax_ *w, int32_t y)
{
    const int32_t n = pairs(w);
    double        eta[(MOST + 1) * ROWS], own[ROWS], all[ROWS], top = -(double)INFINITY, sum = 0;

    if (trace(w) <= SERIES) {
        const double ln = series(w);

        return (y ? w->e[y - 1] : 0) - ln + log1p(w->u[y]);
    }
    make_points(w, n);
    for (int32_t k = 0; k < n; k += ROWS / 2) {
        visit(w, k, eta);
        memcpy(own, eta + y * ROWS, sizeof own);
        shares_of_rows(w->with, w->T, eta, all);
        for (int u = 0; u < left_of(n, k); u++) {
            const double ln = own[u] - all[u];

            if (ln > top) {
                sum = sum * exp(top - ln) + 1;
                top = ln;
            } else
                sum += exp(ln - top);
        }
    }
    return top + log(sum / (2.0 * n));
}
