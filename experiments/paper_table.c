/* paper_table.c - the numbers of all runs of an experiment, and their statistics. */
#include "paper.h"

#include <string.h>

static int same_x(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(a < b || a > b || isnan(a) || isnan(b));
}

static int is_key(const paper_group *g, paper_protocol p, const paper_number *k)
{
    return g->protocol == p && !strcmp(g->key.quantity, k->quantity) && same_x(g->key.x, k->x) &&
           !strcmp(g->key.algorithm, k->algorithm) && !strcmp(g->key.part, k->part);
}

static paper_group *look(const paper_table *t, paper_protocol p, const paper_number *k,
                         int64_t hint)
{
    for (int64_t j = 0; j < t->count; j++) { /* every run has its numbers in the same order */
        paper_group *g = &t->group[(hint + j) % t->count];

        if (is_key(g, p, k))
            return g;
    }
    return NULL;
}

const paper_group *paper_find(const paper_table *t, paper_protocol p, const char *algorithm,
                              const char *quantity, const char *part, double x)
{
    const paper_number k = {algorithm, quantity, part, x, 0};

    return look(t, p, &k, 0);
}

static mb_status add(paper_table *t, const paper_unit *u, mb_err *err)
{
    int64_t hint = 0;

    for (int64_t j = 0; j < u->count; j++) {
        paper_group *g = look(t, u->protocol, &u->number[j], hint);

        if (!g) {
            t->group = paper_room(t->a, t->group, t->count, sizeof *t->group);
            if (!t->group)
                MB_FAIL(err, MB_E_NOMEM, "out of memory for the numbers of %s", t->row->name);
            g = &t->group[t->count++];
            *g = (paper_group){.protocol = u->protocol, .key = u->number[j]};
            MB_NEW(g->value, t->a, t->runs, err);
            for (int64_t r = 0; r < t->runs; r++)
                g->value[r] = PAPER_NAN;
        }
        g->value[u->run] = u->number[j].value;
        hint = g - t->group + 1;
    }
    return MB_OK;
}

static const paper_stat nothing = {PAPER_NAN, PAPER_NAN, PAPER_NAN, PAPER_NAN, PAPER_NAN, 0, 0};

/* A run of a number counts as failed when its algorithm failed there, or gave no value. x: runs. */
static paper_stat stat_of(const paper_table *t, const paper_group *g, double *x)
{
    const paper_group *f =
        paper_find(t, g->protocol, g->key.algorithm, "failed", g->key.part, PAPER_NAN);
    const int  sample = *g->key.quantity == '@'; /* of the first run alone */
    paper_stat s = nothing;
    int64_t    n = 0;
    double     sum = 0, squares = 0;

    for (int64_t r = 0; r < t->runs; r++) {
        s.failed += isnan(g->value[r]) || (f && f->value[r] > 0);
        if (!isnan(g->value[r]))
            sum += x[n++] = g->value[r];
    }
    s.runs = sample ? 1 : t->runs;
    s.failed = sample ? n == 0 : s.failed;
    if (!n)
        return s;
    app_sort(x, n);
    s.mean = sum / (double)n;
    for (int64_t r = 0; r < n; r++)
        squares += (x[r] - s.mean) * (x[r] - s.mean);
    s.sd = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    s.median = app_quantile(x, n, 0.5);
    s.low = app_quantile(x, n, 0.25);
    s.high = app_quantile(x, n, 0.75);
    return s;
}

mb_status paper_table_read(paper_table *t, mb_err *err)
{
    double *sorted;

    for (int64_t k = 0; k < paper_units(t); k++) {
        paper_unit u;
        int        there;

        paper_unit_at(t->a, t, k, &u);
        MB_TRY(paper_part_read(&u, &there, err));
        if (!there)
            MB_FAIL(err, MB_E_IO, "%s/%s/parts: a file disappeared while the results were compiled",
                    t->set->out, t->row->name);
        MB_TRY(add(t, &u, err));
    }
    MB_NEW(sorted, t->a, t->runs, err);
    for (int64_t j = 0; j < t->count; j++)
        t->group[j].stat = stat_of(t, &t->group[j], sorted);
    return MB_OK;
}

paper_stat paper_stat_at(const paper_table *t, paper_protocol p, const char *algorithm,
                         const char *quantity, const char *part, double x)
{
    const paper_group *g = paper_find(t, p, algorithm, quantity, part, x);

    return g ? g->stat : nothing;
}
