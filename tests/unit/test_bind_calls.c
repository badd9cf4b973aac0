/* test_bind_calls.c - random calls of the facade: [CALLS [SEED]], 300 of seed 1 without. Each ends with
 * a result or with an error that says why, whatever is called in which order; sanitizers see the rest. */
#include "bind_world.h"

#include <stdlib.h>

enum { HANDLES = 3, ROOM = 400 };
static int64_t calls = 300, seed = 1, good, refused;

/* What is given to a handle: numbers that are now and then none. */
typedef struct world {
    mb_rng   r;
    mb_bind *b[HANDLES];
    double   x[ROOM];
    int32_t  small[ROOM];
    double   out[1 << 16];
} world;

static int64_t below(world *w, uint64_t n)
{
    return (int64_t)mb_rng_below(&w->r, n);
}

static const char *one_of(world *w, const char *const *list, uint64_t n)
{
    return list[below(w, n)];
}
#define ONE_OF(w, ...)                                                                             \
    one_of(w, (const char *const[]){__VA_ARGS__},                                                  \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void fill(world *w)
{
    const double odd[] = {NAN, INFINITY, -1e300, 1e-300, 1e120, 0};
    const int    wild = below(w, 4) == 0, whole = below(w, 2) == 0;

    for (int j = 0; j < ROOM; j++) {
        const double z = mb_rng_normal(&w->r) + 5.0 * (double)below(w, 2);

        w->x[j] = wild && !below(w, 20) ? odd[below(w, 6)] : whole ? floor(fabs(z)) : z;
        w->small[j] = (int32_t)below(w, 4) - (wild && !below(w, 30));
    }
}

/* An array in the world, with strides that stay there. */
static int array(world *w, mb_bind *b, const char *name, int64_t n, int64_t d)
{
    const int     type = (int)below(w, 6) - (int)!below(w, 50);
    const int64_t item = type == MB_BIND_F8 || type == MB_BIND_I8 ? 8 : type == MB_BIND_U1 ? 1 : 4;
    const int     flip = !below(w, 4), turn = !below(w, 3), integers = type != MB_BIND_F8;
    const int64_t row = turn ? item : d * item, column = turn ? n * item : item;
    const char   *at = integers ? (const char *)w->small : (const char *)w->x;

    if (n * d * item > (int64_t)(integers ? sizeof w->small : sizeof w->x))
        return 0;
    return mb_bind_array(b, name, type, below(w, 20) ? 2 : (int32_t)below(w, 4), (int64_t[]){n, d},
                         (int64_t[]){flip ? -row : row, column},
                         at + (flip && n ? (n - 1) * row : 0));
}

static int give(world *w, mb_bind *b)
{
    const int64_t n = below(w, 60), d = 1 + below(w, 4);
    int           st = 0;

    fill(w);
    st |= mb_bind_array(b, NULL, 0, 0, NULL, NULL, NULL);
    if (below(w, 10))
        st |= mb_bind_array(b, "x", MB_BIND_F8, 2, (int64_t[]){n, d}, (int64_t[]){8 * d, 8}, w->x);
    else
        st |= array(w, b, "x", n, d);
    if (!below(w, 3))
        st |= array(w, b, "y", below(w, 9) ? n : n + 1, 1 + (below(w, 5) == 0));
    if (!below(w, 3))
        st |= array(w, b,
                    ONE_OF(w, "sample_weight", "group", "node", "labels", "centres",
                           "responsibilities", "prior.mu0", "nothing"),
                    n, below(w, 4) ? 1 : 3);
    return st;
}

static int set(world *w, mb_bind *b)
{
    const char *const *text;
    int64_t            rows, columns;
    const char        *value;

    if (mb_bind_list(b, "options", &text, &rows, &columns))
        return -1;
    text += columns * below(w, (uint64_t)rows);
    if (!strcmp(text[0], "threads") || !strcmp(text[0], "rounds"))
        return mb_bind_set(b, "rounds", "5");
    value = ONE_OF(w, "1", "2", "3", "0.5", "-1", "on", "off", "nan", "", "auto", "full", "diag",
                   "tied", "group", "1,2", "x1", NULL);
    return mb_bind_set(b, text[0], below(w, 3) ? value : NULL);
}

static int tick(void *self, int32_t attempt, int64_t t, double bound)
{
    world *w = self;

    (void)attempt, (void)t, (void)bound;
    return below(w, 40) ? 0 : (int)below(w, 3) - 1;
}

static int half(void *self, const mb_bind_node *nd)
{
    world *w = self;

    memcpy(nd->message, nd->phi_star, (size_t)nd->len * sizeof *nd->message);
    memcpy(nd->phi, nd->phi_star, (size_t)nd->len * sizeof *nd->phi);
    return below(w, 500) == 0;
}

static int network(world *w, mb_bind *b)
{
    int32_t     n = (int32_t)below(w, 6) - 1;
    const int   own = !below(w, 5);
    const char *name = own ? "own" : ONE_OF(w, "edge", "tree", "nsg", "cvb", "none", "incremental");
    int         st;

    fill(w);
    st = below(w, 2) ? mb_bind_network(b, NULL, 0, n, below(w, 8), w->small)
                     : mb_bind_network(b, ONE_OF(w, "ring:n=3", "path:n=2", "ring:n=-1", "x"), 1, 0,
                                       0, NULL);
    return st | mb_bind_algorithm(b, name, own ? half : NULL, own ? half : NULL,
                                  (int32_t)below(w, 3), w);
}

static int texts(world *w, mb_bind *b)
{
    const char *list[5];

    for (int k = 0; k < 5; k++)
        list[k] = ONE_OF(w, "a", "b", "c d", "number", "count", "flag", "category(u|v)",
                         "category(", "\xC3", "");
    return mb_bind_texts(b, ONE_OF(w, "columns", "targets", "nodes", "kinds", "none"), below(w, 5),
                         list);
}

static int get(world *w, mb_bind *b)
{
    int         type;
    int32_t     ndim;
    int64_t     shape[3];
    const void *x;

    return mb_bind_get(b, (int32_t)below(w, 4) - 1,
                       ONE_OF(w, "means", "weights", "prior.means", "sklearn.means_", "bound",
                              "trace", "verdict", "columns", "targets", "sklearn.parameters",
                              "apart", "names.labels", "names.draws", "coef", "rounds", "nothing",
                              ""),
                       &type, &ndim, shape, &x);
}

static int answer(world *w, mb_bind *b)
{
    const char *what = ONE_OF(w, "labels", "density", "responsibilities", "mean", "interval",
                              "probabilities", "group-density", "forecast", "nothing");
    int64_t     shape[2];
    int         st = give(w, b);

    st |= mb_bind_predict(b, (int32_t)below(w, 3) - 1, what, 0.9, 1, NULL, shape);
    if (st || shape[0] * shape[1] > (int64_t)(sizeof w->out / sizeof *w->out))
        return st;
    return mb_bind_predict(b, -1, what, 0.9, 1, w->out, shape);
}

static int rest(world *w, mb_bind *b, mb_bind **again)
{
    int64_t     shape[2], len = 0;
    double      logz = 0, weight = 1;
    const char *text;
    size_t      n;
    int         st;

    switch (below(w, 5)) {
    case 0:
        st = give(w, b);
        return st | mb_bind_score(b, -1, (int)below(w, 2), &logz, &weight, w->out);
    case 1:
        return mb_bind_sample(b, -1, 0, 1, below(w, 9), below(w, 50), w->out, NULL, shape);
    case 2:
        st = give(w, b);
        st |= mb_bind_statistics(b, &len, NULL, NULL, NULL);
        if (st || len > (int64_t)(sizeof w->out / sizeof *w->out))
            return st;
        st = mb_bind_statistics(b, &len, w->out, &logz, &weight);
        return st ? st
                  : mb_bind_add_statistics(b, len - !below(w, 9), w->out, logz, weight,
                                           below(w, 9));
    case 3:
        st = give(w, b);
        return st | mb_bind_update(b, 0.25 * (double)below(w, 6), NULL, NULL);
    default:
        st = mb_bind_json(b, -1, &text, &n);
        if (!st)
            *again = mb_bind_from_json(text, below(w, 3) ? n : (size_t)below(w, n + 1));
        return st;
    }
}

/* One call of a handle, or of several that belong together. */
static int call(world *w, int h)
{
    mb_bind *b = w->b[h], *again = NULL;
    int      st;

    switch (below(w, 12)) {
    case 0:
    case 1:
        return set(w, b);
    case 2:
        return network(w, b);
    case 3:
        return texts(w, b);
    case 4:
        return get(w, b);
    case 5:
        return answer(w, b);
    case 6:
    case 7:
        st = rest(w, b, &again);
        if (!again)
            return st;
        mb_bind_free(w->b[h]);
        w->b[h] = again;
        return mb_bind_error(again, NULL, NULL, NULL, NULL);
    case 8:
        mb_bind_stop(b);
        mb_bind_free(b);
        w->b[h] = mb_bind_new(ONE_OF(w, "gmm", "tmm", "linreg", "glm", "lca", "none"));
        return mb_bind_set(w->b[h], "rounds", "5");
    default:
        st = give(w, b);
        return st | mb_bind_fit(b, below(w, 2) ? tick : NULL, w);
    }
}

/* After each call the handle tells an error in words, or none. */
TEST(any_calls_end_with_a_result_or_an_error_in_words)
{
    world *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->r = gen_rng((uint64_t)seed);
    for (int h = 0; h < HANDLES; h++)
        w->b[h] = mb_bind_new(NULL);
    for (int64_t k = 0; k < calls; k++) {
        const int   h = (int)below(w, HANDLES);
        const char *text;

        good += call(w, h) == 0;
        if (mb_bind_error(w->b[h], &text, NULL, NULL, NULL)) {
            refused++;
            assert_true(strlen(text) > 8);
        }
    }
    for (int h = 0; h < HANDLES; h++)
        mb_bind_free(w->b[h]);
    free(w);
    print_message("%lld calls: %lld good, %lld refused at last\n", (long long)calls,
                  (long long)good, (long long)refused);
    assert_true(good > calls / 10 && refused > calls / 10);
}

int main(int argc, char **argv)
{
    calls = argc > 1 ? atoll(argv[1]) : calls;
    seed = argc > 2 ? atoll(argv[2]) : seed;
    return run_all_tests(arena_up, arena_down);
}
