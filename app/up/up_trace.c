/* up_trace.c - trace.csv: the network against virtual time. The time is cut where nodes, links, rows
 * or blocks change; the centralised answer of each part is known at the end of such a segment, when
 * central VB has run from the mean of the nodes, and the segment's samples wait for it. */
#include "model/model.h"
#include "up/up.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 /* samples of a segment */, STEPS = 3000 /* of central VB */ };
static const double MEMORY = 64e6; /* bytes for the posteriors of a segment */
static const double STILL = 1e-12; /* relative change at which central VB ends */

/* A connected part of the live nodes in a segment. */
typedef struct piece {
    uint64_t run;     /* hash of its block; 0: none         */
    mb_case  nodes;   /* its rows                           */
    mb_case  central; /* in one place                       */
    mb_table table;   /* borrowed by them                   */
    double  *answer;  /* L: centralised; NULL: not found    */
} piece;

struct up_trace {
    up            *u;
    mb_arena      *own;
    mb_file        file;
    size_t         len;  /* L */
    int32_t        n;    /* nodes */
    uint64_t       key;  /* of the segment */
    mb_arena      *held; /* of the segment; NULL: before the first look */
    int32_t       *part, parts;
    piece         *piece;
    int32_t        cap, count, every, looks; /* samples; one in `every` looks */
    up_sample     *sample;
    double        *phi;    /* cap x n x L; the first number of a node without one is NaN */
    double        *mean;   /* parts x L: scratch */
    double        *sorted; /* n: scratch */
    const double **to;     /* parts: scratch */
};

mb_status up_trace_open(up *u, mb_file *out, mb_err *err)
{
    const char *path = sim_path(u->job, "trace.csv", err);

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(sim_wrote(u->job, path, err));
    MB_TRY(mb_file_open(u->job->a, path, out, err));
    return mb_file_printf(out, err,
                          "time,live,settled,parts,disagreement,disagreement_max,distance,"
                          "distance_max,n_min,n_median,n_max,bytes\n");
}

mb_status up_trace_new(up *u, up_trace **out, mb_err *err)
{
    mb_arena *own = mb_arena_new(1 << 16);
    up_trace *t = own ? mb_alloc(own, 1, sizeof *t) : NULL;
    double    most;

    if (!t) {
        mb_arena_free(own);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the trace");
    }
    *out = t;
    *t = (up_trace){.u = u, .own = own, .n = u->cs->network->net.n};
    t->len = u->cs->fit->stages->nodes.model.layout.len;
    most = MEMORY / (8 * (double)t->n * (double)t->len);
    t->cap = most < 16 ? 16 : most > MOST ? MOST : (int32_t)most;
    MB_NEW(t->part, own, t->n, err);
    MB_NEW(t->sample, own, t->cap, err);
    MB_NEW(t->phi, own, (size_t)t->cap * (size_t)t->n * t->len, err);
    MB_NEW(t->mean, own, (size_t)t->n * t->len, err);
    MB_NEW(t->sorted, own, t->n, err);
    return up_trace_open(u, &t->file, err);
}

void up_trace_close(up_trace *t)
{
    if (!t)
        return;
    mb_file_abort(&t->file);
    mb_arena_free(t->held);
    mb_arena_free(t->own);
}

static double *phi_of(const up_trace *t, int32_t sample, int32_t i)
{
    return t->phi + ((size_t)sample * (size_t)t->n + (size_t)i) * t->len;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    for (int k = 0; k < 8; k++, x >>= 8)
        h = (h ^ (x & 255)) * 1099511628211u;
    return h;
}

/* What a segment has in common: who is connected, with which block and how many rows. */
static uint64_t key_of(up_trace *t, const mb_virtual *v, int32_t *part)
{
    uint64_t h = mix(14695981039346656037u, (uint64_t)mb_virtual_events(v));

    for (int32_t i = 0; i < t->n; i++) {
        const mb_peer *p = part[i] < 0 ? NULL : mb_virtual_peer(v, i);
        mb_peer_status status = {0};

        if (p)
            mb_peer_look(p, mb_virtual_clock(v, i), &status);
        h = mix(mix(mix(h, (uint64_t)(part[i] + 1)), status.run), (uint64_t)status.rows);
    }
    return h;
}

/* Mean of the posteriors of a part in a sample; returns how many nodes have one. */
static int32_t mean_of(const up_trace *t, int32_t sample, int32_t which, double *mean)
{
    int32_t count = 0;

    memset(mean, 0, t->len * sizeof *mean);
    for (int32_t i = 0; i < t->n; i++) {
        const double *phi = phi_of(t, sample, i);

        if (t->part[i] != which || isnan(*phi))
            continue;
        count++;
        for (size_t l = 0; l < t->len; l++)
            mean[l] += (phi[l] - mean[l]) / count;
    }
    return count;
}

/* Central VB from `phi` on, in place. *found 0: it left the domain. */
static mb_status centralise(up_trace *t, const mb_case *c, double *phi, int *found, mb_err *err)
{
    double *next, *scratch;

    MB_NEW(next, t->held, t->len, err);
    MB_NEW(scratch, t->held, mb_local_scratch(&c->model), err);
    *found = 0;
    for (int k = 0; k < STEPS; k++) {
        const mb_status st =
            mb_local_step(&c->model, &c->rows[0], 1, phi, next, NULL, NULL, scratch, err);
        double moved;

        if (st == MB_E_DOMAIN)
            return MB_OK;
        MB_TRY(st);
        moved = up_apart(t->len, next, phi);
        memcpy(phi, next, t->len * sizeof *phi);
        if (moved < STILL)
            break;
    }
    *found = 1;
    return MB_OK;
}

static mb_status find_answers(up_trace *t, mb_err *err)
{
    for (int32_t k = 0; k < t->parts; k++) {
        piece  *p = &t->piece[k];
        double *phi;
        int     found = 0;

        if (!p->run)
            continue;
        MB_NEW(phi, t->held, t->len, err);
        if (!mean_of(t, t->count - 1, k, phi))
            continue;
        MB_TRY(centralise(t, &p->central, phi, &found, err));
        p->answer = found ? phi : NULL;
    }
    return MB_OK;
}

/* Mean and maximum over the nodes of all parts of the distance from to[part]. */
static void distances(const up_trace *t, int32_t sample, const double *const *to, double *mean,
                      double *max)
{
    int32_t count = 0;

    *mean = *max = (double)NAN;
    for (int32_t i = 0; i < t->n; i++) {
        const double *phi = phi_of(t, sample, i), *from = t->part[i] < 0 ? NULL : to[t->part[i]];
        double        x;

        if (!from || isnan(*phi))
            continue;
        x = up_apart(t->len, phi, from);
        *mean = count ? *mean + (x - *mean) / (count + 1) : x;
        *max = fmax(*max, x);
        count++;
    }
}

static mb_status cell(mb_file *f, double x, mb_err *err)
{
    return isfinite(x) ? mb_file_printf(f, err, ",%.9g", x) : mb_file_printf(f, err, ",");
}

mb_status up_trace_line(mb_file *f, const up_sample *a, mb_err *err)
{
    const double values[] = {a->apart, a->apart_max, a->distance, a->distance_max,
                             a->n_min, a->n_median,  a->n_max};

    MB_TRY(mb_file_printf(f, err, "%.6f,%d,%d,%d", a->time, a->live, a->settled, a->parts));
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        MB_TRY(cell(f, values[k], err));
    return mb_file_printf(f, err, ",%lld\n", (long long)a->bytes);
}

/* The segment is over: its samples go to the file. */
static mb_status flush(up_trace *t, mb_err *err)
{
    if (!t->held || !t->count)
        return MB_OK;
    MB_TRY(find_answers(t, err));
    for (int32_t k = 0; k < t->parts; k++)
        t->to[k] = t->piece[k].answer;
    for (int32_t j = 0; j < t->count; j++) {
        distances(t, j, t->to, &t->sample[j].distance, &t->sample[j].distance_max);
        MB_TRY(up_trace_line(&t->file, &t->sample[j], err));
    }
    return MB_OK;
}

static mb_status begin(up_trace *t, const mb_virtual *v, uint64_t key, const int32_t *part,
                       int32_t parts, mb_err *err)
{
    mb_arena_free(t->held);
    t->held = mb_arena_new(1 << 16);
    if (!t->held)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the trace");
    memcpy(t->part, part, (size_t)t->n * sizeof *part);
    t->parts = parts;
    t->key = key;
    t->count = t->looks = 0;
    t->every = 1;
    MB_NEW(t->piece, t->held, parts + 1, err);
    MB_NEW(t->to, t->held, parts + 1, err);
    for (int32_t k = 0; k < parts; k++) {
        piece            *p = &t->piece[k];
        const mb_genesis *g = up_block_of(v, part, k);

        if (!g)
            continue;
        p->run = g->hash;
        MB_TRY(up_case_make(t->u, t->held, part, k, g, &p->table, &p->nodes, err));
        MB_TRY(mb_case_central(t->held, &p->nodes, NULL, 1, &p->central, err));
    }
    return MB_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Posteriors, counts and N of the live nodes. */
static void collect(up_trace *t, const mb_virtual *v, up_sample *a)
{
    int32_t known = 0;

    for (int32_t i = 0; i < t->n; i++) {
        double        *phi = phi_of(t, t->count, i);
        const up_state state = up_state_of(v, i);
        const piece   *p = t->part[i] < 0 ? NULL : &t->piece[t->part[i]];
        mb_peer_status status;

        *phi = (double)NAN;
        if (!p)
            continue;
        a->live++;
        a->settled += state == UP_SETTLED;
        if (!up_answers(v, i, p->run))
            continue;
        memcpy(phi, mb_peer_phi(mb_virtual_peer(v, i)), t->len * sizeof *phi);
        mb_peer_look(mb_virtual_peer(v, i), mb_virtual_clock(v, i), &status);
        if (status.n_nodes > 0)
            t->sorted[known++] = status.n_nodes;
    }
    a->n_min = a->n_median = a->n_max = (double)NAN;
    if (!known)
        return;
    qsort(t->sorted, (size_t)known, sizeof *t->sorted, ascending);
    a->n_min = t->sorted[0];
    a->n_median = t->sorted[known / 2];
    a->n_max = t->sorted[known - 1];
}

/* Every second sample remains. */
static void thin(up_trace *t)
{
    const size_t row = (size_t)t->n * t->len;

    t->count = (t->count + 1) / 2;
    for (int32_t j = 1; j < t->count; j++) {
        t->sample[j] = t->sample[2 * j];
        memcpy(phi_of(t, j, 0), phi_of(t, 2 * j, 0), row * sizeof *t->phi);
    }
    t->every *= 2;
}

static void sample(up_trace *t, const mb_virtual *v, int64_t now_us)
{
    up_sample *a;

    if (t->count == t->cap)
        thin(t);
    a = &t->sample[t->count];
    *a = (up_sample){.time = 1e-6 * (double)now_us,
                     .parts = t->parts,
                     .bytes = mb_virtual_tally(v, MB_TALLY_BYTES)};
    collect(t, v, a);
    for (int32_t k = 0; k < t->parts; k++) {
        double *mean = t->mean + (size_t)k * t->len;

        t->to[k] = mean_of(t, t->count, k, mean) ? mean : NULL;
    }
    distances(t, t->count++, t->to, &a->apart, &a->apart_max);
}

mb_status up_trace_look(up_trace *t, const mb_virtual *v, int64_t now_us, mb_err *err)
{
    int32_t *part = t->u->part, parts;
    uint64_t key;

    mb_virtual_parts(v, part, &parts);
    key = key_of(t, v, part);
    if (!t->held || key != t->key) {
        MB_TRY(flush(t, err));
        MB_TRY(begin(t, v, key, part, parts, err));
    }
    if (t->looks++ % t->every == 0)
        sample(t, v, now_us);
    return MB_OK;
}

mb_status up_trace_end(up_trace *t, mb_status st, mb_err *err)
{
    if (!t)
        return st;
    if (st >= 0)
        st = flush(t, err);
    return mb_file_close(&t->file, st, err);
}
