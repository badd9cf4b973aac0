/* local_make.c - the folders of the nodes of a local network: keys, rows, genesis, configuration. */
#define _XOPEN_SOURCE 700
#include "base/text.h"
#include "up/local.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

static mb_status make_key(local *l, int32_t i, mb_err *err)
{
    const char *const argv[] = {l->program, "keygen", "--out", "node.key", NULL};
    local_node       *n = &l->node[i];
    mb_arena         *a = l->u->job->a;
    const char       *path = mb_text(a, err, "%s/node.key", n->dir);
    mb_json_in        j = {.file = path, .where = "", .err = err};
    const mb_json    *o;
    char              why[400];
    int               status = 0;
    pid_t             pid;

    if (!path)
        return MB_E_NOMEM;
    if (access(path, F_OK)) {
        pid = local_spawn(n->dir, "log", argv);
        while (pid && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        local_last_line(n, why, sizeof why);
        if (!pid || status)
            MB_FAIL(err, MB_E_IO, "%s: cannot be made: %s", path, pid ? why : strerror(errno));
    }
    MB_TRY(mb_json_read(a, path, &o, err));
    n->key = mb_json_get_text(&j, o, "public_key");
    if (!n->key)
        mb_json_refuse(&j, "public_key", "", "a file of meshbayes-node keygen");
    return j.status;
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

static mb_status write_rows(const local *l, int32_t i, mb_err *err)
{
    const sim_case *cs = l->u->cs;
    const char     *path = mb_text(l->u->job->a, err, "%s/rows.csv", l->node[i].dir);
    mb_file         f = {0};
    mb_status       st;

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_file_open(l->u->job->a, path, &f, err));
    st = put_rows(&f, &cs->rows->data, cs->rows->data.w ? cs->args->opt.weight_column : NULL,
                  cs->rows->data.group ? local_group(cs->args) : NULL, &l->u->how.rows[i], err);
    return mb_file_close(&f, st, err);
}

static mb_status place(local *l, int32_t i, mb_err *err)
{
    up         *u = l->u;
    local_node *n = &l->node[i];
    const char *name = up_folder_name(u, u->cs->network->net.id[i], err);

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

static mb_status furnish(local *l, int32_t i, mb_err *err)
{
    up         *u = l->u;
    local_node *n = &l->node[i];
    const char *genesis = mb_text(u->job->a, err, "%s/genesis.json", n->dir);

    if (!genesis)
        return MB_E_NOMEM;
    MB_TRY(mb_dir_make(n->dir, err));
    sweep(n->dir);
    if (u->how.rows[i].n)
        MB_TRY(write_rows(l, i, err));
    if (u->block.kind)
        MB_TRY(mb_genesis_write(u->job->a, &u->block, genesis, err));
    return u->opt.insecure ? MB_OK : make_key(l, i, err);
}

mb_status local_make(local *l, mb_err *err)
{
    const int32_t n = l->u->cs->network->net.n;
    const char   *nodes = mb_text(l->u->job->a, err, "%s/nodes", l->root);

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
    for (int32_t i = 0; i < n; i++)
        MB_TRY(furnish(l, i, err));
    for (int32_t i = 0; i < n; i++)
        MB_TRY(local_config(l, i, err));
    return MB_OK;
}
