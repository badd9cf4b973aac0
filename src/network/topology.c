/* topology.c - networks described in a line of text: "name:key=value,key=value". */
#include "network/topology.h"
#include "base/format.h"
#include "base/opt.h"
#include "base/scratch_arena.h"

#include <string.h>

enum { MAX_NODES = 100000000, MAX_COMPLETE = 20000, MAX_KEYS = 3 };

#define AT(key) offsetof(mb_topology_par, key)

static const mb_opt n_keys[] = {
    {"n", MB_OPT_INT, AT(n), NULL, 1, MAX_NODES, NULL, "", "", "", "nodes"}, {.name = NULL}};
static const mb_opt complete_keys[] = {
    {"n", MB_OPT_INT, AT(n), NULL, 1, MAX_COMPLETE, NULL, "", "", "", "nodes"}, {.name = NULL}};
static const mb_opt grid_keys[] = {
    {"rows", MB_OPT_INT, AT(rows), NULL, 1, MAX_NODES, NULL, "", "", "", "rows"},
    {"cols", MB_OPT_INT, AT(cols), NULL, 1, MAX_NODES, NULL, "", "", "", "columns"},
    {.name = NULL}};
static const mb_opt tree_keys[] = {
    {"n", MB_OPT_INT, AT(n), NULL, 1, MAX_NODES, NULL, "", "", "", "nodes"},
    {"arity", MB_OPT_INT, AT(arity), NULL, 1, MAX_NODES, NULL, "", "", "", "children of a node"},
    {.name = NULL}};
static const mb_opt barbell_keys[] = {{"clique", MB_OPT_INT, AT(clique), NULL, 1, MAX_COMPLETE / 2,
                                       NULL, "", "", "", "nodes of each end"},
                                      {"path", MB_OPT_INT, AT(path), NULL, 0, MAX_NODES / 2, NULL,
                                       "", "", "", "nodes between the ends"},
                                      {.name = NULL}};
static const mb_opt geometric_keys[] = {
    {"n", MB_OPT_INT, AT(n), NULL, 1, MAX_NODES, NULL, "", "", "", "nodes"},
    {"side", MB_OPT_REAL, AT(side), NULL, 1e-9, 1e9, NULL, "", "", "", "side of the square"},
    {"radius", MB_OPT_REAL, AT(radius), NULL, 1e-9, 1e9, NULL, "", "", "", "longest link"},
    {.name = NULL}};
static const mb_opt er_keys[] = {
    {"n", MB_OPT_INT, AT(n), NULL, 1, MAX_NODES, NULL, "", "", "", "nodes"},
    {"p", MB_OPT_REAL, AT(p), NULL, 1e-9, 1, NULL, "", "", "", "probability of a link"},
    {.name = NULL}};

/* Edges of a regular topology: pairs in `edges` (room as counted), positions in xy. */
typedef struct shape {
    int32_t  n;
    int64_t  m;
    int32_t *edges;
    double  *xy;
} shape;

static void link(shape *s, int64_t i, int64_t j)
{
    s->edges[2 * s->m] = (int32_t)i;
    s->edges[2 * s->m + 1] = (int32_t)j;
    s->m++;
}

static void shape_path(const mb_topology_par *par, shape *s)
{
    for (int64_t i = 0; i < par->n; i++) {
        s->xy[2 * i] = (double)i;
        if (i > 0)
            link(s, i - 1, i);
    }
}

/* Without the last link, a ring of one node is a node and one of two a path. */
static void shape_ring(const mb_topology_par *par, shape *s)
{
    shape_path(par, s);
    if (par->n > 2)
        link(s, 0, par->n - 1);
    mb_on_circle_(0, s->n, s->xy);
}

static void shape_star(const mb_topology_par *par, shape *s)
{
    for (int64_t i = 1; i < par->n; i++)
        link(s, 0, i);
    mb_on_circle_(1, s->n, s->xy);
}

static void shape_complete(const mb_topology_par *par, shape *s)
{
    for (int64_t i = 0; i < par->n; i++)
        for (int64_t j = i + 1; j < par->n; j++)
            link(s, i, j);
    mb_on_circle_(0, s->n, s->xy);
}

/* Nodes first .. first + n - 1, on a unit circle about x. */
static void add_clique(shape *s, int64_t first, int64_t n, double x)
{
    for (int64_t i = first; i < first + n; i++)
        for (int64_t j = i + 1; j < first + n; j++)
            link(s, i, j);
    mb_on_circle_(0, (int32_t)n, s->xy + 2 * first);
    for (int64_t i = first; i < first + n; i++)
        s->xy[2 * i] += x;
}

/* The last node of the first end, those between and the first node of the second end make a path. */
static void shape_barbell(const mb_topology_par *par, shape *s)
{
    const int64_t second = par->clique + par->path;

    add_clique(s, 0, par->clique, 0);
    add_clique(s, second, par->clique, 3 + (double)par->path);
    for (int64_t i = par->clique; i < second; i++) {
        s->xy[2 * i] = 2 + (double)(i - par->clique);
        s->xy[2 * i + 1] = 0;
    }
    for (int64_t i = par->clique; i <= second; i++)
        link(s, i - 1, i);
}

/* Node i has the children arity i + 1 .. arity i + arity; each depth is spread over the same width. */
static void shape_tree(const mb_topology_par *par, shape *s)
{
    int64_t depth = 0, first = 0, wide = 1;

    for (int64_t i = 0; i < par->n; i++) {
        if (i == first + wide) {
            first += wide;
            wide = wide > par->n / par->arity ? par->n : wide * par->arity;
            depth++;
        }
        s->xy[2 * i] = ((double)(i - first) + 0.5) / (double)wide * (double)par->n / 2;
        s->xy[2 * i + 1] = -(double)depth;
        if (i > 0)
            link(s, (i - 1) / par->arity, i);
    }
}

static void shape_grid(const mb_topology_par *par, shape *s)
{
    for (int64_t r = 0; r < par->rows; r++)
        for (int64_t c = 0; c < par->cols; c++) {
            int64_t i = r * par->cols + c;

            s->xy[2 * i] = (double)c;
            s->xy[2 * i + 1] = (double)-r; /* the first row is plotted on top */
            if (c > 0)
                link(s, i - 1, i);
            if (r > 0)
                link(s, i - par->cols, i);
        }
}

/* name, parameters as typed, their table, one of `lay` (regular) and `draw` (random), meaning */
#define TOPOLOGY_LIST(X)                                                                           \
    X(geometric, "n=,side=,radius=", geometric_keys, NULL, mb_make_geometric_,                     \
      "n nodes at random in a square, linked up to this distance (paper: 50, 3.5, 0.8)")           \
    X(ring, "n=", n_keys, shape_ring, NULL, "a cycle of n nodes")                                  \
    X(grid, "rows=,cols=", grid_keys, shape_grid, NULL,                                            \
      "a rectangle, each node linked to up to four others")                                        \
    X(star, "n=", n_keys, shape_star, NULL, "the first node linked to all others")                 \
    X(complete, "n=", complete_keys, shape_complete, NULL, "every node linked to every other")     \
    X(path, "n=", n_keys, shape_path, NULL, "a line of n nodes")                                   \
    X(tree, "n=,arity=", tree_keys, shape_tree, NULL,                                              \
      "each node linked to this many further ones, until there are n")                             \
    X(barbell, "clique=,path=", barbell_keys, shape_barbell, NULL,                                 \
      "two complete networks of clique nodes, joined by a path of nodes")                          \
    X(er, "n=,p=", er_keys, NULL, mb_make_er_,                                                     \
      "n nodes, each pair linked with probability p (Erdos-Renyi)")

typedef struct kind {
    const char   *name, *form;
    const mb_opt *keys;
    void (*lay)(const mb_topology_par *par, shape *s);
    mb_status (*draw)(mb_arena *a, const mb_topology_par *par, uint64_t seed, mb_topology *out,
                      mb_err *err);
} kind;

static const kind kinds[] = {
#define X(name, par, keys, lay, draw, meaning) {#name, #name ":" par, keys, lay, draw},
    TOPOLOGY_LIST(X)
#undef X
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const char *const *mb_topology_help(void)
{
    static const char *const help[KINDS + 1] = {
#define X(name, par, keys, lay, draw, meaning) #name ":" par "  " meaning,
        TOPOLOGY_LIST(X)
#undef X
            NULL};

    return help;
}

/* "key=value" of `len` bytes into par; *which: its place among the keys. */
static mb_status one_key(const char *text, const kind *k, const char *word, size_t len,
                         mb_topology_par *par, int *which, mb_err *err)
{
    char          copy[64], range[96];
    char         *value;
    const mb_opt *o;

    if (len >= sizeof copy)
        MB_FAIL(err, MB_E_ARG, "topology \"%.60s\": \"%.40s..\" is too long; expected %s", text,
                word, k->form);
    mb_format_(copy, sizeof copy, "%.*s", (int)len, word);
    value = strchr(copy, '=');
    if (value)
        *value++ = 0;
    o = mb_opt_find(k->keys, copy);
    if (!o || !value)
        MB_FAIL(err, MB_E_ARG, "topology \"%.60s\": \"%.*s\" is not known; expected %s", text,
                (int)len, word, k->form);
    if (mb_opt_set(o, value, par, NULL) < 0) {
        mb_opt_accepts(o, range, sizeof range);
        MB_FAIL(err, MB_E_ARG, "topology \"%.60s\": %s=\"%s\" (%s); expected %s", text, o->name,
                value, o->help, range);
    }
    *which = (int)(o - k->keys);
    return MB_OK;
}

static mb_status read_keys(const char *text, const kind *k, mb_topology_par *par, mb_err *err)
{
    const char *word = text + strlen(k->name);
    int         seen[MAX_KEYS + 1] = {0};

    word += *word == ':';
    for (int more = *word != 0; more;) {
        size_t len = strcspn(word, ",");
        int    which = 0;

        MB_TRY(one_key(text, k, word, len, par, &which, err));
        if (seen[which]++)
            MB_FAIL(err, MB_E_ARG, "topology \"%.60s\": %s is given twice; expected %s", text,
                    k->keys[which].name, k->form);
        more = word[len] == ',';
        word += len + (size_t)more;
    }
    for (int o = 0; k->keys[o].name; o++)
        if (!seen[o])
            MB_FAIL(err, MB_E_ARG, "topology \"%.60s\": %s (%s) is missing; expected %s", text,
                    k->keys[o].name, k->keys[o].help, k->form);
    return MB_OK;
}

static mb_status unknown(const char *text, int len, mb_err *err)
{
    char all[320] = "";

    for (int i = 0; i < KINDS; i++)
        mb_format_(all + strlen(all), sizeof all - strlen(all), "%s%s",
                   i == 0           ? ""
                   : i == KINDS - 1 ? " or "
                                    : ", ",
                   kinds[i].form);
    MB_FAIL(err, MB_E_ARG, "topology \"%.60s\": \"%.*s\" is not known; expected %s", text,
            len < 40 ? len : 40, text, all);
}

/* Nodes of what the keys describe, and edges at most. */
static void count(const kind *k, mb_topology_par *par, int64_t *edges)
{
    if (k->keys == grid_keys)
        par->n = par->rows * par->cols;
    if (k->keys == barbell_keys)
        par->n = 2 * par->clique + par->path;
    *edges = 2 * par->n;
    if (k->keys == complete_keys)
        *edges = par->n * (par->n - 1) / 2;
    if (k->keys == barbell_keys)
        *edges = par->clique * (par->clique - 1) + par->path + 1;
}

static mb_status parse(const char *text, const kind **out, mb_topology_par *par, int64_t *edges,
                       mb_err *err)
{
    const int   len = (int)strcspn(text, ":");
    const kind *k = kinds;

    while (k < kinds + KINDS && (strlen(k->name) != (size_t)len || strncmp(k->name, text, len)))
        k++;
    if (k == kinds + KINDS)
        return unknown(text, len, err);
    *out = k;
    *par = (mb_topology_par){0};
    MB_TRY(read_keys(text, k, par, err));
    count(k, par, edges);
    if (par->n > MAX_NODES)
        MB_FAIL(err, MB_E_ARG, "topology \"%.60s\": got %lld nodes; expected up to %d", text,
                (long long)par->n, MAX_NODES);
    return MB_OK;
}

mb_status mb_topology_size(const char *text, int32_t *n, mb_err *err)
{
    mb_topology_par par;
    const kind     *k;
    int64_t         edges;

    MB_TRY(parse(text, &k, &par, &edges, err));
    *n = (int32_t)par.n;
    return MB_OK;
}

static mb_status lay(mb_arena *a, mb_arena *scratch_arena, const kind *k,
                     const mb_topology_par *par, int64_t room, mb_topology *out, mb_err *err)
{
    shape s = {.n = (int32_t)par->n};

    MB_NEW(s.edges, scratch_arena, 2 * room, err);
    MB_NEW(s.xy, a, 2 * par->n, err);
    k->lay(par, &s);
    out->xy = s.xy;
    out->drawn = 1;
    return mb_graph_from_edges(a, s.n, s.m, s.edges, &out->g, err);
}

mb_status mb_topology_make(mb_arena *a, const char *text, uint64_t seed, mb_topology *out,
                           mb_err *err)
{
    mb_topology_par par;
    const kind     *k;
    int64_t         room;
    mb_arena       *scratch_arena;
    mb_status       st;

    MB_TRY(parse(text, &k, &par, &room, err));
    if (k->draw)
        return k->draw(a, &par, seed, out, err);
    scratch_arena = mb_arena_scratch_(a);
    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the links of %.60s", text);
    st = lay(a, scratch_arena, k, &par, room, out, err);
    mb_arena_free(scratch_arena);
    return st;
}
