/* test_lda.c - topics: what a document says by sums over its words, and that documents are found again. */
#include "fits.h"
#include "ln_z.h"
#include "meshbayes/extend.h"
#include "model/kind.h"
#include "model/model.h"
#include "num/num.h"
#include "posterior/posterior.h"

enum { V = 5, MOST = 64, DOCUMENTS = 80, WORDS = 40 };

static const char *const level[] = {"ice", "snow", "sun", "sand", "sea"};
static const mb_column   of[] = {{.kind = MB_COLUMN_CATEGORY, .levels = V, .level = level},
                                 {.kind = MB_COLUMN_COUNT}};
static const mb_columns  columns = {2, of, "category(ice|snow|sun|sand|sea),count"};

typedef struct bench {
    mb_sizes size;
    mb_model m;
    double   phi[MOST], mu[MOST], s[MOST], *scratch;
} bench;

/* A posterior drawn at random, of K topics. */
static void set_up(bench *b, int32_t topics)
{
    mb_rng r = gen_rng(5 + (uint64_t)topics);
    double par[MOST];

    b->size = (mb_sizes){.D = 2, .factors = topics, .columns = &columns};
    OK(mb_kind_lda.model(arena, &b->size, &b->m, &err));
    assert_true(b->m.layout.len <= MOST);
    b->m.scratch = b->m.ops->group_scratch(&b->m, 8);
    b->scratch = doubles(mb_local_scratch(&b->m));
    gen_par(&r, &b->m.layout, par);
    OK(mb_from_par(&b->m.layout, par, b->phi, &err));
    OK(mb_moments(&b->m.layout, b->phi, b->mu, NULL, b->scratch, &err));
}

static double ln_z(bench *b, const double *phi, const mb_rows *rows, double *s)
{
    return ln_z_of(&b->m, phi, rows, s, b->scratch);
}

static const double x_of[] = {0, 2, 3, 1, 4, 3, 0, 1};

static mb_rows document(void)
{
    static const int64_t first[] = {0, 4};

    return (mb_rows){.x = x_of, .n = 4, .d = 2, .ld = 2, .first = first, .ngroup = 1};
}

/* With one topic theta is 1: ln Z is the sum of E[ln beta]. */
TEST(one_topic_explains_every_word)
{
    const mb_rows rows = document();
    bench         b;

    set_up(&b, 1);
    assert_near(ln_z(&b, b.phi, &rows, b.s), 2 * b.mu[1] + b.mu[4] + 3 * b.mu[5] + b.mu[1], 1e-12);
    for (int v = 0; v < V; v++)
        assert_near(b.s[1 + v], v == 0 ? 3 : v == 3 ? 1 : v == 4 ? 3 : 0, 1e-14);
    assert_near(b.s[0], 0, 0);
}

/* ln sum over the topics z of all 7 words of p(z) prod exp(E[ln beta]), theta integrated out: what ln Z
 * is a lower bound of. */
static double exact(const bench *b)
{
    static const int word[] = {0, 0, 3, 4, 4, 4, 0};
    const int32_t    topics = b->size.factors;
    double           alphas = 0, sum = 0;
    int              all = 1;

    for (int32_t k = 0; k < topics; k++)
        alphas += b->phi[k] + 1;
    for (int j = 0; j < 7; j++)
        all *= topics;
    for (int z = 0; z < all; z++) {
        double n[4] = {0}, ln = mb_lgamma_(alphas) - mb_lgamma_(alphas + 7);

        for (int j = 0, at = z; j < 7; j++, at /= topics) {
            n[at % topics]++;
            ln += b->mu[topics + at % topics * V + word[j]];
        }
        for (int32_t k = 0; k < topics; k++)
            ln += mb_lgamma_(b->phi[k] + 1 + n[k]) - mb_lgamma_(b->phi[k] + 1);
        sum += exp(ln);
    }
    return log(sum);
}

TEST(ln_z_is_just_below_the_sum_over_all_topics_of_words)
{
    const mb_rows rows = document();

    for (int32_t k = 1; k <= 3; k++) {
        bench  b;
        double z;

        set_up(&b, k);
        z = ln_z(&b, b.phi, &rows, b.s);
        assert_true(z <= exact(&b) + 1e-12);
        assert_true(k > 1 ? z > exact(&b) - 1.5 : z > exact(&b) - 1e-12);
    }
}

/* Along each entry of the topics the change of ln Z is that of mu times the statistics. */
TEST(statistics_are_the_gradient_of_ln_z)
{
    const mb_rows rows = document();
    bench         b;

    set_up(&b, 3);
    assert_gradient_of_ln_z(&b.m, b.phi, &rows, 3, b.scratch);
}

/* Rows of the same term are one row, and a count of 0 is none. */
TEST(counts_of_a_term_add_up)
{
    static const double  once[] = {0, 3, 3, 1, 4, 3, 1, 0};
    static const int64_t first[] = {0, 4};
    const mb_rows        rows = document();
    mb_rows              sum = {.x = once, .n = 4, .d = 2, .ld = 2, .first = first, .ngroup = 1};
    double               other[MOST];
    bench                b;

    set_up(&b, 3);
    assert_near(ln_z(&b, b.phi, &rows, b.s), ln_z(&b, b.phi, &sum, other), 1e-12);
    for (size_t l = 0; l < b.m.layout.len; l++)
        assert_near(b.s[l], other[l], 1e-12);
}

TEST(iterations_are_counted)
{
    const mb_rows rows = document();
    mb_iterations it = {0};
    bench         b;

    set_up(&b, 3);
    OK(b.m.ops->iterations(&b.m, b.phi, &rows, &it, b.scratch, &err));
    assert_int_equal(it.groups, 1);
    assert_int_equal(it.cap, 500);
    assert_true(it.most > 1 && it.sum == it.most && it.capped == (it.most == it.cap));
}

/* One topic: E[beta] of each word; and shares of topics sum to 1. */
TEST(densities_and_shares_of_a_document_are_those_of_its_topics)
{
    const mb_rows rows = document();
    double        ln[4], share[3], sum = 0;
    bench         b;

    set_up(&b, 1);
    for (int v = 0; v < V; v++)
        sum += b.phi[1 + v] + 1;
    OK(b.m.ops->predict(&b.m, b.phi, &rows, MB_WANT_LOGPDF, ln, b.scratch, &err));
    for (int j = 0; j < 4; j++)
        assert_near(ln[j], x_of[2 * j + 1] * log((b.phi[1 + (int)x_of[2 * j]] + 1) / sum), 1e-12);
    set_up(&b, 3);
    OK(b.m.ops->predict(&b.m, b.phi, &rows, MB_WANT_TOPICS, share, b.scratch, &err));
    assert_near(share[0] + share[1] + share[2], 1, 1e-12);
    OK(b.m.ops->predict(&b.m, b.phi, &rows, MB_WANT_LOGPDF, ln, b.scratch, &err));
    sum = 0;
    for (int k = 0; k < 3; k++) { /* the first word knows the prior of theta alone */
        double topic = 0, alphas = 0;

        for (int v = 0; v < V; v++)
            topic += b.phi[3 + k * V + v] + 1;
        for (int i = 0; i < 3; i++)
            alphas += b.phi[i] + 1;
        sum += (b.phi[k] + 1) / alphas * (b.phi[3 + k * V] + 1) / topic;
    }
    assert_near(ln[0], 2 * log(sum), 1e-12);
}

/* ---- fits ---- */

/* Documents of winter or of summer words, some of both. */
static mb_table drawn_rows(void)
{
    static const double topic[2][V] = {{.5, .48, .01, .005, .005}, {.01, .01, .4, .28, .3}};
    mb_rng              r = gen_rng(3);
    double             *x = doubles((size_t)DOCUMENTS * V * 2);
    int64_t            *first = mb_alloc(arena, DOCUMENTS + 1, sizeof *first);

    for (int64_t d = 0; d < DOCUMENTS; d++) {
        const double winter = d % 3 == 0 ? .98 : d % 3 == 1 ? .02 : .5;
        double      *row = x + d * V * 2;

        first[d] = d * V;
        for (int v = 0; v < V; v++)
            row[2 * v] = v;
        for (int j = 0; j < WORDS; j++) {
            const double *p = topic[mb_rng_uniform(&r) > winter];
            double        u = mb_rng_uniform(&r);
            int           v = 0;

            while (v < V - 1 && u >= p[v])
                u -= p[v++];
            row[2 * v + 1]++;
        }
    }
    first[DOCUMENTS] = (int64_t)DOCUMENTS * V;
    return (mb_table){.rows = {.x = x,
                               .n = (int64_t)DOCUMENTS * V,
                               .d = 2,
                               .ld = 2,
                               .first = first,
                               .ngroup = DOCUMENTS},
                      .kinds = &columns};
}

static void fit_of(const mb_table *table, int64_t vocabulary, const mb_network *net, mb_fit *out)
{
    mb_fit_opt  opt = mb_fit_defaults();
    mb_lda_kind lda = {0};

    OK(mb_opt_defaults(mb_kind_lda.opts, &lda, &err));
    lda.n_components = 2;
    lda.vocabulary = vocabulary;
    opt.kind = &mb_kind_lda;
    opt.kind_opt = &lda;
    opt.n_init = 1;
    if (net)
        opt.how.algo = &mb_algo_edge;
    OK(mb_fit_run(arena, net, table, &opt, out, &err));
    assert_int_equal(out->out.verdict, MB_ENDED_SETTLED);
}

/* Expected probability of term v in topic k. */
static double term_of(const mb_fit *fit, int32_t k, int32_t v)
{
    const int32_t n = fit->posterior.size.columns->of[0].levels;
    const double *topic = fit->posterior.par + fit->posterior.size.factors + k * n;
    double        sum = 0;

    for (int32_t l = 0; l < n; l++)
        sum += topic[l];
    return topic[v] / sum;
}

TEST(topics_of_words_are_found)
{
    const mb_table table = drawn_rows();
    mb_summary     u;
    mb_fit         fit;
    int            winter;

    fit_of(&table, 0, NULL, &fit);
    winter = term_of(&fit, 0, 0) < term_of(&fit, 1, 0);
    assert_near(term_of(&fit, winter, 0), .5, .04);
    assert_near(term_of(&fit, winter, 1), .48, .04);
    assert_near(term_of(&fit, !winter, 2), .4, .04);
    OK(mb_posterior_summary(arena, &fit.posterior, &u, &err));
    assert_true(strstr(u.label[winter], "ice") != NULL);
    assert_near(u.count[0] + u.count[1], DOCUMENTS * WORDS, 1e-6);
    mb_fit_close(&fit);
}

TEST(nodes_that_lose_messages_find_the_same_topics)
{
    const mb_network net = network("ring:n=6");
    const mb_table   table = drawn_rows();
    mb_compared      c;
    mb_fit           one, many;

    fit_of(&table, 0, NULL, &one);
    fit_of(&table, 0, &net, &many);
    OK(mb_posterior_compare(arena, &one.posterior, &many.posterior, &c, &err));
    assert_true(c.largest < 1e-3);
    mb_fit_close(&one);
    mb_fit_close(&many);
}

/* The same topics in another order are no distance apart. */
TEST(topics_of_two_posteriors_are_matched)
{
    const mb_table table = drawn_rows();
    double         par[2 + 2 * V];
    mb_posterior   other;
    mb_compared    c;
    mb_fit         fit;

    fit_of(&table, 0, NULL, &fit);
    memcpy(par, fit.posterior.par, sizeof par);
    memcpy(par + 2, fit.posterior.par + 2 + V, V * sizeof *par);
    memcpy(par + 2 + V, fit.posterior.par + 2, V * sizeof *par);
    other = fit.posterior;
    other.par = par;
    OK(mb_posterior_compare(arena, &fit.posterior, &other, &c, &err));
    assert_int_equal(c.match[0], 1);
    assert_near(c.kl[0], 0, 1e-9);
    assert_near(c.parts.x[4], 0, 1e-12);
    mb_fit_close(&fit);
}

TEST(rare_terms_become_one_and_a_note_says_so)
{
    const mb_table   table = drawn_rows();
    const mb_column *term;
    mb_fit           fit;

    fit_of(&table, 3, NULL, &fit);
    term = &fit.posterior.size.columns->of[0];
    assert_int_equal(term->levels, 4);
    assert_string_equal(term->level[3], "(other)");
    assert_non_null(strstr(fit.stages->nodes.warning, "of 5 terms the 3 most frequent"));
    mb_fit_close(&fit);
}

TEST(a_count_that_is_not_whole_is_named)
{
    mb_table    table = drawn_rows();
    double     *x = doubles((size_t)table.rows.n * 2);
    mb_fit_opt  opt = mb_fit_defaults();
    mb_lda_kind lda = {0};
    mb_fit      fit;

    memcpy(x, table.rows.x, (size_t)table.rows.n * 2 * sizeof *x);
    x[7] = 1.5;
    table.rows.x = x;
    OK(mb_opt_defaults(mb_kind_lda.opts, &lda, &err));
    opt.kind = &mb_kind_lda;
    opt.kind_opt = &lda;
    assert_true(mb_fit_run(arena, NULL, &table, &opt, &fit, &err) < 0);
    assert_non_null(strstr(err.msg, "row 4"));
    assert_non_null(strstr(err.msg, "1.5"));
    assert_non_null(strstr(err.msg, "whole number"));
}

RUN_TESTS(arena_up, arena_down)
