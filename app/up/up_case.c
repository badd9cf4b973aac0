/* up_case.c - the rows that are present in a part of the network as one case of the library. */
#include "up/up.h"

#include <string.h>

/* The lowest node of a part that has a block; -1: none has. */
static int32_t with_block(const mb_virtual *v, const int32_t *part, int32_t n, int32_t which)
{
    for (int32_t i = 0; i < n; i++)
        if (part[i] == which && mb_peer_block(mb_virtual_peer(v, i)))
            return i;
    return -1;
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

/* Copies rows behind the first `at` ones; without weights each counts once. */
static void add(const mb_rows *from, double *x, double *w)
{
    for (int64_t j = 0; j < from->n; j++) {
        for (int32_t d = 0; d < from->d; d++)
            *x++ = mb_rows_at(from, j, d);
        if (w)
            w[j] = from->w ? from->w[j] : 1;
    }
}

/* All rows of the part in one place, by node. */
static mb_status present(up *u, mb_arena *a, const int32_t *part, int32_t which, mb_table *out,
                         mb_err *err)
{
    const int32_t n = u->s->world.net.n;
    mb_rows      *each;
    int64_t      *first;
    int           weighted = 0;

    MB_NEW(each, a, n, err);
    MB_NEW(first, a, n + 1, err);
    for (int32_t i = 0; i < n; i++) {
        if (part[i] == which)
            MB_TRY(mb_virtual_rows(a, u->net, i, &each[i], err));
        weighted |= each[i].w != NULL;
        first[i + 1] = first[i] + each[i].n;
    }
    *out = (mb_table){.column = u->plan.column, .N = n, .first = first, .last_is_target = 1};
    MB_TRY(room(a, first[n], u->plan.columns, weighted, &out->rows, err));
    for (int32_t i = 0; i < n; i++)
        add(&each[i], (double *)(uintptr_t)out->rows.x + first[i] * u->plan.columns,
            weighted ? (double *)(uintptr_t)out->rows.w + first[i] : NULL);
    return MB_OK;
}

mb_status up_case_make(up *u, mb_arena *a, const int32_t *part, int32_t which, mb_table *table,
                       mb_case *out, mb_err *err)
{
    sim          *s = u->s;
    const int32_t lowest = with_block(u->net, part, s->world.net.n, which);
    mb_case_given given;
    mb_case_opt   how = {.given = &given};
    mb_model     *model;

    if (lowest < 0)
        return MB_E_PEER;
    const mb_genesis *g = mb_peer_block(mb_virtual_peer(u->net, lowest));

    MB_NEW(model, a, 1, err);
    MB_TRY(mb_genesis_model(a, g, model, err));
    given = (mb_case_given){.run = &g->run, .model = model, .prior_par = g->prior_par};
    MB_TRY(present(u, a, part, which, table, err));
    return mb_case_make(a, &s->world.fit.place, table, s->asked.kind, s->asked.model_opt, &how, out,
                        err);
}

int32_t up_mean(const mb_virtual *v, const int32_t *part, int32_t which, size_t len, double *mean)
{
    const int32_t n = mb_virtual_options(v)->graph->n;
    int32_t       count = 0;

    memset(mean, 0, len * sizeof *mean);
    for (int32_t i = 0; i < n; i++) {
        const mb_peer *p = part[i] == which ? mb_virtual_peer(v, i) : NULL;

        if (!p || !up_begun(v, i))
            continue;
        count++;
        for (size_t l = 0; l < len; l++)
            mean[l] += (mb_peer_phi(p)[l] - mean[l]) / count;
    }
    return count;
}
