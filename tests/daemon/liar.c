/* liar.c - the frames of a node that lies, for tests: linked in place of the library's
 * mb_peer_frame, which is compiled as honest_frame. MB_LIES: "ID NAME FIRST LAST, ..", the lies of
 * nodes in these of their ticks (LAST 0: without end). MB_LIES_TOLD: a file that gets a line for
 * each false frame that a neighbour uses. */
#include "lies.h"

#include <stdio.h>
#include <stdlib.h>

mb_status honest_frame(mb_peer *p, int32_t id, void *out, size_t room, size_t *n, mb_err *err);

/* What node f->from says in this frame. */
static const char *told_by(const mb_frame_ *f, char *name)
{
    const char        *at = getenv("MB_LIES");
    unsigned           id;
    unsigned long long first, last;

    for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (sscanf(at, "%u %39s %llu %llu", &id, name, &first, &last) != 4 || !lie_named(name)) {
            fprintf(stderr, "MB_LIES: \"%s\" is no lie\n", at);
            exit(2);
        }
        if (id == f->from && f->tick >= first && (!last || f->tick <= last))
            return name;
    }
    return NULL;
}

static void note(const mb_frame_ *f, const char *name)
{
    const char *path = getenv("MB_LIES_TOLD");
    FILE       *told = path ? fopen(path, "a") : NULL;

    if (!told)
        return;
    fprintf(told, "%s %u %llu\n", name, (unsigned)f->from, (unsigned long long)f->tick);
    (void)fclose(told);
}

mb_status mb_peer_frame(mb_peer *p, int32_t id, void *out, size_t room, size_t *n, mb_err *err)
{
    const mb_status st = honest_frame(p, id, out, room, n, err);
    mb_frame_       f;
    char            name[40];

    if (st < 0 || !*n || mb_frame_open_(out, *n, &f, NULL) || !told_by(&f, name))
        return st;
    *n = lie_in(lie_named(name), p, out, *n, room);
    if (f.flags & MB_FRAME_HEARS_)
        note(&f, name);
    return st;
}
