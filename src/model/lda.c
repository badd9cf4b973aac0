/* lda.c - topics of documents: each row is a term of a document, its group, and how often it is there;
 * docs/math.md, section 37 [Blei03].
 *
 * Layout: dirichlet.1 of a document's topics, which no row changes, so that files know it; then K
 * slices dirichlet.1 of V terms. q(theta_d) of each document is found by iterations at its node. */
#include "base/draw.h"
#include "base/err.h"
#include "base/rows.h"
#include "base/text.h"
#include "expfam/expfam.h"
#include "model/export.h"
#include "model/kind.h"
#include "model/model.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TERM, COUNT, COLUMNS, /* of a row */ CAP = 500 /* iterations of a document */ };

/* Iterations end where no concentration moves by more than this share of the document's words; of
 * densities, of which each row has its own. */
static const double STILL = 1e-10, NEARLY = 1e-6;
/* Expected logarithms are at least this far below the largest, so that products of two are no 0. */
static const double LEAST = -300;

typedef struct spec {
    int32_t K, V; /* topics, terms */
} spec;

/* At one phi, and of one document. */
typedef struct work {
    const spec *q;
    double     *alpha;              /* K: of the topics of a document                   */
    double     *total;              /* K: sums of the concentrations of each topic      */
    double     *top;                /* V: largest E[ln beta] of the term over topics    */
    double     *B;                  /* V x K: exp(E[ln beta] - top)                     */
    double     *gamma, *next, *t;   /* K: of q(theta), the next, exp(E[ln theta] - ..)  */
    double     *r;                  /* K                                                */
    double     *term, *count;       /* rows of the longest group                        */
    double      ln_t;               /* what t was divided by                            */
    double      alphas, ln_alphas;  /* sum of alpha, ln of the normaliser of its Dirichlet */
    double      words;              /* of the document                                  */
    double      still;              /* STILL or NEARLY                                  */
    int64_t     n;                  /* its rows                                         */
    int32_t     iterations, capped; /* of the document; 1: they did not come to rest    */
} work;

static size_t fixed_scratch(const spec *q)
{
    const size_t K = (size_t)q->K, V = (size_t)q->V;

    return 6 * K + V + V * K;
}

static size_t group_scratch(const mb_model *m, int64_t longest)
{
    return fixed_scratch(m->spec) + 2 * (size_t)(longest > 1 ? longest : 1);
}

static void carve(const mb_model *m, int64_t longest, double *scratch, work *w)
{
    const spec  *q = m->spec;
    const size_t K = (size_t)q->K, V = (size_t)q->V;

    *w = (work){.q = q, .alpha = scratch, .still = STILL};
    w->total = w->alpha + K;
    w->gamma = w->total + K;
    w->next = w->gamma + K;
    w->t = w->next + K;
    w->r = w->t + K;
    w->top = w->r + K;
    w->B = w->top + V;
    w->term = w->B + V * K;
    w->count = w->term + longest;
}

/* alpha, and what is known of its Dirichlet. */
static mb_status documents(const mb_model *m, const double *phi, work *w, mb_err *err)
{
    const mb_block *b = m->layout.block;

    if (b->family->moments(b->dim, phi, w->r, NULL, NULL) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "the concentrations of the topics are outside their domain");
    for (int32_t k = 0; k < w->q->K; k++) {
        w->alpha[k] = phi[k] + 1;
        w->alphas += w->alpha[k];
        w->ln_alphas -= mb_lgamma_(w->alpha[k]);
    }
    w->ln_alphas += mb_lgamma_(w->alphas);
    return MB_OK;
}

/* top and B at phi, of expected logarithms. */
static void expectations(const mb_model *m, const double *phi, work *w)
{
    const size_t  K = (size_t)w->q->K, V = (size_t)w->q->V;
    const double *topic = phi + m->layout.block[1].off;

    for (size_t k = 0; k < K; k++) {
        const double all = mb_digamma_(w->total[k]);

        for (size_t v = 0; v < V; v++)
            w->B[v * K + k] = mb_digamma_(topic[k * V + v] + 1) - all;
    }
    for (size_t v = 0; v < V; v++) {
        double *of = w->B + v * K;

        w->top[v] = of[0];
        for (size_t k = 1; k < K; k++)
            w->top[v] = fmax(w->top[v], of[k]);
        for (size_t k = 0; k < K; k++)
            of[k] = exp(fmax(of[k] - w->top[v], LEAST));
    }
}

static mb_status set_up(const mb_model *m, const double *phi, const mb_rows *rows, double *scratch,
                        work *w, mb_err *err)
{
    const mb_block *b = &m->layout.block[1];

    carve(m, mb_rows_longest(rows), scratch, w);
    MB_TRY(documents(m, phi, w, err));
    for (int32_t k = 0; k < w->q->K; k++) {
        const double *topic = phi + b->off + (size_t)k * b->len;

        w->total[k] = 0;
        for (int32_t v = 0; v < w->q->V; v++) {
            if (!(topic[v] > -1 && isfinite(topic[v])))
                MB_FAIL(err, MB_E_DOMAIN,
                        "topic %" PRId32 ": concentration %" PRId32 " is outside its domain", k, v);
            w->total[k] += topic[v] + 1;
        }
        if (!isfinite(w->total[k]))
            MB_FAIL(err, MB_E_DOMAIN, "topic %" PRId32 ": its concentrations have no sum", k);
    }
    expectations(m, phi, w);
    return MB_OK;
}

static mb_status check_shape(const mb_rows *rows, mb_err *err)
{
    if (rows->n > 0 && rows->d != COLUMNS)
        MB_FAIL(err, MB_E_SHAPE, "rows: got %" PRId32 " columns; expected 2, a term and its count",
                rows->d);
    return MB_OK;
}

static mb_status read_row(work *w, const mb_rows *rows, int64_t j, mb_err *err)
{
    const double term = mb_rows_at(rows, j, TERM), count = mb_rows_at(rows, j, COUNT);

    if (!(term >= 0 && term < w->q->V) || floor(term) < term)
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": got term %g; expected its number, 0 to %" PRId32, j, term,
                w->q->V - 1);
    if (!(count >= 0 && count <= MB_VALUE_MAX) || floor(count) < count)
        MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": got count %g; expected a whole number from 0",
                j, count);
    w->term[w->n] = term;
    w->count[w->n++] = count;
    w->words += count;
    return MB_OK;
}

static mb_status read_document(work *w, const mb_rows *rows, int64_t first, int64_t end,
                               mb_err *err)
{
    w->n = 0;
    w->words = 0;
    for (int64_t j = first; j < end; j++)
        MB_TRY(read_row(w, rows, j, err));
    return MB_OK;
}

static const double *of_row(const work *w, int64_t j)
{
    return w->B + (size_t)w->term[j] * (size_t)w->q->K;
}

/* t and ln_t at gamma. */
static void topics(work *w)
{
    const double all = mb_digamma_(w->alphas + w->words);
    const size_t K = (size_t)w->q->K;

    w->ln_t = -(double)INFINITY;
    for (size_t k = 0; k < K; k++) {
        w->t[k] = mb_digamma_(w->gamma[k]) - all;
        w->ln_t = fmax(w->ln_t, w->t[k]);
    }
    for (size_t k = 0; k < K; k++)
        w->t[k] = exp(fmax(w->t[k] - w->ln_t, LEAST));
}

/* sum_k t_k B_vk of row j. */
static double weight(const work *w, const double *B)
{
    double sum = 0;

    for (int32_t k = 0; k < w->q->K; k++)
        sum += w->t[k] * B[k];
    return sum;
}

/* From gamma on, until it rests: gamma_k = alpha_k + sum_v n_v r_vk. t is that of the gamma before the
 * last step, which moved by nothing that counts. */
static void iterate(work *w)
{
    const size_t K = (size_t)w->q->K;
    double       moved = (double)INFINITY;

    for (w->iterations = 0; moved > w->still * (w->alphas + w->words) && w->iterations < CAP;
         w->iterations++) {
        topics(w);
        memset(w->r, 0, K * sizeof *w->r);
        for (int64_t j = 0; j < w->n; j++) {
            const double *B = of_row(w, j), share = w->count[j] / weight(w, B);

            for (size_t k = 0; k < K; k++)
                w->r[k] += share * B[k];
        }
        moved = 0;
        for (size_t k = 0; k < K; k++) {
            const double now = w->alpha[k] + w->t[k] * w->r[k];

            moved = fmax(moved, fabs(now - w->gamma[k]));
            w->gamma[k] = now;
        }
    }
    w->capped = moved > w->still * (w->alphas + w->words);
}

/* q(theta) of the document, from equal shares of all topics. */
static void infer(work *w)
{
    for (int32_t k = 0; k < w->q->K; k++)
        w->gamma[k] = w->alpha[k] + w->words / w->q->K;
    iterate(w);
}

/* ln Z: sum_v n_v ln sum_k exp(E[ln theta_k] + E[ln beta_kv]) - KL(q(theta) || p(theta)). s: the
 * statistics of the topics, to which v n_v r_vk is added. */
static double add_document(work *w, double v, double *s)
{
    const size_t K = (size_t)w->q->K, V = (size_t)w->q->V;
    double       sum = 0;

    topics(w);
    for (int64_t j = 0; j < w->n; j++) {
        const double *B = of_row(w, j), all = weight(w, B);
        double       *to = s + (size_t)w->term[j];

        sum += w->count[j] * (log(all) + w->ln_t + w->top[(size_t)w->term[j]]);
        for (size_t k = 0; k < K; k++)
            to[k * V] += v * (w->count[j] * (w->t[k] * B[k] / all));
    }
    sum += w->ln_alphas - mb_lgamma_(w->alphas + w->words);
    for (size_t k = 0; k < K; k++) /* -KL, by what the document adds */
        sum -= (w->gamma[k] - w->alpha[k]) *
                   (mb_digamma_(w->gamma[k]) - mb_digamma_(w->alphas + w->words)) -
               mb_lgamma_(w->gamma[k]);
    return sum;
}

/* Statistics of all documents; counted (NULL: not wanted): how their iterations ended. */
static mb_status gather(const mb_model *m, work *w, const mb_rows *rows, double *s, double *logz,
                        mb_iterations *counted, mb_err *err)
{
    double total = 0, v;

    for (int64_t g = 0; g < mb_rows_groups(rows); g++) {
        MB_TRY(mb_rows_group_weight(rows, g, &v, err));
        if (!(v > 0))
            continue;
        MB_TRY(read_document(w, rows, mb_rows_group(rows, g), mb_rows_group(rows, g + 1), err));
        infer(w);
        if (s)
            total += v * add_document(w, v, s + m->layout.block[1].off);
        if (!counted)
            continue;
        counted->groups++;
        counted->sum += w->iterations;
        counted->capped += w->capped;
        counted->most = w->iterations > counted->most ? w->iterations : counted->most;
    }
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    work w;

    MB_TRY(check_shape(rows, err));
    MB_TRY(set_up(m, phi, rows, scratch, &w, err));
    return gather(m, &w, rows, s, logz, NULL, err);
}

static mb_status iterations(const mb_model *m, const double *phi, const mb_rows *rows,
                            mb_iterations *out, double *scratch, mb_err *err)
{
    work w;

    MB_TRY(check_shape(rows, err));
    MB_TRY(set_up(m, phi, rows, scratch, &w, err));
    out->cap = CAP;
    return gather(m, &w, rows, NULL, NULL, out, err);
}

/* ---- where a run begins ---- */

/* Concentrations of about 1 that differ, as scikit-learn has them: with equal topics nothing would ever
 * tell them apart. Topics of an earlier posterior differ already. */
static void noise(const mb_model *m, mb_rng *rng, double *phi)
{
    enum { SHAPE = 100 };
    const size_t at = m->layout.block[1].off;
    int          differ = 0;

    memcpy(phi, m->prior, m->layout.len * sizeof *phi);
    for (size_t e = at; e < m->layout.len; e++)
        differ |= phi[e] > phi[at] || phi[e] < phi[at];
    for (size_t e = at; !differ && e < m->layout.len; e++)
        phi[e] = exp(mb_draw_ln_gamma_(rng, SHAPE)) / SHAPE - 1;
}

static void phi0(const mb_model *m, const mb_units *run, const double *centres, mb_rng *rng,
                 double *phi)
{
    (void)run, (void)centres;
    noise(m, rng, phi);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    mb_rng rng = mb_rng_at(0, 0, 0, 0);

    (void)resp;
    noise(m, &rng, scratch);
    return stats(m, scratch, rows, s, NULL, scratch + m->layout.len, err);
}

/* ---- predictions ---- */

/* ln p of row j, which is read next, given the rows of its document before: E[theta] of these, E[beta]
 * of the posterior. Then q(theta) knows it, too. */
static mb_status predict_row(work *w, const double *topic, const mb_rows *rows, int64_t j,
                             double *out, mb_err *err)
{
    const int32_t K = w->q->K;
    const double  before = w->alphas + w->words;
    double        sum = 0, *B;

    MB_TRY(read_row(w, rows, j, err));
    for (int32_t k = 0; k < K; k++)
        sum += w->gamma[k] / before *
               (topic[(size_t)k * (size_t)w->q->V + (size_t)w->term[w->n - 1]] + 1) / w->total[k];
    *out = w->count[w->n - 1] * log(sum);
    if (!isfinite(*out))
        MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": its density is %g", j, *out);
    B = w->B + (size_t)w->term[w->n - 1] * (size_t)K;
    topics(w);
    sum = weight(w, B);
    for (int32_t k = 0; k < K; k++)
        w->gamma[k] += w->count[w->n - 1] * (w->t[k] * B[k] / sum);
    iterate(w);
    return MB_OK;
}

static mb_status predict_document(const mb_model *m, work *w, const double *phi,
                                  const mb_rows *rows, int64_t g, mb_want want, double *out,
                                  mb_err *err)
{
    const int64_t first = mb_rows_group(rows, g), end = mb_rows_group(rows, g + 1);
    const size_t  K = (size_t)w->q->K;

    if (want == MB_WANT_TOPICS) {
        MB_TRY(read_document(w, rows, first, end, err));
        infer(w);
        for (size_t k = 0; k < K; k++)
            out[(size_t)g * K + k] = w->gamma[k] / (w->alphas + w->words);
        return MB_OK;
    }
    MB_TRY(read_document(w, rows, first, first, err));
    w->still = NEARLY;
    memcpy(w->gamma, w->alpha, K * sizeof *w->gamma);
    for (int64_t j = first; j < end; j++)
        MB_TRY(predict_row(w, phi + m->layout.block[1].off, rows, j, out + j, err));
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    work w;

    if (want != MB_WANT_TOPICS && want != MB_WANT_LOGPDF)
        MB_FAIL(err, MB_E_NOSUP,
                "topics explain documents: they predict shares of topics and densities only");
    MB_TRY(check_shape(rows, err));
    MB_TRY(set_up(m, phi, rows, scratch, &w, err));
    for (int64_t g = 0; g < mb_rows_groups(rows); g++)
        MB_TRY(predict_document(m, &w, phi, rows, g, want, out, err));
    return MB_OK;
}

/* All rows are words of one document, whose topics follow from the seed: the topic of each, its term,
 * and 1. */
static mb_status sample(const mb_model *m, const double *par, uint64_t seed, int64_t first,
                        int64_t n, double *out, double *scratch, mb_err *err)
{
    const mb_block *b = m->layout.block;
    mb_rng          whole = mb_rng_at(seed, MB_STREAM_SAMPLE, 2, 0);

    if (b->family->draw(b->dim, par, &whole, scratch, NULL) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "the topics of a document cannot be drawn");
    for (int64_t j = first; j < first + n; j++) {
        mb_rng        rng = mb_rng_at(seed, MB_STREAM_SAMPLE, 0, (uint64_t)j);
        const int32_t k = mb_index_draw_(&rng, scratch, b[0].dim);

        *out++ = k;
        *out++ = mb_index_draw_(&rng, par + b[1].off + (size_t)k * b[1].len, b[1].dim);
        *out++ = 1;
    }
    return MB_OK;
}

static const mb_model_ops ops = {.name = "lda",
                                 .more_latent = 1,
                                 .stats = stats,
                                 .seed_stats = seed_stats,
                                 .iterations = iterations,
                                 .group_scratch = group_scratch,
                                 .predict = predict,
                                 .sample = MB_TABLE_(sample)};

/* ---- the prior ---- */

/* The terms of the first column; 0: there are none. */
static int32_t terms_of(const mb_sizes *s)
{
    return s->columns && s->D == COLUMNS ? s->columns->of[TERM].levels : 0;
}

static spec spec_of(const mb_sizes *s)
{
    return (spec){.K = s->factors, .V = terms_of(s)};
}

static mb_status check(const mb_sizes *s, mb_err *err)
{
    if (s->factors < 1 || s->factors > MB_FACTORS_MAX)
        MB_FAIL_OPTION(err, "n-components", MB_E_ARG,
                       "n-components: got %" PRId32 " topics; expected 1 to %d", s->factors,
                       MB_FACTORS_MAX);
    if (terms_of(s) < 1)
        MB_FAIL(err, MB_E_ARG,
                "topics: got %" PRId32 " columns; expected 2, a term, which is a category with "
                "names, and how often it is there",
                s->D);
    return MB_OK;
}

/* Without its prior. */
static mb_status begin(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    spec *q;

    MB_TRY(check(s, err));
    MB_NEW(q, a, 1, err);
    *q = spec_of(s);
    *out = (mb_model){.ops = &ops, .spec = q, .alike = s->factors};
    MB_TRY(mb_layout_add(&out->layout, &mb_dirichlet, q->K, 1, err));
    MB_TRY(mb_layout_add(&out->layout, &mb_dirichlet, q->V, q->K, err));
    out->scratch = group_scratch(out, 1);
    return MB_OK;
}

/* Both are 1/K where they are NaN. */
static mb_status make(mb_arena *a, const mb_sizes *s, double document, double term, mb_model *out,
                      mb_err *err)
{
    double *par;

    MB_TRY(begin(a, s, out, err));
    MB_NEW(par, a, out->layout.len, err);
    for (size_t e = 0; e < out->layout.len; e++)
        par[e] = mb_automatic_(e < (size_t)s->factors ? document : term, 1.0 / s->factors);
    return mb_model_prior(a, par, out, err);
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    return make(a, s, (double)NAN, (double)NAN, out, err);
}

#define AT(field) offsetof(mb_lda_kind, field)

#define PRIORS "symmetric|posterior:FILE.json"

static const mb_opt options[] = {
    {"n-components", MB_OPT_INT, AT(n_components), "10", 1, MB_FACTORS_MAX, NULL, "topics",
     "math 37", "n_components", "number of topics"},
    {"prior", MB_OPT_INPUT, AT(prior), "symmetric", 0, 0, PRIORS, "", "math 37", "",
     "symmetric: the two numbers below; posterior: an earlier posterior, topic by topic, at which "
     "the run begins. Single options override the first"},
    {"lda.doc-topic-prior", MB_OPT_AUTO, AT(doc_topic_prior), "auto", 0.005, 1e12, NULL, "",
     "math 37", "doc_topic_prior",
     "Dirichlet concentration of each topic in a document: below 1 documents have few topics; auto "
     "= 1/K"},
    {"lda.topic-word-prior", MB_OPT_AUTO, AT(topic_word_prior), "auto", 0.005, 1e12, NULL, "",
     "math 37", "topic_word_prior",
     "Dirichlet concentration of each term in a topic: below 1 topics have few terms; auto = 1/K"},
    {"lda.vocabulary", MB_OPT_INT, AT(vocabulary), "2000", 0, 1000000, NULL, "terms", "math 37", "",
     "most terms: those that are there most often in all documents; the others become one term, "
     "(other), and a note says so; 0: no limit"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_lda_kind *o = opt;
    mb_sizes           s;
    int32_t            which;

    (void)run;
    mb_kind_sizes(&mb_kind_lda, opt, seen->d, seen->kinds, &s);
    MB_TRY(mb_prior_word_(o->prior, PRIORS, &which, err));
    return make(a, &s, o->doc_topic_prior, o->topic_word_prior, &out->model, err);
}

/* ---- what is known of the parameters ---- */

static const double *topic_of(const mb_sizes *s, const double *par, int32_t k)
{
    return par + s->factors + (size_t)k * (size_t)terms_of(s);
}

static double sum_of(const double *x, int32_t n)
{
    double sum = 0;

    for (int32_t e = 0; e < n; e++)
        sum += x[e];
    return sum;
}

/* Probabilities of the terms, and the share of each topic of all concentrations. */
static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const int32_t K = s->factors, V = terms_of(s);
    const double  all = sum_of(par + K, K * V);
    double       *share = out + (size_t)K * (size_t)V;

    (void)a, (void)err;
    for (int32_t k = 0; k < K; k++) {
        const double *topic = topic_of(s, par, k), sum = sum_of(topic, V);

        for (int32_t v = 0; v < V; v++)
            *out++ = topic[v] / sum;
        share[k] = sum / all;
    }
    return MB_OK;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->factors, V = terms_of(s);
    const size_t   n = (size_t)K, step = (size_t)V;
    const mb_field all[] = {
        {.key = "doc_topic_prior", 1, {K}, .bounded = 1, .step = 1},
        {.key = "term_concentration",
         2,
         {K, V},
         .bounded = 1,
         .at = n,
         .step = step,
         .over = MB_OVER_LEVELS},
        {.key = "topics", 2, {K, V}, .derived = 1, .step = step, .over = MB_OVER_LEVELS},
        {.key = "topic_share", 1, {K}, .derived = 1, .at = n * step, .step = 1}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->factors, V = terms_of(s);
    const mb_field all[] = {{.key = "document", 1, {K}, .step = 1, .by_factor = 1},
                            {.key = "topic",
                             2,
                             {K, V},
                             .at = (size_t)K,
                             .step = (size_t)V,
                             .over = MB_OVER_LEVELS,
                             .by_factor = 1}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* ---- tables for people ---- */

enum { WORDS = 8 /* of each topic, in tables */, NAMED = 3 /* that name a topic */ };

/* The n terms of largest x, the first of equal ones first. */
static void largest(const double *x, int32_t V, int32_t n, int32_t *out)
{
    for (int32_t i = 0; i < n; i++) {
        out[i] = -1;
        for (int32_t v = 0; v < V; v++) {
            int taken = 0;

            for (int32_t l = 0; l < i; l++)
                taken |= out[l] == v;
            if (!taken && (out[i] < 0 || x[v] > x[out[i]]))
                out[i] = v;
        }
    }
}

/* "2: ice, snow, winter". */
static const char *name_of(mb_arena *a, const mb_posterior *p, int32_t k, mb_err *err)
{
    const int32_t V = terms_of(&p->size), n = V < NAMED ? V : NAMED;
    const char   *text = mb_text(a, err, "%d:", (int)k + 1);
    int32_t       word[NAMED];

    largest(topic_of(&p->size, p->par, k), V, n, word);
    for (int32_t i = 0; text && i < n; i++)
        text = mb_text(a, err, "%s%s %.40s", text, i ? "," : "",
                       p->size.columns->of[TERM].level[word[i]]);
    return text;
}

/* Terms that are among the first of a topic, in their order; returns how many. */
static int32_t shown(const mb_posterior *p, int32_t *term, uint8_t *is)
{
    const int32_t V = terms_of(&p->size), n = V < WORDS ? V : WORDS;
    int32_t       word[WORDS], count = 0;

    memset(is, 0, (size_t)V);
    for (int32_t k = 0; k < p->size.factors; k++) {
        largest(topic_of(&p->size, p->par, k), V, n, word);
        for (int32_t i = 0; i < n; i++)
            is[word[i]] = 1;
    }
    for (int32_t v = 0; v < V; v++)
        if (is[v])
            term[count++] = v;
    return count;
}

/* Of topic k the probabilities of n terms, their deviations, and central 95 % intervals. */
static void of_topic(const mb_posterior *p, int32_t k, int32_t n, const int32_t *term, double *x)
{
    const size_t  part = (size_t)p->size.factors * (size_t)n;
    const double *topic = topic_of(&p->size, p->par, k), sum = sum_of(topic, terms_of(&p->size));

    x += (size_t)k * (size_t)n;
    for (int32_t i = 0; i < n; i++) {
        const double c = topic[term[i]];

        x[i] = c / sum;
        x[part + (size_t)i] = sqrt(c / sum * (1 - c / sum) / (sum + 1));
        x[2 * part + (size_t)i] = mb_beta_quantile(c, sum - c, .025);
        x[3 * part + (size_t)i] = mb_beta_quantile(c, sum - c, .975);
    }
}

/* Words of the data in topic k. */
static double words_of(const mb_posterior *p, int32_t k)
{
    const int32_t V = terms_of(&p->size);

    return p->prior_par ? fmax(0, sum_of(topic_of(&p->size, p->par, k), V) -
                                      sum_of(topic_of(&p->size, p->prior_par, k), V))
                        : (double)NAN;
}

static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const int32_t K = p->size.factors, V = terms_of(&p->size);
    const double  all = sum_of(p->par + K, K * V);
    const char  **label, **name;
    double       *weight, *count, *x;
    int32_t      *term;
    uint8_t      *is;

    MB_NEW(label, a, K, err);
    MB_NEW(weight, a, K, err);
    MB_NEW(count, a, K, err);
    MB_NEW(term, a, V, err);
    MB_NEW(is, a, V, err);
    *out = (mb_summary){.part = "topic",
                        .rows = K,
                        .columns = shown(p, term, is),
                        .label = label,
                        .weight = weight,
                        .count = count,
                        .counted = "words",
                        .ranked = 1};
    MB_NEW(name, a, out->columns, err);
    MB_NEW(x, a, 4 * (size_t)K * (size_t)out->columns, err);
    for (int32_t i = 0; i < out->columns; i++)
        name[i] = p->size.columns->of[TERM].level[term[i]];
    for (int32_t k = 0; k < K; k++) {
        if (!(label[k] = name_of(a, p, k, err)))
            return MB_E_NOMEM;
        weight[k] = sum_of(topic_of(&p->size, p->par, k), V) / all;
        count[k] = words_of(p, k);
        of_topic(p, k, out->columns, term, x);
    }
    out->name = name;
    out->mean = x;
    out->sd = x + (size_t)K * (size_t)out->columns;
    out->low = out->sd + (size_t)K * (size_t)out->columns;
    out->high = out->low + (size_t)K * (size_t)out->columns;
    return MB_OK;
}

/* Half the sum of differences of two topics' probabilities: 0 the same, 1 no term in common. */
static double distance(const double *x, const double *y, int32_t V)
{
    const double of_x = sum_of(x, V), of_y = sum_of(y, V);
    double       sum = 0;

    for (int32_t v = 0; v < V; v++)
        sum += 0.5 * fabs(x[v] / of_x - y[v] / of_y);
    return sum;
}

static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column[] = {{"topic", 's', 40, 40},
                                       {"other", 'd', 18, 0},
                                       {"share", 'g', 18, 6},
                                       {"other_share", 'g', 18, 6},
                                       {"distance", 'g', 18, 6}};
    enum { WIDTH = sizeof column / sizeof *column };
    const int32_t K = p->size.factors, V = terms_of(&p->size);
    const double  mine = sum_of(p->par + K, K * V), its = sum_of(q->par + K, K * V);
    const char  **label;
    double       *x;

    MB_NEW(label, a, K, err);
    MB_NEW(x, a, WIDTH * (size_t)K, err);
    *out = (mb_listing){.rows = K, .columns = WIDTH, .column = column, .label = label, .x = x};
    for (int32_t k = 0; k < K; k++, x += WIDTH) {
        const double *of = topic_of(&p->size, p->par, k),
                     *match = topic_of(&q->size, q->par, other[k]);

        if (!(label[k] = name_of(a, p, k, err)))
            return MB_E_NOMEM;
        x[1] = other[k] + 1;
        x[2] = sum_of(of, V) / mine;
        x[3] = sum_of(match, V) / its;
        x[4] = distance(of, match, V);
    }
    return MB_OK;
}

/* ---- scikit-learn's attributes, whose columns are the terms ---- */

static mb_status sklearn_attributes(mb_arena *a, const mb_posterior *p, const mb_run_info *run,
                                    mb_array **out, int32_t *count, mb_err *err)
{
    const int32_t  K = p->size.factors, V = terms_of(&p->size);
    mb_attributes_ t;
    double        *components, *expected;

    MB_TRY(mb_attributes_of_(a, V, p->size.columns->of[TERM].level, run, &t, err));
    if (!p->prior_par)
        MB_FAIL(err, MB_E_ARG, "%s has no prior, which scikit-learn's estimator needs", p->name);
    MB_NEW(components, a, (size_t)K * (size_t)V, err);
    MB_NEW(expected, a, (size_t)K * (size_t)V, err);
    for (int32_t k = 0; k < K; k++) {
        const double *topic = topic_of(&p->size, p->par, k), all = mb_digamma_(sum_of(topic, V));

        for (int32_t v = 0; v < V; v++) {
            components[k * V + v] = topic[v];
            expected[k * V + v] = exp(mb_digamma_(topic[v]) - all);
        }
    }
    mb_attribute_array_(&t, "components_",
                        &(mb_array){.ndim = 2, .shape = {K, V}, .x = components});
    mb_attribute_array_(&t, "exp_dirichlet_component_",
                        &(mb_array){.ndim = 2, .shape = {K, V}, .x = expected});
    MB_TRY(mb_attribute_number_(&t, "doc_topic_prior_", MB_ITEM_REAL, *p->par, err));
    MB_TRY(mb_attribute_number_(&t, "topic_word_prior_", MB_ITEM_REAL, p->prior_par[K], err));
    *out = t.list;
    *count = t.n;
    return MB_OK;
}

static const mb_column_kind form[] = {MB_COLUMN_CATEGORY, MB_COLUMN_COUNT, MB_COLUMN_KINDS};

const mb_kind mb_kind_lda = {.name = "lda",
                             .title = "topics of documents",
                             .estimator = "LatentDirichletAllocation",
                             .groups = "always",
                             .factors = 1,
                             .form = form,
                             .opts = options,
                             .opt_size = sizeof(mb_lda_kind),
                             .units = mb_units_of_data,
                             .prior = prior,
                             .model = model,
                             .phi0 = phi0,
                             .fields = fields,
                             .derive = derive,
                             .drawn = drawn,
                             .compare = MB_TABLE_(compare),
                             .summary = MB_TABLE_(summarise),
                             .sklearn = MB_EXPORT_(sklearn_attributes)};
