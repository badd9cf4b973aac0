/* cmd_compare.c - `meshbayes compare`: how far two posteriors are apart. */
#include "posterior/posterior_cmd.h"

#include <math.h>
#include <string.h>

typedef struct compare {
    const char *words[2];
    int32_t     json;
} compare;

static const mb_opt options[] = {
    {"json", MB_OPT_FLAG, offsetof(compare, json), NULL, 0, 0, NULL, "", "", "", "print as JSON"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

typedef struct pair {
    posterior p[2];
    double    kl[2]; /* first to second, second to first */
    int32_t  *match; /* K: component of the second       */
    double    apart; /* largest difference of a textbook parameter, relative to max(1, |.|) */
} pair;

static mb_status same_kind(const pair *q, mb_err *err)
{
    const posterior *a = &q->p[0], *b = &q->p[1];
    char             here[256], there[256];

    mb_layout_text(&a->model.layout, here, sizeof here);
    mb_layout_text(&b->model.layout, there, sizeof there);
    if (strcmp(here, there) != 0)
        MB_FAIL(err, MB_E_SHAPE,
                "%s holds %s and %s holds %s: only like posteriors can be compared", a->file, here,
                b->file, there);
    for (int32_t d = 0; d < a->D; d++)
        if (strcmp(a->feature[d], b->feature[d]) != 0)
            MB_FAIL(err, MB_E_SHAPE, "feature %d is \"%s\" in %s and \"%s\" in %s", d + 1,
                    a->feature[d], a->file, b->feature[d], b->file);
    if (a->target && strcmp(a->target, b->target) != 0)
        MB_FAIL(err, MB_E_SHAPE, "the target is \"%s\" in %s and \"%s\" in %s", a->target, a->file,
                b->target, b->file);
    return MB_OK;
}

/* Both in the units of the first: KL does not depend on units, rounding does. */
static mb_status measure(mb_arena *a, pair *q, mb_err *err)
{
    const mb_model *m = &q->p[0].model;
    double         *other, *scratch, *aligned;

    MB_NEW(other, a, m->layout.len, err);
    MB_NEW(aligned, a, m->layout.len, err);
    MB_NEW(scratch, a, mb_kl_aligned_scratch(m), err);
    MB_NEW(q->match, a, m->K, err);
    MB_TRY(posterior_move(a, &q->p[0], q->p[1].par, other, err));
    MB_TRY(mb_kl_aligned(m, other, q->p[0].phi, &q->kl[1], NULL, scratch, err));
    MB_TRY(mb_kl_aligned(m, q->p[0].phi, other, &q->kl[0], q->match, scratch, err));
    mb_permute(&m->layout, m->K, q->match, q->p[1].par, aligned);
    for (size_t l = 0; l < m->layout.len; l++)
        q->apart =
            fmax(q->apart, fabs(q->p[0].par[l] - aligned[l]) / fmax(1, fabs(q->p[0].par[l])));
    return MB_OK;
}

static void cell(const json_t *v)
{
    if (json_is_string(v))
        printf(" %18.18s", json_string_value(v));
    else if (json_is_integer(v))
        printf(" %18lld", (long long)json_integer_value(v));
    else if (json_is_null(v))
        printf(" %18s", "-");
    else
        printf(" %18.6g", json_number_value(v) + 0.0); /* -0 + 0 is 0 */
}

/* A table of objects with the same keys. */
static void print_parts(json_t *parts)
{
    const char *key;
    json_t     *part, *v;
    size_t      k;

    json_array_foreach(parts, k, part)
    {
        if (k == 0)
            json_object_foreach(part, key, v) printf(" %18s", key);
        if (k == 0)
            putchar('\n');
        json_object_foreach(part, key, v) cell(v);
        putchar('\n');
    }
}

static void print(const pair *q, json_t *parts)
{
    printf("KL(first || second)  %.6g nats\nKL(second || first)  %.6g nats\n", q->kl[0], q->kl[1]);
    printf("largest difference   %.3g (of a textbook parameter, relative to max(1, |.|))\n\n",
           q->apart);
    print_parts(parts);
}

static void print_json(const pair *q, json_t *parts)
{
    json_t *match = json_array(), *out;

    for (int32_t k = 0; k < q->p[0].K; k++)
        json_array_append_new(match, json_integer(q->match[k]));
    out =
        json_pack("{s:o, s:o, s:s, s:o, s:o, s:O}", "kl_first_second", app_json_number(q->kl[0]),
                  "kl_second_first", app_json_number(q->kl[1]), "unit", "nats",
                  "largest_difference", app_json_number(q->apart), "match", match, "parts", parts);
    json_dumpf(out, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(out);
}

static mb_status tell(mb_arena *a, const pair *q, int json, mb_err *err)
{
    json_t         *parts = json_array();
    const mb_status st = q->p[0].kind->beside(a, &q->p[0], &q->p[1], q->match, parts, err);

    if (st >= 0)
        (json ? print_json : print)(q, parts);
    json_decref(parts);
    return st;
}

static mb_status work(mb_arena *a, void *self, mb_err *err)
{
    const compare *o = self;
    pair           q = {0};
    mb_status      st = MB_OK;

    if (!o->words[0] || !o->words[1])
        MB_FAIL(err, MB_E_ARG, "two posterior files are needed: meshbayes compare A.json B.json");
    for (int k = 0; k < 2 && st >= 0; k++)
        st = posterior_read(a, o->words[k], &q.p[k], err);
    if (st >= 0)
        st = same_kind(&q, err);
    if (st >= 0)
        st = measure(a, &q, err);
    if (st >= 0)
        st = tell(a, &q, o->json, err);
    for (int k = 0; k < 2; k++)
        posterior_close(&q.p[k]);
    return st;
}

static int run(int argc, char **argv)
{
    compare o = {{NULL, NULL}, 0};

    return posterior_command("compare", options, &o, work, argc, argv, o.words, 2);
}

static void help(FILE *out)
{
    fputs("\nThe Kullback-Leibler divergence from one posterior to the other and back, in nats: 0 "
          "when\n"
          "they say the same, 1 when a row or two would tell them apart. The components of the\n"
          "second are matched to those of the first so that the divergence is the smallest;\n"
          "`other` is the second's. Distances of means are in data units, and (mean_distance_sd)\n"
          "in standard deviations of the first's component; a regression's coefficients are\n"
          "compared in the first's posterior scales.\n"
          "\nExample\n"
          "  meshbayes compare result/posterior-cvb.json result/posterior-edge.json\n",
          out);
    app_print_options(out, "Options", options);
}

const app_command app_cmd_compare = {.name = "compare",
                                     .summary = "how far two posteriors are apart",
                                     .usage = "meshbayes compare A.json B.json",
                                     .run = run,
                                     .help = help};
