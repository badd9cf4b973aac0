/* mask.c - simulated masks of the contributions to exact sums: who is whose partner, and that each
 * contribution is masked once (docs/math.md, section 31). */
#include "base/mask.h"
#include "base/crc32c.h"
#include "base/text.h"
#include "fit/case.h"

#include <assert.h>

enum { REACH = 2 /* by id, each way, where not all are partners */ };

/* What a node has masked: one contribution has one pad. */
typedef struct made {
    uint64_t epoch, pass;
    uint32_t words;
} made;

typedef struct pads {
    uint64_t       seed;
    const int32_t *row;     /* n: of a node here                          */
    const int64_t *ptr;     /* n_local + 1                                */
    const int32_t *partner; /* ptr[n_local]: global ids                   */
    made          *last;    /* n_local                                    */
} pads;

/* Two contributions under one pad would show their difference. */
static void note(made *last, uint64_t epoch, uint64_t pass, size_t n, const double *w)
{
#ifdef NDEBUG
    (void)last, (void)epoch, (void)pass, (void)n, (void)w;
#else
    const made now = {epoch, pass, mb_crc32c_(w, n * sizeof *w)};

    assert(epoch > last->epoch ||
           (epoch == last->epoch &&
            (pass > last->pass || (pass == last->pass && now.words == last->words))));
    *last = now;
#endif
}

static int32_t add(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n, double *w)
{
    const pads   *p = self;
    const int32_t row = p->row[id];

    note(&p->last[row], epoch, pass, n, w);
    mb_mask_simulated_(p->seed, id, p->partner + p->ptr[row], p->ptr[row + 1] - p->ptr[row], epoch,
                       pass, n, w);
    return 1;
}

static int is_neighbour(const mb_part *part, int32_t i, int32_t id)
{
    for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++)
        if (part->gid[part->g.adj[e]] == id)
            return 1;
    return 0;
}

/* Partners of local node i, by both ends alike: all, or its neighbours and those that follow it and
 * precede it by id. Returns how many. */
static int64_t partners_of(const mb_part *part, int32_t i, int all, int32_t *out)
{
    const int32_t n = part->n_global, id = part->gid[i];
    int64_t       count = 0;

    for (int64_t e = part->g.ptr[i]; !all && e < part->g.ptr[i + 1]; e++)
        out[count++] = part->gid[part->g.adj[e]];
    for (int32_t by = 1; by < (all ? n : 2 * REACH + 1); by++) {
        const int32_t step = all || by <= REACH ? by : n - (by - REACH), j = (id + step) % n;

        if (all || !is_neighbour(part, i, j))
            out[count++] = j;
    }
    return count;
}

mb_status mb_masks_simulated_(mb_arena *a, const mb_part *part, uint64_t seed, int32_t few,
                              mb_masks **out, mb_err *err)
{
    const int32_t n = part->n_local;
    const int     all = part->n_global <= few;
    const size_t  most =
        all ? (size_t)n * (size_t)part->n_global : (size_t)part->g.ptr[n] + (size_t)n * (2 * REACH);
    int32_t *row, *partner;
    int64_t *ptr;
    pads    *p;

    MB_NEW(p, a, 1, err);
    MB_NEW(row, a, part->n_global, err);
    MB_NEW(ptr, a, n + 1, err);
    MB_NEW(partner, a, most, err);
    *p = (pads){.seed = seed, .row = row, .ptr = ptr, .partner = partner};
    MB_NEW(p->last, a, n, err);
    for (int32_t i = 0; i < n; i++) {
        row[part->gid[i]] = i;
        ptr[i + 1] = ptr[i] + partners_of(part, i, all, partner + ptr[i]);
    }
    MB_NEW(*out, a, 1, err);
    **out = (mb_masks){.self = p, .add = add};
    return MB_OK;
}
