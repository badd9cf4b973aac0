/* sim.c - algorithms that do not run on nodes of a mesh, in rounds: what `meshbayes sim` runs. */
#include "core/observe.h"
#include "inside.h"

enum { ROUNDS = 20000 /* of `meshbayes sim`, at most */ };

/* 1 when a message was sent on directed link e in this round and did not arrive. */
static int was_lost(const mb_mail *mail, const mb_graph *g, int64_t e)
{
    return mail->sent[g->adj[e]] && (!mail->links || mail->links[e]) && !mail->fresh[e];
}

/* Between two rounds: messages that were lost in it, and the end where the page wants to look. */
static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    web            *w = self;
    const mb_graph *g = &w->net.g;

    (void)p, (void)err;
    for (int32_t e = 0; w->loss > 0 && e < w->links; e++)
        w->lost[e] += was_lost(&s->mail, g, w->edge[e]) + was_lost(&s->mail, g, g->rev[w->edge[e]]);
    return s->t >= w->until ? MB_STOP : MB_OK;
}

static void end(web *w)
{
    mb_session_close(&w->session);
}

static mb_status open(web *w, mb_err *err)
{
    const mb_start  start = {.how = MB_INIT_KMEANS, .seed = w->seed};
    const mb_method how = {.algo = w->algo,
                           .faults = {.loss = w->loss, .seed = w->seed},
                           .rounds = ROUNDS,
                           .threads = 1};

    MB_TRY(mb_session_open(&w->c, &how, &w->session, err));
    MB_TRY(mb_session_seed(&w->session, &start, 0, err));
    MB_TRY(mb_session_stop(&w->session, 3e-7, 0, err));
    return mb_session_watch(&w->session, &(mb_observer){.self = w, .every = 1, .see = see}, err);
}

/* One machine begins where the nodes do. */
static mb_status solve(web *w, mb_err *err)
{
    const mb_start start = {.how = MB_INIT_KMEANS, .seed = w->seed};
    const size_t   L = w->c.model.layout.len;
    web_piece     *p;
    double        *phi;

    w->part_arena = mb_arena_new(1 << 16);
    if (!w->part_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for what one machine would answer");
    MB_NEW(p, w->part_arena, 1, err);
    MB_NEW(phi, w->part_arena, L, err);
    MB_NEW(p->mean, w->part_arena, L, err);
    MB_TRY(mb_case_central(w->part_arena, &w->c, NULL, 1, &p->central, err));
    MB_TRY(mb_case_seed(&p->central, &start, 0, phi, L, err));
    w->piece = p;
    w->pieces = w->parts = 1;
    return web_piece_solve(w, p, phi, err);
}

static mb_status begin(web *w, mb_err *err)
{
    w->until = 0;
    w->ahead = 0;
    w->outcome = (mb_outcome){.verdict = MB_ENDED_MOVING};
    MB_TRY(open(w, err));
    return solve(w, err);
}

static int ended(const web *w)
{
    return w->session.stopped || w->session.state.t >= ROUNDS;
}

static mb_status advance(web *w, double ms, mb_err *err)
{
    const double rounds = floor((w->ahead + ms) / WEB_ROUND_MS);

    w->ahead += ms - rounds * WEB_ROUND_MS;
    if (ended(w) || rounds < 1)
        return MB_OK;
    w->until = w->session.state.t + (int64_t)rounds;
    MB_TRY(mb_session_run(&w->session, err));
    return ended(w) ? mb_session_end(&w->session, &w->outcome, err) : MB_OK;
}

static mb_status look(web *w, mb_err *err)
{
    const mb_state *s = &w->session.state;
    const char     *word = mb_verdict_text(w->outcome.verdict);

    for (int32_t i = 0; i < w->net.n; i++) {
        w->part[i] = 0;
        w->phi[i] = (s->t ? s->phi : s->phi_star) + (size_t)i * s->ld;
        w->state[i] = word;
        w->number[WEB_SETTLED] += w->outcome.verdict == MB_ENDED_SETTLED;
    }
    for (int32_t e = 0; e < w->links; e++)
        w->number[WEB_LOST] += w->lost[e];
    MB_TRY(web_piece_see(w, w->piece, 0, err));
    w->number[WEB_LIVE] = w->net.n;
    w->number[WEB_TIME] = (double)NAN;
    w->number[WEB_ROUNDS] = (double)s->t;
    w->number[WEB_BYTES] = (double)s->sent.bytes;
    w->number[WEB_FRAMES] = (double)s->sent.frames;
    w->verdict = w->outcome.verdict;
    return MB_OK;
}

const web_engine web_sim = {begin, advance, NULL, NULL, look, end};
