/* A member that audits at rest takes the input as a part of a neighbour's frame, unchanged and with
 * the heads of part and statements put right, which then count as signed: what comes of it is judged, and
 * leaves reasons of one line, and a node that says frames that open. */
#include "fuzz.h"

#include "base/bytes.h"
#include "mesh.h"
#include "mesh/audit.h"

#include <string.h>

enum { MOST = 1 << 14, SELF = 0, MEMBERS = 3, D = 2, ROWS = 8, TICKS = 400, PART = 20 };

static const char *const names[D] = {"x1", "x2"};

/* The first byte says whether it is one. */
static int sign(void *self, const void *bytes, size_t n, uint8_t *signature)
{
    (void)self;
    (void)bytes;
    (void)n;
    memset(signature, 1, MB_SIGNATURE);
    return 1;
}

static int verify(void *self, const uint8_t *key, const void *bytes, size_t n,
                  const uint8_t *signature)
{
    (void)self;
    (void)key;
    (void)bytes;
    (void)n;
    return *signature;
}

/* Three members, each linked to the others. */
static mb_declared listed(void)
{
    static const uint8_t   key[MB_SIGNING_KEY];
    static const mb_member member[MEMBERS] = {{.id = 0, .signing_key = key, .rows = ROWS},
                                              {.id = 1, .signing_key = key, .rows = ROWS},
                                              {.id = 2, .signing_key = key, .rows = ROWS}};
    static const double    range[2 * D] = {0, 9, 0, 9};
    static const int64_t   ptr[] = {0, 2, 4, 6}, rev[] = {2, 4, 0, 5, 1, 3};
    static const int32_t   adj[] = {1, 2, 0, 2, 0, 1};
    mb_declared            d = {.members = MEMBERS,
                                .member = member,
                                .rows = MEMBERS * ROWS,
                                .columns = D,
                                .range = range,
                                .links = {.n = MEMBERS}};

    d.links.ptr = (int64_t *)(uintptr_t)ptr;
    d.links.adj = (int32_t *)(uintptr_t)adj;
    d.links.rev = (int64_t *)(uintptr_t)rev;
    d.hash = mb_declared_hash_(&d);
    return d;
}

/* Node SELF, whose neighbours are silent, in an audit that it has begun. */
static mb_peer *auditor(mb_arena *a, const mb_peer_opt *o)
{
    const double  x[ROWS * D] = {0, 1, 2, 1, 0, 2, 9, 9, 8, 9, 9, 7, 1, 1, 8, 8};
    const mb_rows rows = {.x = x, .n = ROWS, .d = D, .ld = D};
    mb_err        err;
    mb_peer      *p;

    if (mb_peer_new(a, o, &p, &err) < 0 || mb_peer_link(p, 1, &err) < 0 ||
        mb_peer_link(p, 2, &err) < 0 || mb_peer_append(p, 0, &rows, NULL, &err) < 0 || !p->audit)
        abort();
    for (int64_t t = 1; t <= TICKS; t++)
        if (mb_peer_tick(p, 20 * t, &err) < 0)
            abort();
    if (!p->audit->beat || p->audit->moved || p->audit->here != 1)
        abort();
    return p;
}

/* Reasons that can be printed, and frames that open. */
static void use(mb_arena *a, mb_peer *p)
{
    const int32_t frames = fuzz_frames(a, p, TICKS + 1);

    if (frames != -2 && frames != FUZZ_TICKS * p->life->links)
        abort();
    for (int32_t k = 0; k < MEMBERS; k++) {
        int32_t     broken;
        const char *why = mb_peer_audit_of(p, k, &broken);

        if (strchr(why, '\n') || strlen(why) >= MB_AUDIT_WHY_)
            abort();
    }
}

/* Every statement is of this audit, of a member that the input names, and signed. */
static void mend(const mb_peer *p, unsigned char *at, size_t n)
{
    const mb_auditor_   *of = p->audit;
    const mb_audited_   *own = &of->member[of->me];
    const unsigned char *end = at + n;
    uint32_t             id, size;

    (void)mb_put_u64_(mb_put_u32_(at, of->leader), of->beat);
    for (at += PART; end - at > 4; at += size) {
        (void)mb_get_u32_(at, &size);
        at += 4;
        if (size > (size_t)(end - at))
            return;
        if (size != own->size)
            continue;
        (void)mb_get_u32_(at + 4, &id);
        memcpy(at, of->store + own->at, MB_AUDIT_HEAD_);
        (void)mb_put_u32_(at + 4, id % MEMBERS);
        at[size - MB_SIGNATURE] = 1;
    }
}

static void take(const mb_peer_opt *o, const uint8_t *data, size_t size, int mended)
{
    mb_arena      *a = mb_arena_new(1 << 16);
    mb_peer       *p = auditor(a, o);
    unsigned char *part = malloc(size ? size : 1); /* what is read beyond it is found */

    if (!part)
        abort();
    memcpy(part, data, size);
    if (mended && size >= PART)
        mend(p, part, size);
    for (int32_t j = 0; j < p->life->links; j++)
        mb_audit_take_(p, 20 * TICKS, j, part, size);
    use(a, p);
    free(part);
    mb_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mb_declared d = listed();
    const mb_signer   signer = {NULL, sign, verify};
    mb_gmm_kind       gmm = {0};
    const mb_plan     plan = {.kind = &mb_kind_gmm,
                              .kind_opt = &gmm,
                              .columns = D,
                              .column = names,
                              .from = MB_GENESIS_SAMPLE};
    const mb_peer_opt o = {.id = SELF,
                           .incarnation = 1,
                           .plan = &plan,
                           .neighbours = MEMBERS - 1,
                           .rows = ROWS,
                           .declared = &d,
                           .signer = &signer};
    mb_err            err;

    if (size > MOST || mb_opt_defaults(mb_kind_gmm.opts, &gmm, &err) < 0)
        return 0;
    take(&o, data, size, 0);
    take(&o, data, size, 1);
    return 0;
}
