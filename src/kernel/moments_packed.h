/* kernel/moments_packed.h - second moments by the products x_i x_j of a row, computed in registers
 * and used at once for as many components as there are registers for their sums.
 *
 * Columns form groups of 8, the last one padded with 0. A slot has 8 products. Whole vectors are
 * multiplied for x_J 1 and, within a group, x_a x_(a+s mod 8) for s = 0 .. 4; a vector is scaled
 * for x_i x_J of each column i of a later group, or of the same group when it has fewer than 5
 * columns. Each group is stored twice, so that a rotation by s is a load. */
#ifndef MB_MOMENTS_PACKED_H
#define MB_MOMENTS_PACKED_H

#include "kernel/runs.h"

enum { GROUP = 8, TURNS = GROUP / 2 + 1 };

/* Source of a vector of products; STORED: memory, where earlier components stored it. */
typedef enum origin { MULTIPLIED, SCALED, STORED } origin;

typedef struct slot {
    origin  from; /* MULTIPLIED or SCALED                                                    */
    int32_t I, J,
        e; /* x_e of group I scales J; or I = J and rotation e, after the last one x_J alone */
} slot;

/* LANES products of every row, and their sums. */
typedef struct products {
    const double *left, *right; /* of row 0; left is one number or a vector                     */
    double       *sum;          /* K vectors, GROUP apart                                       */
} products;

INLINE int32_t groups_of(int32_t D)
{
    return (D + GROUP - 1) / GROUP;
}

INLINE int32_t columns_of(int32_t D, int32_t I)
{
    return D - I * GROUP < GROUP ? D - I * GROUP : GROUP;
}

INLINE int has_turns(int32_t D, int32_t I)
{
    return columns_of(D, I) >= TURNS;
}

INLINE int alone(int32_t D, const slot *s)
{
    return s->from == MULTIPLIED && s->e == (has_turns(D, s->I) ? TURNS : 0);
}

INLINE int next_multiplied(int32_t D, slot *s)
{
    if (!alone(D, s)) {
        s->e++;
        return 1;
    }
    s->e = 0;
    s->I = ++s->J;
    return s->I < groups_of(D);
}

/* Moves s to the next slot; 0 after the last. */
INLINE int next_slot(int32_t D, slot *s)
{
    if (s->from == MULTIPLIED && next_multiplied(D, s))
        return 1;
    if (s->from == MULTIPLIED)
        *s = (slot){.from = SCALED, .e = -1};
    for (; s->I < groups_of(D); s->I++, s->J = 0)
        for (; s->J <= s->I; s->J++, s->e = -1)
            if (++s->e < (s->I == s->J && has_turns(D, s->I) ? 0 : columns_of(D, s->I)))
                return 1;
    return 0;
}

/* A row in memory: each group twice, then a group of 1. */
INLINE size_t row_len(int32_t D)
{
    return (size_t)groups_of(D) * 2 * GROUP + GROUP; /* an odd number of cache lines */
}

INLINE void copy_group(const double *from, double *to)
{
    for (int v = 0; v < GROUP; v += LANES)
        store(to + v, load(from + v));
}

INLINE void clear_group(double *to)
{
    for (int v = 0; v < GROUP; v += LANES)
        store(to + v, all(0));
}

/* The last columns, `rest` of them, of the last GROUP: the others of these go where they are
 * already, or where 0 follows. */
INLINE void copy_rest(const double *from, int32_t rest, double *to)
{
    clear_group(to + GROUP);
    copy_group(from, to + rest);
    clear_group(to);
    copy_group(from, to + rest - GROUP);
}

static void twice(const mb_estep_ *g)
{
    const int32_t whole = g->D / GROUP, rest = g->D % GROUP;
    double       *x = g->x;

    for (int32_t l = 0; l < g->rows; l++, x += row_len(g->D)) {
        const double *from = mb_estep_from_(g, (size_t)l);

        for (int32_t J = 0; J < whole; J++) {
            copy_group(from + J * GROUP, x + J * 2 * GROUP);
            copy_group(from + J * GROUP, x + J * 2 * GROUP + GROUP);
        }
        if (rest)
            copy_rest(from + g->D - GROUP, rest, x + whole * 2 * GROUP);
        for (int32_t e = 0; e < GROUP; e++)
            x[groups_of(g->D) * 2 * GROUP + e] = 1;
    }
}

/* Responsibilities of a row in memory. */
INLINE size_t r_len(int32_t K)
{
    return (size_t)groups_of(K) * GROUP;
}

/* y = r, row by row. */
static void by_rows(const mb_estep_ *g)
{
    for (int32_t l = 0; l < g->rows; l += LANES)
        for (int32_t k = 0; k < g->K; k += LANES) {
            vec a[LANES];

            UNROLL
            for (int32_t u = 0; u < LANES; u++)
                a[u] = load(g->r + (size_t)(k + u < g->K ? k + u : k) * (size_t)g->block + l);
            transpose(a);
            UNROLL
            for (int32_t u = 0; u < LANES; u++)
                store(g->y + (size_t)(l + u) * r_len(g->K) + k, a[u]);
        }
}

INLINE vec product_at(const origin from, const products *p, size_t at, const double *stored)
{
    if (from == STORED)
        return load(stored);
    return load(p->right + at) * (from == SCALED ? all(p->left[at]) : load(p->left + at));
}

/* sum += r times AT_ONCE vectors of products, of components k .. k + count - 1. */
INLINE void multiply_of(const int count, const origin from, const int keep, const mb_estep_ *g,
                        const run *reach, int32_t k, const products *p)
{
    const run     rows = rows_of(g, reach);
    const size_t  row = row_len(g->D), r_row = r_len(g->K), first = (size_t)rows.from;
    const double *r = g->y + k + first * r_row;
    double       *stored = g->y + r_row * (size_t)g->block + first * AT_ONCE * LANES;
    vec           s[SUMS], x[AT_ONCE];
    size_t        at = first * row;

    UNROLL
    for (int i = 0; i < count * AT_ONCE; i++)
        s[i] = load(p[i % AT_ONCE].sum + (size_t)(k + i / AT_ONCE) * GROUP);
    UNROLL_TWO
    for (const double *end = r + (size_t)(rows.to - rows.from) * r_row; r != end;
         r += r_row, at += row, stored += AT_ONCE * LANES) {
        UNROLL
        for (int v = 0; v < AT_ONCE; v++) {
            x[v] = product_at(from, p + v, at, stored + v * LANES);
            if (keep)
                store(stored + v * LANES, x[v]);
        }
        UNROLL
        for (int i = 0; i < count * AT_ONCE; i++)
            s[i] = fma_(all(r[i / AT_ONCE]), x[i % AT_ONCE], s[i]);
    }
    UNROLL
    for (int i = 0; i < count * AT_ONCE; i++)
        store(p[i % AT_ONCE].sum + (size_t)(k + i / AT_ONCE) * GROUP, s[i]);
}

#define COUNT(count)                                                                               \
    case count:                                                                                    \
        multiply_of(count, from, keep, g, rows, k, p);                                             \
        break;
INLINE void multiply(int count, const origin from, const int keep, const mb_estep_ *g,
                     const run *rows, int32_t k, const products *p)
{
    switch (count) {
        SUMS_CASES(COUNT)
    }
}
#undef COUNT

/* Components k .. end - 1, and the rows that count for them. */
typedef struct share {
    int32_t k, end;
    run     rows;
} share;

/* In parts of equal size. */
INLINE void multiply_all(const origin from, const mb_estep_ *g, const share *of, const products *p)
{
    const int32_t first = SKIPS ? of->k : 0, most = SUMS / AT_ONCE;
    const int32_t parts = ((SKIPS ? of->end - first : g->K) + most - 1) / most;

    for (int32_t part = 0, k = first, next; part < parts; part++, k = next) {
        const int64_t K = SKIPS ? of->end - first : g->K; /* read again: less code */

        next = first + (int32_t)(K * (part + 1) / parts);
        if (KEEP && part > 0)
            multiply(next - k, STORED, 0, g, &of->rows, k, p);
        else
            multiply(next - k, from, KEEP, g, &of->rows, k, p);
    }
}

/* Vectors v .. of slot s, which is slot number `at`. */
static void slot_moments(const mb_estep_ *g, const share *of, const slot *s, size_t at, int v)
{
    const int     one = alone(g->D, s);
    const double *I = g->x + (one ? groups_of(g->D) : s->I) * 2 * GROUP;
    const double *J = g->x + s->J * 2 * GROUP;
    products      p[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++, v += LANES)
        p[i] = (products){.left = I + (s->from == SCALED ? s->e : v),
                          .right = J + (s->from == SCALED || one ? 0 : s->e) + v,
                          .sum = g->acc + at * (size_t)g->K * GROUP + v};
    if (s->from == SCALED)
        multiply_all(SCALED, g, of, p);
    else
        multiply_all(MULTIPLIED, g, of, p);
}

static void share_moments(const mb_estep_ *g, const share *of)
{
    slot   s = {0};
    size_t at = 0;

    do
        for (int v = 0; v < GROUP; v += AT_ONCE * LANES)
            slot_moments(g, of, &s, at, v);
    while (at++, next_slot(g->D, &s));
}

static void packed_moments(const mb_estep_ *g)
{
    share whole = {0, g->K, {0, g->rows}};

    twice(g);
    by_rows(g);
    if (!few_reach(g, 8)) { /* a component by itself needs about 8 times the instructions */
        share_moments(g, &whole);
        return;
    }
    for (int32_t k = 0; k < g->K; k++)
        for (share of = {k, k + 1, {0, 0}};
             next_run(g, g->r + (size_t)k * (size_t)g->block, &of.rows);)
            share_moments(g, &of);
}

/* The sums of one slot go to their places in S, whose index 0 is the constant. */
static void put(int32_t D, const slot *s, const double *from, double *S)
{
    const size_t n = (size_t)D + 1;

    for (int32_t a = 0; a < columns_of(D, s->J); a++) {
        const int32_t j = s->J * GROUP + a;
        const int32_t i = s->I * GROUP + (s->from == SCALED ? s->e : (a + s->e) % GROUP);

        if (alone(D, s))
            S[(size_t)(j + 1) * n] = from[a];
        else if (i < D && (s->I > s->J || s->from == MULTIPLIED || j <= i))
            S[(size_t)((i > j ? i : j) + 1) * n + (size_t)((i > j ? j : i) + 1)] = from[a];
    }
}

static void packed_sums(const mb_estep_ *g)
{
    const size_t  n = (size_t)g->D + 1;
    const double *from = g->acc;
    slot          s = {0};

    do {
        for (int32_t k = 0; k < g->K; k++, from += GROUP)
            put(g->D, &s, from, g->S + (size_t)k * n * n);
    } while (next_slot(g->D, &s));
}

#endif
