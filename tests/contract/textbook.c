/* textbook.c - every mixture computes what textbooks say, added up here row by row: the E-step, and the
 * posterior of given responsibilities; of rows with gaps and in groups, too. Those whose rows have
 * other latent variables are compared with others in unit/test_tmm.c. */
/* clang-format off */
#define MODEL_SHAPES {1, 1, 1}, {3, 2, 1}, {2, 4, 1}, {3, 5, 1}, {2, 7, 1}, {4, 8, 1}, {3, 10, 1}
/* clang-format on */
#define MODEL_COLUMNS 10
#include "models.h"
#include "test.h"

static const double LN_2PI = 1.83787706640934548356;

/* psi by the five-point rule on lgamma: 1e-10. */
static double psi(double a)
{
    const double h = 1e-3 * fmin(a, 1);

    return (8 * (lgamma(a + h) - lgamma(a - h)) - (lgamma(a + 2 * h) - lgamma(a - 2 * h))) /
           (12 * h);
}

/* (x - m)' W (x - m) and ln |W^-1| of the n columns `at`, by elimination on the bordered matrix. */
static double square(int32_t n, const int32_t *at, const double *m, const double *winv,
                     const double *row, double *ln_det)
{
    double A[COLUMNS][COLUMNS + 1], q = 0;

    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++)
            A[i][j] = A[j][i] = winv[at[i] * (at[i] + 1) / 2 + at[j]];
        A[i][n] = row[at[i]] - m[at[i]];
    }
    *ln_det = 0;
    for (int32_t c = 0; c < n; c++) {
        *ln_det += log(A[c][c]);
        q += A[c][n] * A[c][n] / A[c][c];
        for (int32_t i = c + 1; i < n; i++)
            for (int32_t j = n; j >= c; j--)
                A[i][j] -= A[i][c] / A[c][c] * A[c][j];
    }
    return q;
}

/* Appendix A. Of missing columns exp(E[ln p]) is integrated: with P = nu W that adds ln 2 pi for each,
 * less ln |P| of their block, over 2 (docs/math.md, section 19). */
static double ln_matrix(int32_t D, double nu, double beta, const double *m, const double *winv,
                        const double *row)
{
    int32_t seen[COLUMNS], all[COLUMNS], n = 0;
    double  whole, part, q, e_ln = D * log(2);

    for (int32_t d = 0; d < D; d++) {
        all[d] = d;
        if (!isnan(row[d]))
            seen[n++] = d;
        e_ln += psi((nu - d) / 2);
    }
    (void)square(D, all, m, winv, m, &whole);
    q = square(n, seen, m, winv, row, &part);
    return 0.5 * (e_ln - whole - D * LN_2PI - D / beta - nu * q) +
           0.5 * ((D - n) * (LN_2PI - log(nu)) + whole - part);
}

/* [a, b, m, lambda] of columns with one variance. */
static double ln_normal(int32_t dim, const double *par, const double *row)
{
    double sum = 0;

    for (int32_t d = 0; d < dim; d++) {
        const double z = row[d] - par[2 + d];

        if (!isnan(z))
            sum += 0.5 * (psi(par[0]) - log(par[1]) - LN_2PI - 1 / par[2 + dim + d] -
                          par[0] / par[1] * z * z);
    }
    return sum;
}

static double ln_count(const double *par, double x)
{
    return isnan(x) ? 0 : x * (psi(par[0]) - log(par[1])) - par[0] / par[1] - lgamma(x + 1);
}

static double ln_level(int32_t levels, const double *par, double x)
{
    double all = 0;

    for (int32_t l = 0; l < levels; l++)
        all += par[l];
    return isnan(x) ? 0 : psi(par[(int)x]) - psi(all);
}

/* [a, b, m, Lambda] of a regression of the last column on those before it: z = (1, x), or x. */
static double ln_line(int32_t columns, int32_t p, const double *par, const double *row)
{
    const double *m = par + 2, *Lambda = m + p, none[COLUMNS + 1] = {0};
    int32_t       at[COLUMNS + 1];
    double        z[COLUMNS + 1] = {1}, left = row[columns - 1], ln_det, spread;

    memcpy(z + p - (columns - 1), row, (size_t)(columns - 1) * sizeof *z);
    for (int32_t i = 0; i < p; i++) {
        at[i] = i;
        left -= m[i] * z[i];
    }
    spread = square(p, at, none, Lambda, z, &ln_det);
    return 0.5 * (psi(par[0]) - log(par[1]) - LN_2PI - spread - par[0] / par[1] * left * left);
}

/* One member of one component: what textbooks say of the columns that it explains. */
typedef struct member {
    const mb_family *family;
    int32_t          dim, column, k;
    size_t           at; /* in textbook parameters */
} member;

/* The members of all components; returns how many. */
static int members_of(const mb_layout *l, member *out)
{
    int n = 0;

    for (const mb_block *b = l->block + 1; b < l->block + l->nblock; b++)
        for (int32_t k = 0; k < b->count; k++) {
            size_t at = b->off + b->len * (size_t)k;

            for (int32_t m = 0; m < b->members; m++) {
                const int32_t dim = b->dims ? b->dims[m] : b->dim;

                out[n++] = (member){b->family, dim, b->column ? b->column[m] : 0, k, at};
                at += b->family->len(dim);
            }
        }
    return n;
}

/* A matrix with its mean, of a component's own or shared by all. */
typedef struct matrix {
    double *nu, *beta, *m, *winv;
} matrix;

static matrix matrix_of(const bench *b, const member *of, double *par, int32_t k)
{
    const int32_t D = b->rows.d;
    double       *p = par + of->at, *own = p + k * (1 + D), *nu = p + b->m.K * (1 + D);

    return of->family == &mb_normal_wishart ? (matrix){p, p + 1, p + 2, p + 2 + D}
                                            : (matrix){nu, own, own + 1, nu + 1};
}

static int is_line(const mb_family *f)
{
    return f == &mb_normal_gamma || f == &mb_normal_gamma_origin;
}

static int is_matrix(const mb_family *f)
{
    return f == &mb_normal_wishart || f == &mb_tied_wishart;
}

/* a[k] += E[ln p(row | theta_k)]. */
static void add_row(const bench *b, double *par, const double *row, double *a)
{
    member    m[4 * COLUMNS];
    const int n = members_of(&b->m.layout, m);

    for (int i = 0; i < n; i++) {
        const double *p = par + m[i].at, *x = row + m[i].column;
        const int32_t all = m[i].family == &mb_tied_wishart ? b->m.K : 1;

        for (int32_t k = m[i].k; is_matrix(m[i].family) && k < m[i].k + all; k++) {
            const matrix of = matrix_of(b, &m[i], par, k);

            a[k] += ln_matrix(b->rows.d, *of.nu, *of.beta, of.m, of.winv, row);
        }
        if (m[i].family == &mb_normal_gamma_diag)
            a[m[i].k] += ln_normal(m[i].dim, p, x);
        else if (is_line(m[i].family))
            a[m[i].k] += ln_line(b->rows.d, m[i].dim, p, x);
        else if (m[i].family == &mb_gamma)
            a[m[i].k] += ln_count(p, *x);
        else if (m[i].family == &mb_dirichlet)
            a[m[i].k] += ln_level(m[i].dim, p, *x);
    }
}

/* E[ln pi_k]. */
static void ln_weights(const bench *b, const double *par, double *a)
{
    double all = 0, left = 0;

    for (int32_t k = 0; k < b->m.K; k++)
        all += par[k];
    for (int32_t k = 0; k < b->m.K; k++) {
        const double *v = par + 2 * k;

        if (b->m.layout.block[0].family == &mb_dirichlet) {
            a[k] = psi(par[k]) - psi(all);
            continue;
        }
        a[k] = left + psi(v[0]) - psi(v[0] + v[1]); /* a stick of what is left */
        left += psi(v[1]) - psi(v[0] + v[1]);
    }
}

/* Groups of one row, longer than a block, empty, and of weight 0. */
static const int64_t groups[] = {0, 1, 4, 4, 203, 204, ROWS};
enum { GROUPS = sizeof groups / sizeof *groups - 1 };

static int has_values(const double *row, int32_t d)
{
    while (d && isnan(row[d - 1]))
        d--;
    return d > 0;
}

/* Responsibilities of all rows into r; returns the sum of w ln Z. */
static double by_rows(const bench *b, double *par, double *r)
{
    const mb_rows *rows = &b->rows;
    const int32_t  K = b->m.K;
    double         sum = 0;

    for (int64_t g = 0; g < (rows->first ? rows->ngroup : rows->n); g++) {
        const int64_t from = rows->first ? rows->first[g] : g;
        const int64_t end = rows->first ? rows->first[g + 1] : g + 1;
        double        a[4], top = -INFINITY, z = 0;
        int           some = 0;

        ln_weights(b, par, a);
        for (int64_t j = from; j < end; j++)
            if (has_values(rows->x + (size_t)j * rows->ld, rows->d)) {
                add_row(b, par, rows->x + (size_t)j * rows->ld, a);
                some = 1;
            }
        for (int32_t k = 0; k < K; k++)
            top = fmax(top, a[k]);
        for (int32_t k = 0; k < K; k++)
            z += exp(a[k] - top);
        for (int64_t j = from; j < end; j++)
            for (int32_t k = 0; k < K; k++)
                r[j * K + k] = exp(a[k] - top) / z;
        if (some)
            sum += rows->w[from] * (top + log(z));
    }
    return sum;
}

/* gaps: 30 % of the values are missing, and all of two rows, of which one is a group. Returns 0 when the
 * model takes no such rows. */
static int arrange(bench *b, int gaps, int grouped)
{
    const int may =
        mb_kind_grouped(b->kind, &b->size) && b->m.layout.block[1].family != &mb_tied_wishart;
    mb_rng r = gen_rng(12);

    for (int32_t e = 0; gaps && e < ROWS * b->rows.d; e++)
        if (mb_rng_uniform(&r) < 0.3 || e / b->rows.d == 5 || e < b->rows.d)
            b->x[e] = (double)NAN;
    b->rows.gaps = gaps;
    for (int64_t g = 0; grouped && g < GROUPS; g++)
        for (int64_t j = groups[g]; j < groups[g + 1]; j++)
            b->w[j] = g == 4 ? 0 : 0.5 + (double)(g % 3);
    b->rows.first = grouped ? groups : NULL;
    b->rows.ngroup = grouped ? GROUPS : 0;
    return (!gaps || b->kind->gaps) && (!grouped || may);
}

/* Checks the claim for a random posterior of each mixture: with its rows as they are, with gaps, in
 * groups, and both. */
static void for_every_mixture(void (*claim)(bench *b))
{
    bench b;

    for (int how = 0; how < 4; how += sized(1, 3))
        for (size_t i = 0; i < MODELS; i++) {
            mb_rng r = gen_rng(60 + i);
            double par[MAX_LEN];

            set_up(&b, i);
            if (b.m.K == 0 || b.m.ops->more_latent || !arrange(&b, how % 2, how / 2))
                continue;
            gen_par(&r, &b.m.layout, par);
            must(mb_from_par(&b.m.layout, par, b.phi, &b.err));
            claim(&b);
        }
}

/* Sums of the rows that have a value in column d, with 2 w r of component k: of 1, x and x^2. */
typedef struct sums {
    double n, x, square;
} sums;

static sums sum_up(const bench *b, const double *r, int32_t k, int32_t d, double level)
{
    sums out = {0};

    for (int j = 0; j < ROWS; j++) {
        const double c = 2 * b->w[j] * r[j * b->m.K + k], x = b->x[j * b->rows.d + d];

        if (isnan(x) || (level >= 0 && (x < level || x > level)))
            continue;
        out.n += c;
        out.x += c * x;
        out.square += c * x * x;
    }
    return out;
}

/* x: the row, with what is missing expected, given the rest and a matrix P = nu W: its covariance is
 * the inverse of P's block, from W^-1 by elimination of the columns that are there. */
static void expect(int32_t D, const matrix *of, const double *row, double *x,
                   double cov[COLUMNS][COLUMNS])
{
    double v[COLUMNS];

    for (int32_t i = 0; i < D; i++) {
        v[i] = isnan(row[i]) ? 0 : row[i] - of->m[i];
        for (int32_t j = 0; j <= i; j++)
            cov[i][j] = cov[j][i] = of->winv[i * (i + 1) / 2 + j] / *of->nu;
    }
    for (int32_t c = 0; c < D; c++)
        for (int32_t i = 0; !isnan(row[c]) && i < D; i++) {
            const double f = cov[i][c] / cov[c][c];

            if (i <= c && !isnan(row[i]))
                continue;
            for (int32_t j = 0; j < D; j++)
                cov[i][j] -= f * cov[c][j];
            v[i] -= f * v[c];
        }
    for (int32_t i = 0; i < D; i++) {
        x[i] = isnan(row[i]) ? of->m[i] - v[i] : row[i];
        for (int32_t j = 0; j < D; j++)
            cov[i][j] = isnan(row[i]) && isnan(row[j]) ? cov[i][j] : 0;
    }
}

/* Rows into component k of a matrix: winv += sum 2 w r E[x x'] + beta0 m0 m0' - beta m m'. now: what
 * is missing is expected of. */
static void add_matrix(const bench *b, const matrix *now, const double *r, int32_t k, matrix *to)
{
    const int32_t D = b->rows.d;
    double        sum[COLUMNS] = {0}, square[COLUMNS][COLUMNS] = {{0}}, n = 0, *v = to->winv;

    for (int j = 0; j < ROWS; j++) {
        const double c = 2 * b->w[j] * r[j * b->m.K + k], *row = b->x + j * D;
        double       x[COLUMNS], cov[COLUMNS][COLUMNS];

        if (!(c > 0) || !has_values(row, D))
            continue;
        expect(D, now, row, x, cov);
        n += c;
        for (int32_t d = 0; d < D; d++) {
            sum[d] += c * x[d];
            for (int32_t e = 0; e <= d; e++)
                square[d][e] += c * (x[d] * x[e] + cov[d][e]);
        }
    }
    for (int32_t d = 0; d < D; d++)
        for (int32_t e = 0; e <= d; e++)
            *v++ += square[d][e] + *to->beta * to->m[d] * to->m[e];
    for (int32_t d = 0; d < D; d++)
        to->m[d] = (*to->beta * to->m[d] + sum[d]) / (*to->beta + n);
    *to->beta += n;
    *to->nu += n;
    v = to->winv;
    for (int32_t d = 0; d < D; d++)
        for (int32_t e = 0; e <= d; e++)
            *v++ -= *to->beta * to->m[d] * to->m[e];
}

static void add_normal(const bench *b, const double *r, const member *m, double *par)
{
    for (int32_t d = 0; d < m->dim; d++) {
        const sums s = sum_up(b, r, m->k, m->column + d, -1);
        double    *mean = par + 2 + d, *lambda = mean + m->dim;

        par[0] += 0.5 * s.n;
        par[1] += 0.5 * (s.square + *lambda * *mean * *mean);
        *mean = (*lambda * *mean + s.x) / (*lambda + s.n);
        *lambda += s.n;
        par[1] -= 0.5 * *lambda * *mean * *mean;
    }
}

/* Solves A x = the last column of A (n x (n + 1)), positive definite, in place of that. */
static void solve(int32_t n, double A[COLUMNS + 1][COLUMNS + 2])
{
    for (int32_t c = 0; c < n; c++)
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = n; i != c && j >= c; j--)
                A[i][j] -= A[i][c] / A[c][c] * A[c][j];
    for (int32_t i = 0; i < n; i++)
        A[i][n] /= A[i][i];
}

/* m' P m, P a lower triangle. */
static double form(int32_t n, const double *P, const double *m)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++, P++)
            sum += (i == j ? 1 : 2) * *P * m[i] * m[j];
    return sum;
}

/* Rows into a regression: the normal equations. */
static void add_line(const bench *b, const double *r, const member *m, double *par)
{
    const int32_t p = m->dim, D = b->rows.d - 1;
    double       *mean = par + 2, *Lambda = mean + p, A[COLUMNS + 1][COLUMNS + 2] = {{0}}, *to;

    par[1] += 0.5 * form(p, Lambda, mean);
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j < p; j++)
            A[i][p] += Lambda[i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i] * mean[j];
    for (int j = 0; j < b->rows.n; j++) {
        const double c = 2 * b->w[j] * r[j * b->m.K + m->k], *row = b->x + j * (D + 1);
        double       z[COLUMNS + 1] = {1};

        memcpy(z + p - D, row, (size_t)D * sizeof *z);
        par[0] += 0.5 * c;
        par[1] += 0.5 * c * row[D] * row[D];
        to = Lambda;
        for (int32_t i = 0; i < p; i++) {
            A[i][p] += c * z[i] * row[D];
            for (int32_t l = 0; l <= i; l++)
                *to++ += c * z[i] * z[l];
        }
    }
    to = Lambda;
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j <= i; j++)
            A[i][j] = A[j][i] = *to++;
    solve(p, A);
    for (int32_t i = 0; i < p; i++)
        mean[i] = A[i][p];
    par[1] -= 0.5 * form(p, Lambda, mean);
}

/* par: those of the prior; becomes the posterior of responsibilities r, of which gaps are filled in
 * as the posterior `now` expects. */
static void add_rows(const bench *b, double *now, const double *r, double *par)
{
    member    m[4 * COLUMNS];
    const int n = members_of(&b->m.layout, m);

    for (int i = 0; i < n; i++) {
        double       *p = par + m[i].at;
        const int32_t all = m[i].family == &mb_tied_wishart ? b->m.K : 1;

        for (int32_t k = m[i].k; is_matrix(m[i].family) && k < m[i].k + all; k++) {
            const matrix of = matrix_of(b, &m[i], now, k);
            matrix       to = matrix_of(b, &m[i], par, k);

            add_matrix(b, &of, r, k, &to);
        }
        if (m[i].family == &mb_normal_gamma_diag)
            add_normal(b, r, &m[i], p);
        if (is_line(m[i].family))
            add_line(b, r, &m[i], p);
        if (m[i].family == &mb_gamma) {
            p[0] += sum_up(b, r, m[i].k, m[i].column, -1).x;
            p[1] += sum_up(b, r, m[i].k, m[i].column, -1).n;
        }
        for (int32_t l = 0; m[i].family == &mb_dirichlet && l < m[i].dim; l++)
            p[l] += sum_up(b, r, m[i].k, m[i].column, l).n;
    }
}

/* Those of the weights, a count for each group, or row that has a value. */
static void add_counts(const bench *b, const double *r, double *par)
{
    const mb_rows *rows = &b->rows;

    for (int64_t g = 0; g < (rows->first ? rows->ngroup : rows->n); g++) {
        const int64_t from = rows->first ? rows->first[g] : g;
        const int64_t end = rows->first ? rows->first[g + 1] : g + 1;
        int           some = 0;

        for (int64_t j = from; j < end; j++)
            some |= has_values(b->x + j * rows->d, rows->d);
        for (int32_t k = 0; k < b->m.K && some; k++) {
            const double c = 2 * b->w[from] * r[from * b->m.K + k];

            if (b->m.layout.block[0].family == &mb_dirichlet)
                par[k] += c;
            else {
                par[2 * k] += c;
                for (int32_t l = 0; l < k; l++)
                    par[2 * l + 1] += c;
            }
        }
    }
}

/* The posterior phi (of two replicas of all rows) is that of responsibilities r. */
static void assert_posterior(bench *b, double *now, const double *r, const double *phi, double tol)
{
    double par[MAX_LEN], want[MAX_LEN];

    must(mb_to_par(&b->m.layout, b->m.prior, want, b->scratch, &b->err));
    add_counts(b, r, want);
    add_rows(b, now, r, want);
    must(mb_to_par(&b->m.layout, phi, par, b->scratch, &b->err));
    assert_all_near(par, want, b->m.layout.len, tol);
}

/* psi is by differences, and a long group adds up what its rows err. */
static void check_step(bench *b)
{
    static double r[ROWS * 4];
    double        now[MAX_LEN], star[MAX_LEN], label[ROWS], logz = 0;

    must(mb_to_par(&b->m.layout, b->phi, now, b->scratch, &b->err));
    must(b->m.ops->stats(&b->m, b->phi, &b->rows, b->s[0], &logz, b->scratch, &b->err));
    assert_near(logz, by_rows(b, now, r), 1e-8);
    must(b->m.ops->predict(&b->m, b->phi, &b->rows, MB_WANT_RESP, b->resp, b->scratch, &b->err));
    for (int j = 0; j < ROWS; j++) /* those of a group without any value are its shares */
        if (b->rows.first || has_values(b->x + j * b->rows.d, b->rows.d))
            assert_all_near(b->resp + j * b->m.K, r + j * b->m.K, b->m.K, 1e-7);
    must(b->m.ops->predict(&b->m, b->phi, &b->rows, MB_WANT_LABEL, label, b->scratch, &b->err));
    for (int j = 0; j < ROWS; j++)
        for (int32_t k = 0; k < b->m.K; k++)
            assert_true(b->resp[j * b->m.K + (int)label[j]] >= b->resp[j * b->m.K + k]);
    must(mb_local_step(&b->m, &b->rows, 2, b->phi, star, NULL, NULL, b->scratch, &b->err));
    assert_posterior(b, now, b->resp, star, 1e-9);
}

TEST(a_step_is_that_of_textbooks)
{
    for_every_mixture(check_step);
}

/* A group has the mean of its rows that have a value. */
static void check_start(bench *b)
{
    double r[ROWS * 4];

    if (b->rows.gaps && is_matrix(b->m.layout.block[1].family))
        return; /* of gaps there is nothing to expect yet */
    memcpy(r, b->resp, (size_t)(ROWS * b->m.K) * sizeof *r);
    for (int64_t g = 0; b->rows.first && g < GROUPS; g++)
        for (int32_t k = 0; k < b->m.K; k++) {
            double mean = 0, n = 0;

            for (int64_t j = groups[g]; j < groups[g + 1]; j++)
                if (has_values(b->x + j * b->rows.d, b->rows.d)) {
                    mean += b->resp[j * b->m.K + k];
                    n++;
                }
            for (int64_t j = groups[g]; j < groups[g + 1]; j++)
                r[j * b->m.K + k] = mean / n;
        }
    must(mb_seed_step(&b->m, &b->rows, 2, b->resp, b->phi, b->scratch, &b->err));
    assert_posterior(b, doubles(MAX_LEN), r, b->phi, 1e-10);
}

TEST(a_start_is_that_of_the_sums)
{
    for_every_mixture(check_start);
}

/* E[pi_k]; those of sticks leave a rest, and sum to 1 without it. */
static void shares(const bench *b, const double *par, double *share)
{
    double all = 0, left = 1;

    for (int32_t k = 0; k < b->m.K; k++) {
        const double *v = par + 2 * k;

        if (b->m.layout.block[0].family == &mb_dirichlet)
            share[k] = par[k];
        else {
            share[k] = left * v[0] / (v[0] + v[1]);
            left *= v[1] / (v[0] + v[1]);
        }
        all += share[k];
    }
    for (int32_t k = 0; k < b->m.K; k++)
        share[k] /= all;
}

/* ln p of rows from .. end - 1, of one component, given the posterior `now`: of conjugate families the
 * ratio of partitions, ln sum_k E[pi_k] exp(A(phi_k + sum u) - A(phi_k)), and what does not depend
 * on theta. */
static double ln_marginal(bench *b, double *now, int64_t from, int64_t end)
{
    double share[4], r[ROWS * 4] = {0}, par[MAX_LEN], phi[MAX_LEN], A[2], sum = 0, ln = 0;

    shares(b, now, share);
    must(mb_moments(&b->m.layout, b->phi, NULL, &A[0], b->scratch, &b->err));
    for (int32_t k = 0; k < b->m.K; k++) {
        memset(r, 0, sizeof r);
        for (int64_t j = from; j < end; j++)
            r[j * b->m.K + k] = 0.5 / b->w[j]; /* add_rows multiplies by 2 w */
        memcpy(par, now, sizeof par);
        add_rows(b, now, r, par);
        must(mb_from_par(&b->m.layout, par, phi, &b->err));
        must(mb_moments(&b->m.layout, phi, NULL, &A[1], b->scratch, &b->err));
        sum += share[k] * exp(A[1] - A[0]);
    }
    for (int64_t j = from; j < end; j++)
        for (int32_t d = b->kind->targets ? b->size.D : 0; d < b->rows.d; d++) {
            const double         x = b->x[j * b->rows.d + d];
            const mb_column_kind kind =
                b->size.columns ? mb_columns_kind(b->size.columns, d) : MB_COLUMN_NUMBER;

            if (!isnan(x) && kind == MB_COLUMN_NUMBER)
                ln -= 0.5 * LN_2PI;
            else if (!isnan(x) && kind == MB_COLUMN_COUNT)
                ln -= lgamma(x + 1);
        }
    return log(sum) + ln;
}

/* The densities of a group's rows, each given those before it, add to that of the group. */
static void check_density(bench *b)
{
    static const int64_t tiny[] = {0, 3, 4, 9, 10};
    double               now[MAX_LEN], ln[10];
    const int            grouped = b->rows.first != NULL;

    if (b->rows.gaps && is_matrix(b->m.layout.block[1].family))
        return; /* integrals: contract/gaps.c */
    b->rows.n = 10;
    b->rows.first = grouped ? tiny : NULL;
    b->rows.ngroup = grouped ? 4 : 0;
    for (int j = 0; j < 10; j++)
        b->w[j] = 1;
    must(mb_to_par(&b->m.layout, b->phi, now, b->scratch, &b->err));
    must(b->m.ops->predict(&b->m, b->phi, &b->rows, MB_WANT_LOGPDF, ln, b->scratch, &b->err));
    for (int64_t j = 0, from = 0; j < 10; j++) {
        double sum = 0;

        from = !grouped || j == 3 || j == 4 || j == 9 ? j : from;
        for (int64_t l = from; l <= j; l++)
            sum += ln[l];
        assert_near(sum, ln_marginal(b, now, from, j + 1), 1e-10);
    }
}

TEST(a_density_is_the_ratio_of_partitions)
{
    for_every_mixture(check_density);
}

static void check_single_precision(bench *b)
{
    static float narrow[ROWS * COLUMNS];
    mb_rows      same = b->rows;
    double       logz[2] = {0, 0};

    for (int32_t e = 0; e < ROWS * b->rows.d; e++)
        b->x[e] = narrow[e] = (float)b->x[e];
    same.x = NULL;
    same.x32 = narrow;
    must(b->m.ops->stats(&b->m, b->phi, &b->rows, b->s[0], &logz[0], b->scratch, &b->err));
    must(b->m.ops->stats(&b->m, b->phi, &same, b->s[1], &logz[1], b->scratch, &b->err));
    assert_memory_equal(b->s[0], b->s[1], b->m.layout.len * sizeof *b->s[0]);
    assert_memory_equal(&logz[0], &logz[1], sizeof *logz);
}

TEST(single_precision_is_the_same_numbers)
{
    for_every_mixture(check_single_precision);
}

TEST(groups_that_cannot_be_are_refused)
{
    bench b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        if (b.m.K == 0 || mb_kind_needs_groups(b.kind)) /* these are sequences */
            continue;
        if (!arrange(&b, 0, 1)) {
            assert_int_equal(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], NULL, b.scratch, &b.err),
                             MB_E_NOSUP);
            assert_non_null(strstr(b.err.msg, "got groups"));
            continue;
        }
        b.w[6] = 9;
        assert_int_equal(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], NULL, b.scratch, &b.err),
                         MB_E_ARG);
        assert_non_null(strstr(b.err.msg, "row 6: got weight 9; expected 0.5"));
    }
}

/* Around the kernels' blocks (64 rows), tiles (32) and lanes. */
TEST(any_number_of_rows_is_summed)
{
    static const int32_t n[] = {1, 31, 64, 65, 200};
    static double        r[ROWS * 4];
    double               par[MAX_LEN];
    bench                b;

    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        if (b.m.K == 0 || b.m.ops->more_latent)
            continue;
        must(mb_to_par(&b.m.layout, b.phi, par, b.scratch, &b.err));
        for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
            double logz = 0;

            b.rows.n = n[k];
            must(b.m.ops->stats(&b.m, b.phi, &b.rows, b.s[0], &logz, b.scratch, &b.err));
            assert_near(logz, by_rows(&b, par, r), 1e-8);
        }
    }
}

RUN_TESTS(arena_up, arena_down)
