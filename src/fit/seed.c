/* seed.c - the first phi* of every node from responsibilities: of centres, random or given. */
#include "fit/fit.h"
#include "start/mixed.h"

#include <string.h>

/* Rows of a mapped file that are read before their memory may be released. */
enum { REST_EVERY = 1 << 22 };

/* Where responsibilities come from. */
typedef struct source {
    const mb_case  *nodes; /* the case whose nodes hold the rows */
    const mb_start *start;
    const double   *centres; /* K x D, data units; NULL: not needed */
    int32_t         attempt;
} source;

int32_t mb_start_candidates(mb_init how)
{
    return how == MB_INIT_KMEANS ? 2 : 1;
}

mb_status mb_case_centres(const mb_case *c, const mb_start *start, int32_t attempt, mb_arena *draft,
                          mb_drawn *to, mb_traffic *sent, mb_err *err)
{
    const int32_t K = c->model.K;
    mb_transport *tp = &c->place->tp;
    mb_rows      *rows;
    mb_units      u;

    MB_NEW(rows, draft, c->place->part.n_local, err);
    for (int32_t i = 0; i < c->place->part.n_local; i++)
        MB_TRY(mb_mixed_rows_(draft, &c->size, &c->data[i], &rows[i], err));
    MB_TRY(mb_mixed_units_(draft, &c->size, &c->agreed, &u, err));
    MB_TRY(mb_draw_centres(draft, tp, &c->tree, rows, u.origin, u.scale,
                           start->how == MB_INIT_FARTHEST ? MB_FARTHEST : MB_KMEANS,
                           mb_start_candidates(start->how), K, start->seed, attempt, to->centres,
                           &to->repeated, sent, err));
    if (start->how != MB_INIT_KMEANS)
        return MB_OK;
    return mb_lloyd(draft, tp, &c->tree, rows, u.origin, u.scale, K, u.d, start->pool, to->centres,
                    &to->steps, sent, err);
}

size_t mb_case_centres_len(const mb_case *c)
{
    return (size_t)c->size.K * (size_t)(c->size.columns ? mb_mixed_columns_(&c->size) : c->run.d);
}

/* Collective: centres drawn by the network, unless the last ones are of this attempt. */
static mb_status draw(source *from, mb_arena *keep, mb_err *err)
{
    const mb_case  *c = from->nodes;
    const mb_start *start = from->start;
    mb_drawn        own = {0}, *to = start->drawn ? start->drawn : &own;
    mb_traffic      sent = {0};
    mb_arena       *draft;
    mb_status       st;

    if (!start->drawn)
        MB_NEW(own.centres, keep, mb_case_centres_len(c), err);
    from->centres = to->centres;
    if (to->counted && to->attempt == from->attempt)
        return MB_OK;
    draft = mb_arena_new(1 << 16);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to draw centres");
    st = mb_case_centres(c, start, from->attempt, draft, to, &sent, err);
    mb_arena_free(draft);
    mb_case_rest_(c);
    MB_TRY(st);
    to->attempt = from->attempt;
    if (from->attempt < to->counted)
        return MB_OK;
    to->counted = from->attempt + 1;
    to->sent.frames += sent.frames;
    to->sent.bytes += sent.bytes;
    return MB_OK;
}

/* Responsibilities of the rows of the network's node gid. */
static void of_node(const source *from, int32_t gid, double *resp)
{
    const mb_case  *c = from->nodes;
    const mb_start *start = from->start;
    const int32_t   K = c->model.K;
    const int64_t   first = c->table.first[gid], n = c->table.first[gid + 1] - first;
    const mb_rows   rows = mb_rows_part(&c->table.rows, first, n);

    if (start->how == MB_INIT_RANDOM)
        mb_random_resp(n, K, start->seed, from->attempt, gid, resp);
    else if (start->how != MB_INIT_RESPONSIBILITIES)
        mb_mixed_nearest_(&c->size, &c->agreed, &rows, K, from->centres, resp);
    else
        for (int64_t j = 0; j < n; j++) {
            const int64_t row = c->table.row ? c->table.row[first + j] : first + j;

            memcpy(resp + j * K, start->resp + row * K, (size_t)K * sizeof *resp);
        }
}

/* Responsibilities of the rows at place i of the case: of one node, or of all for a central case. */
static void of_place(const source *from, const mb_case *c, int32_t i, double *resp)
{
    const mb_table *t = &from->nodes->table;
    const int32_t   first = c->nodes ? 0 : c->place->part.gid[i];
    const int32_t   end = c->nodes ? t->N : first + 1;

    for (int32_t j = first; j < end; j++)
        of_node(from, j, resp + (t->first[j] - t->first[first]) * c->model.K);
}

/* The first phi* at place i, from responsibilities or a former answer (NULL: not from one). */
static mb_status first_step(const mb_case *c, int32_t i, const double *resp, const double *former,
                            double *phi_star, double *scratch, mb_err *err)
{
    const int32_t n = c->place->part.n_global;

    if (former)
        return mb_local_step(&c->model, &c->rows[i], n, former, phi_star, NULL, NULL, scratch, err);
    return mb_seed_step(&c->model, &c->rows[i], n, resp, phi_star, scratch, err);
}

mb_status mb_case_as_centres(mb_arena *a, const mb_case *c, const double *rows, const double **out,
                             mb_err *err)
{
    const mb_rows given = {.x = rows, .n = c->size.K, .d = c->size.D, .ld = (size_t)c->size.D};
    mb_rows       seen;

    MB_TRY(mb_mixed_rows_(a, &c->size, &given, &seen, err));
    *out = seen.x;
    return MB_OK;
}

static mb_status seed(const mb_case *c, source *from, mb_arena *draft, double *phi_star, size_t ld,
                      mb_err *err)
{
    const mb_part *part = &c->place->part;
    const mb_init  how = from->start->how;
    int64_t        most = 1, seen = 0;
    double        *scratch, *resp = NULL, *former = NULL;

    if (c->kind->latent &&
        (how == MB_INIT_KMEANS || how == MB_INIT_KMEANSPP || how == MB_INIT_FARTHEST))
        MB_TRY(draw(from, draft, err));
    if (from->nodes->size.columns && how == MB_INIT_CENTRES)
        MB_TRY(mb_case_as_centres(draft, from->nodes, from->centres, &from->centres, err));
    for (int32_t i = 0; i < part->n_local; i++)
        most = c->rows[i].n > most ? c->rows[i].n : most;
    MB_NEW(scratch, draft, mb_local_scratch(&c->model), err);
    if (c->kind->latent && how == MB_INIT_POSTERIOR)
        MB_TRY(mb_former_phi_(draft, from->start->posterior, c, &former, err));
    else if (c->kind->latent)
        MB_NEW(resp, draft, (size_t)(most * c->model.K), err);
    for (int32_t i = 0; i < part->n_local; i++) {
        if (resp)
            of_place(from, c, i, resp);
        MB_TRY(first_step(c, i, resp, former, phi_star + (size_t)i * ld, scratch, err));
        seen += c->rows[i].n;
        if (seen >= REST_EVERY) {
            mb_case_rest_(c);
            seen = 0;
        }
    }
    mb_case_rest_(c);
    return MB_OK;
}

mb_status mb_case_seed(const mb_case *c, const mb_start *start, int32_t attempt, double *phi_star,
                       size_t ld, mb_err *err)
{
    source    from = {c->nodes ? c->nodes : c, start, start->centres, attempt};
    mb_arena *draft;
    mb_status st;

    const char *none = start->how == MB_INIT_CENTRES && !start->centres         ? "centres"
                       : start->how == MB_INIT_RESPONSIBILITIES && !start->resp ? "responsibilities"
                       : start->how == MB_INIT_POSTERIOR && !start->posterior   ? "posterior"
                                                                                : NULL;

    if (none)
        MB_FAIL(err, MB_E_ARG, "initialisation: got no %s", none);
    draft = mb_arena_new(1 << 16);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the initialisation");
    st = seed(c, &from, draft, phi_star, ld, err);
    mb_arena_free(draft);
    return c->nodes ? st : mb_comm_agree(c->place->comm, st, err);
}
