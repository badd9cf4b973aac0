/* num/tile_rows.h - the sums of a tile in vectors of LANES numbers, ROWS rows at once: as many as
 * there are registers for. Included by tile.c for each instruction set, with the name and the
 * attribute of its function. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define VEC         JOIN(ADD, _vec)
#define SOME        JOIN(ADD, _rows)

typedef double VEC __attribute__((vector_size(8 * LANES)));

static inline __attribute__((always_inline)) TARGET void SOME(const size_t step, int32_t n,
                                                              const double *const *A, size_t first,
                                                              const double *Y, size_t ld, double *S)
{
    enum { NV = MB_TILE_ / LANES };
    const double *a[ROWS];
    VEC           s[ROWS][NV];

    UNROLL
    for (int u = 0; u < ROWS; u++) {
        a[u] = A[u] + first * step;
        UNROLL
        for (int v = 0; v < NV; v++)
            memcpy(&s[u][v], S + u * MB_TILE_ + v * LANES, sizeof(VEC));
    }
    for (size_t l = 0; l < (size_t)n; l++, Y += ld) {
        VEC y[NV];

        UNROLL
        for (int v = 0; v < NV; v++)
            memcpy(&y[v], Y + v * LANES, sizeof(VEC));
        UNROLL
        for (int u = 0; u < ROWS; u++) {
            UNROLL
            for (int v = 0; v < NV; v++)
                s[u][v] += a[u][l * step] * y[v];
        }
    }
    UNROLL
    for (int u = 0; u < ROWS; u++) {
        UNROLL
        for (int v = 0; v < NV; v++)
            memcpy(S + u * MB_TILE_ + v * LANES, &s[u][v], sizeof(VEC));
    }
}

/* In parts of Y that stay in the first cache for all rows. */
static TARGET void ADD(int32_t n, const double *const *A, size_t step, const double *Y, size_t ld,
                       double *S)
{
    enum { PART = 128 };

    for (int32_t l = 0; l < n; l += PART, Y += PART * ld)
        for (int u = 0; u < MB_TILE_; u += ROWS) {
            const int32_t rest = n - l < PART ? n - l : PART;

            if (step == 1)
                SOME(1, rest, A + u, (size_t)l, Y, ld, S + u * MB_TILE_);
            else
                SOME(MB_TILE_, rest, A + u, (size_t)l, Y, ld, S + u * MB_TILE_);
        }
}

#undef JOIN_
#undef JOIN
#undef VEC
#undef SOME
#undef ADD
#undef TARGET
#undef LANES
#undef ROWS
