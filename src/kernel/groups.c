/* groups.c - rows in groups that share their component: blocks of whole groups, and long groups in
 * two passes. */
#include "kernel/groups.h"

#include <string.h>

mb_groups_ mb_groups_begin_(int32_t K, double *room, int64_t n, const int64_t *first,
                            const double *w)
{
    mb_groups_ q = {.first = first, .n = n, .w = w, .row = -1};

    q.ln_pi = room;
    q.sum = room + K;
    q.count = q.sum + K;
    for (int32_t k = 0; k < 2 * K; k++)
        q.sum[k] = 0;
    return q;
}

static int64_t first_of(const mb_groups_ *q, int64_t i)
{
    return q->first ? q->first[i] : i;
}

static int counts(const mb_groups_ *q, int64_t j)
{
    return (!q->w || q->w[j] > 0) && !(q->empty && q->empty(q->rows, j));
}

static void append(const mb_groups_ *q, mb_estep_ *g, int64_t j)
{
    g->row[g->rows] = j;
    g->w[g->rows++] = q->w ? q->w[j] : 1;
}

/* Appends the next group; 0 when it has no room, which must be a matter of the rows before it or,
 * in an empty block, of its length. */
static int append_group(mb_groups_ *q, mb_estep_ *g)
{
    const int32_t before = g->rows;

    for (int64_t j = first_of(q, q->next); j < first_of(q, q->next + 1); j++) {
        if (!counts(q, j))
            continue;
        if (g->rows == g->block) {
            g->rows = before;
            return 0;
        }
        append(q, g, j);
    }
    if (g->rows > before) {
        q->start[q->held++] = before;
        q->start[q->held] = g->rows;
    }
    q->next++;
    return 1;
}

/* The next rows of a long group. */
static void append_part(mb_groups_ *q, mb_estep_ *g)
{
    const int64_t end = first_of(q, q->next + 1);

    for (; q->row < end; q->row++) {
        if (!counts(q, q->row))
            continue;
        if (g->rows == g->block)
            break;
        append(q, g, q->row);
    }
    q->held = 1;
    q->start[0] = 0;
    q->start[1] = g->rows;
}

int mb_groups_next_(mb_groups_ *q, mb_estep_ *g)
{
    g->rows = g->follow = g->ones = 0;
    q->held = q->folded = 0;
    if (q->again && q->row == first_of(q, q->next + 1)) { /* the long group is done */
        q->next++;
        q->again = 0;
        q->row = -1;
    }
    if (q->row < 0) {
        while (q->next < q->n && append_group(q, g))
            continue;
        if (g->rows)
            return 1;
        if (q->next == q->n)
            return 0;
        q->row = first_of(q, q->next); /* longer than a block */
        q->seen = 0;
        memset(q->sum, 0, (size_t)g->K * sizeof *q->sum);
    } else if (!q->again && q->row == first_of(q, q->next + 1)) {
        q->row = first_of(q, q->next);
        q->again = 1;
    }
    append_part(q, g);
    return 1;
}

/* r of the long group: the sum over its rows. */
static int fold_part(mb_groups_ *q, mb_estep_ *g, int given)
{
    q->seen += g->rows;
    q->ready = 0;
    for (int32_t k = 0; k < g->K; k++)
        for (int32_t l = 0; l < g->rows; l++)
            q->sum[k] += g->r[(size_t)k * (size_t)g->block + (size_t)l];
    if (q->row < first_of(q, q->next + 1))
        return 0;
    for (int32_t k = 0; k < g->K; k++)
        g->r[(size_t)k * (size_t)g->block] =
            given ? q->sum[k] / (double)q->seen : q->ln_pi[k] + q->sum[k];
    return 1;
}

static void fold_groups(const mb_groups_ *q, mb_estep_ *g, int given)
{
    for (int32_t k = 0; k < g->K; k++) {
        double *r = g->r + (size_t)k * (size_t)g->block;

        for (int32_t i = 0; i < q->held; i++) {
            double sum = r[q->start[i]];

            for (int32_t l = q->start[i] + 1; l < q->start[i + 1]; l++)
                sum += r[l];
            r[i] = given ? sum / (q->start[i + 1] - q->start[i]) : q->ln_pi[k] + sum;
        }
    }
}

/* The last group is repeated with weight 0, up to whole lanes, as its row is. */
static void pad(mb_estep_ *g)
{
    for (int32_t l = g->rows; l % MB_LANES_MAX; l++) {
        g->row[l] = g->row[g->rows - 1];
        g->w[l] = 0;
        for (int32_t k = 0; k < g->K; k++) {
            double *r = g->r + (size_t)k * (size_t)g->block;

            r[l] = r[g->rows - 1];
        }
    }
}

int mb_groups_fold_(mb_groups_ *q, mb_estep_ *g, int given)
{
    q->ready = 1;
    if (q->row >= 0 && !fold_part(q, g, given))
        return 0;
    if (q->row < 0)
        fold_groups(q, g, given);
    for (int32_t l = 0; l < g->rows; l++)
        q->place[l] = g->row[l];
    for (int32_t i = 0; i < q->held; i++) {
        g->row[i] = g->row[q->start[i]];
        g->w[i] = g->w[q->start[i]];
    }
    g->rows = q->held;
    pad(g);
    q->folded = 1;
    return 1;
}

/* After the first pass of a long group: what the second gives to its rows. */
static void keep(mb_groups_ *q, const mb_estep_ *g)
{
    for (int32_t k = 0; k < g->K; k++)
        q->sum[k] = g->r[(size_t)k * (size_t)g->block];
    q->lnz = g->lnz[0];
    q->ready = 0;
}

static void spread_groups(const mb_groups_ *q, mb_estep_ *g)
{
    for (int32_t i = q->held - 1; i >= 0; i--) { /* r[i] comes not after the first row of group i */
        const double w = g->w[i], lnz = g->lnz[i];

        for (int32_t l = q->start[i]; l < q->start[i + 1]; l++) {
            g->w[l] = w;
            g->lnz[l] = lnz;
        }
        for (int32_t k = 0; k < g->K; k++) {
            double      *r = g->r + (size_t)k * (size_t)g->block;
            const double share = r[i];

            for (int32_t l = q->start[i]; l < q->start[i + 1]; l++)
                r[l] = share;
        }
    }
}

static void give(const mb_groups_ *q, mb_estep_ *g)
{
    for (int32_t l = 0; l < g->rows; l++) {
        g->lnz[l] = q->lnz;
        for (int32_t k = 0; k < g->K; k++)
            g->r[(size_t)k * (size_t)g->block + (size_t)l] = q->sum[k];
    }
}

void mb_groups_spread_(mb_groups_ *q, mb_estep_ *g)
{
    q->ready = 1;
    if (q->again)
        give(q, g);
    else {
        for (int32_t k = 0; k < g->K; k++)
            for (int32_t i = 0; i < q->held; i++)
                q->count[k] += g->r[(size_t)k * (size_t)g->block + (size_t)i];
        if (q->row >= 0)
            keep(q, g);
        g->rows = q->start[q->held];
        for (int32_t l = 0; q->folded && l < g->rows; l++)
            g->row[l] = q->place[l];
        if (q->row < 0)
            spread_groups(q, g);
    }
    pad(g);
    for (int32_t k = 0; k < g->K; k++) /* rows that fill up the lanes weigh nothing */
        for (int32_t l = g->rows; l % MB_LANES_MAX; l++)
            g->r[(size_t)k * (size_t)g->block + (size_t)l] = 0;
}
