/* models.c - a fit of each model that the library lists, and on a ring of each algorithm: name, bound
 * and verdict, for two builds to be compared. */
#include <meshbayes/bind.h>

#include <math.h>
#include <stdio.h>

enum { N = 240, D = 4 };

typedef struct rows {
    double  x[N][D];
    int64_t group[N];
} rows;

/* Uniform numbers, the same everywhere. */
static double uniform(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) * 0x1p-24;
}

/* Three groups of rows; the last column depends on the others: a number, or 0 and 1. */
static void make(rows *r, int whole)
{
    uint32_t state = 7;

    for (int j = 0; j < N; j++) {
        for (int d = 0; d < D - 1; d++) {
            r->x[j][d] = 3 * ((j + d) % 3);
            for (int k = 0; k < 6; k++)
                r->x[j][d] += uniform(&state) - 0.5;
        }
        r->x[j][D - 1] = r->x[j][0] - 0.5 * r->x[j][1] + 4 * uniform(&state) - 2;
        if (whole)
            r->x[j][D - 1] = r->x[j][D - 1] > 1;
        r->group[j] = j / 12;
    }
}

static int say(mb_bind *b, const char *name)
{
    const void *bound, *verdict;
    int64_t     shape[3];
    int32_t     ndim;
    int         type, st = mb_bind_get(b, -1, "bound", &type, &ndim, shape, &bound);

    st = st ? st : mb_bind_get(b, -1, "verdict", &type, &ndim, shape, &verdict);
    if (!st)
        printf("%s %.17g %s\n", name, *(const double *)bound, *(const char *const *)verdict);
    return st;
}

/* In groups where the model has them, which may need a target of 0 and 1. */
static int fit(mb_bind *b, const char *name, int grouped, int whole)
{
    rows          r;
    const int64_t n[2] = {N, D}, step[2] = {sizeof r.x[0], sizeof r.x[0][0]};
    int           st;

    make(&r, whole);
    st = mb_bind_array(b, "x", MB_BIND_F8, 2, n, step, r.x);
    if (!st && grouped)
        st = mb_bind_array(b, "group", MB_BIND_I8, 1, n, (int64_t[]){sizeof r.group[0]}, r.group);
    st = st ? st : mb_bind_fit(b, NULL, NULL);
    return st ? st : say(b, name);
}

static int one_model(const char *name, int grouped)
{
    mb_bind *b = mb_bind_new(name);
    int      st = fit(b, name, grouped, 0);

    if (st)
        st = fit(b, name, grouped, 1);
    if (st) {
        const char *text = "no memory";

        mb_bind_error(b, &text, NULL, NULL, NULL);
        printf("%s %d %s\n", name, st, text);
    }
    mb_bind_free(b);
    return st;
}

static int one_algorithm(const char *name)
{
    mb_bind *b = mb_bind_new(NULL);
    int      st = mb_bind_set(b, "n_components", "3");

    st = st ? st : mb_bind_set(b, "rounds", "400");
    st = st ? st : mb_bind_network(b, "ring:n=6", 1, 0, 0, NULL);
    st = st ? st : mb_bind_algorithm(b, name, NULL, NULL, 0, NULL);
    st = st ? st : fit(b, name, 0, 0);
    mb_bind_free(b);
    return st;
}

int main(void)
{
    mb_bind           *b = mb_bind_new(NULL);
    const char *const *text;
    int64_t            n, columns;
    int                st = mb_bind_list(b, "models", &text, &n, &columns);

    for (int64_t k = 0; !st && k < n; k++)
        st = one_model(text[k * columns], *text[k * columns + 3] != 0);
    st = st ? st : mb_bind_list(b, "algorithms", &text, &n, &columns);
    for (int64_t k = 0; !st && k < n; k++)
        st = one_algorithm(text[k * columns]);
    mb_bind_free(b);
    return st != 0;
}
