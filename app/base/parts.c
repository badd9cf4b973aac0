/* parts.c - files of which each process of a job has its own: FILE-%r.npy is FILE-0.npy in process 0. */
#include "base/ranks.h"
#include "base/text.h"

#include <string.h>
#include <unistd.h>

int ranks_in_parts(const char *name)
{
    return name && strstr(name, "%r") && access(name, F_OK) != 0;
}

/* The file of a process; NULL: no memory. */
static const char *part_of(mb_arena *a, const char *name, int32_t rank, mb_err *err)
{
    const char *at = strstr(name, "%r");

    return mb_text(a, err, "%.*s%d%s", (int)(at - name), name, rank, at + 2);
}

mb_status ranks_part(mb_arena *a, const ranks *r, const char **name, mb_err *err)
{
    *name = part_of(a, *name, r->rank, err);
    return *name ? MB_OK : MB_E_NOMEM;
}

/* A part too many would be left out without a word. */
static mb_status none_left(mb_arena *a, const ranks *r, const char *name, mb_err *err)
{
    const int32_t size = r->size;
    const char   *next = part_of(a, name, size, err);

    if (!next)
        return MB_E_NOMEM;
    if (access(next, F_OK) == 0)
        MB_FAIL(err, MB_E_ARG,
                "--data: got %s besides the part%s of %d process%s; expected a process for each "
                "part",
                next, size > 1 ? "s" : "", size, size > 1 ? "es" : "");
    return MB_OK;
}

mb_status ranks_rows(mb_arena *a, const ranks *r, const char **name, mb_err *err)
{
    MB_TRY(ranks_agree(r, none_left(a, r, *name, err), err));
    return ranks_part(a, r, name, err);
}
