/* Stop rule: every node's phi stood still over a window of rounds, inside Omega. */
#include "observe/network.h"

#include <string.h>

typedef struct stop {
    double   tol;
    int64_t  window;
    int64_t  taken;  /* round of the snapshot, -1: none yet                 */
    int64_t *events; /* n_local: freezes and projections up to the snapshot */
    double  *phi;    /* n_local x L                                         */
    size_t   len;
} stop;

static int64_t events_so_far(const mb_state *s, int32_t i)
{
    return s->frozen[i] + s->projected[i];
}

/* |phi - then| <= tol |phi|; false when anything is NaN. */
static int stood_still(const double *phi, const double *then, size_t len, double tol)
{
    double moved = 0, norm = 0;
    for (size_t l = 0; l < len; l++) {
        moved += (phi[l] - then[l]) * (phi[l] - then[l]);
        norm += phi[l] * phi[l];
    }
    return moved <= tol * tol * norm;
}

static int at_rest(const stop *st, const mb_problem *p, const mb_state *s)
{
    const size_t len = p->model->layout.len;
    if (st->taken != s->t - st->window)
        return 0;
    for (int32_t i = 0; i < p->part->n_local; i++)
        if (s->outside[i] || events_so_far(s, i) != st->events[i] ||
            !stood_still(s->phi + (size_t)i * s->ld, st->phi + (size_t)i * len, len, st->tol))
            return 0;
    return 1;
}

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    stop        *st = self;
    const size_t len = p->model->layout.len;
    double       moving;
    if (s->t % st->window != 0)
        return MB_OK; /* the last round of a run */
    moving = !at_rest(st, p, s);
    MB_TRY(mb_over_all_(p, MB_MAX, &moving, 1, err));
    if (!(moving > 0))
        return MB_STOP;
    for (int32_t i = 0; i < p->part->n_local; i++) {
        memcpy(st->phi + (size_t)i * len, s->phi + (size_t)i * s->ld, len * sizeof *st->phi);
        st->events[i] = events_so_far(s, i);
    }
    st->taken = s->t;
    return MB_OK;
}

static int32_t keep(void *self, mb_kept *out)
{
    stop        *st = self;
    const size_t row = st->len * sizeof *st->phi, count = sizeof *st->events;
    *out++ = (mb_kept){.name = "stop.taken", .at = &st->taken, .bytes = count, .pieces = 1};
    *out++ = (mb_kept){
        .name = "stop.events", .at = st->events, .bytes = count, .stride = count, .pieces = 1};
    *out = (mb_kept){.name = "stop.phi", .at = st->phi, .bytes = row, .stride = row, .pieces = 1};
    return 3;
}

mb_status mb_stop_new(mb_arena *a, const mb_problem *p, double tol, int64_t window,
                      mb_observer *out, mb_err *err)
{
    const size_t rows = (size_t)p->part->n_local;
    stop        *st;
    if (!(tol > 0))
        MB_FAIL(err, MB_E_ARG, "stop tolerance %g: must be above 0", tol);
    if (window < 1)
        MB_FAIL(err, MB_E_ARG, "stop window %lld: at least 1 round", (long long)window);
    MB_NEW(st, a, 1, err);
    if (p->algo && p->algo->cycle)
        window *= p->algo->cycle(p->opt);
    *st = (stop){.tol = tol, .window = window, .taken = -1, .len = p->model->layout.len};
    MB_NEW(st->events, a, rows, err);
    MB_NEW(st->phi, a, rows * st->len, err);
    *out = (mb_observer){.self = st, .every = window, .see = see, .keep = keep};
    return MB_OK;
}
