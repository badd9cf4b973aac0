/* paper_inputs.c - the files that experiments read, among them the networks of --networks: which
 * are missing, and a fingerprint of the contents of the others, so that results of other contents
 * are not reused. */
#include "base/place.h"
#include "base/text.h"
#include "network/network.h"
#include "paper_run.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

mb_status paper_shipped(mb_arena *a, const char *folder, const char *name, const char **out,
                        mb_err *err)
{
    char path[PLACE_PATH];

    *out = mb_text(a, err, "%s/%s", folder, name);
    if (!*out || access(*out, R_OK) == 0)
        return *out ? MB_OK : MB_E_NOMEM;
    if (!place_data(name, path)) {
        *out = NULL;
        return MB_OK;
    }
    *out = mb_text(a, err, "%s", path);
    return *out ? MB_OK : MB_E_NOMEM;
}

/* Extends a fingerprint by the contents of a file. */
static mb_status print_file(mb_arena *a, const char *file, uint64_t *print, mb_err *err)
{
    char  *bytes;
    size_t n;

    MB_TRY(mb_file_read(a, file, &bytes, &n, err));
    *print = mb_bytes_hash((uint64_t[]){*print, mb_bytes_hash(bytes, n)}, 2 * sizeof *print);
    return MB_OK;
}

mb_status paper_inputs(paper_table *t, mb_err *err)
{
    const char *file[PAPER_FILES] = {NULL};

    if (t->row->files)
        MB_TRY(t->row->files(t->a, t->set, file, &t->how, err));
    for (int k = 0; k < PAPER_FILES && file[k] && !t->how; k++)
        MB_TRY(print_file(t->a, file[k], &t->data_print, err));
    return MB_OK;
}

/* "network20.csv" and the like. */
static int is_network(const char *name)
{
    int n = 0, end = 0;

    return sscanf(name, "network%d.csv%n", &n, &end) == 1 && n > 0 && end && !name[end];
}

/* The fingerprint depends on the name, not on the order in the folder. */
static mb_status found(mb_arena *a, paper_set *set, const char *name, mb_err *err)
{
    const char *file = mb_text(a, err, "%s/%s", set->networks, name);
    uint64_t    print = mb_bytes_hash(name, strlen(name));

    if (!file)
        return MB_E_NOMEM;
    MB_TRY(print_file(a, file, &print, err));
    set->network_count++;
    set->network_print += print;
    return MB_OK;
}

mb_status paper_networks_found(mb_arena *a, paper_set *set, mb_err *err)
{
    DIR                 *dir;
    const struct dirent *e;
    const char          *folder;
    mb_status            st = MB_OK;

    if (!set->networks)
        return MB_OK;
    MB_TRY(paper_shipped(a, ".", set->networks, &folder, err));
    if (folder && access(set->networks, F_OK) != 0)
        set->networks = folder;
    dir = opendir(set->networks);
    if (!dir)
        MB_FAIL(err, MB_E_IO, "--networks: %s: %s", set->networks, strerror(errno));
    while (st >= 0 && (e = readdir(dir)))
        if (is_network(e->d_name))
            st = found(a, set, e->d_name, err);
    closedir(dir);
    MB_TRY(st);
    if (!set->network_count)
        MB_FAIL(err, MB_E_ARG,
                "--networks: no networkN.csv (N: nodes) in \"%s\"; expected a folder with, for "
                "example, network20.csv",
                set->networks);
    return MB_OK;
}

mb_status paper_network_given(const paper_unit *u, mb_network *net, mb_err *err)
{
    const mb_network_opt links = {.links_only = 1, .skip_own = 1};
    const int            N = net->n;
    const char          *file;
    mb_err               why = {0};

    if (!u->set->networks)
        return MB_OK;
    file = mb_text(u->a, err, "%s/network%d.csv", u->set->networks, N);
    if (!file)
        return MB_E_NOMEM;
    if (access(file, F_OK) != 0)
        return MB_OK;
    MB_TRY(mb_network_read(u->a, file, &links, net, err));
    if (net->n != N)
        MB_FAIL(err, MB_E_ARG, "%s: got links of %d nodes; expected %d", file, (int)net->n, N);
    if (mb_network_check(net, &why) < 0)
        MB_FAIL(err, MB_E_ARG, "%s: %s", file, why.msg);
    return MB_OK;
}
