/* seed.c - the first phi* of every node from responsibilities: of centres, random or given. */
#include "fit/fit.h"
#include "start/mixed.h"

#include <string.h>

/* REST_EVERY: rows of a mapped file that are read before their memory may be released. SHARES:
 * responsibilities of a piece. FEW: rows that are read together. */
enum { REST_EVERY = 1 << 22, SHARES = 1 << 22, FEW = 64 };
/* Centres are drawn from ALL rows of a node at most, else from a sample of at most SAMPLE rows or SAMPLE_NUMBERS numbers,
 * but SAMPLE_LEAST rows. */
enum { ALL = 1 << 22, SAMPLE = 1 << 20, SAMPLE_NUMBERS = 1 << 23, SAMPLE_LEAST = 1 << 15 };
enum { REST_SAMPLED = 1 << 10 /* rows of a sample that are read before memory is released */ };

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

/* Of very many rows, some that are spread evenly over them, copied. */
static mb_status thin(mb_arena *a, const mb_case *c, const mb_rows *rows, mb_rows *out, mb_err *err)
{
    const int64_t wide = SAMPLE_NUMBERS / rows->d, n = wide < SAMPLE ? wide : SAMPLE;
    double       *x, *w = NULL;

    *out = *rows;
    if (rows->n <= ALL)
        return MB_OK;
    *out = (mb_rows){.n = n > SAMPLE_LEAST ? n : SAMPLE_LEAST, .d = rows->d, .gaps = rows->gaps};
    out->ld = (size_t)rows->d;
    MB_NEW(x, a, out->n * rows->d, err);
    if (rows->w)
        MB_NEW(w, a, out->n, err);
    for (int64_t j = 0; j < out->n; j++) {
        const int64_t at = (int64_t)((double)j * (double)rows->n / (double)out->n);

        mb_rows_take(rows, at, 1, x + j * rows->d);
        if (w)
            w[j] = rows->w[at];
        if (j % REST_SAMPLED == 0)
            mb_case_rest_(c);
    }
    out->x = x;
    out->w = w;
    return MB_OK;
}

mb_status mb_case_centres(const mb_case *c, const mb_start *start, int32_t attempt, mb_arena *draft,
                          mb_drawn *to, mb_traffic *sent, mb_err *err)
{
    const int32_t K = c->model.K;
    mb_transport *tp = &c->place->tp;
    mb_rows      *rows;
    mb_units      u;

    MB_NEW(rows, draft, c->place->part.n_local, err);
    for (int32_t i = 0; i < c->place->part.n_local; i++) {
        MB_TRY(thin(draft, c, &c->data[i], &rows[i], err));
        MB_TRY(mb_mixed_rows_(draft, &c->size, &rows[i], &rows[i], err));
    }
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

/* The rows whose responsibilities come next: those of one node after the other. */
typedef struct cursor {
    const source *from;
    int32_t       gid;
    int64_t       row; /* of the table                                        */
    mb_rng        rng; /* of the node                                         */
    double       *few; /* FEW x d: rows that are not in memory; NULL: all are */
} cursor;

static void begin_node(cursor *at, int32_t gid)
{
    const source *from = at->from;

    at->gid = gid;
    at->row = from->nodes->table.first[gid];
    at->rng = mb_rng_at(from->start->seed, MB_STREAM_START, (uint32_t)gid, (uint64_t)from->attempt);
}

/* Of the nearest centres, for n rows from `first` on. */
static void of_centres(const cursor *at, int64_t first, int64_t n, double *resp)
{
    const mb_case *c = at->from->nodes;
    const int32_t  K = c->model.K;

    for (int64_t j = 0, m; j < n; j += m) {
        mb_rows rows;

        m = at->few && n - j > FEW ? FEW : n - j;
        rows = mb_rows_part(&c->table.rows, first + j, m);
        if (at->few) {
            mb_rows_take(&rows, 0, m, at->few);
            rows.x = at->few;
            rows.ld = (size_t)rows.d;
            rows.stored = NULL;
        }
        mb_mixed_nearest_(&c->size, &c->agreed, &rows, K, at->from->centres, resp + j * K);
    }
}

/* Of the next n rows, all of the cursor's node. */
static void of_node(cursor *at, int64_t n, double *resp)
{
    const mb_case  *c = at->from->nodes;
    const mb_start *start = at->from->start;
    const int32_t   K = c->model.K;

    if (start->how == MB_INIT_RANDOM)
        mb_random_more(&at->rng, n, K, resp);
    else if (start->how != MB_INIT_RESPONSIBILITIES)
        of_centres(at, at->row, n, resp);
    else
        for (int64_t j = at->row; j < at->row + n; j++) {
            const int64_t row = c->table.row ? c->table.row[j] : j;

            memcpy(resp + (j - at->row) * K, start->resp + row * K, (size_t)K * sizeof *resp);
        }
    at->row += n;
}

static void of_next(cursor *at, int64_t n, double *resp)
{
    const int64_t *first = at->from->nodes->table.first;

    for (int64_t m; n > 0; n -= m, resp += m * at->from->nodes->model.K) {
        while (at->row == first[at->gid + 1])
            begin_node(at, at->gid + 1);
        m = first[at->gid + 1] - at->row < n ? first[at->gid + 1] - at->row : n;
        of_node(at, m, resp);
    }
}

/* Rows whose responsibilities are in memory together: all, unless they are very many. */
static int64_t piece_of(const mb_case *c, const mb_rows *rows)
{
    const int64_t K = c->model.K;

    return !c->kind->latent || !c->model.ops->seed_stats || rows->first || rows->n <= 2 * SHARES / K
               ? rows->n
               : SHARES / K + 1;
}

/* mb_model_ops::seed_stats of rows whose statistics are known: in place of responsibilities. */
static mb_status add_known(const mb_model *m, const mb_rows *rows, const double *known, double *s,
                           double *scratch, mb_err *err)
{
    (void)rows, (void)scratch, (void)err;
    for (size_t l = 0; l < m->layout.len; l++)
        s[l] += known[l];
    return MB_OK;
}

/* The first phi* at place i, from responsibilities (NULL: nothing is latent): those of one node, or
 * of all for a central case. */
static mb_status from_shares(const mb_case *c, int32_t i, cursor *at, double *resp,
                             double *phi_star, double *scratch, mb_err *err)
{
    const mb_rows *rows = &c->rows[i];
    const int64_t  most = piece_of(c, rows);
    const int32_t  nodes = c->place->part.n_global;
    const size_t   L = c->model.layout.len;
    mb_model_ops   ops = *c->model.ops;
    mb_model       known = c->model;
    double        *sum = scratch + mb_local_scratch(&c->model);

    begin_node(at, c->nodes ? 0 : c->place->part.gid[i]);
    if (most == rows->n) {
        if (resp)
            of_next(at, rows->n, resp);
        return mb_seed_step(&c->model, rows, nodes, resp, phi_star, scratch, err);
    }
    memset(sum, 0, L * sizeof *sum);
    for (int64_t j = 0, n; j < rows->n; j += n) {
        mb_rows piece;

        n = rows->n - j < most ? rows->n - j : most;
        piece = mb_rows_part(rows, j, n);
        of_next(at, n, resp);
        MB_TRY(ops.seed_stats(&c->model, &piece, resp, sum, scratch, err));
    }
    ops.seed_stats = add_known;
    known.ops = &ops;
    return mb_seed_step(&known, rows, nodes, sum, phi_star, scratch, err);
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

/* What the initialisation reads before the first row. */
static mb_status prepare(const mb_case *c, source *from, mb_arena *draft, double **former,
                         mb_err *err)
{
    const mb_init how = from->start->how;

    if (c->kind->latent &&
        (how == MB_INIT_KMEANS || how == MB_INIT_KMEANSPP || how == MB_INIT_FARTHEST))
        MB_TRY(draw(from, draft, err));
    if (from->nodes->size.columns && how == MB_INIT_CENTRES)
        MB_TRY(mb_case_as_centres(draft, from->nodes, from->centres, &from->centres, err));
    if (c->kind->latent && how == MB_INIT_POSTERIOR)
        MB_TRY(mb_former_phi_(draft, from->start->posterior, c, former, err));
    return MB_OK;
}

static mb_status seed(const mb_case *c, source *from, mb_arena *draft, double *phi_star, size_t ld,
                      mb_err *err)
{
    const mb_part *part = &c->place->part;
    const mb_rows *table = &from->nodes->table.rows;
    int64_t        most = 1, seen = 0;
    double        *scratch, *resp = NULL, *former = NULL;
    cursor         at = {.from = from};

    MB_TRY(prepare(c, from, draft, &former, err));
    for (int32_t i = 0; i < part->n_local; i++)
        most = piece_of(c, &c->rows[i]) > most ? piece_of(c, &c->rows[i]) : most;
    MB_NEW(scratch, draft, mb_local_scratch(&c->model) + c->model.layout.len, err);
    if (c->kind->latent && !former)
        MB_NEW(resp, draft, (size_t)(most * c->model.K), err);
    if (table->stored)
        MB_NEW(at.few, draft, FEW * table->d, err);
    for (int32_t i = 0; i < part->n_local; i++) {
        double *to = phi_star + (size_t)i * ld;

        MB_TRY(former ? mb_local_step(&c->model, &c->rows[i], part->n_global, former, to, NULL,
                                      NULL, scratch, err)
                      : from_shares(c, i, &at, resp, to, scratch, err));
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
