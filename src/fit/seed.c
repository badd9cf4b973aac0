/* fit/seed.c - the first phi* of every node: responsibilities of centres, of chance or given. */
#include "fit/fit.h"

#include <string.h>

/* Rows of a mapped file that are read before their memory may be released. */
enum { REST_EVERY = 1 << 22 };

/* The case whose nodes hold the rows. */
static const mb_case *nodes_of(const mb_case *c)
{
    return c->nodes ? c->nodes : c;
}

static int is_drawn(const mb_start *start)
{
    return start->how == MB_INIT_KMEANS || start->how == MB_INIT_FARTHEST;
}

/* Collective: the centres of an attempt, drawn by the network unless they are those drawn last. */
static mb_status draw(const mb_case *c, const mb_start *start, int32_t attempt, mb_drawn *to,
                      mb_err *err)
{
    const mb_draw how = start->how == MB_INIT_FARTHEST ? MB_FARTHEST : MB_KMEANS;
    mb_traffic    sent = {0};
    mb_arena     *draft;
    mb_status     st;

    if (to->counted && to->attempt == attempt)
        return MB_OK;
    draft = mb_arena_new(1 << 16);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the start");
    st = mb_draw_centres(draft, &c->place->tp, c->data, c->agreed.origin, c->agreed.scale, how,
                         c->model.K, start->seed, attempt, to->centres, &to->repeated, &sent, err);
    mb_arena_free(draft);
    mb_case_rest_(c);
    MB_TRY(st);
    to->attempt = attempt;
    if (attempt < to->counted)
        return MB_OK;
    to->counted = attempt + 1;
    to->sent.frames += sent.frames;
    to->sent.bytes += sent.bytes;
    return MB_OK;
}

/* Responsibilities of the rows of the network's node gid. */
static void of_node(const mb_case *c, const mb_start *start, const double *centres, int32_t attempt,
                    int32_t gid, double *resp)
{
    const int32_t K = c->model.K;
    const int64_t first = c->table.first[gid], n = c->table.first[gid + 1] - first;
    const mb_rows rows = mb_rows_part(&c->table.rows, first, n);

    if (start->how == MB_INIT_RANDOM)
        mb_random_resp(n, K, start->seed, attempt, gid, resp);
    else if (start->how != MB_INIT_RESPONSIBILITIES)
        mb_nearest_resp(&rows, c->agreed.origin, c->agreed.scale, K, centres, resp);
    else
        for (int64_t j = 0; j < n; j++) {
            const int64_t row = c->table.row ? c->table.row[first + j] : first + j;

            memcpy(resp + j * K, start->resp + row * K, (size_t)K * sizeof *resp);
        }
}

/* Responsibilities of the rows at place i of the case: of a node, or of all of them. */
static void of_place(const mb_case *c, const mb_start *start, const double *centres,
                     int32_t attempt, int32_t i, double *resp)
{
    const mb_case *nodes = nodes_of(c);

    if (!c->nodes)
        of_node(nodes, start, centres, attempt, c->place->part.gid[i], resp);
    for (int32_t j = 0; c->nodes && j < nodes->table.N; j++)
        of_node(nodes, start, centres, attempt, j, resp + nodes->table.first[j] * c->model.K);
}

static mb_status seed_all(const mb_case *c, const mb_start *start, const double *centres,
                          int32_t attempt, mb_arena *draft, double *phi_star, size_t ld,
                          mb_err *err)
{
    const mb_part *part = &c->place->part;
    int64_t        most = 1, seen = 0;
    double        *scratch, *resp = NULL;

    for (int32_t i = 0; i < part->n_local; i++)
        most = c->rows[i].n > most ? c->rows[i].n : most;
    MB_NEW(scratch, draft, mb_local_scratch(&c->model), err);
    if (c->kind->latent)
        MB_NEW(resp, draft, (size_t)(most * c->model.K), err);
    for (int32_t i = 0; i < part->n_local; i++) {
        if (resp)
            of_place(c, start, centres, attempt, i, resp);
        MB_TRY(mb_seed_step(&c->model, &c->rows[i], part->n_global, resp, phi_star + (size_t)i * ld,
                            scratch, err));
        seen += c->rows[i].n;
        if (seen < REST_EVERY)
            continue;
        mb_case_rest_(c);
        seen = 0;
    }
    mb_case_rest_(c);
    return MB_OK;
}

static mb_status from_centres(const mb_case *c, const mb_start *start, int32_t attempt,
                              mb_arena *draft, double *phi_star, size_t ld, mb_err *err)
{
    mb_drawn      own = {0};
    mb_drawn     *drawn = start->drawn ? start->drawn : &own;
    const double *centres = start->centres;

    if (c->kind->latent && is_drawn(start)) {
        if (!start->drawn)
            MB_NEW(own.centres, draft, (size_t)c->model.K * (size_t)c->run.d, err);
        MB_TRY(draw(nodes_of(c), start, attempt, drawn, err));
        centres = drawn->centres;
    }
    return seed_all(c, start, centres, attempt, draft, phi_star, ld, err);
}

mb_status mb_case_seed(const mb_case *c, const mb_start *start, int32_t attempt, double *phi_star,
                       size_t ld, mb_err *err)
{
    mb_arena *draft;
    mb_status st;

    if ((start->how == MB_INIT_CENTRES && !start->centres) ||
        (start->how == MB_INIT_RESPONSIBILITIES && !start->resp))
        MB_FAIL(err, MB_E_ARG, "initialisation: got no %s",
                start->how == MB_INIT_CENTRES ? "centres" : "responsibilities");
    draft = mb_arena_new(1 << 16);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the start");
    st = from_centres(c, start, attempt, draft, phi_star, ld, err);
    mb_arena_free(draft);
    return c->nodes ? st : mb_comm_agree(c->place->comm, st, err);
}
