/* judge.c - what a member has put in, by the statements of its neighbours, and whether it may be so
 * (docs/math.md, section 4; docs/protocol.md, section 5a). */
#include "base/bytes.h"
#include "base/epochs.h"
#include "base/format.h"
#include "base/gaps.h"
#include "mesh/audit.h"

#include <math.h>
#include <string.h>

enum { FAILS = 2 /* disputed links that say enough */ };

/* Of a number that is the sum of `size`: what rest leaves open. */
static double slack(double size)
{
    return 1e-3 + 1e-6 * fabs(size);
}

static int is_square(const mb_entry *e)
{
    return e->kind == MB_ENTRY_SECOND && e->column[0] == e->column[1];
}

static int is_audited(const mb_entry *e)
{
    return e->columns == 1 && e->least >= 0 &&
           ((e->kind == MB_ENTRY_WEIGHT && e->column[0] < 0) || e->kind == MB_ENTRY_LEVEL ||
            e->kind == MB_ENTRY_FIRST || is_square(e));
}

size_t mb_audit_entries_(const mb_model *m, const mb_entry *all, size_t *out, mb_entry *is)
{
    size_t n = 0;

    for (size_t e = 0; e < m->layout.len; e++)
        if (is_audited(&all[e])) {
            if (out) {
                out[n] = e;
                is[n] = all[e];
            }
            n++;
        }
    if (out) {
        out[n] = m->layout.len;
        is[n] = (mb_entry){.factor = 1};
    }
    return n + 1;
}

/* 1: entry e of n is the first that counts the rows of its component, or of a model without. */
static int counts_rows(const mb_entry *is, size_t e)
{
    if (is[e].kind != MB_ENTRY_WEIGHT || is[e].column[0] >= 0 || is[e].components > 1 ||
        is[e].least < 0 || is[e].groups || !(is[e].most <= 1) || !(is[e].most >= 1))
        return 0;
    for (size_t i = 0; i < e; i++)
        if (is[i].first == is[e].first && counts_rows(is, i))
            return 0;
    return 1;
}

void mb_audit_counts_(const mb_entry *all, size_t n, double *counts)
{
    for (size_t e = 0; e < n; e++)
        counts[e] = counts_rows(all, e) ? 1 / all[e].factor : 0;
}

/* Rows that are declared of all members, but those left out; NaN: they are not. *exactly: n nodes
 * are all of them, and cannot have fewer: rows of batches that have weights may weigh less. */
static double rows_of_all(const mb_peer *p, double n, int *exactly)
{
    const mb_declared *d = p->opt.declared;
    const int32_t      all = d->members - (MB_MASKS_(p) ? mb_participants_out_(p) : 0);

    *exactly = d->members && !d->at_most && !MB_EPOCHS_(mb_batch_weighs_(p)) && n > all - 0.5;
    return MB_BATCH_(p)   ? mb_batch_all_rows_(p)
           : MB_MASKS_(p) ? d->rows - mb_participants_rows_out_(p)
                          : d->rows;
}

mb_doubt_ mb_audit_doubt_(const mb_peer *p)
{
    const mb_declared *d = p->opt.declared;
    double             rows = 0, size = 0, declared;
    int                far = 0, exactly;

    if (d->members && p->life->N > d->members + 0.5)
        return MB_DOUBT_MORE_;
    if (p->audit && !p->audit->moved && p->audit->there && fabs(p->life->N - p->audit->there) > 0.5)
        return MB_DOUBT_OTHER_;
    for (size_t e = 0; e < p->L; e++) {
        rows += p->life->N * p->counts[e] * p->s[e];
        size += fabs(p->life->N * p->counts[e] * p->s[e]);
        far |= MB_EPOCHS_(p->epoch != NULL) &&
               !(fabs(p->life->N * p->s[e]) <= p->bound[e] + slack(p->bound[e]));
    }
    if (far)
        return MB_DOUBT_RANGE_;
    if (!(size > 0) || isnan(d->rows) || MB_EPOCHS_(p->plan.privacy != NULL))
        return MB_DOUBT_NONE_;
    declared = rows_of_all(p, p->life->N, &exactly);
    return !(rows <= declared + slack(size)) || (exactly && !(rows >= declared - slack(size)))
               ? MB_DOUBT_ROWS_
               : MB_DOUBT_NONE_;
}

/* ---- statements ---- */

/* In the statement of member k, in the store: the numbers about its l-th link; NULL: that edge is
 * not in use. */
static const unsigned char *flow_of(const mb_auditor_ *a, int32_t k, int32_t l)
{
    const unsigned char *at =
        a->store + a->member[k].at + MB_AUDIT_HEAD_ + (size_t)l * mb_audit_link_bytes_(a->entries);
    uint32_t live;

    (void)mb_get_u32_(at + 4, &live);
    return live ? at + MB_AUDIT_LINK_ : NULL;
}

/* Number e of a flow; 0 where the edge is not in use. */
static double number(const unsigned char *flow, size_t e)
{
    double x = 0;

    if (flow)
        (void)mb_get_doubles_(flow + 8 * e, &x, 1);
    return x;
}

/* The flow from member L over its e-th directed edge, as the neighbour states it, and as L does. */
static void both_ends(const mb_peer *p, int32_t L, int64_t e, const unsigned char **theirs,
                      const unsigned char **own)
{
    const mb_auditor_ *a = p->audit;
    const mb_graph    *g = &p->opt.declared->links;
    const int32_t      k = g->adj[e];

    *theirs = *own = NULL;
    if (a->member[k].here)
        *theirs = flow_of(a, k, (int32_t)(g->rev[e] - g->ptr[k]));
    if (a->member[L].here)
        *own = flow_of(a, L, (int32_t)(e - g->ptr[L]));
}

/* 1: both ends of an edge have spoken, and not of the same: what one received the other gave. */
static int is_disputed(const mb_auditor_ *a, int32_t L, int32_t k, const unsigned char *theirs,
                       const unsigned char *own)
{
    if (!a->member[k].here || !a->member[L].here)
        return 0;
    for (size_t e = 0; e < a->entries; e++) {
        const double x = number(theirs, e), y = number(own, e);

        if (!(fabs(x + y) <= 2 * slack(fabs(x) + fabs(y))))
            return 1;
    }
    return 0;
}

/* x = s + sum of the flows; of disputed edges in a->x as the neighbours state it, in a->other as L does.
 * Returns how many are or were in this rest, 0 where none is now: L may contradict another neighbour in
 * each audit. *mine: one of those that are is that to this node. */
static int32_t add_up(mb_peer *p, int32_t L, int *mine)
{
    mb_auditor_    *a = p->audit;
    const mb_graph *g = &p->opt.declared->links;
    int32_t         now = 0, ever = 0;

    *mine = 0;
    for (size_t i = 0; i < a->entries; i++)
        a->size[i] = fabs(a->x[i] = a->other[i] = p->s[a->entry[i]]);
    for (int64_t e = g->ptr[L]; e < g->ptr[L + 1]; e++) {
        const unsigned char *theirs, *own;
        int                  differ;

        both_ends(p, L, e, &theirs, &own);
        differ = is_disputed(a, L, g->adj[e], theirs, own);
        now += differ;
        a->disputed[e] |= (uint8_t)differ;
        ever += a->disputed[e];
        *mine |= differ && g->adj[e] == a->me;
        for (size_t i = 0; i < a->entries; i++) {
            const double x = number(theirs, i);

            a->x[i] += x;
            a->other[i] += differ ? -number(own, i) : x;
            a->size[i] += fabs(x);
        }
    }
    return now ? ever : 0;
}

/* ---- bounds ---- */

/* What statistics x are compared with: the audited numbers of member L, or sums of a pass. */
typedef struct judged {
    const mb_peer  *p;
    const mb_entry *is;       /* entries: what they are                       */
    const double   *x, *size; /* they, and the sizes of what they are sums of */
    size_t          entries;
    double          rows; /* declared; NaN: not */
    int32_t         exactly, leads;
    char           *why;
} judged;

static int fail(const judged *q, const char *what, const char *column, double got,
                const char *expected, double limit)
{
    mb_err why = {.msg = ""};

    MB_SAY_(&why, "%s%.60s: got %g; expected %s %g", what, column, got, expected, limit);
    (void)memcpy(q->why, why.msg, MB_AUDIT_WHY_ - 1);
    q->why[MB_AUDIT_WHY_ - 1] = 0;
    return 1;
}

/* 1: entry x counts rows of y with the same c: all, or those that have a value in its column. */
static int counts_those_of(const mb_entry *x, const mb_entry *y)
{
    return x->kind == MB_ENTRY_WEIGHT && x->columns == 1 &&
           (x->column[0] < 0 || x->column[0] == y->column[0]) && x->first == y->first &&
           x->components == y->components && x->groups == y->groups && !(x->least < y->least) &&
           !(x->least > y->least) && !(x->most < y->most) && !(x->most > y->most);
}

/* The rows that count in entry e; NaN: no entry says. *open: its slack. *at: where the last one was,
 * as entries of a component stand beside each other. */
static double count_of(const judged *q, size_t e, size_t *at, double *open)
{
    for (size_t i = 0; i < q->entries; i++, *at = (*at + 1) % q->entries) {
        const mb_entry *x = &q->is[*at];

        if (counts_those_of(x, &q->is[e])) {
            *open = slack(q->size[*at]) / fabs(x->factor);
            return q->x[*at] / x->factor;
        }
    }
    *open = 0;
    return (double)NAN;
}

/* Least and largest value of a column, run units. 0: not agreed. */
static int range_of(const judged *q, int32_t column, double *low, double *high)
{
    const mb_peer  *p = q->p;
    const double   *stated = MB_BOUNDS_(p->agreed.ranged) ? p->range : NULL;
    const double   *range = p->opt.declared->range ? p->opt.declared->range : stated;
    const mb_units *u = &p->g.run;

    if (!range || (p->opt.declared->range && p->opt.declared->columns != p->plan.columns))
        return 0;
    *low = (range[2 * column] - u->origin[column]) / u->scale[column];
    *high = (range[2 * column + 1] - u->origin[column]) / u->scale[column];
    if (p->opt.declared->gaps) { /* what a row lacks adds nothing */
        *low = fmin(*low, 0);
        *high = fmax(*high, 0);
    }
    return 1;
}

/* First and second moments between what n rows within the range have. */
static int moment_fails(const judged *q, size_t e, size_t *at)
{
    const mb_entry *is = &q->is[e];
    const double    open = slack(q->size[e]) / fabs(is->factor);
    const double    v = q->x[e] / is->factor;
    const char     *name = is->column[0] < 0 ? "" : q->p->plan.column[is->column[0]];
    double          more, n = count_of(q, e, at, &more), low, high, most;

    if (isnan(n) || (is->filled && q->p->opt.declared->gaps))
        return 0;
    if (is->kind == MB_ENTRY_LEVEL && !(v >= -open && v <= n + open + more))
        return fail(q, "rows of a level of ", name, v, "0 to", n);
    if (is_square(is) && !(v >= -open))
        return fail(q, "second moment of ", name, v, "at least", 0);
    if (is->kind == MB_ENTRY_LEVEL || !range_of(q, is->column[0], &low, &high))
        return 0;
    most = fmax(fabs(low), fabs(high));
    if (is_square(is))
        return v <= most * most * (n + more) + open
                   ? 0
                   : fail(q, "second moment of ", name, v, "at most", most * most * n);
    if (!(v >= low * n - open - most * more))
        return fail(q, "sum of ", name, v, "at least", low * n);
    if (!(v <= high * n + open + most * more))
        return fail(q, "sum of ", name, v, "at most", high * n);
    return 0;
}

/* Of a model that counts its rows in no entry only the signs. */
static int rows_fail(const judged *q)
{
    double sum = 0, open = 0;
    int    counted = 0;

    for (size_t e = 0; e < q->entries; e++) {
        const double n = q->x[e] / q->is[e].factor, own = slack(q->size[e]) / fabs(q->is[e].factor);

        if (!is_audited(&q->is[e]))
            continue;
        if (q->is[e].kind == MB_ENTRY_WEIGHT && !(n >= -own))
            return fail(q, "rows of a component", "", n, "at least", 0);
        if (!counts_rows(q->is, e))
            continue;
        sum += n;
        open += own;
        counted = 1;
    }
    if (!counted || isnan(q->rows))
        return 0;
    if (!(sum <= q->rows + open))
        return fail(q, "rows", "", sum, "at most the declared", q->rows);
    if (q->exactly && !(sum >= q->rows - open))
        return fail(q, "rows", "", sum, "the declared", q->rows);
    return 0;
}

/* 1: no rows have these statistics. */
static int no_rows_have(const judged *q)
{
    size_t at = 0;

    *q->why = 0;
    if (rows_fail(q))
        return 1;
    for (size_t e = 0; e < q->entries; e++)
        if (is_audited(&q->is[e]) && q->is[e].kind != MB_ENTRY_WEIGHT && moment_fails(q, e, &at))
            return 1;
    return 0;
}

static int fails(const judged *q)
{
    const size_t b = q->entries - 1;

    *q->why = 0;
    if (!(fabs(q->x[b] - q->leads) <= slack(q->size[b])))
        return fail(q, "b", "", q->x[b], "exactly", q->leads);
    return no_rows_have(q);
}

/* ---- sums of passes ---- */

#ifndef MB_NO_EPOCHS
/* 1: statistics may count fewer rows than are declared: where a pass is of the start block, those far
 * out; and those without any value, but with masks, whose nodes have as many as they declare. */
static int may_lack_rows(const mb_peer *p)
{
    return p->opt.declared->at_most ||
           (p->life->run && (p->epoch->seeds || (MB_GAPS_(mb_peer_gaps_(p)) && !MB_MASKS_(p))));
}

/* Rows that sums x count, of a model or of a start; NaN: they count none, or, without masks, no node has
 * rows as yet. */
static double rows_in(const mb_peer *p, const double *x)
{
    double rows = 0;
    int    any = 0;

    if (!p->life->run)
        return mb_peer_start_rows_(p, x);
    for (size_t e = 0; e < p->L; e++) {
        rows += p->counts[e] * x[e];
        any |= fabs(p->counts[e]) > 0 && (MB_MASKS_(p) || fabs(x[e]) > 0);
    }
    return any && !p->plan.privacy ? rows : (double)NAN;
}

/* The place of a sum beyond those of rows within the range; -1: there is none. */
static int64_t find_far(mb_peer *p, const double *x)
{
    if (!p->life->run)
        return mb_peer_start_far_(p, x);
    for (size_t e = 0; e < p->L; e++)
        if (!(fabs(x[e]) <= p->bound[e] + slack(p->bound[e])))
            return (int64_t)e;
    return -1;
}

/* 1: or, of a model, beside each other: the mean of a component may be out of the range. */
static int has_means_in_range(const mb_peer *p, const double *x, const char *who, mb_err *err)
{
    char         why[MB_AUDIT_WHY_] = "";
    const judged q = {.p = p,
                      .is = p->entry,
                      .x = x,
                      .size = x,
                      .entries = p->L,
                      .rows = (double)NAN,
                      .why = why};

    if (!MB_BOUNDS_(p->life->run) || !no_rows_have(&q))
        return 1;
    MB_SAY_(err, "%s: %s", who, why);
    return 0;
}

/* Of child j: by what it says, or the list. */
static double declared_of(const mb_peer *p, int32_t j, int *exactly)
{
    *exactly = 1;
    if (j < 0)
        return rows_of_all(p, p->epoch->nodes, exactly);
    return p->branch[j].rows < 0 ? (double)NAN : p->branch[j].rows;
}

int mb_audit_sum_fits_(mb_peer *p, int32_t j, const double *x, mb_err *err)
{
    const double  rows = rows_in(p, x), open = slack(fabs(rows));
    const int64_t far = find_far(p, x);
    int           exactly;
    const double  declared = declared_of(p, j, &exactly);
    char          who[MB_WHO_];

    exactly = exactly && !may_lack_rows(p);
    (void)mb_declared_who_(p->opt.declared, j < 0 ? -1 : p->link[j].id, "child", who);
    if (j < 0)
        mb_format_(who, sizeof who, "waits: sums of this pass");
    if (far >= 0)
        MB_SAY_(err, "%s: number %lld: got %.9g; expected one that rows as declared have", who,
                (long long)far + 1, x[far]);
    else if (!(rows > declared + open) && !(exactly && rows < declared - open))
        return has_means_in_range(p, x, who, err);
    else if (j < 0)
        MB_SAY_(err, "waits: the sums of this pass say %.9g rows, the members declared %.9g", rows,
                declared);
    else
        MB_SAY_(err, "%s: rows of it and the nodes below it: got %.9g; expected the declared %.9g",
                who, rows, declared);
    return 0;
}

int32_t mb_audit_total_fits_(void *self, const double *sums)
{
    mb_peer *p = self;
    mb_err   why = {.msg = ""};

    if (!MB_AUDIT_(p->opt.declared != NULL) || mb_audit_sum_fits_(p, -1, sums, &why))
        return 1;
    p->epoch->wrong = MB_WRONG_TOTAL_;
    mb_peer_note_(p, &why);
    return 0;
}
#endif

/* ---- verdicts ---- */

/* 1: all neighbours of L have spoken, or those that have not are not there: as many have as there are
 * nodes. And one of them uses its edge with L. */
static int is_complete(const mb_peer *p, int32_t L)
{
    const mb_auditor_ *a = p->audit;
    const mb_graph    *g = &p->opt.declared->links;
    const int          all = fabs(p->life->N - a->here) < 1e-3;
    int                used = 0;

    for (int64_t e = g->ptr[L]; e < g->ptr[L + 1]; e++) {
        const unsigned char *theirs, *own;

        if (!a->member[g->adj[e]].here && !all)
            return 0;
        both_ends(p, L, e, &theirs, &own);
        used |= theirs != NULL;
    }
    return used;
}

/* One that contradicts its neighbours fails where it does with either side's word, where two
 * contradict it, and at the node that it contradicts. */
static int judge(mb_peer *p, int32_t L)
{
    mb_auditor_       *a = p->audit;
    const mb_declared *d = p->opt.declared;
    mb_audited_       *m = &a->member[L];
    judged             q = {.p = p,
                            .is = a->is,
                            .x = a->x,
                            .size = a->size,
                            .entries = a->entries,
                            .rows = d->member[L].rows,
                            .exactly = !d->at_most,
                            .leads = (uint32_t)d->member[L].id == a->leader,
                            .why = m->why};
    int                mine;
    const int32_t      disputed = add_up(p, L, &mine);

    if (mine || disputed >= FAILS) {
        static const char *const by[] = {"its statements contradict those of two neighbours",
                                         "its statements contradict what this node received"};

        strcpy(m->why, by[mine]);
        return L != a->me;
    }
    if (!fails(&q))
        return 0;
    q.x = a->other;
    return !disputed || fails(&q);
}

/* Members that are connected to this node: an edge is in use if the end that is found first states so.
 * No node is there by its own word. 0: one of them has not spoken. */
static int32_t members_there(const mb_peer *p)
{
    const mb_auditor_ *a = p->audit;
    const mb_graph    *g = &p->opt.declared->links;
    int32_t            n = 1;

    for (int32_t k = 0; k < p->opt.declared->members; k++)
        a->member[k].found = k == a->me;
    a->member[0].next = a->me;
    for (int32_t k = 0; k < n; k++) {
        const int32_t L = a->member[k].next;

        if (!a->member[L].here)
            return 0;
        for (int64_t e = g->ptr[L]; e < g->ptr[L + 1]; e++) {
            if (!flow_of(a, L, (int32_t)(e - g->ptr[L])) || a->member[g->adj[e]].found)
                continue;
            a->member[g->adj[e]].found = 1;
            a->member[n++].next = g->adj[e];
        }
    }
    return n;
}

void mb_audit_judge_(mb_peer *p)
{
    mb_auditor_       *a = p->audit;
    const mb_declared *d = p->opt.declared;

    if (a->there_of != a->digest)
        a->there = members_there(p);
    a->there_of = a->digest;
    for (int32_t L = 0; L < d->members; L++) {
        mb_audited_ *m = &a->member[L];

        if (m->judged || !is_complete(p, L))
            continue;
        m->judged = 1;
        a->rounds += !a->judged++;
        m->failed = judge(p, L) ? m->failed + 1 : 0;
        if (!m->failed)
            *m->why = 0;
    }
}
