/* local_end.c - the last answers of the processes: their status and posterior files, and the same
 * numbers in the units of one block, for the check against the centralised step. */
#include "base/text.h"
#include "posterior/posterior.h"
#include "up/local.h"
#include "up/up_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ANSWER = 2, HASTE = 1; /* seconds */

static mb_status keep(mb_arena *a, const local_node *n, const char *name, const ask *q,
                      const char **path, mb_err *err)
{
    mb_file f = {0};

    *path = NULL;
    if (q->code != 200)
        return MB_OK;
    *path = mb_text(a, err, "%s/%s", n->dir, name);
    if (!*path)
        return MB_E_NOMEM;
    MB_TRY(mb_file_open(a, *path, &f, err));
    return mb_file_close(&f, mb_file_write(&f, q->body, q->n, err), err);
}

/* The newest rows of a node, as many as it says it has. */
static mb_rows present(const up *u, int32_t i, int64_t rows)
{
    mb_rows all = u->how.rows[i];

    if (u->private_) /* they count no more */
        all.n = 0;
    if (rows < 0 || rows >= all.n)
        return all;
    all.x += (size_t)(all.n - rows) * all.ld;
    all.w = all.w ? all.w + (all.n - rows) : NULL;
    all.n = rows;
    return all;
}

/* The block that a posterior file tells of: units of its own, and the prior. */
static mb_status agree(up *u, const mb_posterior *p, mb_err *err)
{
    mb_genesis *g;

    MB_NEW(g, u->job->a, 1, err);
    MB_TRY(mb_genesis_of_posterior(u->job->a, p, g, err));
    u->agreed = g;
    return MB_OK;
}

/* 1 when a posterior has the prior of the block, to the bit. */
static int same_prior(const mb_genesis *g, const mb_posterior *p)
{
    return p->prior_par && p->model->layout.len == g->len &&
           !memcmp(p->prior_par, g->prior_par, g->len * sizeof *g->prior_par);
}

static mb_status take(up *u, const char *path, up_last *last, mb_err *err)
{
    mb_posterior  p;
    mb_provenance from = {.algorithm = NULL};
    double       *phi;

    MB_TRY(mb_posterior_read(u->job->a, path, u->cs->args->kind, &p, &from, err));
    last->rounds = from.rounds;
    if (u->private_)
        MB_TRY(up_private_take(u, &p, &from, err));
    if (!u->agreed)
        MB_TRY(agree(u, &p, err));
    if (!same_prior(u->agreed, &p))
        return MB_OK;
    p.units = u->agreed->run;
    MB_NEW(phi, u->job->a, p.model->layout.len, err);
    MB_TRY(mb_posterior_move(u->job->a, &p, p.par, phi, err));
    last->phi = phi;
    last->run = u->agreed->hash;
    return MB_OK;
}

static mb_status take_all(local *l, const ask *status, const ask *posterior, mb_err *err)
{
    up *u = l->u;

    for (int32_t i = 0; i < u->cs->network->net.n; i++) {
        up_last    *last = &u->last[i];
        node_status is;
        const char *path;

        MB_TRY(keep(u->job->a, &l->node[i], "status.json", &status[i], &path, err));
        MB_TRY(node_status_of(u->job->a, &status[i], &is, err));
        MB_TRY(node_audits_add(u->job->a, &u->audits, &is, err));
        u->part[i] = is.answered ? 0 : -1;
        if (!is.answered)
            continue;
        last->rows = present(u, i, is.rows);
        last->frozen = is.frozen;
        u->frames += is.frames_sent;
        u->bytes += is.bytes_sent;
        MB_TRY(keep(u->job->a, &l->node[i], "posterior.json", &posterior[i], &path, err));
        if (path)
            MB_TRY(take(u, path, last, err));
    }
    return MB_OK;
}

mb_status local_collect(local *l, mb_err *err)
{
    up           *u = l->u;
    const int32_t n = u->cs->network->net.n;
    ask          *all;

    MB_NEW(u->last, u->job->a, n, err);
    MB_NEW(u->part, u->job->a, n, err);
    MB_NEW(all, u->job->a, 2 * n, err);
    for (int32_t i = 0; i < n; i++) {
        all[i] = (ask){.where = l->node[i].where, .path = "/status"};
        all[n + i] = (ask){.where = l->node[i].where, .path = "/posterior"};
    }
    u->parts = 1;
    u->lasted = app_now() - u->began;
    MB_TRY(ask_all(u->job->a, all, 2 * n, u->job->signal ? HASTE : ANSWER, err));
    return take_all(l, all, all + n, err);
}
