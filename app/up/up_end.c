/* up_end.c - the end of a run as sim's files want it: a session on the rows that are present, with
 * the nodes' posteriors as its state, so that the mean, the centralised check and the bound are
 * computed as those of every other run. */
#include "up/up_private.h"

#include <math.h>
#include <string.h>

/* 1 when a node is of the main part and has its answer. */
static int answers(const up *u, int32_t i)
{
    return u->part[i] == u->main && u->last[i].phi && u->last[i].run == u->agreed->hash;
}

/* Nodes of a part that have an answer and rows. */
static int32_t speaking(const up *u, int32_t which)
{
    const mb_genesis *g = up_block_of(u->net, u->part, which);
    int32_t           count = 0;

    for (int32_t i = 0; g && i < u->cs->network->net.n; i++)
        count += u->part[i] == which && up_answers(u->net, i, g->hash);
    return count;
}

/* The last answers of a virtual network; the main part is the one with most of them, that with the
 * lowest node among equals. */
static mb_status take_virtual(up *u, mb_err *err)
{
    const int32_t n = u->cs->network->net.n;
    int32_t       most = 0;

    MB_NEW(u->last, u->job->a, n, err);
    mb_virtual_parts(u->net, u->part, &u->parts);
    for (int32_t k = 0; k < u->parts; k++) {
        const int32_t count = speaking(u, k);

        if (count > most) {
            most = count;
            u->main = k;
        }
    }
    u->agreed = most ? up_block_of(u->net, u->part, u->main) : NULL;
    for (int32_t i = 0; i < n; i++) {
        const mb_peer *p = u->part[i] < 0 ? NULL : mb_virtual_peer(u->net, i);
        mb_peer_status status;

        if (!p)
            continue;
        mb_peer_look(p, mb_virtual_clock(u->net, i), &status);
        u->last[i] = (up_last){.phi = status.rounds > 0 ? mb_peer_phi(p) : NULL,
                               .run = status.run,
                               .rounds = status.rounds,
                               .frozen = status.frozen};
    }
    u->lasted = 1e-6 * (double)mb_virtual_now(u->net);
    u->frames = mb_virtual_tally(u->net, MB_TALLY_FRAMES);
    u->bytes = mb_virtual_tally(u->net, MB_TALLY_BYTES);
    return MB_OK;
}

/* Each node's posterior; nodes outside the part get the mean, which they do not change. */
static mb_status fill(up *u, sim_result *r, mb_err *err)
{
    const size_t  L = r->session.c->model.layout.len;
    const int32_t n = u->cs->network->net.n;
    mb_state     *st = &r->session.state;
    double       *mean, *spare;
    int32_t       count = 0;

    MB_NEW(mean, r->session.own, L, err);
    for (int32_t i = 0; i < n; i++) {
        double        *phi = st->phi + (size_t)i * st->ld;
        const up_last *is = &u->last[i];

        if (!answers(u, i))
            continue;
        memcpy(phi, is->phi, L * sizeof *phi);
        st->outside[i] = mb_case_textbook(r->session.c, r->session.own, phi, &spare, NULL) < 0;
        st->frozen[i] = is->frozen;
        st->t = is->rounds > st->t ? is->rounds : st->t;
        count++;
        for (size_t l = 0; l < L; l++)
            mean[l] += (phi[l] - mean[l]) / count;
    }
    for (int32_t i = 0; i < n; i++)
        if (!answers(u, i))
            memcpy(st->phi + (size_t)i * st->ld, mean, L * sizeof *mean);
    return MB_OK;
}

/* 1 when a node has the rows that it had at first. */
static int same_rows(const mb_rows *now, const mb_rows *first)
{
    if (now->n != first->n)
        return 0;
    for (int64_t j = 0; j < now->n; j++)
        for (int32_t d = 0; d < now->d; d++) {
            const double x = mb_rows_at(now, j, d), y = mb_rows_at(first, j, d);

            if (x < y || x > y || !isnan(x) != !isnan(y))
                return 0;
        }
    return 1;
}

/* Groups of nodes that have the rows that they had at first are called what they were; the names of
 * groups that arrived are not known. */
static mb_status name_groups(const up *u, const mb_case *c, mb_data *now, mb_err *err)
{
    const mb_data *before = &u->cs->rows->data;
    const char   **name;
    int32_t        g = 0, old = 0;

    if (!before->group_name)
        return MB_OK;
    MB_NEW(name, u->job->a, (size_t)now->ngroup + 1, err);
    for (int32_t i = 0; i < now->N; i++) {
        const int same = u->part[i] == u->main && same_rows(&c->data[i], &u->how.rows[i]);
        int32_t   first = old;

        while (old < before->ngroup && before->group[old] < before->first[i + 1])
            old++;
        for (; g < now->ngroup && now->group[g] < now->first[i + 1]; g++, first++)
            name[g] = same && first < old ? before->group_name[first] : NULL;
    }
    now->group_name = name;
    return MB_OK;
}

/* The classes of the rows that are present; rows that arrived later have none, and then all are
 * dropped. */
static mb_status labels(up *u, const mb_case *c, mb_data *data, mb_err *err)
{
    const mb_data *before = &u->cs->rows->data;
    int32_t       *label;

    data->label = NULL;
    if (!before->label)
        return MB_OK;
    MB_NEW(label, u->job->a, data->n + 1, err);
    for (int32_t i = 0; i < u->cs->network->net.n; i++) {
        const int64_t to = c->table.first[i], from = u->first[i];

        if (u->part[i] != u->main)
            continue;
        if (!same_rows(&c->data[i], &u->how.rows[i])) {
            sim_note(u->job, "rows have arrived or left: classes are not compared");
            return MB_OK;
        }
        memcpy(label + to, before->label + from, (size_t)c->data[i].n * sizeof *label);
    }
    data->label = label;
    return MB_OK;
}

/* The case at the end: the rows that are present take the place of those of --data. */
static mb_status last_rows(up *u, const mb_case *c, mb_err *err)
{
    const sim_case *cs = u->cs;
    mb_data         now = cs->rows->data;

    now.n = u->private_ ? now.n : c->table.rows.n;
    now.x = (double *)(uintptr_t)c->table.rows.x;
    now.w = (double *)(uintptr_t)c->table.rows.w;
    now.N = cs->network->net.n;
    now.first = (int64_t *)(uintptr_t)c->table.first;
    now.file_row = NULL;
    now.ngroup = c->table.rows.ngroup;
    now.group = (int64_t *)(uintptr_t)c->table.rows.first;
    MB_TRY(name_groups(u, c, &now, err));
    MB_TRY(labels(u, c, &now, err));
    if (!now.label)
        now.nlabel = 0;
    u->last_rows = *cs->rows;
    u->last_rows.data = now;
    u->end = *cs;
    u->end.rows = &u->last_rows;
    u->end.label = now.label;
    u->end.table = c->table;
    return MB_OK;
}

/* Rows of a batch enter a while after three nodes have one, which an end does not wait for. */
static void warn_of_waiting(const up *u)
{
    int64_t rows = 0;
    int32_t nodes = 0;

    for (int32_t i = 0; u->net && i < u->cs->network->net.n; i++) {
        const mb_peer  *p = u->part[i] < 0 ? NULL : mb_virtual_peer(u->net, i);
        mb_peer_masking is = {0};

        if (p)
            mb_peer_masking_of(p, &is);
        rows += is.members ? is.waiting : 0;
        nodes += is.members && is.waiting > 0;
    }
    if (rows)
        sim_warn(u->job,
                 "%lld new row%s of %d node%s %s not in the answer: they enter some seconds after "
                 "3 nodes have at least %lld each (--until TIME)",
                 (long long)rows, app_plural(rows), nodes, app_plural(nodes),
                 rows > 1 ? "are" : "is", (long long)u->block.declared->rows_batch);
}

static void warn(const up *u, const sim_result *r)
{
    sim_job *job = u->job;

    warn_of_waiting(u);
    if (u->parts > 1)
        sim_warn(job, "the network ended in %d parts: posterior.json is that of the largest",
                 u->parts);
    if (u->failed)
        sim_warn(job, "%d node%s failed: nodes/NAME/status.json says why", u->failed,
                 u->failed > 1 ? "s" : "");
    if (r->out.verdict == MB_ENDED_ELSEWHERE)
        sim_warn(job, "%s: one centralised step moves %.1e", app_verdict(r->out.verdict),
                 r->out.moved);
    if (r->out.verdict == MB_ENDED_MOVING && !r->signal)
        sim_warn(job, "not settled after %.6g s%s%s", u->args.time,
                 u->net ? " of virtual time" : "", u->args.settled ? " (--time)" : "");
}

static mb_status conclude(up *u, sim_result *r, mb_err *err)
{
    const uint32_t ends = 1u << MB_M_BOUND | 1u << MB_M_DISAGREEMENT | 1u << MB_M_BYTES |
                          1u << MB_M_FRAMES | 1u << MB_M_FROZEN | 1u << MB_M_PROJECTED;
    mb_session *session = &r->session;

    r->final =
        sim_metrics_of(r, &session->problem, ends | (r->cs->rows->data.label ? SIM_JUDGED : 0));
    MB_TRY(mb_metrics_new(session->own, &session->problem, &r->final, err));
    MB_TRY(mb_metrics_see(&r->final, &session->problem, &session->state, err));
    warn(u, r);
    MB_TRY(sim_collect(r, err));
    for (int32_t i = 0; r->nodes && i < u->cs->network->net.n; i++)
        if (u->part[i] != u->main)
            r->nodes[i].apart = r->nodes[i].bound = (double)NAN;
    if (u->private_)
        up_private_end(u, r);
    return MB_OK;
}

static mb_status answer_of(up *u, sim_result *r, mb_err *err)
{
    mb_case  *c = &u->cs->fit->stages->nodes;
    mb_table *table;
    mb_method how = sim_method(u->cs, r->choice);

    how.faults = (mb_faults){0};
    MB_NEW(table, u->job->a, 1, err);
    MB_TRY(up_case_make(u, u->job->a, u->part, u->main, u->agreed, table, c, err));
    if (u->private_)
        c->weight_total = (double)u->cs->rows->data.n;
    MB_TRY(last_rows(u, c, err));
    MB_TRY(mb_session_open(c, &how, &r->session, err));
    MB_TRY(fill(u, r, err));
    r->session.state.sent = (mb_traffic){u->frames, u->bytes};
    r->session.stopped = u->settled;
    r->session.stand = (mb_stop_state){.still = u->settled, .settled = u->settled, .more = -1};
    MB_TRY(mb_session_end(&r->session, &r->out, err));
    return conclude(u, r, err);
}

mb_status up_end(up *u, sim_results *all, int *answer, mb_err *err)
{
    sim_job *job = u->job;

    all->cs = &u->end;
    all->n = 1;
    *all->r = (sim_result){.job = job,
                           .cs = &u->end,
                           .choice = &u->cs->args->choice[0],
                           .began = u->began,
                           .seconds = u->ended - u->began,
                           .found = {.n_init = 1, .at_best = 1},
                           .signal = u->settled ? 0 : job->signal}; /* else it was over anyway */
    if (u->net)
        MB_TRY(take_virtual(u, err));
    *answer = u->agreed != NULL;
    if (u->private_)
        all->r->given = &u->private_->answer;
    if (*answer)
        return answer_of(u, all->r, err);
    sim_warn(job, "no node has an answer after %.6g s%s: no summary and no report", u->lasted,
             u->net ? " of virtual time" : "");
    if (u->private_)
        up_private_warn(u);
    return job->out && u->net ? up_nodes_write(u, NULL, err) : MB_OK;
}
