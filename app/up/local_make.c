/* local_make.c - the folders of the nodes of a local network: keys, rows, genesis, and
 * node.json, which has what a node needs to know with paths relative to its folder. */
#define _XOPEN_SOURCE 700
#include "algo/nodes.h"
#include "base/node_file.h"
#include "base/text.h"
#include "mesh/file_plan.h"
#include "up/local.h"
#include "up/node_folder.h"
#include "up/up_private.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_window(const up *u, int64_t rows, mb_json_out *j)
{
    if (u->args.window_rows > 0 || u->args.window_s > 0) {
        mb_json_object(j, "window");
        if (u->args.window_rows > 0)
            mb_json_integer(j, "rows", (int64_t)u->args.window_rows);
        else
            mb_json_number(j, "seconds", u->args.window_s);
        mb_json_close(j);
    }
    if (!(u->args.window_rows > 0) && rows > NODE_ROWS)
        mb_json_integer(j, "rows_max", rows);
}

/* The column of groups in the rows of a node, where they come in groups. */
static const char *group_column(const sim_args *args)
{
    return args->opt.read.group_column ? args->opt.read.group_column : "group";
}

/* Where the rows come from, and how long they stay. */
static void put_source(const up *u, int32_t i, mb_json_out *j)
{
    if (u->how.rows[i].n)
        mb_json_text(j, "data", "rows.csv");
    if (u->cs->rows->data.w)
        mb_json_text(j, "weight_column", u->cs->args->opt.weight_column);
    if (u->cs->rows->data.group)
        mb_json_text(j, "group_column", group_column(u->cs->args));
    put_window(u, u->how.rows[i].n, j);
}

/* Times, and the options of the algorithm. */
static void put_numbers(const up *u, mb_json_out *j)
{
    mb_json_integer(j, "tick_ms", (int64_t)llround(fmax(1, 1e3 * u->args.tick)));
    mb_json_integer(j, "min_nodes", u->cs->network->net.n);
    mb_json_number(j, "tol", u->cs->args->opt.tol);
    if (mb_node_algo_named_(&u->plan))
        mb_json_text(j, "algorithm", mb_node_algo_named_(&u->plan));
    if (!isnan(u->opt.kappa) || !isnan(u->opt.eta)) {
        mb_json_object(j, "edge");
        if (!isnan(u->opt.kappa))
            mb_json_number(j, "kappa", u->opt.kappa);
        if (!isnan(u->opt.eta))
            mb_json_number(j, "eta", u->opt.eta);
        mb_json_close(j);
    }
    mb_json_text(j, "wire",
                 u->opt.wire == MB_WIRE_FLOAT64   ? "float64"
                 : u->opt.wire == MB_WIRE_FLOAT16 ? "float16"
                                                  : "changes");
}

/* What the node writes, and where it tells its status. */
static void put_files(const local *l, int32_t i, mb_json_out *j)
{
    const up *u = l->u;

    if (u->args.checkpoint_ticks) {
        mb_json_text(j, "state", "state");
        mb_json_integer(j, "checkpoint_ticks", u->args.checkpoint_ticks);
    }
    mb_json_text(j, "status", l->node[i].status);
    if (l->record)
        mb_json_text(j, "record", l->record);
    if (l->record && u->args.record_limit > 0)
        mb_json_integer(j, "record_limit", (int64_t)u->args.record_limit);
}

/* 1: nodes have a genesis file, with a block or with what they make one of. */
static int has_file(const up *u)
{
    return u->block.kind || u->plan.bounds;
}

static void put_own(const void *self, int32_t i, mb_json_out *j)
{
    const local *l = self;

    put_source(l->u, i, j);
    if (l->u->private_) /* the ledger of all rows, which has booked, has the say */
        mb_json_number(j, "budget", l->u->private_->fit.spent.budget);
    if (has_file(l->u))
        mb_json_text(j, "genesis", "genesis.json");
    else if (j->status >= 0)
        j->status = mb_plan_put_model_(l->u->job->a, &l->u->plan, j);
    if (l->u->plan.algo == &mb_algo_sum && l->u->opt.mask == UP_MASK_OFF)
        mb_json_bool(j, "mask", 0); /* also where the genesis lists members with their keys */
    put_numbers(l->u, j);
    put_files(l, i, j);
}

/* ROOT/nodes/NAME/node.json of all nodes. */
static mb_status write_configs(const local *l, mb_err *err)
{
    const mb_network *net = &l->u->cs->network->net;
    mb_arena         *a = l->u->job->a;
    node_folder      *all;

    MB_NEW(all, a, net->n, err);
    for (int32_t i = 0; i < net->n; i++) {
        const local_node *n = &l->node[i];
        const char       *at = mb_text(a, err, "tcp://127.0.0.1:%d", (int)n->port);

        if (!at)
            return MB_E_NOMEM;
        all[i] = (node_folder){n->dir, i, net->id[i], at, at, n->key};
    }
    for (int32_t i = 0; i < net->n; i++)
        MB_TRY(node_folder_write(a, all, &net->g, i, put_own, l, err));
    return MB_OK;
}

enum { FEW = 16 /* descriptors of nftw */ };

/* An address of this machine that another process listens at would make a node fail. */
static mb_status check_port(const local *l, int32_t i, mb_err *err)
{
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)l->node[i].port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int                fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    int                      taken;

    if (fd < 0)
        MB_FAIL(err, MB_E_IO, "no socket: %s", strerror(errno));
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    taken = bind(fd, (const struct sockaddr *)&at, sizeof at) || listen(fd, 1) ? errno : 0;
    close(fd);
    if (taken)
        MB_FAIL(err, MB_E_IO,
                "--base-port: port %d of node %s cannot be used: %s; expected %d free ports from "
                "%lld on",
                (int)l->node[i].port, l->u->cs->network->net.id[i], strerror(taken),
                (int)l->u->cs->network->net.n, (long long)l->u->opt.base_port);
    return MB_OK;
}

/* MB_E_ARG when the folder has nodes that are none of this network. */
static mb_status check_nodes(const local *l, const char *nodes, mb_err *err)
{
    DIR                 *d = opendir(nodes);
    const struct dirent *e;
    int                  other = 0;
    char                 name[256] = "";

    while (d && !other && (e = readdir(d))) {
        other = *e->d_name != '.';
        for (int32_t i = 0; other && i < l->u->cs->network->net.n; i++)
            other = strcmp(strrchr(l->node[i].dir, '/') + 1, e->d_name) != 0;
        snprintf(name, sizeof name, "%s", e->d_name);
    }
    if (d)
        closedir(d);
    if (other)
        MB_FAIL(err, MB_E_ARG,
                "--out: %s/%s is no node of this network; expected a new folder, or that of the "
                "same nodes",
                nodes, name);
    return MB_OK;
}

static int remove_one(const char *path, const struct stat *is, int kind, struct FTW *at)
{
    (void)is, (void)kind, (void)at;
    return remove(path) && errno != ENOENT;
}

void local_remove(const char *path)
{
    (void)nftw(path, remove_one, FEW, FTW_DEPTH | FTW_PHYS);
}

/* What an earlier run of the node has left; its key remains. */
static void sweep(const char *dir)
{
    static const char *const names[] = {
        "state",          "log",          "pid",         "status.json",
        "posterior.json", "genesis.json", "status.sock", "rows.csv"};
    char path[4096];

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (snprintf(path, sizeof path, "%s/%s", dir, names[k]) < (int)sizeof path)
            local_remove(path);
}

/* A category by its name; "nan" where there is no value. */
static mb_status put_cell(mb_file *f, const mb_columns *kinds, int32_t d, double x, mb_err *err)
{
    if (kinds && kinds->of[d].kind == MB_COLUMN_CATEGORY && !isnan(x))
        return mb_csv_put(f, kinds->of[d].level[(int32_t)x], err);
    return mb_file_printf(f, err, "%.17g", x);
}

/* weight, group: the names of these columns; NULL: none. Groups are numbered. */
static mb_status put_rows(mb_file *f, const mb_data *data, const char *weight, const char *group,
                          const mb_rows *rows, mb_err *err)
{
    int32_t g = 0;

    for (int32_t d = 0; d < data->d; d++) {
        MB_TRY(mb_file_printf(f, err, d ? "," : ""));
        MB_TRY(mb_csv_put(f, data->name[d], err));
    }
    if (weight) {
        MB_TRY(mb_file_printf(f, err, ","));
        MB_TRY(mb_csv_put(f, weight, err));
    }
    if (group) {
        MB_TRY(mb_file_printf(f, err, ","));
        MB_TRY(mb_csv_put(f, group, err));
    }
    MB_TRY(mb_file_printf(f, err, "\n"));
    for (int64_t j = 0; j < rows->n; j++) {
        for (int32_t d = 0; d < rows->d; d++) {
            MB_TRY(mb_file_printf(f, err, d ? "," : ""));
            MB_TRY(put_cell(f, data->columns, d, mb_rows_at(rows, j, d), err));
        }
        if (weight)
            MB_TRY(mb_file_printf(f, err, ",%.17g", rows->w[j]));
        while (group && g + 1 < rows->ngroup && rows->first[g + 1] <= j)
            g++;
        if (group)
            MB_TRY(mb_file_printf(f, err, ",%d", (int)g + 1));
        MB_TRY(mb_file_printf(f, err, "\n"));
    }
    return MB_OK;
}

/* Beside those of an earlier run. */
static mb_status write_rows(const local *l, int32_t i, mb_err *err)
{
    const sim_case *cs = l->u->cs;
    const char     *path = mb_text(l->u->job->a, err, "%s/" LOCAL_NEXT, l->node[i].dir);
    mb_file         f = {0};
    mb_status       st;

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_file_open(l->u->job->a, path, &f, err));
    st = put_rows(&f, &cs->rows->data, cs->rows->data.w ? cs->args->opt.weight_column : NULL,
                  cs->rows->data.group ? group_column(cs->args) : NULL, &l->u->how.rows[i], err);
    return mb_file_close(&f, st, err);
}

static mb_status place(local *l, int32_t i, mb_err *err)
{
    up         *u = l->u;
    local_node *n = &l->node[i];
    const char *name = node_folder_name(u->job->a, u->cs->network->net.id[i], err);

    n->dir = name ? mb_text(u->job->a, err, "%s/nodes/%s", l->root, name) : NULL;
    n->port = (int32_t)u->opt.base_port + i;
    n->status = u->opt.status_port
                    ? mb_text(u->job->a, err, "127.0.0.1:%lld", (long long)u->opt.status_port + i)
                    : "unix:status.sock";
    if (!n->dir || !n->status)
        return MB_E_NOMEM;
    n->where = u->opt.status_port ? mb_text(u->job->a, err, "http://%s", n->status)
                                  : mb_text(u->job->a, err, "unix:%s/status.sock", n->dir);
    n->state = UP_STATES;
    return n->where ? MB_OK : MB_E_NOMEM;
}

/* Folder and key. signing_key: NULL: nodes of this build have no libsodium. */
static mb_status found(local *l, int32_t i, const uint8_t **signing_key, mb_err *err)
{
    up         *u = l->u;
    local_node *n = &l->node[i];

    MB_TRY(mb_dir_make(n->dir, err));
    return u->opt.insecure
               ? MB_OK
               : node_folder_key(u->job->a, l->program, n->dir, &n->key, signing_key, err);
}

/* The rows of this run take the place of what an earlier one has left, or are removed. */
static mb_status take_rows(const local *l, int32_t i, mb_status st, mb_err *err)
{
    const char *dir = l->node[i].dir;
    const char *next = mb_text(l->u->job->a, err, "%s/" LOCAL_NEXT, dir);
    const char *path = mb_text(l->u->job->a, err, "%s/rows.csv", dir);

    if (!next || !path)
        return MB_E_NOMEM;
    if (st < 0) {
        local_remove(next);
        return st;
    }
    sweep(dir);
    if (l->u->how.rows[i].n && rename(next, path))
        MB_FAIL(err, MB_E_IO, "%s: %s", path, strerror(errno));
    return MB_OK;
}

/* Folders, keys and rows. What an earlier run has released stays until all ledgers allow another. */
static mb_status furnish(local *l, const char *nodes, const uint8_t **signing_key, mb_err *err)
{
    up           *u = l->u;
    const int32_t n = u->cs->network->net.n;
    mb_status     st = MB_OK;

    for (int32_t i = 0; i < n; i++)
        MB_TRY(found(l, i, signing_key, err));
    if (u->private_ && chmod(nodes, 0700)) /* an earlier run may have made it */
        MB_FAIL(err, MB_E_IO, "%s: %s", nodes, strerror(errno));
    for (int32_t i = 0; i < n && st >= 0; i++)
        if (u->how.rows[i].n)
            st = write_rows(l, i, err);
    if (st >= 0)
        st = up_private_book(u, err);
    for (int32_t i = 0; i < n; i++)
        st = take_rows(l, i, st, err);
    return st;
}

/* genesis.json of all nodes; with masks it lists them. */
static mb_status write_genesis(local *l, int sodium, mb_err *err)
{
    up           *u = l->u;
    const int32_t n = u->cs->network->net.n;
    const char  **key;

    MB_NEW(key, u->job->a, n, err);
    for (int32_t i = 0; i < n; i++)
        key[i] = l->node[i].key;
    if (u->masked && !sodium && u->opt.mask != UP_MASK_ON) {
        app_note("up", "sums are not masked: nodes of this build have no libsodium");
        u->masked = 0;
    }
    if (u->masked)
        MB_TRY(up_mask_declare(u, key, err));
    for (int32_t i = 0; has_file(u) && i < n; i++) {
        const char *path = mb_text(u->job->a, err, "%s/genesis.json", l->node[i].dir);

        if (!path)
            return MB_E_NOMEM;
        MB_TRY(u->block.kind ? mb_genesis_write(u->job->a, &u->block, path, err)
                             : mb_plan_write_(u->job->a, &u->plan, u->block.declared, path, err));
    }
    return MB_OK;
}

mb_status local_make(local *l, mb_err *err)
{
    const int32_t  n = l->u->cs->network->net.n;
    const char    *nodes = mb_text(l->u->job->a, err, "%s/nodes", l->root);
    const uint8_t *signing_key = NULL;
    mode_t         before;
    mb_status      st;

    if (!nodes)
        return MB_E_NOMEM;
    if (l->u->opt.base_port + n - 1 > APP_PORT_MOST)
        MB_FAIL(err, MB_E_ARG, "--base-port: got %lld for %d nodes; expected at most %d",
                (long long)l->u->opt.base_port, (int)n, (int)(APP_PORT_MOST + 1 - n));
    if (l->u->opt.status_port + n - 1 > APP_PORT_MOST)
        MB_FAIL(err, MB_E_ARG, "--status-port: got %lld for %d nodes; expected at most %d",
                (long long)l->u->opt.status_port, (int)n, (int)(APP_PORT_MOST + 1 - n));
    for (int32_t i = 0; i < n; i++)
        MB_TRY(place(l, i, err));
    MB_TRY(check_nodes(l, nodes, err));
    for (int32_t i = 0; i < n; i++)
        MB_TRY(check_port(l, i, err));
    before = umask(077); /* rows are their owner's, with keys */
    if (!l->u->private_)
        umask(before);
    st = furnish(l, nodes, &signing_key, err);
    umask(before);
    MB_TRY(st);
    MB_TRY(write_genesis(l, signing_key != NULL, err));
    return write_configs(l, err);
}
