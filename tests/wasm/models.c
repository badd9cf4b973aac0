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

/* What a model asks of its rows. */
typedef enum form {
    NUMBERS,
    WHOLE, /* a target of 0 and 1              */
    WORDS, /* a word and how often, in a group */
    FORMS
} form;

/* Three groups of rows; the last column depends on the others. Words: the first two. */
static void make(rows *r, form f)
{
    uint32_t state = 7;

    for (int j = 0; j < N; j++) {
        for (int d = 0; d < D - 1; d++) {
            r->x[j][d] = 3 * ((j + d) % 3);
            for (int k = 0; k < 6; k++)
                r->x[j][d] += uniform(&state) - 0.5;
        }
        r->x[j][D - 1] = r->x[j][0] - 0.5 * r->x[j][1] + 4 * uniform(&state) - 2;
        if (f == WHOLE)
            r->x[j][D - 1] = r->x[j][D - 1] > 1;
        if (f == WORDS) {
            r->x[j][0] = (j + j / 36) % 3;
            r->x[j][1] = 1 + (int)(5 * uniform(&state));
        }
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

/* In groups where the model has them. */
static int fit(mb_bind *b, const char *name, int grouped, form f)
{
    static const char *const kinds[] = {"category(a|b|c)", "count"};
    rows                     r;
    const int64_t            n[2] = {N, f == WORDS ? 2 : D};
    const int64_t            step[2] = {sizeof r.x[0], sizeof r.x[0][0]};
    int                      st;

    make(&r, f);
    st = mb_bind_array(b, "x", MB_BIND_F8, 2, n, step, r.x);
    if (!st && grouped)
        st = mb_bind_array(b, "group", MB_BIND_I8, 1, n, (int64_t[]){sizeof r.group[0]}, r.group);
    if (!st && f == WORDS)
        st = mb_bind_texts(b, "kinds", 2, kinds);
    st = st ? st : mb_bind_fit(b, NULL, NULL);
    return st ? st : say(b, name);
}

static int one_model(const char *name, int grouped)
{
    mb_bind *b = mb_bind_new(name);
    int      st = -1;

    for (int f = NUMBERS; st && f < FORMS; f++)
        st = fit(b, name, grouped, (form)f);
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
    st = st ? st : fit(b, name, 0, NUMBERS);
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
