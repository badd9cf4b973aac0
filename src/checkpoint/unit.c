/* unit.c - finished units of work: a file each with the facts of the run and the numbers that it
 * continues with. */
#include "base/text.h"
#include "checkpoint/parts.h"

#include <unistd.h>

typedef struct unit {
    const mb_scope_ *k;
    double          *x;
    size_t           n;
} unit;

static mb_status move(void *self, mb_pages_ *f, mb_err *err)
{
    const unit *u = self;
    int64_t     n = (int64_t)u->n;

    MB_TRY(mb_facts_move_(u->k, f, err));
    MB_TRY(mb_pages_number_(f, n, n, &n, err));
    MB_TRY(mb_pages_move_(f, u->x, u->n, err));
    if (f->reading && f->at != f->words)
        MB_FAIL(err, MB_E_FORMAT, "%s: has %lld words too many", f->path,
                (long long)(f->words - f->at));
    return MB_OK;
}

/* MB_QUIET: there is no such file to read. */
static mb_status move_in(mb_arena *a, const mb_checkpoint *c, const char *name, int reading,
                         double *x, size_t n, mb_err *err)
{
    mb_scope_   k = {.c = c, .a = a, .nfact = c->nfact};
    unit        u = {&k, x, n};
    const char *file = mb_text(a, err, "unit-%s.mbck", name);
    const char *path = file ? mb_text(a, err, "%s/%s", c->dir, file) : NULL;

    if (!path)
        return MB_E_NOMEM;
    if (reading && access(path, F_OK) != 0)
        return MB_QUIET;
    MB_NEW(k.f, a, 1, err);
    MB_NEW(k.fact, a, c->nfact + 1, err);
    for (int32_t q = 0; q < c->nfact; q++)
        k.fact[q] = c->fact[q];
    if (!reading) {
        MB_TRY(mb_dir_make(c->dir, err));
        MB_TRY(mb_scope_file_(&k, c->dir, file, MB_UNIT_, 0, move, &u, err));
        return mb_folder_sync_(c->dir, err);
    }
    return mb_scope_file_(&k, c->dir, file, MB_UNIT_, 1, move, &u, err);
}

static mb_status with_memory(const mb_checkpoint *c, const char *name, int reading, double *x,
                             size_t n, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 17);
    mb_status st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for a checkpoint", c->dir);
    st = move_in(a, c, name, reading, x, n, err);
    mb_arena_free(a);
    return st;
}

mb_status mb_checkpoint_put(const mb_checkpoint *c, const char *name, const double *x, size_t n,
                            mb_err *err)
{
    return with_memory(c, name, 0, (double *)(uintptr_t)x, n, err); /* only read */
}

mb_status mb_checkpoint_get(const mb_checkpoint *c, const char *name, double *x, size_t n,
                            mb_err *err)
{
    mb_err    why = {0};
    mb_status st = with_memory(c, name, 1, x, n, &why);

    if (st >= 0)
        return st;
    if (st != MB_E_FORMAT && st != MB_E_IO)
        MB_FAIL(err, st, "%s", why.msg);
    if (c->refused)
        c->refused(c->to, why.msg);
    return MB_QUIET;
}
