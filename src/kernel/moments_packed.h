/* kernel/moments_packed.h - second moments by the products x_i x_j of a row, made once for all
 * components: sums (K x slots) += r (K x rows) times products (rows x slots).
 *
 * Columns go in groups of 8, the last one filled up with 0. Slots are 8 products each: x_J for each
 * group J; x_i x_J for each column i of a later group; and within a group x_a x_(a+s mod 8) for
 * s = 0 .. 4, or x_i x_J when it has fewer than 5 columns. For a turn the group is kept twice. */
#ifndef MB_MOMENTS_PACKED_H
#define MB_MOMENTS_PACKED_H

#include "kernel/kernel.h"
#include "kernel/product.h"

enum { GROUP = 8, TURNS = GROUP / 2 + 1, PANEL = NV * LANES /* slots at once */ };

typedef struct slot {
    int32_t I, J, e; /* column e of group I, or turn e within I = J; I < 0: x_J alone */
} slot;

INLINE int32_t groups_of(int32_t D)
{
    return (D + GROUP - 1) / GROUP;
}

INLINE int32_t columns_of(int32_t D, int32_t I)
{
    return D - I * GROUP < GROUP ? D - I * GROUP : GROUP;
}

/* Products that slots I, J have. */
INLINE int32_t slot_count(int32_t D, int32_t I, int32_t J)
{
    const int32_t columns = I < 0 ? 1 : columns_of(D, I);

    return I == J && columns >= TURNS ? TURNS : columns;
}

/* Goes on to the next slot; 0 behind the last. */
INLINE int next_slot(int32_t D, slot *s)
{
    if (++s->e < slot_count(D, s->I, s->J))
        return 1;
    s->e = 0;
    if (++s->J <= (s->I < 0 ? groups_of(D) - 1 : s->I))
        return 1;
    s->J = 0;
    return ++s->I < groups_of(D);
}

static int32_t slots_of(int32_t D)
{
    slot    s = {.I = -1};
    int32_t count = 1;

    while (next_slot(D, &s))
        count++;
    return count;
}

INLINE size_t row_len(int32_t D)
{
    return (size_t)groups_of(D) * 2 * GROUP + GROUP; /* an odd number of cache lines */
}

/* Rows one after the other, each group twice. */
static void twice(const mb_estep_ *g)
{
    const int32_t whole = g->D / GROUP, rest = g->D % GROUP;
    double       *x = g->x;

    for (int32_t l = 0; l < g->rows; l++, x += row_len(g->D)) {
        const double *from = g->from + (size_t)g->at[l] * g->from_ld;

        for (int32_t J = 0; J < whole; J++)
            for (int v = 0; v < GROUP; v += LANES) {
                const vec a = load(from + J * GROUP + v);

                store(x + J * 2 * GROUP + v, a);
                store(x + J * 2 * GROUP + GROUP + v, a);
            }
        for (int32_t e = 0; rest && e < GROUP; e++)
            x[whole * 2 * GROUP + e] = x[whole * 2 * GROUP + GROUP + e] =
                e < rest ? from[whole * GROUP + e] : 0;
    }
}

/* One slot of all rows. */
static void make_slot(const mb_estep_ *g, const slot *s, double *out)
{
    const size_t  len = row_len(g->D);
    const int     turn = s->I == s->J && columns_of(g->D, s->I) >= TURNS;
    const double *right = g->x + s->J * 2 * GROUP + (turn ? s->e : 0);
    const double *left = g->x + (s->I < 0 ? 0 : s->I * 2 * GROUP + (turn ? 0 : s->e));

    for (int32_t l = 0; l < g->rows; l++, left += len, right += len, out += PANEL) {
        UNROLL
        for (int v = 0; v < GROUP; v += LANES) {
            vec x = load(right + v);

            if (turn)
                x *= load(left + v);
            else if (s->I >= 0)
                x *= all(*left);
            store(out + v, x);
        }
    }
}

static void packed_moments(const mb_estep_ *g)
{
    const size_t  ld = (size_t)g->block, slots = (size_t)slots_of(g->D) * GROUP;
    const int32_t parts = (g->K + MB_ROWS - 1) / MB_ROWS;
    slot          s = {.I = -1};
    int           more = 1;

    twice(g);
    for (size_t at = 0; more; at += PANEL) {
        int32_t made = 0;

        for (; more && made < PANEL; made += GROUP, more = next_slot(g->D, &s))
            make_slot(g, &s, g->y + made);
        for (int32_t p = 0, k = 0; p < parts; p++) {
            const int32_t next = (int32_t)((int64_t)g->K * (p + 1) / parts);

            product(next - k, made / LANES, g->rows, g->r + (size_t)k * ld, ld, 1, g->y, PANEL,
                    g->acc + (size_t)k * slots + at, slots);
            k = next;
        }
    }
    for (int32_t k = 0; k < g->K; k++) {
        vec sum = all(0);

        for (int32_t l = 0; l < g->rows; l += LANES)
            sum += load(g->r + (size_t)k * ld + l);
        g->S[(size_t)k * (size_t)(g->D + 1) * (size_t)(g->D + 1)] += total(sum);
    }
}

/* The sums of one slot go to their places in S, whose index 0 is the constant. */
static void put(int32_t D, const slot *s, const double *from, double *S)
{
    const size_t n = (size_t)D + 1;
    const int    turn = s->I == s->J && columns_of(D, s->I) >= TURNS;

    for (int32_t a = 0; a < columns_of(D, s->J); a++) {
        const int32_t j = s->J * GROUP + a;
        const int32_t i = s->I * GROUP + (turn ? (a + s->e) % GROUP : s->e);

        if (s->I < 0)
            S[(size_t)(j + 1) * n] = from[a];
        else if (i < D && (s->I > s->J || turn || j <= i))
            S[(size_t)((i > j ? i : j) + 1) * n + (size_t)((i > j ? j : i) + 1)] = from[a];
    }
}

static void packed_sums(const mb_estep_ *g)
{
    const size_t  n = (size_t)g->D + 1;
    const double *from = g->acc;

    for (int32_t k = 0; k < g->K; k++) {
        slot s = {.I = -1};

        do {
            put(g->D, &s, from, g->S + (size_t)k * n * n);
            from += GROUP;
        } while (next_slot(g->D, &s));
    }
}

#endif
