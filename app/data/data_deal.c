/* data_deal.c - which node gets which rows, for `meshbayes data split`. */
#include "data/data_cmd.h"

#include <stdlib.h>
#include <string.h>

mb_status data_sizes(data_cut *c, mb_err *err)
{
    mb_rng      rng = mb_rng_at((uint64_t)c->opt.seed, MB_STREAM_DEAL, 0, 2);
    const char *text = c->opt.sizes, *dots = text ? strstr(text, "..") : NULL;
    char        low[32];
    double      lo = 1, hi = 1;

    if (text && dots)
        snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    if (text && (!dots || mb_parse_double(low, &lo) || mb_parse_double(dots + 2, &hi) ||
                 !(lo > 0 && lo <= hi)))
        MB_FAIL(err, MB_E_ARG, "--sizes: got \"%s\"; expected LO..HI with 0 < LO <= HI, as 40..160",
                text);
    MB_NEW(c->size, c->a, c->N, err);
    for (int32_t i = 0; i < c->N; i++)
        c->size[i] = text ? lo + (hi - lo) * mb_rng_uniform(&rng) : 1;
    return MB_OK;
}

mb_status data_need_nodes(data_cut *c, mb_err *err)
{
    if (!c->opt.nodes)
        MB_FAIL(err, MB_E_ARG, "--nodes is missing: the number of nodes");
    c->N = (int32_t)c->opt.nodes;
    return MB_OK;
}

/* The rows in this order, cut into N blocks of the relative sizes. */
static mb_status cut(data_cut *c, const int64_t *order, mb_err *err)
{
    int64_t *count, at = 0;

    MB_TRY(data_sizes(c, err));
    MB_NEW(count, c->a, c->N, err);
    data_shares(c->n, c->N, c->size, count);
    for (int32_t i = 0; i < c->N; i++)
        for (int64_t k = 0; k < count[i]; k++)
            c->node[order[at++]] = i;
    return MB_OK;
}

/* Equal sizes are dealt as mb_data_deal deals them, so that `sim` and `split` agree. */
mb_status data_deal_random(data_cut *c, mb_err *err)
{
    mb_rng   rng = mb_rng_at((uint64_t)c->opt.seed, MB_STREAM_DEAL, 0, 0);
    int64_t *order;

    MB_TRY(data_need_nodes(c, err));
    MB_NEW(order, c->a, c->n, err);
    mb_random_order(&rng, c->n, order);
    if (c->opt.sizes)
        return cut(c, order, err);
    for (int64_t k = 0; k < c->n; k++)
        c->node[order[k]] = (int32_t)(k % c->N);
    return MB_OK;
}

mb_status data_classes(const data_cut *c, const char *column, int32_t *col, data_texts *out,
                       mb_err *err)
{
    *col = mb_csv_find(&c->csv, column);
    if (*col < 0)
        MB_FAIL(err, MB_E_ARG, "--by: %s has no column \"%s\"%s", c->csv.file, column,
                c->opt.read.columns || c->opt.read.drop
                    ? " among those that --columns and --drop leave (--label-column adds one)"
                    : "");
    for (int64_t k = 0; k < c->n; k++)
        if (!*c->csv.cell[c->row[k] * c->csv.cols + *col])
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%s\": the cell is empty",
                    data_csv_at(&c->cells, c->row[k]).file, (long long)c->csv.line[c->row[k]],
                    column);
    return data_texts_of(c->a, &c->csv, *col, c->n, c->row, out, err);
}

typedef struct keyed {
    double  x;
    int64_t k;
} keyed;

static int by_value(const void *a, const void *b)
{
    const keyed *p = a, *q = b;

    if (p->x < q->x || p->x > q->x)
        return p->x < q->x ? -1 : 1;
    return p->k < q->k ? -1 : p->k > q->k;
}

/* Sorted by the numbers of a column and cut into N blocks. */
static mb_status deal_sorted(data_cut *c, int32_t col, mb_err *err)
{
    keyed   *row;
    int64_t *order;

    MB_TRY(data_need_nodes(c, err));
    MB_NEW(row, c->a, c->n, err);
    MB_NEW(order, c->a, c->n, err);
    for (int64_t k = 0; k < c->n; k++) {
        const mb_csv csv = data_csv_at(&c->cells, c->row[k]);

        MB_TRY(mb_csv_number(&csv, c->row[k], col, &row[k].x, err));
        row[k].k = k;
    }
    qsort(row, (size_t)c->n, sizeof *row, by_value);
    for (int64_t k = 0; k < c->n; k++)
        order[k] = row[k].k;
    return cut(c, order, err);
}

mb_status data_deal_column(data_cut *c, const char *column, mb_err *err)
{
    int32_t    col;
    data_texts value;

    MB_TRY(data_classes(c, column, &col, &value, err));
    if (c->opt.nodes)
        return deal_sorted(c, col, err);
    if (c->opt.sizes)
        MB_FAIL(err, MB_E_ARG, "--sizes does not go with one node for each value of a column");
    c->N = value.count;
    c->id = value.text;
    c->node = value.index;
    c->gone = col;
    return MB_OK;
}
