/* data_label.c - rows over nodes by proportions of a class, as in section V-A of the paper. */
#include "base/opt.h"
#include "base/text.h"
#include "data/data_cmd.h"

#include <stdlib.h>
#include <string.h>

/* Everything the search for the largest split needs. */
typedef struct plan {
    int32_t  N, C;
    double  *part;   /* N x C: proportions of the classes at each node */
    double  *size;   /* N: relative sizes                              */
    int64_t *supply; /* C: rows of each class                          */
    int64_t *rows;   /* N                                              */
    int64_t *count;  /* N x C                                          */
} plan;

/* "[COUNTx]P,P,.." -> one row of proportions and its number of nodes (0: not given). */
static mb_status read_group(const char *text, int32_t C, double *part, int64_t *nodes, mb_err *err)
{
    const char *x = strchr(text, 'x');
    char        count[32];
    double      number = 0, sum = 0;
    int32_t     entries;

    if (x) {
        snprintf(count, sizeof count, "%.*s", (int)(x - text), text);
        if (mb_parse_double(count, &number) || !(number >= 1 && number <= 1e7))
            MB_FAIL(err, MB_E_ARG, "--proportions: got \"%s\" nodes; expected 1 or more", count);
    }
    *nodes = (int64_t)number;
    MB_TRY(mb_opt_numbers("proportions", x ? x + 1 : text, C, part, &entries, err));
    for (int32_t k = 0; k < C && k < entries; k++) {
        if (part[k] < 0)
            MB_FAIL(err, MB_E_ARG, "--proportions: got %g; expected 0 or more", part[k]);
        sum += part[k];
    }
    if (entries != C || !(sum > 0))
        MB_FAIL(err, MB_E_ARG,
                "--proportions: got %d entries that sum to %g; expected %d, one a class", entries,
                sum, C);
    return MB_OK;
}

/* Numbers of nodes in each group: given (then they decide N), or equal parts of --nodes. */
static mb_status group_sizes(data_cut *c, int32_t G, int64_t *nodes, mb_err *err)
{
    int64_t given = 0, sum = 0;

    for (int32_t g = 0; g < G; g++) {
        given += nodes[g] > 0;
        sum += nodes[g];
    }
    if (given && given < G)
        MB_FAIL(err, MB_E_ARG,
                "--proportions: %lld of %d groups say how many nodes; expected all or none",
                (long long)given, G);
    if (given && c->opt.nodes && c->opt.nodes != sum)
        MB_FAIL(err, MB_E_ARG, "--proportions: %lld nodes in the groups, but --nodes %lld",
                (long long)sum, (long long)c->opt.nodes);
    if (!given)
        MB_TRY(data_need_nodes(c, err));
    if (!given)
        data_shares(c->N, G, NULL, nodes);
    else
        c->N = (int32_t)sum;
    return MB_OK;
}

static mb_status read_plan(data_cut *c, plan *p, mb_err *err)
{
    const char  *text = c->opt.proportions;
    const size_t C = (size_t)p->C;
    double      *part, *to;
    int64_t     *nodes;
    int32_t      G = 1;

    for (const char *s = text; *s; s++)
        G += *s == ';';
    MB_NEW(part, c->a, (size_t)G * C, err);
    MB_NEW(nodes, c->a, G, err);
    for (int32_t g = 0; g < G; g++) {
        const size_t len = strcspn(text, ";");
        const char  *group = mb_text(c->a, err, "%.*s", (int)len, text);

        if (!group)
            return MB_E_NOMEM;
        MB_TRY(read_group(group, p->C, part + (size_t)g * C, &nodes[g], err));
        text += len + 1;
    }
    MB_TRY(group_sizes(c, G, nodes, err));
    p->N = c->N;
    MB_NEW(p->part, c->a, (size_t)p->N * C, err);
    to = p->part;
    for (int32_t g = 0; g < G; g++)
        for (int64_t k = 0; k < nodes[g]; k++, to += C)
            memcpy(to, part + (size_t)g * C, C * sizeof *to);
    return MB_OK;
}

/* count for a split of `total` rows; 1 when the classes have that many. */
static int fits(plan *p, int64_t total)
{
    data_shares(total, p->N, p->size, p->rows);
    for (int32_t i = 0; i < p->N; i++)
        data_shares(p->rows[i], p->C, p->part + (int64_t)i * p->C, p->count + (int64_t)i * p->C);
    for (int32_t k = 0; k < p->C; k++) {
        int64_t used = 0;

        for (int32_t i = 0; i < p->N; i++)
            used += p->count[(int64_t)i * p->C + k];
        if (used > p->supply[k])
            return 0;
    }
    return 1;
}

/* The most rows that keep the proportions. Rounding moves a class by at most one row a node. */
static int64_t largest(plan *p, int64_t n)
{
    double  all = 0;
    int64_t total = n;

    for (int32_t i = 0; i < p->N; i++)
        all += p->size[i];
    for (int32_t k = 0; k < p->C; k++) {
        double share = 0, most;

        for (int32_t i = 0; i < p->N; i++) {
            const double *part = p->part + (int64_t)i * p->C;
            double        sum = 0;

            for (int32_t c = 0; c < p->C; c++)
                sum += part[c];
            share += p->size[i] / all * part[k] / sum;
        }
        most = ((double)p->supply[k] + p->N) / share;
        if (most < (double)total)
            total = (int64_t)most;
    }
    while (total > 0 && !fits(p, total))
        total--;
    return total;
}

/* Rows of each class in random order go to the nodes by the counts. */
static mb_status hand_out(data_cut *c, const plan *p, const int32_t *class_of, mb_err *err)
{
    mb_rng   rng = mb_rng_at((uint64_t)c->opt.seed, MB_STREAM_DEAL, 0, 0);
    int64_t *order, *left;
    int32_t *next;

    MB_NEW(order, c->a, c->n, err);
    MB_NEW(next, c->a, p->C, err);
    MB_NEW(left, c->a, (size_t)p->N * (size_t)p->C, err);
    memcpy(left, p->count, (size_t)p->N * (size_t)p->C * sizeof *left);
    mb_random_order(&rng, c->n, order);
    for (int64_t r = 0; r < c->n; r++) {
        const int32_t k = class_of[order[r]];

        while (next[k] < p->N && !left[(int64_t)next[k] * p->C + k])
            next[k]++;
        c->node[order[r]] = next[k] < p->N ? next[k] : -1;
        if (next[k] < p->N)
            left[(int64_t)next[k] * p->C + k]--;
    }
    return MB_OK;
}

mb_status data_deal_label(data_cut *c, const char *column, mb_err *err)
{
    plan    p = {0};
    int32_t col;
    data_texts class;

    MB_TRY(data_classes(c, column, &col, &class, err));
    p.C = class.count;
    if (!c->opt.proportions)
        MB_FAIL(err, MB_E_ARG,
                "--proportions is missing: for each group of nodes one entry for each of the %d "
                "classes of \"%s\"",
                p.C, column);
    MB_TRY(read_plan(c, &p, err));
    MB_TRY(data_sizes(c, err));
    p.size = c->size;
    MB_NEW(p.supply, c->a, p.C, err);
    MB_NEW(p.rows, c->a, p.N, err);
    MB_NEW(p.count, c->a, (size_t)p.N * (size_t)p.C, err);
    for (int64_t k = 0; k < c->n; k++)
        p.supply[class.index[k]]++;
    if (largest(&p, c->n) < p.N)
        MB_FAIL(err, MB_E_ARG,
                "--proportions: the %lld rows of %s do not give each of %d nodes a row in these "
                "proportions",
                (long long)c->n, c->csv.file, p.N);
    return hand_out(c, &p, class.index, err);
}
