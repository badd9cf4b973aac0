/* up_nodes.c - nodes/NAME/status.json and posterior.json: what each node knows at the end. */
#include "base/text.h"
#include "mesh/file_status.h"
#include "up/node_folder.h"
#include "up/up.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(const void *self, int32_t id)
{
    return ((const char *const *)self)[id];
}

static mb_status write_status(up *u, mb_arena *a, int32_t i, const char *dir, mb_err *err)
{
    const char *path = mb_text(a, err, "%s/status.json", dir);
    mb_json_out j;

    if (!path)
        return MB_E_NOMEM;
    mb_json_begin(&j, a, err);
    mb_json_object(&j, NULL);
    mb_peer_status_json(mb_virtual_peer(u->net, i), mb_virtual_clock(u->net, i), name_of, NULL,
                        u->cs->network->net.id, &j);
    return mb_json_write(&j, path);
}

/* A node that is outside the domain has none. r: the answer of the part that the node may be of. */
static mb_status write_posterior(up *u, const sim_result *r, mb_arena *a, int32_t i,
                                 const char *dir, mb_err *err)
{
    const mb_peer *p = mb_virtual_peer(u->net, i);
    const char    *path = mb_text(a, err, "%s/posterior.json", dir);
    mb_posterior   of;
    mb_provenance  from;
    mb_peer_status status;
    mb_status      st;

    if (!path)
        return MB_E_NOMEM;
    st = mb_peer_posterior(a, p, &of, err);
    if (st == MB_E_DOMAIN || st == MB_E_PEER)
        return MB_OK;
    MB_TRY(st);
    mb_peer_look(p, mb_virtual_clock(u->net, i), &status);
    MB_TRY(sim_provenance(r, &from, err));
    from.of = u->cs->network->net.id[i];
    from.rounds = status.rounds;
    from.verdict = mb_peer_verdict_text(status.verdict);
    from.weight_total = u->part[i] == u->main ? from.weight_total : 0;
    from.bound = status.bound;
    of.design = u->cs->rows->design;
    return mb_posterior_write(a, &of, &from, path, err);
}

static mb_status one_node(up *u, const sim_result *r, mb_arena *a, int32_t i, mb_err *err)
{
    const char *name = node_folder_name(u->job->a, u->cs->network->net.id[i], err);
    const char *dir = name ? mb_text(a, err, "%s/nodes/%s", u->job->out, name) : NULL;

    if (!dir)
        return MB_E_NOMEM;
    MB_TRY(mb_dir_make(dir, err));
    MB_TRY(write_status(u, a, i, dir, err));
    return r && up_state_of(u->net, i) != UP_WAITING && up_state_of(u->net, i) != UP_GREETING
               ? write_posterior(u, r, a, i, dir, err)
               : MB_OK;
}

/* Removes what an earlier run has left in nodes/. */
static void sweep(const char *nodes)
{
    static const char *const names[] = {"status.json", "posterior.json"};
    DIR                     *d = opendir(nodes);
    const struct dirent     *e;

    while (d && (e = readdir(d))) {
        char path[4096];

        if (*e->d_name == '.')
            continue;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (snprintf(path, sizeof path, "%s/%s/%s", nodes, e->d_name, names[k]) <
                (int)sizeof path)
                unlink(path);
        if (snprintf(path, sizeof path, "%s/%s", nodes, e->d_name) < (int)sizeof path)
            rmdir(path);
    }
    if (d)
        closedir(d);
}

mb_status up_nodes_write(up *u, const sim_result *r, mb_err *err)
{
    const char *nodes = mb_text(u->job->a, err, "%s/nodes", u->job->out);

    if (!nodes)
        return MB_E_NOMEM;
    sweep(nodes);
    for (int32_t i = 0; i < u->cs->network->net.n; i++) {
        mb_arena *a;
        mb_status st;

        if (!mb_virtual_peer(u->net, i))
            continue;
        a = mb_arena_new(1 << 14);
        if (!a)
            MB_FAIL(err, MB_E_NOMEM, "out of memory for the files of node %s",
                    u->cs->network->net.id[i]);
        st = one_node(u, r, a, i, err);
        mb_arena_free(a);
        MB_TRY(st);
    }
    return MB_OK;
}
