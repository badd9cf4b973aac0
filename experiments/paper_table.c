/* paper_table.c - the numbers of all runs of an experiment, and their statistics. */
#include "paper.h"

#include <stdlib.h>
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
    for (int64_t j = 0; j < t->count; j++) { /* numbers come in the same order in every run */
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

static mb_status grow(paper_table *t, mb_err *err)
{
    paper_group *more;

    if (t->count < t->room)
        return MB_OK;
    MB_NEW(more, t->a, 2 * t->room + 256, err);
    if (t->count)
        memcpy(more, t->group, (size_t)t->count * sizeof *more);
    t->group = more;
    t->room = 2 * t->room + 256;
    return MB_OK;
}

static mb_status add(paper_table *t, const paper_unit *u, mb_err *err)
{
    int64_t hint = 0;

    for (int64_t j = 0; j < u->count; j++) {
        paper_group *g = look(t, u->protocol, &u->number[j], hint);

        if (!g) {
            MB_TRY(grow(t, err));
            g = &t->group[t->count++];
            *g = (paper_group){.protocol = u->protocol, .key = u->number[j]};
            MB_NEW(g->value, t->a, t->runs, err);
            MB_NEW(g->failed, t->a, t->runs, err);
            for (int64_t r = 0; r < t->runs; r++)
                g->value[r] = PAPER_NAN;
        }
        g->value[u->run] = u->number[j].value;
        hint = g - t->group + 1;
    }
    return MB_OK;
}

/* A run of a number counts as failed when its algorithm failed there, or gave no value. */
static void mark(paper_table *t)
{
    for (int64_t j = 0; j < t->count; j++) {
        paper_group       *g = &t->group[j];
        const paper_group *f =
            paper_find(t, g->protocol, g->key.algorithm, "failed", g->key.part, PAPER_NAN);

        for (int64_t r = 0; r < t->runs; r++)
            g->failed[r] = isnan(g->value[r]) || (f && f->value[r] > 0);
    }
}

mb_status paper_table_read(paper_table *t, mb_err *err)
{
    const int64_t units = paper_units(t->set, t->row);

    t->runs = paper_runs_of(t->set, t->row);
    for (int64_t k = 0; k < units; k++) {
        paper_unit u;
        int        there;

        paper_unit_at(t->a, t->set, t->row, k, &u);
        MB_TRY(paper_part_read(&u, &there, err));
        if (!there)
            MB_FAIL(err, MB_E_IO, "%s/%s/parts: a file went away while the results were made",
                    t->set->out, t->row->name);
        MB_TRY(add(t, &u, err));
    }
    mark(t);
    return MB_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Linear between the order statistics. */
static double quantile(const double *x, int64_t n, double q)
{
    const double  at = q * (double)(n - 1);
    const int64_t k = (int64_t)at;

    return k + 1 < n ? x[k] + (at - (double)k) * (x[k + 1] - x[k]) : x[n - 1];
}

mb_status paper_stat_of(const paper_table *t, const paper_group *g, paper_stat *s, mb_err *err)
{
    double *x, sum = 0, squares = 0;

    MB_NEW(x, t->a, t->runs + 1, err);
    *s = (paper_stat){PAPER_NAN, PAPER_NAN, PAPER_NAN, PAPER_NAN, PAPER_NAN, 0, 0};
    for (int64_t r = 0; r < t->runs; r++) {
        s->failed += g->failed[r];
        if (!isnan(g->value[r]))
            sum += x[s->runs++] = g->value[r];
    }
    const int64_t n = s->runs;

    s->runs = t->runs;
    if (*g->key.quantity == '@') { /* of the first run alone */
        s->runs = 1;
        s->failed = n == 0;
    }
    if (!n)
        return MB_OK;
    qsort(x, (size_t)n, sizeof *x, ascending);
    s->mean = sum / (double)n;
    for (int64_t r = 0; r < n; r++)
        squares += (x[r] - s->mean) * (x[r] - s->mean);
    s->sd = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    s->median = quantile(x, n, 0.5);
    s->low = quantile(x, n, 0.25);
    s->high = quantile(x, n, 0.75);
    return MB_OK;
}

paper_stat paper_stat_at(const paper_table *t, paper_protocol p, const char *algorithm,
                         const char *quantity, const char *part, double x)
{
    const paper_group *g = paper_find(t, p, algorithm, quantity, part, x);
    paper_stat         s = {PAPER_NAN, PAPER_NAN, PAPER_NAN, PAPER_NAN, PAPER_NAN, 0, 0};

    if (g && paper_stat_of(t, g, &s, NULL) < 0)
        s.runs = 0;
    return s;
}
