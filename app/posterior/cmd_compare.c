/* cmd_compare.c - `meshbayes compare`: the distance between two posteriors. */
#include "model/model.h"
#include "posterior/posterior_cmd.h"

typedef struct compare_opt {
    const char *file[2];
    int32_t     json;
} compare_opt;

static const mb_opt options[] = {
    {"json", MB_OPT_FLAG, offsetof(compare_opt, json), .help = "print as JSON"}, {.name = NULL}};

static void print(const mb_compared *c)
{
    printf("KL(first || second)  %.6g nats\nKL(second || first)  %.6g nats\n", c->kl[0], c->kl[1]);
    printf("largest difference   %.3g (of a textbook parameter, relative to max(1, |.|))\n\n",
           c->largest);
    app_print_listing(&c->parts, " ");
}

/* A row of the listing as an object with the columns as keys. */
static void part(mb_json_out *j, const mb_listing *l, int32_t row)
{
    mb_json_object(j, NULL);
    for (int32_t c = 0; c < l->columns; c++) {
        const mb_listed *column = &l->column[c];
        const double     x = l->x[row * l->columns + c];

        if (column->form == 's')
            mb_json_text(j, column->name, l->label[row]);
        else if (column->form == 'd')
            mb_json_integer(j, column->name, (int64_t)x);
        else
            mb_json_number(j, column->name, x);
    }
    mb_json_close(j);
}

static mb_status print_json(mb_arena *a, const mb_compared *c, int32_t K, mb_err *err)
{
    mb_json_out j;

    mb_json_begin(&j, a, err);
    mb_json_object(&j, NULL);
    mb_json_number(&j, "kl_first_second", c->kl[0]);
    mb_json_number(&j, "kl_second_first", c->kl[1]);
    mb_json_text(&j, "unit", "nats");
    mb_json_number(&j, "largest_difference", c->largest);
    mb_json_list(&j, "match");
    for (int32_t k = 0; k < K; k++)
        mb_json_integer(&j, NULL, c->match[k]);
    mb_json_close(&j);
    mb_json_list(&j, "parts");
    for (int32_t k = 0; k < c->parts.rows; k++)
        part(&j, &c->parts, k);
    mb_json_close(&j);
    mb_json_close(&j);
    return app_print_json(&j);
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const compare_opt *o = opt;
    mb_posterior       p[2];
    mb_compared        c;

    if (!o->file[1])
        MB_FAIL(err, MB_E_ARG, "two posterior files are needed: meshbayes compare A.json B.json");
    for (int k = 0; k < 2; k++)
        MB_TRY(mb_posterior_read(a, o->file[k], NULL, &p[k], NULL, err));
    MB_TRY(mb_posterior_compare(a, &p[0], &p[1], &c, err));
    if (o->json)
        return print_json(a, &c, mb_alike_(p[0].model), err);
    print(&c);
    return MB_OK;
}

const app_command app_cmd_compare = {
    .name = "compare",
    .summary = "how far two posteriors are apart",
    .usage = "meshbayes compare A.json B.json",
    .options = options,
    .size = sizeof(compare_opt),
    .most_words = 2,
    .words_at = offsetof(compare_opt, file),
    .work = work,
    .text =
        "\nThe Kullback-Leibler divergence from one posterior to the other and back, in nats: 0 "
        "when they say the same, 1 when a row or two would tell them apart. The components of the "
        "second are matched to those of the first so that the divergence is the smallest; `other` "
        "is the second's. Distances of means are in data units, and (mean_distance_sd) in standard "
        "deviations of the first's component; a regression's coefficients are compared in the "
        "first's posterior scales.\n"
        "\nExample\n"
        "  meshbayes compare result/posterior-cvb.json result/posterior-edge.json\n"};
