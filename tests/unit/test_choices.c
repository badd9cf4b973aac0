/* Choices of kinds: in genesis blocks, genesis files, posterior files and plans they are there when
 * they are not the first word, and where they differ the answer is one line. */
#include "data/file.h"
#include "genesis_world.h"
#include "mesh/genesis.h"
#include "model/choices.h"
#include "posterior/posterior.h"
#include "scratch.h"
#include "test.h"

static scratch *folder;

static int up(void **state)
{
    if (scratch_begin(state))
        return 1;
    folder = *state;
    arena = folder->a;
    return 0;
}

static mb_genesis of_covariance(world *w, int32_t covariance)
{
    gmm_world(w, 2, 3);
    w->gmm.covariance_type = covariance;
    return of_sample(w, 64);
}

TEST(a_block_and_a_file_keep_the_choice)
{
    uint64_t hash[MB_COVARIANCES];

    for (int32_t c = 0; c < MB_COVARIANCES; c++) {
        const char *path = scratch_path(folder, "genesis.json");
        mb_genesis  g, back;
        world       w;
        size_t      n;

        g = of_covariance(&w, c);
        const unsigned char *block = encoded(&g, &w, &n);

        OK(mb_genesis_decode(arena, block, n, &back, &err));
        OK(mb_genesis_same(&g, &back, &err));
        assert_int_equal(back.size.choice[0], c);
        OK(mb_genesis_write(arena, &g, path, &err));
        OK(mb_genesis_read(arena, path, NULL, &back, &err));
        OK(mb_genesis_same(&g, &back, &err));
        assert_int_equal(back.size.choice[0], c);
        assert_true(back.hash == g.hash);
        assert_true(back.run.log_jacobian == g.run.log_jacobian);
        hash[c] = g.hash;
    }
    assert_true(hash[0] != hash[1] && hash[1] != hash[2]);
}

/* docs/protocol.md: version 2, and the choice after the numbers of K, D, intercept and columns. */
TEST(the_choice_has_its_place_in_the_block)
{
    static const char text[] = "\x14\0\0\0covariance_type=diag";
    const size_t      at = 4 + 4 + 4 + 3 + 16;
    mb_genesis        g, back;
    world             w;
    size_t            n;

    g = of_covariance(&w, MB_COVARIANCE_FULL);
    assert_int_equal(encoded(&g, &w, &n)[4], 1);
    g = of_covariance(&w, MB_COVARIANCE_DIAG);

    unsigned char *block = encoded(&g, &w, &n);

    assert_int_equal(block[4], 2);
    assert_memory_equal(block + at, text, sizeof text - 1);
    block[at + 4 + 16] = 'D';
    assert_int_equal(mb_genesis_decode(arena, block, n, &back, &err), MB_E_FORMAT);
    assert_string_equal(err.msg, "genesis block: choices: got \"covariance_type=Diag\"; expected "
                                 "those of gmm");
    block[at + 4 + 16] = 'd';
    block[4] = 4;
    assert_int_equal(mb_genesis_decode(arena, block, n, &back, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "version: got 4; expected 1 to 3"));
}

/* One block has one form: what is read is written again to the byte. */
TEST(only_the_text_that_is_written_is_read)
{
    static const char *const bad[] = {"",
                                      ",",
                                      "covariance_type=full",
                                      "covariance_type=diag,",
                                      ",covariance_type=diag",
                                      "covariance_type=diag,covariance_type=diag",
                                      "covariance_type=diagonal",
                                      "type=diag",
                                      "covariance_type"};
    mb_sizes                 s = {.K = 0};

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mb_sizes own = {.K = 0};

        assert_int_equal(mb_choices_read_(&mb_kind_gmm, bad[k], strlen(bad[k]), &own, &err),
                         MB_E_FORMAT);
    }
    OK(mb_choices_read_(&mb_kind_gmm, "covariance_type=spherical, ", 25, &s, &err));
    assert_int_equal(s.choice[0], MB_COVARIANCE_SPHERICAL);
}

TEST(genesis_of_two_choices_differ_in_one_line)
{
    world w;

    const mb_genesis full = of_covariance(&w, MB_COVARIANCE_FULL);
    const mb_genesis diag = of_covariance(&w, MB_COVARIANCE_DIAG);

    assert_int_equal(mb_genesis_same(&full, &diag, &err), MB_E_ARG);
    assert_string_equal(err.msg, "covariance_type is full here and diag there");
}

/* A single variance: columns in one scale, and a block in which they are not is refused. */
TEST(one_variance_has_columns_in_one_scale)
{
    mb_genesis g, back;
    world      w;
    size_t     n;

    g = of_covariance(&w, MB_COVARIANCE_DIAG);
    assert_true(g.run.scale[0] < g.run.scale[2]);

    const double widest = g.run.scale[2];

    g = of_covariance(&w, MB_COVARIANCE_SPHERICAL);
    for (int d = 0; d < 3; d++)
        assert_true(g.run.scale[d] == widest);
    assert_true(fabs(g.run.log_jacobian - 3 * log(widest)) < 1e-14);
    g.run.scale[1] /= 2;
    const unsigned char *block = encoded(&g, &w, &n);

    assert_int_equal(mb_genesis_decode(arena, block, n, &back, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "that of the first column"));
}

/* Concentrations, then shape, rate, mean, strength of each column, or means and strengths of both. */
static const double   diag[] = {3, 1, 7, 2.5, -4, 1.5, 4, 0.25, 20, 6, 8, 2, 10, 1.5, 6, 5, 3, 9};
static const double   one[] = {3, 1, 7, 2.5, -4, 20, 1.5, 1.25, 4, 0.5, 10, 30, 2.5, 2.25};
static const mb_sizes diag_size = {.K = 2, .D = 2, .choice = {MB_COVARIANCE_DIAG}};
static const mb_sizes one_size = {.K = 2, .D = 2, .choice = {MB_COVARIANCE_SPHERICAL}};

static mb_posterior posterior(const mb_sizes *size, const double *par)
{
    mb_posterior p;

    OK(mb_posterior_make(arena, &mb_kind_gmm, size, par, &p, &err));
    p.prior_par = par;
    return p;
}

static const char *written(const mb_posterior *p, const char *name)
{
    const mb_provenance from = {.algorithm = "cvb", .of = "a", .data = "a.csv", .data_rows = 1};
    const char         *path = scratch_path(folder, name);

    OK(mb_posterior_write(arena, p, &from, path, &err));
    return path;
}

TEST(a_posterior_file_keeps_the_choice)
{
    const mb_posterior p[] = {posterior(&diag_size, diag), posterior(&one_size, one)};

    for (int k = 0; k < 2; k++) {
        mb_provenance from;
        mb_posterior  q;

        OK(mb_posterior_read(arena, written(&p[k], "p.json"), NULL, &q, &from, &err));
        assert_int_equal(q.size.choice[0], p[k].size.choice[0]);
        assert_int_equal(from.nmore, 0);
        assert_memory_equal(q.par, p[k].par, p[k].model->layout.len * sizeof *q.par);
    }
}

/* Reads the file with `from` replaced by `to`. */
static mb_status changed(const char *path, const char *from, const char *to)
{
    static char  out[20000];
    char        *text, *at;
    size_t       n;
    mb_posterior q;

    OK(mb_file_read(arena, path, &text, &n, &err));
    at = strstr(text, from);
    assert_non_null(at);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return mb_posterior_read(arena, scratch_text(folder, "c.json", out), NULL, &q, NULL, &err);
}

TEST(a_word_that_is_none_is_refused)
{
    const mb_posterior p = posterior(&diag_size, diag);
    const char        *path = written(&p, "p.json");

    assert_int_equal(changed(path, "\"diag\"", "\"round\""), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "covariance_type"));
    assert_non_null(strstr(err.msg, "full, diag, spherical or tied"));
    assert_int_equal(changed(path, "\"diag\"", "1"), MB_E_FORMAT);
    assert_int_equal(changed(path, "\"covariance_type\": \"diag\",", ""), MB_E_FORMAT);
    assert_int_equal(changed(path, "\"n_components\": 2", "\"n_components\": 1000000"),
                     MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "field \"rate\""));
}

TEST(every_number_is_under_its_name)
{
    mb_array *x;
    int32_t   n;

    OK(mb_kind_arrays(arena, &mb_kind_gmm, &diag_size, diag, &x, &n, &err));
    assert_int_equal(n, 8);
    for (int k = 0; k < 4; k++) { /* component k/2, column k % 2 */
        const double *member = diag + 2 + 4 * k;

        assert_true(x[2].x[k] == member[3] && x[4].x[k] == member[2]);
        assert_true(x[6].x[k] == member[0] && x[7].x[k] == member[1]);
        assert_true(x[3].x[k] == 2 * member[0]);
        assert_true(x[5].x[k] == member[1] / member[0]);
    }
    OK(mb_kind_arrays(arena, &mb_kind_gmm, &one_size, one, &x, &n, &err));
    for (int k = 0; k < 2; k++) {
        const double *c = one + 2 + 6 * k;

        assert_int_equal(x[3].ndim, 1);
        assert_true(x[3].x[k] == c[0]); /* 2a/D */
        assert_true(x[5].x[k] == c[1] / c[0]);
        assert_memory_equal(x[4].x + 2 * k, c + 2, 2 * sizeof *c);
        assert_memory_equal(x[2].x + 2 * k, c + 4, 2 * sizeof *c);
    }
}

TEST(posteriors_of_two_choices_are_not_compared)
{
    mb_posterior p = posterior(&diag_size, diag), q = posterior(&one_size, one);
    mb_compared  out;

    p.name = "p.json";
    q.name = "q.json";
    assert_int_equal(mb_posterior_compare(arena, &p, &q, &out, &err), MB_E_SHAPE);
    assert_string_equal(err.msg, "covariance_type is diag in p.json and spherical in q.json: only "
                                 "like posteriors can be compared");
}

TEST(a_former_answer_of_another_choice_is_refused)
{
    mb_posterior   p = posterior(&diag_size, diag);
    const mb_table rows = some_rows();
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = mixture(&gmm);
    mb_fit         fit;

    p.name = "p.json";
    gmm.n_components = 2;
    opt.start = (mb_start){.how = MB_INIT_KMEANS};
    opt.units.prior = &p;
    assert_int_equal(mb_fit_run(arena, NULL, &rows, &opt, &fit, &err), MB_E_ARG);
    assert_string_equal(err.msg, "p.json: covariance_type is diag there, full here");
}

RUN_TESTS(up, scratch_end)
