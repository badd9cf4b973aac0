/* Posterior files: written and read back, and what is refused. */
#include "data/file.h"
#include "data/json.h"
#include "posterior/file.h"
#include "posterior/posterior.h"
#include "scratch.h"
#include "test.h"

/* Two components on two columns; par and prior alike. */
static const double   two[] = {3, 1, 7, 0.1, -4, 1, 20, 3, 10, 8, 2, 4, 2, 1e-7, -2e-9, 6};
static const mb_sizes two_size = {.K = 2, .D = 2};
static const double   line[] = {6, 1e21, 2, 25};
static const mb_sizes line_size = {.K = 0, .D = 1};

static const char *const options[][2] = {{"tol", "0"}, {"edge.kappa", "4"}};

static const char *write(scratch *s, const mb_posterior *p, const mb_provenance *from,
                         const char *name)
{
    const char *path = scratch_path(s, name);

    scratch_expect(s, mb_posterior_write(s->a, p, from, path, &s->err), MB_OK, "");
    return path;
}

static mb_posterior make(scratch *s, const mb_kind *kind, const mb_sizes *size, const double *par)
{
    mb_posterior p;

    scratch_expect(s, mb_posterior_make(s->a, kind, size, par, &p, &s->err), MB_OK, "");
    p.prior_par = par;
    return p;
}

static mb_provenance origin(void)
{
    return (mb_provenance){.algorithm = "edge",
                           .of = "n\"\xc3\xb6\x01",
                           .rounds = 12,
                           .data = "a\\b.csv",
                           .data_hash = 0xabcdef,
                           .data_rows = 7,
                           .noptions = 2,
                           .option = options,
                           .verdict = "settled",
                           .weight_total = 12.5,
                           .bound = -3.25};
}

TEST(a_file_read_and_written_is_the_same)
{
    scratch           *s = *state;
    const mb_posterior p[] = {make(s, &mb_kind_gmm, &two_size, two),
                              make(s, &mb_kind_linreg, &line_size, line)};
    mb_provenance      from = origin();

    for (int k = 0; k < 4; k++) {
        const char   *first = write(s, &p[k % 2], &from, "first.json"), *second;
        char         *a, *b;
        size_t        n, m;
        mb_posterior  q;
        mb_provenance read;

        scratch_expect(s, mb_posterior_read(s->a, first, NULL, &q, &read, &s->err), MB_OK, "");
        assert_memory_equal(q.par, p[k % 2].par, p[k % 2].model->layout.len * sizeof *q.par);
        assert_memory_equal(q.phi, p[k % 2].phi, p[k % 2].model->layout.len * sizeof *q.phi);
        assert_string_equal(read.of, from.of);
        assert_true(!read.data == !from.data);
        second = write(s, &q, &read, "second.json");
        scratch_expect(s, mb_file_read(s->a, first, &a, &n, &s->err), MB_OK, "");
        scratch_expect(s, mb_file_read(s->a, second, &b, &m, &s->err), MB_OK, "");
        assert_int_equal(n, m);
        assert_memory_equal(a, b, n);
        from.data = k < 1 ? from.data : NULL; /* rows that were in memory */
    }
}

enum { WIDE = 65, TRIANGLE = WIDE * (WIDE + 1) / 2 };

/* A component on more columns than matrices are written in full for. */
static mb_posterior wide(scratch *s)
{
    static const mb_sizes size = {.K = 1, .D = WIDE};
    static double         par[3 + WIDE + TRIANGLE];
    double               *matrix = par + 3 + WIDE;

    par[0] = 3, par[1] = 2 * WIDE, par[2] = 0.5;
    for (int32_t i = 0; i < WIDE; i++) {
        par[3 + i] = i;
        for (int32_t j = 0; j <= i; j++)
            *matrix++ = i == j ? 2 : 1.0 / (3 + i + j * j);
    }
    return make(s, &mb_kind_gmm, &size, par);
}

/* The text of a posterior with what is found replaced, which has one place in it. */
static char *changed(scratch *s, const mb_posterior *p, const char *found, const char *by,
                     size_t *n)
{
    const mb_provenance from = origin();
    char               *text, *out, *at;

    scratch_expect(s, mb_posterior_text(s->a, p, &from, &text, n, &s->err), MB_OK, "");
    at = strstr(text, found);
    assert_non_null(at);
    out = mb_alloc(s->a, *n + strlen(by) + 1, 1);
    memcpy(out, text, (size_t)(at - text));
    sprintf(out + (at - text), "%s%s", by, at + strlen(found));
    *n = strlen(out);
    return out;
}

TEST(large_matrices_are_written_once_as_triangles)
{
    scratch           *s = *state;
    const mb_posterior p = wide(s);
    char              *text, *again;
    size_t             n, m;
    mb_posterior       q;
    mb_provenance      from = origin();
    const mb_json     *o, *prior;

    scratch_expect(s, mb_posterior_text(s->a, &p, &from, &text, &n, &s->err), MB_OK, "");
    scratch_expect(s, mb_posterior_parse(s->a, text, n, "p", NULL, &q, &from, &s->err), MB_OK, "");
    assert_memory_equal(q.par, p.par, p.len * sizeof *q.par);
    assert_memory_equal(q.prior_par, p.par, p.len * sizeof *q.par);
    scratch_expect(s, mb_posterior_text(s->a, &q, &from, &again, &m, &s->err), MB_OK, "");
    assert_int_equal(n, m);
    assert_memory_equal(text, again, n);
    scratch_expect(s, mb_json_parse(s->a, "p", text, n, &o, &s->err), MB_OK, "");
    prior = mb_json_at(o, "prior");
    assert_int_equal(mb_json_at(o, "version")->integer, 2);
    assert_int_equal(mb_json_at(o, "w_inverse")->n, 1);
    assert_int_equal(mb_json_at(o, "w_inverse")->item->n, TRIANGLE);
    assert_int_equal(mb_json_at(prior, "w_inverse")->item->n, TRIANGLE);
    assert_int_equal(mb_json_at(o, "covariances")->type, MB_JSON_NONE);
}

TEST(matrices_of_64_rows_are_written_in_full)
{
    static const mb_sizes size = {.K = 1, .D = WIDE - 1};
    scratch              *s = *state;
    double                par[3 + WIDE + TRIANGLE] = {3, 2 * WIDE, 0.5};
    mb_posterior          p;
    size_t                n;

    for (int32_t i = 0; i < WIDE - 1; i++)
        par[3 + WIDE - 1 + i * (i + 3) / 2] = 2;
    p = make(s, &mb_kind_gmm, &size, par);
    changed(s, &p, "\"version\": 1,", "", &n);
    changed(s, &p, "\"covariances\"", "", &n);
}

TEST(triangles_are_checked)
{
    static const char *const wrong[][3] = {
        {"\"version\": 2", "\"version\": 3",
         "field \"version\" is wrong or missing; expected 1 or 2"},
        {"\"version\": 2", "\"version\": 1", "field \"w_inverse"},
        {"\"w_inverse\": [", "\"covariances\": [], \"w_inverse\": [",
         "field \"covariances\" is wrong or missing; expected no such field in version 2"},
        {"[2.0,", "[-2.0,",
         "field \"w_inverse[0]\" is wrong or missing; expected a positive definite matrix"}};
    scratch           *s = *state;
    const mb_posterior p = wide(s);

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        size_t       n;
        const char  *text = changed(s, &p, wrong[k][0], wrong[k][1], &n);
        mb_posterior q;

        scratch_expect(s, mb_posterior_parse(s->a, text, n, "p", NULL, &q, NULL, &s->err),
                       MB_E_FORMAT, wrong[k][2]);
    }
}

TEST(text_in_memory_is_the_file)
{
    scratch            *s = *state;
    const mb_posterior  p = make(s, &mb_kind_gmm, &two_size, two);
    const mb_provenance from = origin();
    char               *text, *file;
    size_t              n, m;
    mb_posterior        q;
    mb_provenance       read;

    scratch_expect(s, mb_file_read(s->a, write(s, &p, &from, "p.json"), &file, &m, &s->err), MB_OK,
                   "");
    scratch_expect(s, mb_posterior_text(s->a, &p, &from, &text, &n, &s->err), MB_OK, "");
    assert_int_equal(n, m);
    assert_memory_equal(text, file, n);
    assert_int_equal(text[n], 0);
    text[n] = 'x'; /* the length counts, not the 0 */
    scratch_expect(s, mb_posterior_parse(s->a, text, n, "bytes", NULL, &q, &read, &s->err), MB_OK,
                   "");
    memset(text, 'x', n);
    assert_string_equal(q.name, "bytes");
    assert_string_equal(read.of, from.of);
    assert_memory_equal(q.par, p.par, p.len * sizeof *q.par);
    scratch_expect(s, mb_posterior_parse(s->a, text, n, "bytes", NULL, &q, NULL, &s->err),
                   MB_E_FORMAT, "bytes:1: not JSON");
}

TEST(another_kind_than_requested_is_refused)
{
    scratch            *s = *state;
    const mb_posterior  p = make(s, &mb_kind_gmm, &two_size, two);
    const mb_provenance from = origin();
    const char         *path = write(s, &p, &from, "p.json");
    mb_posterior        q;

    scratch_expect(s, mb_posterior_read(s->a, path, &mb_kind_linreg, &q, NULL, &s->err),
                   MB_E_FORMAT, "expected linreg");
}

TEST(a_derived_field_that_does_not_follow_is_refused)
{
    scratch            *s = *state;
    const mb_posterior  p = make(s, &mb_kind_gmm, &two_size, two);
    const mb_provenance from = origin();
    const char         *path = write(s, &p, &from, "p.json");
    char               *text, *weight;
    size_t              n;
    mb_posterior        q;

    scratch_expect(s, mb_file_read(s->a, path, &text, &n, &s->err), MB_OK, "");
    weight = strstr(text, "0.75");
    assert_non_null(weight);
    weight[3] = '6';
    path = scratch_bytes(s, "p.json", text, n);
    scratch_expect(s, mb_posterior_read(s->a, path, NULL, &q, NULL, &s->err), MB_E_FORMAT,
                   "what follows from the other parameters");
}

TEST(rows_are_matched_by_name)
{
    scratch          *s = *state;
    mb_posterior      p = make(s, &mb_kind_gmm, &two_size, two);
    const char       *path = scratch_text(s, "r.csv", "x2,id,w,x1\n2,5,0.5,-4\n3,6,2,1\n");
    mb_posterior_rows r;
    mb_score          score = {0};
    double            each[3], sum = 0, x[] = {-4, 2, 1, 3};
    const mb_rows     rows = {.x = x, .n = 2, .d = 2, .ld = 2};
    double            want[2];

    scratch_expect(s,
                   mb_posterior_rows_open(s->a, &p, path, 1, &(mb_data_opt){.weight_column = "w"},
                                          &r, &s->err),
                   MB_OK, "");
    assert_string_equal(r.unused, "id");
    scratch_expect(s, mb_posterior_rows_next(&r, &s->err), MB_OK, "");
    assert_int_equal(r.rows.n, 2);
    scratch_expect(s, mb_posterior_rows_score(&r, MB_PREDICTIVE, each, &s->err), MB_OK, "");
    mb_score_add(&score, &p, &r.rows, MB_PREDICTIVE, each);
    scratch_expect(s, mb_posterior_predict(&p, &rows, MB_WANT_LOGPDF, 0, want, r.scratch, &s->err),
                   MB_OK, "");
    assert_memory_equal(each, want, sizeof want);
    sum = 0.5 * want[0] + 2 * want[1];
    assert_true(fabs(score.sum - sum) < 1e-14 * fabs(sum));
    scratch_expect(s, mb_posterior_rows_next(&r, &s->err), MB_OK, "");
    assert_int_equal(r.rows.n, 0);
    mb_posterior_rows_close(&r);
    path = scratch_text(s, "r.csv", "x2,id\n2,5\n");
    scratch_expect(s, mb_posterior_rows_open(s->a, &p, path, 1, NULL, &r, &s->err), MB_E_FORMAT,
                   "are missing: x1");
}

TEST(json_is_written_as_it_was_read)
{
    static const char text[] = "{\n  \"a\": [\n    1,\n    -2.5,\n    5.9604644775390625e-8,\n    "
                               "2.0,\n    1.2676506002282294e30\n"
                               "  ],\n  \"b\": {},\n  \"c\": [],\n  \"d\": null,\n  \"e\": true,\n"
                               "  \"f\": \"\\\"\\\\\\n\\u0001\xc3\xa4\"\n}\n";
    scratch          *s = *state;
    const mb_json    *v;
    mb_json_out       j;
    char             *bytes;

    scratch_expect(s, mb_json_read(s->a, scratch_text(s, "v.json", text), &v, &s->err), MB_OK, "");
    mb_json_begin(&j, s->a, &s->err);
    mb_json_copy(&j, v);
    scratch_expect(s, mb_json_end(&j, &bytes, NULL), MB_OK, "");
    assert_string_equal(bytes, text);
    mb_json_begin(&j, s->a, &s->err);
    mb_json_text(&j, NULL, "\xff");
    scratch_expect(s, mb_json_end(&j, NULL, NULL), MB_E_FORMAT, "UTF-8");
}

RUN_EACH_TEST(scratch_begin, scratch_end)
