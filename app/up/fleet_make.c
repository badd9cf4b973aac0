/* fleet_make.c - the folders of a fleet: key, genesis.json with the list of members, node.json. */
#include "base/place.h"
#include "base/text.h"
#include "data/file.h"
#include "mesh/file_plan.h"
#include "up/fleet.h"

#include <math.h>

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

/* The members of the fleet in place of those that the genesis file had. */
static mb_status declare(mb_arena *a, const fleet *f, mb_declared *d, mb_err *err)
{
    const int32_t n = f->net.n;
    mb_member    *member;

    MB_NEW(member, a, (size_t)n, err);
    for (int32_t i = 0; i < n; i++) {
        const fleet_node *m = &f->node[i];

        member[i] =
            (mb_member){m->folder.id, m->folder.key, m->signing_key, m->rows, m->folder.name};
        if (!isnan(m->rows)) {
            d->rows = (double)NAN; /* theirs are added up where the file is read */
            d->at_most = f->at_most;
        }
    }
    d->member = member;
    d->members = n;
    d->links = f->net.g;
    return MB_OK;
}

/* The genesis file of each, with a block or without. */
static mb_status put_genesis(mb_arena *a, const fleet *f, mb_err *err)
{
    mb_declared        d = {.rows = (double)NAN};
    mb_genesis         g = {.declared = NULL}, back;
    const mb_declared *had;
    mb_plan            plan;
    int                lacks;

    MB_TRY(mb_plan_read_(a, f->genesis, &plan, &g.declared, &lacks, err));
    if (!lacks)
        MB_TRY(mb_genesis_read(a, f->genesis, NULL, &g, err));
    d = g.declared ? *g.declared : d;
    MB_TRY(declare(a, f, &d, err));
    g.declared = &d;
    for (int32_t i = 0; i < f->net.n; i++) {
        const char *path = mb_text(a, err, "%s/genesis.json", f->node[i].folder.dir);

        if (!path)
            return MB_E_NOMEM;
        MB_TRY(lacks ? mb_plan_write_(a, &plan, &d, path, err)
                     : mb_genesis_write(a, &g, path, err));
        if (i)
            continue;
        MB_TRY(lacks ? mb_plan_read_(a, path, &plan, &had, &lacks, err)
                     : mb_genesis_read(a, path, NULL, &back, err));
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
