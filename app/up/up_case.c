/* up_case.c - the rows that are present in a part of the network as one case of the library. */
#include "mesh/genesis.h"
#include "up/up.h"

#include <math.h>

const mb_genesis *up_block_of(const mb_virtual *v, const int32_t *part, int32_t which)
{
    const int32_t n = mb_virtual_options(v)->graph->n;

    for (int32_t i = 0; i < n; i++) {
        const mb_peer    *p = part[i] == which ? mb_virtual_peer(v, i) : NULL;
        const mb_genesis *g = p ? mb_peer_block(p) : NULL;

        if (g)
            return g;
    }
    return NULL;
}

int up_answers(const mb_virtual *v, int32_t i, uint64_t hash)
{
    const mb_peer *p = mb_virtual_peer(v, i);
    mb_peer_status status;

    if (!p || !mb_peer_phi(p))
        return 0;
    mb_peer_look(p, mb_virtual_clock(v, i), &status);
    return status.rounds > 0 && status.run == hash;
}

static mb_status room(mb_arena *a, int64_t n, int32_t d, int weighted, mb_rows *out, mb_err *err)
{
    double *x, *w = NULL;

    MB_NEW(x, a, n * d + 1, err);
    if (weighted)
        MB_NEW(w, a, n + 1, err);
    *out = (mb_rows){.x = x, .w = w, .n = n, .d = d, .ld = (size_t)d};
    return MB_OK;
}

/* Copies rows after the first `at` ones; without weights each counts once. */
static void add(const mb_rows *from, double *x, double *w)
{
    for (int64_t j = 0; j < from->n; j++) {
        for (int32_t d = 0; d < from->d; d++)
            *x++ = mb_rows_at(from, j, d);
        if (w)
            w[j] = from->w ? from->w[j] : 1;
    }
}

/* The groups of the rows of n nodes, which are at first[i] .. first[i + 1] - 1. */
static mb_status add_groups(mb_arena *a, int32_t n, const mb_rows *each, const int64_t *first,
                            mb_rows *out, mb_err *err)
{
    int64_t *begins;

    MB_NEW(begins, a, out->n + 1, err);
    for (int32_t i = 0; i < n; i++)
        for (int32_t g = 0; g < each[i].ngroup; g++)
            begins[out->ngroup++] = first[i] + each[i].first[g];
    begins[out->ngroup] = out->n;
    out->first = begins;
    return MB_OK;
}

/* All rows of the part in one place, by node. */
static mb_status present(up *u, mb_arena *a, const int32_t *part, int32_t which, mb_table *out,
                         mb_err *err)
{
    const int32_t n = u->cs->network->net.n;
    mb_rows      *each;
    int64_t      *first;
    int           weighted = 0;

    MB_NEW(each, a, n, err);
    MB_NEW(first, a, n + 1, err);
    for (int32_t i = 0; i < n; i++) {
        if (part[i] == which && u->net)
            MB_TRY(mb_virtual_rows(a, u->net, i, &each[i], err));
        else if (part[i] == which)
            each[i] = u->last[i].rows;
        weighted |= each[i].w != NULL;
        first[i + 1] = first[i] + each[i].n;
    }
    *out = (mb_table){.column = u->plan.column,
                      .kinds = u->plan.kinds,
                      .N = n,
                      .first = first,
                      .last_is_target = 1,
                      .design = u->cs->rows->design};
    MB_TRY(room(a, first[n], u->plan.columns, weighted, &out->rows, err));
    out->rows.gaps = u->plan.kind->gaps;
    for (int32_t i = 0; i < n; i++)
        add(&each[i], (double *)(uintptr_t)out->rows.x + first[i] * u->plan.columns,
            weighted ? (double *)(uintptr_t)out->rows.w + first[i] : NULL);
    return u->cs->rows->data.group ? add_groups(a, n, each, first, &out->rows, err) : MB_OK;
}

mb_status up_case_make(up *u, mb_arena *a, const int32_t *part, int32_t which, const mb_genesis *g,
                       mb_table *table, mb_case *out, mb_err *err)
{
    const sim_case *cs = u->cs;
    mb_case_given   given = {.run = &g->run, .prior_par = g->prior_par};
    mb_case_opt     how = {.given = &given};
    mb_model       *model;

    MB_NEW(model, a, 1, err);
    MB_TRY(mb_genesis_model(a, g, model, err));
    given.model = model;
    MB_TRY(present(u, a, part, which, table, err));
    return mb_case_make(a, &cs->fit->stages->place, table, cs->args->kind, cs->args->model_opt,
                        &how, out, err);
}

double up_apart(size_t n, const double *x, const double *y)
{
    double away = 0, size = 0;

    for (size_t l = 0; l < n; l++) {
        away += (x[l] - y[l]) * (x[l] - y[l]);
        size += y[l] * y[l];
    }
    return sqrt(away / size);
}
