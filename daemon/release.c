/* release.c - with privacy: sums of the node's rows with its noise, booked before they are used and
 * remembered in the state folder, so that a life after this one says the same again. */
#include "base/crc32c.h"
#include "base/ledger.h"
#include "base/random.h"
#include "base/rows.h"
#include "base/text.h"
#include "data/file.h"
#include "mesh/frame.h"
#include "mesh/genesis.h"
#include "node.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before the numbers in the file. */
typedef struct release_head {
    uint64_t magic, plan, data, numbers;
    uint32_t crc, rest; /* of the numbers; 0 */
} release_head;

static const uint64_t MAGIC = UINT64_C(0x31454c424d); /* "MBLE1" */

typedef struct release {
    mb_arena          *a;
    const node_config *c;
    const mb_data     *rows;
    const char        *file;
    mb_privacy         made;
    int64_t           *sums;
    size_t             numbers;
} release;

static release_head head_of(const release *r)
{
    return (release_head){.magic = MAGIC,
                          .plan = mb_plan_hash_(&r->c->plan),
                          .data = r->rows->hash,
                          .numbers = r->numbers,
                          .crc = mb_crc32c_(r->sums, r->numbers * sizeof *r->sums)};
}

/* 1: what the folder has is of this plan. In a plan the noise of the others is the same in all totals, so
 * one of these rows and one of others would hide a difference less than the ledger books. */
static mb_status recall(release *r, int *is, mb_err *err)
{
    const size_t bytes = r->numbers * sizeof *r->sums;
    release_head h, mine;
    char        *text;
    size_t       n;

    *is = 0;
    if (access(r->file, F_OK) != 0)
        return MB_OK;
    MB_TRY(mb_file_read(r->a, r->file, &text, &n, err));
    if (n < sizeof h)
        MB_FAIL(err, MB_E_FORMAT, "%s: got %zu bytes; expected a release of this node", r->file, n);
    memcpy(&h, text, sizeof h);
    mine = head_of(r);
    if (h.plan != mine.plan)
        return MB_OK;
    if (h.data != mine.data)
        MB_FAIL(err, MB_E_ARG,
                "%s: it is of other rows than those of %s, and the total with these less that with "
                "those would show them with the noise of this node alone; expected the same file, "
                "or another genesis (--seed)",
                r->file, r->c->data);
    if (h.magic != MAGIC || h.numbers != r->numbers || n != sizeof h + bytes ||
        h.crc != mb_crc32c_(text + sizeof h, bytes))
        MB_FAIL(err, MB_E_FORMAT, "%s: it is damaged; a new release needs a folder without it",
                r->file);
    memcpy(r->sums, text + sizeof h, bytes);
    *is = 1;
    return MB_OK;
}

/* The file that remembers it, before anything is spent. */
static mb_status open_file(const release *r, mb_file *f, mb_err *err)
{
    const mode_t    before = umask(077);
    const mb_status st = mb_file_open(r->a, r->file, f, err);

    umask(before);
    return st;
}

static mb_status remember(const release *r, mb_file *f, mb_err *err)
{
    const release_head h = head_of(r);

    MB_TRY(mb_file_write(f, &h, sizeof h, err));
    return mb_file_write(f, r->sums, r->numbers * sizeof *r->sums, err);
}

/* What is booked, and where. */
static mb_status entry_of(const release *r, ledger_release *one, const char **file, mb_err *err)
{
    const mb_plan    *plan = &r->c->plan;
    const mb_promise *p = plan->privacy;

    *one = (ledger_release){p->epsilon, p->delta, r->made.mu, plan->kind->name, r->rows->n, 0};
    *file = r->c->ledger;
    return *file ? MB_OK : ledger_default(r->a, r->c->data, file, err);
}

/* Booked first: what fails after it has cost as much. */
static mb_status draw(release *r, const ledger_release *one, const char *file, double cost[2],
                      mb_err *err)
{
    ledger_sum sum;

    MB_TRY(ledger_book(r->a, file, r->c->data, r->c->budget, one, &app_random, &sum, err));
    cost[0] = sum.epsilon;
    cost[1] = sum.budget;
    return mb_privacy_add_noise(r->a, &r->made, &app_random, r->sums, err);
}

static mb_status make(release *r, double cost[2], mb_err *err)
{
    const mb_table t = mb_table_of(r->rows, r->c->data);
    ledger_release one;
    const char    *file;
    mb_file        f;
    mb_status      st;

    MB_TRY(mb_privacy_sums(r->a, &r->made, &t.rows, r->c->plan.bounds, r->sums, err));
    MB_TRY(entry_of(r, &one, &file, err));
    MB_TRY(open_file(r, &f, err));
    st = draw(r, &one, file, cost, err);
    if (st >= 0)
        st = remember(r, &f, err);
    return mb_file_close(&f, st, err);
}

/* Rows are released clipped, so those outside the bounds are no fault, and are never counted. */
static void clip(const mb_data *rows, const mb_bounds *b)
{
    for (int64_t k = 0; k < rows->n * rows->d; k++) {
        double *x = (double *)(uintptr_t)&rows->x[k];

        *x = fmin(fmax(*x, b->low[k % rows->d]), b->high[k % rows->d]);
    }
}

static mb_status open_release(const node *n, release *out, mb_err *err)
{
    *out = (release){.a = n->a, .c = &n->c, .rows = n->f.all, .sums = n->release};
    MB_TRY(mb_plan_privacy_(&n->c.plan, &out->made, err));
    out->numbers = mb_privacy_len(&out->made);
    out->file = mb_text(n->a, err, "%s/release", n->c.state);
    return out->file ? MB_OK : MB_E_NOMEM;
}

mb_status node_release_room(node *n, mb_err *err)
{
    release r;

    if (n->f.all->w)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: got weights; expected rows without, as each is one of those "
                "that privacy protects",
                n->c.data);
    MB_TRY(open_release(n, &r, err));
    MB_NEW(n->release, r.a, r.numbers, err);
    clip(n->f.all, n->c.plan.bounds);
    return MB_OK;
}

mb_status node_release(node *n, mb_err *err)
{
    release r;
    int     is;

    MB_TRY(open_release(n, &r, err));
    MB_TRY(mb_dir_make(n->c.state, err));
    MB_TRY(recall(&r, &is, err));
    return is ? MB_OK : make(&r, n->cost, err);
}

mb_status node_release_ask(node *n, const char **file, ledger_sum *cost, mb_err *err)
{
    ledger_release one;
    release        r;
    int            is;

    MB_TRY(open_release(n, &r, err));
    MB_TRY(recall(&r, &is, err));
    MB_TRY(entry_of(&r, &one, file, err));
    *cost = (ledger_sum){.releases = 0};
    return is ? MB_OK : ledger_ask(r.a, *file, n->c.data, n->c.budget, &one, cost, err);
}
