/* local_run.c - the life of a local network of processes. */
#define _XOPEN_SOURCE 700
#include "base/folder.h"
#include "base/text.h"
#include "up/local.h"
#include "up/up_private.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --out, or a folder that is removed at the end. */
static mb_status make_root(local *l, mb_err *err)
{
    up         *u = l->u;
    const char *tmp = getenv("TMPDIR");
    char       *dir;

    l->root = u->job->out;
    if (l->root)
        return sim_folder(u->job, err);
    dir = (char *)(uintptr_t)mb_text(u->job->a, err, "%s/meshbayes-up-XXXXXX",
                                     tmp && *tmp ? tmp : "/tmp");
    if (!dir)
        return MB_E_NOMEM;
    if (!mkdtemp(dir))
        MB_FAIL(err, MB_E_IO, "%s: cannot be created: %s", dir, strerror(errno));
    l->root = dir;
    l->temporary = 1;
    return MB_OK;
}

/* --record is a folder of this process; the nodes have others. */
static mb_status find_record(local *l, mb_err *err)
{
    const char *dir = l->u->opt.record;
    char       *whole;

    if (!dir)
        return MB_OK;
    MB_TRY(mb_dir_make(dir, err));
    whole = realpath(dir, NULL);
    if (!whole)
        MB_FAIL(err, MB_E_IO, "%s: cannot be found: %s", dir, strerror(errno));
    l->record = mb_text(l->u->job->a, err, "%s", whole);
    free(whole);
    return l->record ? MB_OK : MB_E_NOMEM;
}

mb_status local_prepare(up *u, mb_err *err)
{
    local *l;

    MB_NEW(l, u->job->a, 1, err);
    MB_NEW(l->node, u->job->a, u->cs->network->net.n, err);
    l->u = u;
    u->local = l;
    u->how.rows = u->cs->fit->stages->nodes.data;
    if (!place_program("node", l->program))
        MB_FAIL(err, MB_E_NOSUP,
                "the program meshbayes-node is not installed beside this one (it needs libzmq); "
                "expected it, or --virtual");
    MB_TRY(find_record(l, err));
    up_plan_make(u);
    up_private_plan(u);
    MB_TRY(up_block_read(u, err));
    MB_TRY(up_mask_choose(u, err));
    MB_TRY(make_root(l, err));
    MB_TRY(local_make(l, err));
    if (u->opt.status_port)
        app_note("up", "status pages: %s/ to %s/", l->node[0].where,
                 l->node[u->cs->network->net.n - 1].where);
    return MB_OK;
}

/* Signals wait until they are looked for: a second one, which `timeout` sends at once, must not end
 * this process while there are nodes and a folder to remove. */
static void hold_signals(void)
{
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    sigprocmask(SIG_BLOCK, &both, NULL);
}

static mb_status see_signals(up *u, mb_err *err)
{
    sigset_t came;

    if (sigpending(&came) || !(sigismember(&came, SIGINT) || sigismember(&came, SIGTERM)))
        return MB_OK;
    sigprocmask(SIG_UNBLOCK, &came, NULL);
    hold_signals();
    return sim_signal_agree(u->job, err);
}

/* Before they have a genesis block the others wait for all nodes; one that has failed never comes. */
static mb_status check_wait(const local *l, mb_err *err)
{
    static const double WAIT = 5; /* seconds in which they may still draw one */
    const mb_network   *net = &l->u->cs->network->net;
    int32_t             failed = -1;
    char                why[400];

    for (int32_t i = 0; i < net->n; i++) {
        const local_node *n = &l->node[i];

        if (n->failed && app_now() - n->began < WAIT)
            return MB_OK;
        if (n->failed)
            failed = i;
        else if (!n->newest.answered || n->state != UP_WAITING)
            return MB_OK;
    }
    if (failed < 0)
        return MB_OK;
    local_last_line(l->node[failed].dir, why, sizeof why);
    MB_FAIL(err, MB_E_PEER, "node %s has failed, and no genesis block is drawn without it: %s",
            net->id[failed], why);
}

/* Until all have settled, the time is over or a signal came. */
static mb_status watch(local *l, mb_err *err)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    up                   *u = l->u;

    while (!u->job->signal && app_now() - u->began < u->args.time) {
        MB_TRY(local_tend(l, err));
        MB_TRY(local_look(l, err));
        MB_TRY(check_wait(l, err));
        if (u->args.settled && local_settled(l))
            break;
        nanosleep(&moment, NULL);
        MB_TRY(see_signals(u, err));
    }
    u->settled = local_settled(l);
    return MB_OK;
}

static mb_status live(local *l, mb_err *err)
{
    up *u = l->u;

    u->began = app_now();
    MB_TRY(local_watch_begin(l, err));
    for (int32_t i = 0; i < u->cs->network->net.n; i++)
        MB_TRY(local_start(l, i, err));
    MB_TRY(watch(l, err));
    if (u->job->signal)
        sim_warn(u->job, "interrupted by %s after %.1f s",
                 u->job->signal == SIGINT ? "SIGINT" : "SIGTERM", app_now() - u->began);
    return local_collect(l, err);
}

mb_status local_run(up *u, mb_err *err)
{
    mb_status st;

    sim_signal_catch();
    hold_signals();
    st = live(u->local, err);
    local_stop(u->local);
    u->ended = app_now();
    if (st >= 0 && u->job->out)
        st = folder_begin(u->job->out, err);
    return local_watch_end(u->local, st, err);
}

void local_close(up *u)
{
    if (!u->local)
        return;
    local_stop(u->local);
    mb_arena_free(u->local->held);
    mb_file_abort(&u->local->trace);
    if (u->local->temporary)
        local_remove(u->local->root);
}
