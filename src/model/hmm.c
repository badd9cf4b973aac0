/* hmm.c - hidden Markov model: rows follow each other in sequences, each in one of K states, whose
 * emission is a component of a mixture (docs/math.md, section 34).
 *
 * Layout: that of the mixture, whose weights are those of the first state, then the transitions, a
 * square block of dirichlet.1. */
#include "base/columns.h"
#include "base/draw.h"
#include "base/far.h"
#include "base/gaps.h"
#include "base/rows.h"
#include "model/columns.h"
#include "model/components.h"
#include "model/entries.h"
#include "model/gmm_form.h"
#include "model/gmm_options.h"
#include "model/kind.h"
#include "model/mixture.h"
#include "model/prior.h"
#include "model/tables.h"
#include "model/tmm_tail.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct spec {
    mb_model       base; /* the mixture; its prior is not read                */
    const mb_kind *kind; /* of the mixture                                    */
    mb_sizes       size; /* as that kind has them                             */
    int32_t        n;    /* quantities of a component (mb_components)         */
} spec;

/* A pass over sequences. p(state | state before) and so on are divided by their largest. */
typedef struct chain {
    mb_pass_       w; /* of the mixture                                                         */
    const mb_rows *rows;
    int32_t        K;
    double        *A;    /* K x K: transitions                                              */
    double        *pi;   /* K: of the first state                                           */
    double         ln_A; /* logarithms of the divisors                                      */
    double         ln_pi;
    double        *moved; /* K x K: expected transitions, each over its entry of A           */
    double        *first; /* K: expected first states                                        */
    double        *saved; /* K: of the statistics of the weights                             */
    double        *own;   /* K                                                               */
    double        *par;   /* textbook parameters of the mixture                              */
    double        *mean;  /* K x n, then as many variances                                   */
    double        *a;     /* rows x K: log densities, then what is known of the states       */
    double        *p;     /* rows x K: of the states given the rows before                   */
    int64_t        most;  /* rows of a and p                                                 */
} chain;

static const spec *spec_of(const mb_model *m)
{
    return m->spec;
}

/* Rows that are in memory together: whole groups, or at least a block. */
static int64_t room_of(int64_t longest)
{
    return longest > MB_BLOCK_MAX ? longest : MB_BLOCK_MAX;
}

static size_t fixed_scratch(const spec *q)
{
    const size_t K = (size_t)q->base.K;

    return q->base.scratch + q->base.layout.scratch + 2 * K * K + 4 * K + q->base.layout.len +
           2 * K * (size_t)q->n;
}

static size_t group_scratch(const mb_model *m, int64_t longest)
{
    return fixed_scratch(spec_of(m)) + 2 * (size_t)m->K * (size_t)room_of(longest);
}

static void carve(chain *c, const mb_model *m, const mb_rows *rows, double *scratch)
{
    const spec  *q = spec_of(m);
    const size_t K = (size_t)m->K;

    *c = (chain){.rows = rows, .K = m->K};
    c->A = scratch + q->base.scratch + q->base.layout.scratch;
    c->moved = c->A + K * K;
    c->pi = c->moved + K * K;
    c->first = c->pi + K;
    c->saved = c->first + K;
    c->own = c->saved + K;
    c->par = c->own + K;
    c->mean = c->par + q->base.layout.len;
    c->a = c->mean + 2 * K * (size_t)q->n;
    c->most = room_of(mb_rows_longest(rows));
    c->p = c->a + (size_t)c->most * K;
}

static const mb_block *transitions(const mb_model *m)
{
    return &m->layout.block[m->layout.nblock - 1];
}

/* x (n) := exp(x) over its largest number; returns the logarithm of that. */
static double divide(size_t n, double *x)
{
    double top = x[0];

    for (size_t e = 1; e < n; e++)
        top = fmax(top, x[e]);
    for (size_t e = 0; e < n; e++)
        x[e] = exp(x[e] - top);
    return top;
}

/* The first state and the transitions at phi: exp E[ln p], predictive: E[p]. */
static mb_status parameters(chain *c, const mb_model *m, const double *phi, int predictive,
                            mb_err *err)
{
    const mb_block *b = transitions(m);
    const size_t    K = (size_t)c->K;

    MB_TRY((predictive ? mb_weights_shares_ : mb_weights_expect_)(m, phi, c->pi, err));
    for (size_t i = 0; i < K; i++) {
        const double *row = phi + b->off + i * b->len;
        double       *to = c->A + i * K, sum = 0;

        if (b->family->weights->expect(b->dim, row, to, NULL) < 0)
            MB_FAIL(err, MB_E_DOMAIN,
                    "the transitions from state %zu (%s) are outside their domain", i,
                    b->family->name);
        for (size_t k = 0; k < K; k++)
            sum += row[k] + 1;
        for (size_t k = 0; predictive && k < K; k++)
            to[k] = log((row[k] + 1) / sum);
    }
    c->ln_pi = divide(K, c->pi);
    c->ln_A = divide(K * K, c->A);
    return MB_OK;
}

static mb_status open(chain *c, const mb_model *m, const double *phi, const mb_rows *rows,
                      int predictive, double *scratch, mb_err *err)
{
    carve(c, m, rows, scratch);
    MB_TRY(parameters(c, m, phi, predictive, err));
    MB_TRY(mb_mixture_open_(&c->w, &spec_of(m)->base, phi, rows, predictive, scratch, err));
    return mb_estep_check_groups_(&c->w.g, rows, err);
}

static int is_empty(const mb_rows *rows, int64_t j)
{
    return MB_GAPS_(rows->gaps) && mb_rows_gaps(rows, j) == rows->d;
}

/* The weight of group g: that of its rows that have a value, 0 if none has. */
static double weight_of(const mb_rows *rows, int64_t g)
{
    int64_t       j = mb_rows_group(rows, g);
    const int64_t end = mb_rows_group(rows, g + 1);

    while (j < end && is_empty(rows, j))
        j++;
    return j == end ? 0 : rows->w ? rows->w[j] : 1;
}

/* Groups from *g on that are in memory together, up to *end: their log densities into a. all 0: those
 * of weight 0 are left out. 0: there are none left. */
static int next_groups(chain *c, int all, int64_t *g, int64_t *end)
{
    const int64_t n = mb_rows_groups(c->rows);

    *g = *end;
    while (!all && *g < n && !(weight_of(c->rows, *g) > 0))
        ++*g;
    for (*end = *g; *end < n; ++*end)
        if (mb_rows_group(c->rows, *end + 1) - mb_rows_group(c->rows, *g) > c->most ||
            (!all && !(weight_of(c->rows, *end) > 0)))
            break;
    return *g < n;
}

static mb_status densities(chain *c, int64_t g, int64_t end, mb_err *err)
{
    const int64_t from = mb_rows_group(c->rows, g);

    return mb_mixture_densities_(&c->w, c->rows, from, mb_rows_group(c->rows, end) - from, c->a,
                                 err);
}

/* Group g of those that densities saw, which begin with `from`. */
static double *at(const chain *c, double *x, int64_t from, int64_t g)
{
    return x + (size_t)(mb_rows_group(c->rows, g) - mb_rows_group(c->rows, from)) * (size_t)c->K;
}

/* One step: p (K) has the states given the rows before, b their log densities; then b has them given
 * this row, too. Returns ln p(row | rows before), up to the divisors. */
static double see(int32_t K, const double *p, double *b)
{
    double top = -(double)INFINITY, sum = 0;

    for (int32_t k = 0; k < K; k++) {
        b[k] += log(p[k]);
        top = b[k] > top ? b[k] : top;
    }
    for (int32_t k = 0; k < K; k++)
        sum += b[k] = exp(b[k] - top);
    for (int32_t k = 0; k < K; k++)
        b[k] /= sum;
    return top + log(sum);
}

/* p (K) := from (K) after one step of A. */
static void advance(const chain *c, const double *from, double *p)
{
    const size_t K = (size_t)c->K;

    for (size_t k = 0; k < K; k++)
        p[k] = 0;
    for (size_t i = 0; i < K; i++)
        for (size_t k = 0; k < K; k++)
            p[k] += from[i] * c->A[i * K + k];
}

/* a, log densities of n rows from row j on, becomes the states given the rows up to each, p those given
 * the rows before it. *lnz: of all rows; each, which may be NULL: of each row given those before. */
static mb_status forward(const chain *c, int64_t j, int64_t n, double *a, double *p, double *lnz,
                         double *each, mb_err *err)
{
    const size_t K = (size_t)c->K;

    *lnz = 0;
    for (int64_t t = 0; t < n; t++, a += K, p += K) {
        double now;

        if (t)
            advance(c, a - K, p);
        else
            memcpy(p, c->pi, K * sizeof *p);
        now = see(c->K, p, a) + (t ? c->ln_A : c->ln_pi);
        if (!isfinite(now))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": ln Z is %g; its values must be finite and not absurdly far "
                    "from every state",
                    j + t, now);
        *lnz += now;
        if (each)
            each[t] = now;
    }
    return MB_OK;
}

/* After forward: a becomes the states given all rows, times `weight`; their first and their transitions
 * are added up. */
static void backward(const chain *c, int64_t n, double weight, double *a, const double *p)
{
    const size_t K = (size_t)c->K;
    double      *ratio = c->own;

    for (int64_t t = n - 2; t >= 0; t--) {
        double *now = a + (size_t)t * K, sum = 0;

        for (size_t k = 0; k < K; k++)
            ratio[k] = now[K + k] > 0 ? now[K + k] / p[((size_t)t + 1) * K + k] : 0;
        for (size_t i = 0; i < K; i++) {
            double back = 0;

            for (size_t k = 0; k < K; k++) {
                back += c->A[i * K + k] * ratio[k];
                c->moved[i * K + k] += weight * now[i] * ratio[k];
            }
            sum += now[i] *= back;
        }
        for (size_t i = 0; i < K; i++)
            now[i] /= sum;
    }
    for (size_t k = 0; k < K; k++)
        c->first[k] += weight * a[k];
    for (size_t e = 0; (weight < 1 || weight > 1) && e < (size_t)n * K; e++)
        a[e] *= weight;
}

/* ---- the model ---- */

/* The statistics of the mixture from now on, without those of its weights. */
static void begin_sums(chain *c, const double *s)
{
    const size_t K = (size_t)c->K;

    memcpy(c->saved, s, K * sizeof *s);
    memset(c->first, 0, K * sizeof *s);
    memset(c->moved, 0, K * K * sizeof *s);
}

static void end_sums(const chain *c, const mb_model *m, double *s)
{
    const size_t K = (size_t)c->K;

    for (size_t k = 0; k < K; k++)
        s[k] = c->saved[k] + c->first[k];
    for (size_t e = 0; e < K * K; e++)
        s[transitions(m)->off + e] += c->A[e] * c->moved[e];
}

static mb_status add_groups(chain *c, int64_t g, int64_t end, double *s, double *logz, mb_err *err)
{
    const int64_t first = mb_rows_group(c->rows, g);

    MB_TRY(densities(c, g, end, err));
    for (int64_t i = g; i < end; i++) {
        const int64_t from = mb_rows_group(c->rows, i), n = mb_rows_group(c->rows, i + 1) - from;
        const double  weight = weight_of(c->rows, i);
        double       *a = at(c, c->a, g, i), *p = at(c, c->p, g, i), lnz;

        MB_TRY(forward(c, from, n, a, p, &lnz, NULL, err));
        backward(c, n, weight, a, p);
        *logz += weight * lnz;
    }
    return mb_mixture_gather_(&c->w, c->rows, first, mb_rows_group(c->rows, end) - first, c->a, s,
                              err);
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    double  total = 0;
    int64_t g, end = 0;
    chain   c;

    MB_TRY(open(&c, m, phi, rows, 0, scratch, err));
    begin_sums(&c, s);
    while (next_groups(&c, 0, &g, &end))
        MB_TRY(add_groups(&c, g, end, s, &total, err));
    mb_mixture_close_(&c.w, s);
    end_sums(&c, m, s);
    if (logz)
        *logz += total;
    return MB_OK;
}

/* The states of rows next to each other are as if independent. */
static void add_given(chain *c, const double *resp)
{
    const mb_rows *rows = c->rows;
    const size_t   K = (size_t)c->K;

    for (int64_t g = 0; g < mb_rows_groups(rows); g++) {
        const int64_t from = mb_rows_group(rows, g), end = mb_rows_group(rows, g + 1);
        const double  weight = weight_of(rows, g);

        for (int64_t j = from; weight > 0 && j < end; j++) {
            const double *now = resp + (size_t)j * K;

            for (size_t k = 0; j == from && k < K; k++)
                c->first[k] += weight * now[k];
            if (j == from || is_empty(rows, j) || is_empty(rows, j - 1))
                continue;
            for (size_t i = 0; i < K; i++)
                for (size_t k = 0; k < K; k++)
                    c->moved[i * K + k] += weight * (now - K)[i] * now[k];
        }
    }
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    const spec *q = spec_of(m);
    mb_rows     alone = *rows;
    chain       c;

    alone.first = NULL;
    alone.ngroup = 0;
    carve(&c, m, rows, scratch);
    begin_sums(&c, s);
    MB_TRY(mb_mixture_seed_stats_(&q->base, &alone, resp, s, scratch, err));
    add_given(&c, resp);
    for (int32_t e = 0; e < c.K * c.K; e++)
        c.A[e] = 1;
    end_sums(&c, m, s);
    return MB_OK;
}

/* ---- predictions ---- */

static double largest_at(int32_t K, const double *x)
{
    int32_t best = 0;

    for (int32_t k = 1; k < K; k++)
        best = x[k] > x[best] ? k : best;
    return best;
}

/* The likeliest path of n rows into out. a: log densities, which become those of the best path to each
 * state; p: the state before it. */
static void best_path(const chain *c, int64_t n, double *a, double *p, double *out)
{
    const size_t K = (size_t)c->K;

    for (size_t k = 0; n && k < K; k++)
        a[k] += log(c->pi[k]);
    for (size_t t = 1; t < (size_t)n; t++)
        for (size_t k = 0; k < K; k++) {
            const double *before = a + (t - 1) * K;
            size_t        best = 0;
            double        top = -(double)INFINITY;

            for (size_t i = 0; i < K; i++)
                if (before[i] + log(c->A[i * K + k]) > top) {
                    top = before[i] + log(c->A[i * K + k]);
                    best = i;
                }
            a[t * K + k] += top;
            p[t * K + k] = (double)best;
        }
    for (int64_t t = n - 1; t >= 0; t--)
        out[t] = t == n - 1 ? largest_at(c->K, a + (size_t)t * K)
                            : p[((size_t)t + 1) * K + (size_t)out[t + 1]];
}

/* Mean and variance of quantity `at` of n over the states p. */
static void of_states(const chain *c, const double *p, size_t n, size_t at, double *out)
{
    const size_t K = (size_t)c->K;

    out[0] = out[1] = 0;
    for (size_t k = 0; k < K; k++)
        out[0] += p[k] * c->mean[k * n + at];
    for (size_t k = 0; k < K; k++) {
        const double gap = c->mean[k * n + at] - out[0];

        out[1] += p[k] * (gap * gap + c->mean[(K + k) * n + at]);
    }
}

/* Mean and variance of each column under the states p; returns the place after them. */
static double *add_columns(const chain *c, const spec *q, const double *p, double *out)
{
    size_t at = 0;

    for (int32_t d = 0; d < q->size.D; d++, out += 2) {
        const int none = mb_columns_kind(q->size.columns, d) == MB_COLUMN_CATEGORY;

        of_states(c, p, (size_t)q->n, at, out);
        out[0] = none ? (double)NAN : out[0];
        out[1] = none ? (double)NAN : out[1];
        at += (size_t)mb_column_quantities(q->size.columns, d);
    }
    return out;
}

/* Of the rows after n rows, of which the last has the states `last`: their states, or what these say of
 * columns. */
static void add_ahead(const chain *c, const spec *q, mb_want want, int64_t n, const double *last,
                      double *out)
{
    const size_t K = (size_t)c->K;
    double      *p = c->saved;

    memcpy(p, n ? last : c->pi, K * sizeof *p);
    for (int32_t h = 0; h < c->rows->ahead; h++) {
        double sum = 0;

        if (h || n) {
            advance(c, p, c->own);
            memcpy(p, c->own, K * sizeof *p);
        }
        for (size_t k = 0; k < K; k++)
            sum += p[k];
        for (size_t k = 0; k < K; k++)
            p[k] /= sum;
        if (want == MB_WANT_AHEAD)
            out = add_columns(c, q, p, out);
        else
            for (size_t k = 0; k < K; k++)
                *out++ = p[k];
    }
}

/* What is wanted of group g, whose rows are n from `from` on. */
static mb_status answer(chain *c, const spec *q, mb_want want, int64_t from, int64_t n, double *a,
                        double *p, double *out, mb_err *err)
{
    const size_t K = (size_t)c->K;
    double       lnz;

    if (want == MB_WANT_STATES) {
        best_path(c, n, a, p, out);
        return MB_OK;
    }
    MB_TRY(forward(c, from, n, a, p, &lnz, want == MB_WANT_LOGPDF ? out : NULL, err));
    if (want == MB_WANT_SMOOTHED || want == MB_WANT_LABEL)
        backward(c, n, 1, a, p);
    if (want == MB_WANT_SMOOTHED || want == MB_WANT_FILTERED)
        memcpy(out, a, (size_t)n * K * sizeof *out);
    for (int64_t t = 0; want == MB_WANT_LABEL && t < n; t++)
        out[t] = largest_at(c->K, a + (size_t)t * K);
    if (want == MB_WANT_AHEAD || want == MB_WANT_STATES_AHEAD)
        add_ahead(c, q, want, n, n ? a + ((size_t)n - 1) * K : NULL, out);
    return MB_OK;
}

/* Means and variances of the columns in each state; of Student's t with its tails. */
static mb_status moments(chain *c, const spec *q, const double *phi, double *scratch, mb_err *err)
{
    const size_t n = (size_t)q->n, K = (size_t)c->K;

    MB_TRY(mb_to_par(&q->base.layout, phi, c->par, scratch + q->base.scratch, err));
    for (int32_t k = 0; k < c->K; k++) {
        double *variance = c->mean + (K + (size_t)k) * n, v;

        mb_component_moments_(q->kind, &q->size, c->par, k, c->mean + (size_t)k * n, variance);
        if (q->kind != &mb_kind_tmm)
            continue;
        v = mb_tmm_mean_dof_(&q->size, c->par, k);
        for (size_t d = 0; d < n; d++)
            variance[d] *= v > 2 ? v / (v - 2) : (double)INFINITY;
    }
    return MB_OK;
}

/* Numbers of group g in an answer. */
static size_t width(const chain *c, mb_want want, int64_t n)
{
    return want == MB_WANT_AHEAD          ? 2 * (size_t)c->rows->d * (size_t)c->rows->ahead
           : want == MB_WANT_STATES_AHEAD ? (size_t)c->K * (size_t)c->rows->ahead
           : want == MB_WANT_SMOOTHED || want == MB_WANT_FILTERED ? (size_t)n * (size_t)c->K
                                                                  : (size_t)n;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const int future =
        want == MB_WANT_LOGPDF || want == MB_WANT_AHEAD || want == MB_WANT_STATES_AHEAD;
    const spec *q = spec_of(m);
    mb_rows     all = *rows;
    int64_t     g, end = 0;
    chain       c;

    all.w = NULL; /* rows of weight 0 are predicted, too */
    want = want == MB_WANT_RESP ? MB_WANT_SMOOTHED : want;
    if (!future && want != MB_WANT_SMOOTHED && want != MB_WANT_LABEL && want != MB_WANT_STATES &&
        want != MB_WANT_FILTERED)
        MB_FAIL(err, MB_E_NOSUP,
                "a hidden Markov model predicts densities, states and the rows that follow only");
    MB_TRY(open(&c, m, phi, &all, future, scratch, err));
    if (want == MB_WANT_AHEAD)
        MB_TRY(moments(&c, q, phi, scratch, err));
    while (next_groups(&c, 1, &g, &end)) {
        MB_TRY(densities(&c, g, end, err));
        for (int64_t i = g; i < end; i++) {
            const int64_t from = mb_rows_group(&all, i), n = mb_rows_group(&all, i + 1) - from;

            MB_TRY(answer(&c, q, want, from, n, at(&c, c.a, g, i), at(&c, c.p, g, i), out, err));
            out += width(&c, want, n);
        }
    }
    return MB_OK;
}

/* ---- rows of the predictive distribution ---- */

/* The state of row j is drawn from that of the row before, all of them from row 0 on. */
static int32_t draw_state(const mb_model *m, const double *par, uint64_t seed, int64_t j,
                          int32_t before)
{
    mb_rng          rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 1, (uint64_t)j);
    const mb_block *b = transitions(m);

    return mb_index_draw_(&rng, j ? par + b->off + b->len * (size_t)before : par, m->K);
}

static int all_same(size_t K, const double *x)
{
    for (size_t k = 1; k < K; k++)
        if (x[k] < x[0] || x[k] > x[0])
            return 0;
    return 1;
}

/* The state of row j >= 0, in the time of few rows for any j: of the states that row i may have, from j
 * back, each leads to one of row j, and soon all of them to the same. of, next: K numbers. */
static int32_t find_state(const mb_model *m, const double *par, uint64_t seed, int64_t j,
                          double *of, double *next)
{
    const size_t K = (size_t)m->K;
    int64_t      i = j;

    for (size_t k = 0; k < K; k++)
        of[k] = (double)k;
    for (; i > 0 && !all_same(K, of); i--) {
        for (size_t k = 0; k < K; k++)
            next[k] = of[draw_state(m, par, seed, i, (int32_t)k)];
        memcpy(of, next, K * sizeof *of);
    }
    return (int32_t)of[i ? 0 : draw_state(m, par, seed, 0, 0)];
}

/* The mixture draws each row with the weight of the state alone. */
static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    const spec  *q = spec_of(m);
    const size_t wide = 1 + (size_t)q->size.D, K = (size_t)m->K;
    double      *own = scratch + q->base.scratch, *rest = own + q->base.layout.len;
    int32_t      state = first ? find_state(m, par, seed, first - 1, rest, rest + K) : 0;

    memcpy(own, par, q->base.layout.len * sizeof *own);
    for (int64_t j = first; j < first + n; j++) {
        state = draw_state(m, par, seed, j, state);
        for (size_t k = 0; k < K; k++)
            own[k] = k == (size_t)state ? 1 : 1e-300;
        MB_TRY(q->base.ops->sample(&q->base, own, seed, j, 1, out, scratch, err));
        out += wide;
    }
    return MB_OK;
}

/* Both are probabilities, of the first row of a group, and of each but the first. */
static void entries(const mb_model *m, mb_entry *out)
{
    const spec  *q = spec_of(m);
    const size_t at = transitions(m)->off;

    q->base.ops->entries(&q->base, out);
    mb_entries_weights_(&q->base, 1, out);
    for (size_t e = 0; e < (size_t)m->K * (size_t)m->K; e++) {
        out[at + e].least = 0;
        out[at + e].most = 1;
    }
}

static const mb_model_ops ops = {.name = "hmm",
                                 .more_latent = 1,
                                 .stats = stats,
                                 .seed_stats = seed_stats,
                                 .group_scratch = group_scratch,
                                 .predict = predict,
                                 .sample = MB_TABLE_(sample),
                                 .entries = MB_ENTRIES_(entries)};

/* The chain of states whose emission is base, of this kind and these sizes of its own. Concentrations of
 * the transitions: each, and how much more where the state stays. */
static mb_status wrap(mb_arena *a, const mb_model *base, const mb_kind *kind, const mb_sizes *s,
                      double each, double stay, mb_model *out, mb_err *err)
{
    const size_t K = (size_t)base->K, len = base->layout.len;
    mb_model     m = {.ops = &ops, .layout = base->layout, .K = base->K};
    double      *phi;
    spec        *q;

    MB_TRY(mb_check_concentration_("transitions", each, err));
    MB_TRY(mb_layout_add_square(&m.layout, &mb_dirichlet, base->K, err));
    MB_NEW(q, a, 1, err);
    *q = (spec){.base = *base, .kind = kind, .size = *s};
    for (int32_t d = 0; d < s->D; d++)
        q->n += mb_column_quantities(s->columns, d);
    MB_NEW(phi, a, m.layout.len, err);
    memcpy(phi, base->prior, len * sizeof *phi);
    for (size_t e = 0; e < K * K; e++)
        phi[len + e] = each - 1 + (e % (K + 1) ? 0 : stay);
    m.spec = q;
    MB_TRY(mb_prior_natural_(a, phi, &m, err));
    m.scratch = group_scratch(&m, 1);
    *out = m;
    return MB_OK;
}

/* ---- the mixture of the emissions ---- */

enum { FORM_CHOICE, EMISSION_CHOICE };
enum { GAUSSIAN, STUDENT, COLUMNS, POISSON, CATEGORICAL }; /* the last two: see declares */

/* The kind of the mixture, and the sizes as it has them. */
static const mb_kind *base_of(const mb_sizes *s, mb_sizes *own)
{
    static const mb_kind *const kind[] = {&mb_kind_gmm, &mb_kind_tmm, &mb_kind_lca};

    *own = *s;
    memset(own->choice, 0, sizeof own->choice);
    if (s->choice[EMISSION_CHOICE] == GAUSSIAN)
        own->choice[MB_GMM_FORM_CHOICE_] = s->choice[FORM_CHOICE];
    return kind[s->choice[EMISSION_CHOICE]];
}

static mb_status model(mb_arena *a, const mb_kind *kind, const mb_sizes *s, mb_model *out,
                       mb_err *err)
{
    mb_sizes       own;
    const mb_kind *base = base_of(s, &own);
    mb_model       m = {.ops = NULL};

    (void)kind;
    MB_TRY(mb_kind_model(a, base, &own, &m, err));
    return wrap(a, &m, base, &own, 1, 0, out, err);
}

/* Numbers of textbook parameters, or of those that are derived, in these fields. */
static size_t numbers_of(int32_t n, const mb_field *f, int32_t derived)
{
    size_t sum = 0;

    for (int32_t i = 0; i < n; i++)
        if (!f[i].absent && f[i].derived == derived)
            sum += mb_field_items(&f[i]) * mb_field_stored(&f[i]);
    return sum;
}

/* Fields of the first state in place of those of the weights, then the transitions. */
static int32_t fields(const mb_kind *kind, const mb_sizes *s, mb_field *out)
{
    mb_sizes      own;
    const int32_t n = mb_kind_fields(base_of(s, &own), &own, out), K = s->K;
    const size_t  len = numbers_of(n, out, 0), derived = numbers_of(n, out, 1);

    (void)kind;
    out[0].key = "initial_concentration";
    out[1].key = "initial";
    out[n] = (mb_field){
        .key = "transition_concentration", 2, {K, K}, .bounded = 1, .at = len, .step = (size_t)K};
    out[n + 1] =
        (mb_field){.key = "transitions", 2, {K, K}, .derived = 1, .at = derived, .step = (size_t)K};
    return n + 2;
}

/* par of the transitions. */
static const double *transitions_in(const mb_sizes *s, const double *par, size_t *derived)
{
    mb_field      f[MB_FIELDS_MAX];
    mb_sizes      own;
    const int32_t n = mb_kind_fields(base_of(s, &own), &own, f);

    *derived = numbers_of(n, f, 1);
    return par + numbers_of(n, f, 0);
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    mb_sizes       own;
    const mb_kind *base = base_of(s, &own);
    const size_t   K = (size_t)s->K;
    size_t         derived;
    const double  *row = transitions_in(s, par, &derived);

    MB_TRY(mb_kind_derive(a, base, &own, par, out, err));
    out += derived;
    for (size_t i = 0; i < K; i++, row += K, out += K)
        mb_shares(&mb_dirichlet, s->K, row, out);
    return MB_OK;
}

static int32_t drawn(const mb_kind *kind, const mb_sizes *s, mb_field *out)
{
    mb_sizes      own;
    const int32_t n = mb_kind_drawn(base_of(s, &own), &own, out), K = s->K;

    (void)kind;
    out[0].key = "initial";
    out[n] = (mb_field){.key = "transition",
                        2,
                        {K, K},
                        .at = numbers_of(n, out, 0),
                        .step = (size_t)K,
                        .over = MB_OVER_COMPONENTS};
    return n + 1;
}

static void component(const mb_kind *kind, const mb_sizes *s, const double *par, int32_t k,
                      double *mean, double *variance)
{
    mb_sizes       own;
    const mb_kind *base = base_of(s, &own);

    (void)kind;
    mb_component_moments_(base, &own, par, k, mean, variance);
}

static double covariance(const mb_sizes *s, const double *par, int32_t k, int32_t x, int32_t y)
{
    mb_sizes       own;
    const mb_kind *base = base_of(s, &own);

    return base->component ? base->component(&own, par, k, x, y) : 0;
}

static void units(const mb_kind *kind, const mb_sizes *s, mb_units *run)
{
    mb_sizes       own;
    const mb_kind *base = base_of(s, &own);

    (void)kind;
    mb_kind_units(base, &own, run);
}

static int mixes(const mb_kind *kind)
{
    (void)kind;
    return 1;
}

static int mixed(const mb_sizes *s)
{
    return s->choice[EMISSION_CHOICE] == COLUMNS;
}

static const mb_emission *const emissions[] = {&mb_gaussian_columns_, &mb_poisson_columns_,
                                               &mb_category_columns_, NULL};
static const struct mb_emitted  by = {.model = model,
                                      .fields = fields,
                                      .drawn = drawn,
                                      .component = component,
                                      .covariance = covariance,
                                      .units = units,
                                      .mixes = mixes,
                                      .mixed = mixed};

/* ---- the prior, as the options ask for it ---- */

static int32_t needs_covariance(const void *opt)
{
    const mb_hmm_kind *own = opt;

    return own->emission < COLUMNS && mb_gmm_needs_covariance_(&own->gmm);
}

static const double mean_rows = 0.01; /* of the prior of a state's mean, from all rows */
static const double trim =
    5; /* of rows with the tails of Student's t, as a mixture of them has it */

static double trims(const void *opt)
{
    const mb_hmm_kind *own = opt;

    return own->emission == STUDENT ? trim : 0;
}

/* Of the mixture that is base, whose options are the hmm's but for gmm. */
static mb_status emission_prior(mb_arena *a, const mb_hmm_kind *own, const mb_gmm_kind *gmm,
                                const mb_kind *base, const mb_units *run,
                                const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_tmm_kind student = {.gmm = *gmm, .trim = trim};
    const mb_lca_kind columns = {.n_components = gmm->n_components,
                                 .prior = gmm->prior,
                                 .alpha0 = gmm->alpha0,
                                 .beta0 = gmm->beta0,
                                 .nu0 = gmm->nu0,
                                 .a0 = own->a0,
                                 .share0 = own->share0};

    return base->prior(a,
                       own->emission >= COLUMNS   ? (const void *)&columns
                       : own->emission == STUDENT ? (const void *)&student
                                                  : (const void *)gmm,
                       run, seen, out, err);
}

/* What all rows say of one of K states, for the prior: K states that cover the volume of all rows have a
 * K-th of it each, as the prior of [Fraley07] has it. Of states at a large distance the scatter of all
 * rows would otherwise be most of that of each state, and of intervals of forecasts. */
static mb_status share_of_state(mb_arena *a, const mb_row_moments *seen, int64_t K,
                                mb_row_moments *out, mb_err *err)
{
    const size_t d = (size_t)seen->d;
    const double part = pow((double)K, -1.0 / seen->d);

    *out = *seen;
    MB_NEW(out->sd, a, d, err);
    for (size_t e = 0; e < d; e++)
        out->sd[e] = part * seen->sd[e];
    if (!seen->cov)
        return MB_OK;
    MB_NEW(out->cov, a, d * d, err);
    for (size_t e = 0; e < d * d; e++)
        out->cov[e] = part * part * seen->cov[e];
    return MB_OK;
}

/* Columns that were declared otherwise than the options do; kinds NULL: as numbers. */
static mb_status check_columns(const mb_hmm_kind *own, int32_t D, const mb_columns *kinds,
                               mb_err *err)
{
    const mb_column_kind want = own->emission == POISSON ? MB_COLUMN_COUNT : MB_COLUMN_CATEGORY;

    if (own->emission != POISSON && own->emission != CATEGORICAL)
        return MB_OK;
    for (int32_t d = 0; d < D; d++) {
        const mb_column_kind is = kinds ? kinds->of[d].kind : MB_COLUMN_NUMBER;

        if (is != want)
            MB_FAIL(err, MB_E_ARG,
                    "--column: got %s for column %d; expected %s, as the emission is %s",
                    mb_column_word(is), (int)d + 1, mb_column_word(want),
                    own->emission == POISSON ? "poisson" : "categorical");
    }
    return MB_OK;
}

/* An option of the prior that the emission has not; NULL: none is given. */
static const char *of_another(const mb_hmm_kind *own)
{
    const mb_gmm_kind *gmm = &own->gmm;

    if (own->emission >= COLUMNS)
        return gmm->mu0 || gmm->mu0_at ? "mu0" : gmm->w0inv || gmm->w0inv_at ? "w0inv" : NULL;
    return !isnan(own->a0) ? "a0" : !isnan(own->share0) ? "share0" : NULL;
}

static mb_status check_prior(const mb_hmm_kind *own, mb_err *err)
{
    const char *name = of_another(own);

    if (name)
        MB_FAIL(
            err, MB_E_ARG, "--prior.%s: got it with another emission; expected --emission %s", name,
            own->emission >= COLUMNS ? "gaussian or student" : "columns, poisson or categorical");
    return MB_OK;
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_hmm_kind *own = opt;
    mb_gmm_kind        gmm = own->gmm;
    const int          empirical = !gmm.prior || !strcmp(gmm.prior, "empirical");
    mb_row_moments     of_state = *seen;
    mb_sizes           s, of;
    const mb_kind     *base;
    mb_model           m;

    mb_kind_sizes(&mb_kind_hmm, opt, seen->d, seen->kinds, &s);
    base = base_of(&s, &of);
    MB_TRY(check_columns(own, seen->d, seen->kinds, err));
    MB_TRY(check_prior(own, err));
    if (own->emission != GAUSSIAN && own->gmm.covariance_type != MB_COVARIANCE_FULL)
        MB_FAIL(err, MB_E_ARG,
                "--covariance-type: got %s; expected it with --emission gaussian only",
                mb_kind_word(&mb_kind_hmm, &s, FORM_CHOICE));
    if (empirical) {
        gmm.beta0 = mb_automatic_(gmm.beta0, mean_rows);
        MB_TRY(share_of_state(a, seen, gmm.n_components, &of_state, err));
    }
    MB_TRY(emission_prior(a, own, &gmm, base, run, &of_state, out, err));
    m = out->model;
    return wrap(a, &m, base, &of, mb_automatic_(own->transitions, 1), own->stay, &out->model, err);
}

/* Two words are short for COLUMNS where all are of one kind. */
static const char *declares(const void *opt)
{
    const mb_hmm_kind *own = opt;

    return own->emission == POISSON       ? "*:count"
           : own->emission == CATEGORICAL ? "*:category"
                                          : NULL;
}

/* Options behind pointers: those of the Gaussian, which is the first member. */
static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    return mb_gmm_numbers_(opt, columns, out);
}

static int32_t one_scale(const mb_sizes *s)
{
    return s->choice[EMISSION_CHOICE] == GAUSSIAN &&
           s->choice[FORM_CHOICE] == MB_COVARIANCE_SPHERICAL;
}

/* ---- tables for people ---- */

/* Rows of each state: those that are the first, and those that a transition leads to. */
static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    mb_posterior  as = *p;
    const size_t  K = (size_t)p->size.K;
    size_t        derived;
    const double *to = transitions_in(&p->size, p->par, &derived);
    const double *before = p->prior_par ? p->prior_par + (to - p->par) : NULL;
    double       *count, *weight, all = 0;

    as.kind = base_of(&p->size, &as.size);
    if (as.kind->summary)
        MB_TRY(as.kind->summary(a, &as, out, err));
    MB_NEW(count, a, K, err);
    MB_NEW(weight, a, K, err);
    for (size_t k = 0; k < K; k++) {
        count[k] = p->par[k] - (before ? p->prior_par[k] : 0);
        for (size_t i = 0; i < K; i++)
            count[k] += to[i * K + k] - (before ? before[i * K + k] : 0);
        all += count[k] = fmax(0, count[k]);
    }
    for (size_t k = 0; k < K; k++) {
        weight[k] = all > 0 ? count[k] / all : 1 / (double)K;
        count[k] = before ? count[k] : (double)NAN;
    }
    out->part = "state";
    out->counted = "rows";
    out->count = count;
    out->weight = weight;
    return MB_OK;
}

/* ---- the kind ---- */

#define AT(field)  offsetof(mb_hmm_kind, gmm.field)
#define OWN(field) offsetof(mb_hmm_kind, field)

static const mb_opt options[] = {
    MB_GMM_COMPONENTS_(AT),
    {"emission", MB_OPT_CHOICE, OWN(emission), "gaussian", 0, 0,
     "gaussian|student|columns|poisson|categorical", "", "math 34", "",
     "what a state says of a row: gaussian: see covariance-type; student: Student's "
     "t, whose tails bear rows far out; columns: each column by its kind, independently: numbers "
     "Gaussian, counts Poisson, categories and flags by shares; poisson and categorical: the same "
     "where all columns are counts or all are categories, without --column"},
    {"covariance-type", MB_OPT_CHOICE, AT(covariance_type), "full", 0, 0,
     "full|diag|spherical|tied", "", "math 16", "covariance_type",
     "of Gaussian states: full: each has a covariance matrix; diag: a variance for each column; "
     "spherical: one variance; tied: all states share one matrix"},
    MB_GMM_PRIOR_OPTIONS_OF_(AT,
                             "from mean and covariance of all rows, of which a state has the K-th "
                             "part by volume (docs/math.md, 34)",
                             "0.01 (weak, paper: 1, 1e-5)",
                             "the covariance of the rows over K^(2/D)"),
    {"prior.a0", MB_OPT_AUTO, OWN(a0), "auto", 1e-300, 1e12, NULL, "", "math 22", "",
     "shape of the gamma of each count's rate, whose mean is that of the column; auto = 1"},
    {"prior.share0", MB_OPT_AUTO, OWN(share0), "auto", 1e-300, 1e12, NULL, "", "math 22", "",
     "Dirichlet concentration of each level of a category, and of both of a flag; auto = 1"},
    {"prior.transitions", MB_OPT_AUTO, OWN(transitions), "auto", 1e-300, 1e12, NULL, "", "math 34",
     "", "Dirichlet concentration of each transition between states; auto = 1"},
    {"prior.stay", MB_OPT_REAL, OWN(stay), "0", 0, 1e12, NULL, "rows", "math 34", "",
     "added to that of staying in a state: more for states that last"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static const char *const forms[] = {"full", "diag", "spherical", "tied", NULL}; /* mb_covariance */
static const char *const words[] = {"gaussian", "student", "columns", NULL};
static const mb_choice   choices[] = {{"covariance_type", "covariance-type", forms},
                                      {"emission", "emission", words},
                                      {NULL, NULL, NULL}};

const mb_kind mb_kind_hmm = {.name = "hmm",
                             .title = "hidden Markov model of sequences",
                             .estimator = "HiddenMarkovModel",
                             .groups = "always",
                             .ahead = 1,
                             .windows = 9,
                             .emissions = &(const mb_emissions){emissions, &by},
                             .gaps = MB_GAPS_(1),
                             .opts = options,
                             .opt_size = sizeof(mb_hmm_kind),
                             .choices = choices,
                             .declares = declares,
                             .numbers = numbers,
                             .one_scale = one_scale,
                             .prior = prior,
                             .needs_covariance = needs_covariance,
                             .trims = MB_FAR_(1) ? trims : NULL,
                             .derive = derive,
                             .summary = MB_TABLE_(summarise)};
