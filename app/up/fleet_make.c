/* fleet_make.c - the folders of a fleet: key, genesis.json with the list of members, node.json. */
#include "base/place.h"
#include "base/text.h"
#include "data/file.h"
#include "up/fleet.h"

#include <math.h>
#include <string.h>

static void put_own(const void *self, int32_t i, mb_json_out *j)
{
    const fleet   *f = self;
    const mb_json *own = f->node[i].fields;

    if (f->genesis)
        mb_json_text(j, "genesis", "genesis.json");
    for (size_t k = 0; k < f->all->n; k++)
        if (mb_json_at(own, f->all->item[k].key)->type == MB_JSON_NONE)
            mb_json_copy(j, &f->all->item[k]);
    for (size_t k = 0; k < own->n; k++)
        if (!fleet_own_field(own->item[k].key))
            mb_json_copy(j, &own->item[k]);
}

static void put_member(const fleet *f, int32_t i, mb_json_out *j)
{
    const fleet_node *n = &f->node[i];
    const mb_graph   *g = &f->net.g;

    mb_json_object(j, NULL);
    mb_json_integer(j, "id", n->folder.id);
    if (n->folder.key)
        mb_json_text(j, "key", n->folder.key);
    if (n->signing_key)
        mb_json_text(j, "signing_key", n->signing_key);
    if (!isnan(n->rows))
        mb_json_number(j, "rows", n->rows);
    mb_json_list(j, "links");
    for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
        mb_json_integer(j, NULL, f->node[g->adj[e]].folder.id);
    mb_json_close(j);
    mb_json_close(j);
}

/* The genesis file with the members in place of those that it had. */
static mb_status write_genesis(mb_arena *a, const fleet *f, const mb_json *from, const char *path,
                               mb_err *err)
{
    static const char *const replaced[] = {"members", "rows", "rows_are"};
    int32_t                  declared = 0;
    mb_json_out              j;

    for (int32_t i = 0; i < f->net.n; i++)
        declared += !isnan(f->node[i].rows);
    mb_json_begin(&j, a, err);
    mb_json_object(&j, NULL);
    for (size_t k = 0; k < from->n; k++) {
        int replace = 0;

        for (int r = 0; r < (declared ? 3 : 1); r++)
            replace |= !strcmp(from->item[k].key, replaced[r]);
        if (!replace)
            mb_json_copy(&j, &from->item[k]);
    }
    if (declared)
        mb_json_text(&j, "rows_are", f->at_most ? "at most" : "exactly");
    mb_json_list(&j, "members");
    for (int32_t i = 0; i < f->net.n; i++)
        put_member(f, i, &j);
    mb_json_close(&j);
    mb_json_close(&j);
    return mb_json_write(&j, path);
}

static mb_status put_genesis(mb_arena *a, const fleet *f, mb_err *err)
{
    const mb_json *from;
    mb_genesis     g;

    MB_TRY(mb_genesis_read(a, f->genesis, NULL, &g, err));
    MB_TRY(mb_json_read(a, f->genesis, &from, err));
    for (int32_t i = 0; i < f->net.n; i++) {
        const char *path = mb_text(a, err, "%s/genesis.json", f->node[i].folder.dir);

        if (!path)
            return MB_E_NOMEM;
        MB_TRY(write_genesis(a, f, from, path, err));
        if (!i)
            MB_TRY(mb_genesis_read(a, path, NULL, &g, err));
    }
    return MB_OK;
}

mb_status fleet_make(mb_arena *a, fleet *f, mb_err *err)
{
    const int32_t n = f->net.n;
    node_folder  *all;
    char          program[PLACE_PATH];

    MB_NEW(all, a, (size_t)n, err);
    if (!place_program("node", program))
        MB_FAIL(err, MB_E_NOSUP, "meshbayes-node is not beside this program; keys are made by it");
    for (int32_t i = 0; i < n; i++) {
        node_folder *to = &f->node[i].folder;

        MB_TRY(mb_dir_make(to->dir, err));
        if (!f->insecure && !to->key)
            MB_TRY(node_folder_key(a, program, to->dir, &to->key, &f->node[i].signing_key, err));
        all[i] = *to;
    }
    if (f->genesis)
        MB_TRY(put_genesis(a, f, err));
    for (int32_t i = 0; i < n; i++)
        MB_TRY(node_folder_write(a, all, &f->net.g, i, put_own, f, err));
    return MB_OK;
}
