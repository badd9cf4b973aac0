/* graphml.c - the links of a network in GraphML, through expat where the library is built with it.
 * Of GraphML is read one flat graph: nodes, edges (directed or not), the node data called x and y
 * and the edge data called prob and loss; the rest is skipped. A document type is refused, and with
 * it every entity: a small file cannot become a large one. */
#include "data/parse.h"

#include <string.h>

#ifdef MB_EXPAT
#include <expat.h>
#include <math.h>

enum { DEPTH = 64, TAG = 1 << 20, NUMBER = 64, CHUNK = 1 << 16, POOL = 1 << 15, LIST = 300 };
/* The data that are read: of nodes, then of edges. */
enum { X, Y, PROB, LOSS, KEYS };
static const char *const key_name[KEYS] = {"x", "y", "prob", "loss"};

typedef struct parse {
    XML_Parser   p;
    const char  *file;
    mb_arena    *a;
    mb_edges    *out;
    mb_err      *err;
    mb_status    st;          /* of a handler: they cannot return it           */
    int          depth;       /* elements that are open                         */
    int          graphs;      /* seen so far                                    */
    const char  *key[KEYS];   /* their ids, NULL: none                       */
    double       def[2];      /* defaults of x and y, NaN: none                 */
    const char  *text_def[2]; /* defaults of prob and loss, NULL: none     */
    int64_t      node_cap, edge_cap;
    double      *xy;        /* node_cap x 2                                */
    int64_t     *node_line; /* node_cap                                    */
    int          of_key;    /* the key that is open, else -1               */
    int          in_edge;   /* 1: the element opened last was an edge, 0: a node */
    double      *into;      /* where the number being collected goes, or NULL */
    const char **into_text; /* the same for a text                        */
    char        *unused;    /* names of edge data that are not read        */
    char         text[NUMBER];
    size_t       len;
    char        *pool; /* room for `left` bytes of texts */
    size_t       left;
} parse;

static long long line_of(const parse *g)
{
    return (long long)XML_GetCurrentLineNumber(g->p);
}

static mb_status keep(parse *g, const char *text, const char **out)
{
    const size_t n = strlen(text) + 1, room = n > POOL ? n : POOL;

    if (n > g->left) {
        MB_NEW(g->pool, g->a, room, g->err);
        g->left = room;
    }
    memcpy(g->pool, text, n);
    *out = g->pool;
    g->pool += n;
    g->left -= n;
    return MB_OK;
}

/* The value of an attribute, or NULL. */
static const char *attribute(const char **attr, const char *name)
{
    for (; *attr; attr += 2)
        if (!strcmp(*attr, name))
            return attr[1];
    return NULL;
}

static mb_status demand(parse *g, const char *element, const char **attr, const char *name,
                        const char **out)
{
    const char *value = attribute(attr, name);

    if (!value || !*value)
        MB_FAIL(g->err, MB_E_FORMAT, "%s:%lld: <%s> without %s; expected a text", g->file,
                line_of(g), element, name);
    return keep(g, value, out);
}

/* 1 when a key for `of` (NULL: all) is for this kind of element. */
static int is_for(const char *of, const char *element)
{
    return !of || !strcmp(of, element) || !strcmp(of, "all");
}

static mb_status open_key(parse *g, const char **attr)
{
    const char *of = attribute(attr, "for"), *name = attribute(attr, "attr.name");
    int         k = 0;

    while (k < KEYS && !(name && !strcmp(name, key_name[k])))
        k++;
    if (k == KEYS && name && of && !strcmp(of, "edge"))
        mb_list_add_(g->unused, LIST, name);
    if (k == KEYS || g->key[k] || !is_for(of, k < PROB ? "node" : "edge"))
        return MB_OK;
    g->of_key = k;
    return demand(g, "key", attr, "id", &g->key[k]);
}

static mb_status open_node(parse *g, const char **attr)
{
    mb_edges    *out = g->out;
    const size_t used = (size_t)out->nodes, room = used ? 2 * used : 256;

    if (out->nodes >= INT32_MAX / 4)
        MB_FAIL(g->err, MB_E_NOSUP, "%s:%lld: more than %d nodes", g->file, line_of(g),
                INT32_MAX / 4);
    if (out->nodes == g->node_cap) {
        out->node = mb_larger_(g->a, out->node, used, room, sizeof *out->node, g->err);
        g->xy = mb_larger_(g->a, g->xy, 2 * used, 2 * room, sizeof *g->xy, g->err);
        g->node_line = mb_larger_(g->a, g->node_line, used, room, sizeof *g->node_line, g->err);
        if (!out->node || !g->xy || !g->node_line)
            return MB_E_NOMEM;
        g->node_cap = (int64_t)room;
    }
    MB_TRY(demand(g, "node", attr, "id", &out->node[used]));
    memcpy(g->xy + 2 * used, g->def, sizeof g->def);
    g->node_line[used] = line_of(g);
    g->in_edge = 0;
    out->nodes++;
    return MB_OK;
}

static mb_status open_edge(parse *g, const char **attr)
{
    mb_edges    *out = g->out;
    const size_t used = (size_t)out->m, room = used ? 2 * used : 256;

    if (out->m == g->edge_cap) {
        out->end = mb_larger_(g->a, out->end, 2 * used, 2 * room, sizeof *out->end, g->err);
        out->line = mb_larger_(g->a, out->line, used, room, sizeof *out->line, g->err);
        for (int k = 0; k < 2; k++)
            out->given[k] =
                mb_larger_(g->a, out->given[k], used, room, sizeof *out->given[k], g->err);
        if (!out->end || !out->line || !out->given[0] || !out->given[1])
            return MB_E_NOMEM;
        g->edge_cap = (int64_t)room;
    }
    MB_TRY(demand(g, "edge", attr, "source", &out->end[2 * used]));
    MB_TRY(demand(g, "edge", attr, "target", &out->end[2 * used + 1]));
    out->line[used] = line_of(g);
    for (int k = 0; k < 2; k++)
        out->given[k][used] = g->text_def[k];
    g->in_edge = 1;
    out->m++;
    return MB_OK;
}

static void open_data(parse *g, const char **attr)
{
    const char *key = attribute(attr, "key");

    for (int k = g->in_edge ? PROB : X; key && k < (g->in_edge ? KEYS : PROB); k++)
        if (g->key[k] && !strcmp(key, g->key[k])) {
            if (g->in_edge)
                g->into_text = &g->out->given[k - PROB][g->out->m - 1];
            else
                g->into = &g->xy[2 * (g->out->nodes - 1) + k];
        }
}

static void open_default(parse *g)
{
    if (g->of_key < PROB)
        g->into = &g->def[g->of_key];
    else
        g->into_text = &g->text_def[g->of_key - PROB];
}

static mb_status not_a_number(const parse *g)
{
    MB_FAIL(g->err, MB_E_FORMAT,
            "%s:%lld: a %s with elements or more than %d characters; expected a number", g->file,
            line_of(g), g->into ? "position" : "probability", NUMBER - 1);
}

/* An element, by what it is and how deep: foreign ones inside <data> may have the same names. */
static mb_status open_element(parse *g, const char *name, const char **attr)
{
    if (g->into || g->into_text)
        return not_a_number(g);
    if (g->depth >= DEPTH)
        MB_FAIL(g->err, MB_E_NOSUP, "%s:%lld: elements nested deeper than %d", g->file, line_of(g),
                DEPTH);
    if (!g->depth && strcmp(name, "graphml") != 0)
        MB_FAIL(g->err, MB_E_FORMAT, "%s:%lld: the file holds <%.60s>; expected <graphml>", g->file,
                line_of(g), name);
    if (g->depth == 1 && !strcmp(name, "key"))
        return open_key(g, attr);
    if (g->depth == 2 && g->of_key >= 0 && !strcmp(name, "default"))
        open_default(g);
    if (g->depth <= 3 && !strcmp(name, "graph") && g->graphs++)
        MB_FAIL(g->err, MB_E_NOSUP,
                "%s:%lld: a second <graph>; expected one, without graphs inside", g->file,
                line_of(g));
    if (!g->graphs || g->depth == 1)
        return MB_OK;
    if (g->depth == 2 && !strcmp(name, "node"))
        return open_node(g, attr);
    if (g->depth == 2 && !strcmp(name, "edge"))
        return open_edge(g, attr);
    if (g->depth == 2 && !strcmp(name, "hyperedge"))
        MB_FAIL(g->err, MB_E_NOSUP, "%s:%lld: <hyperedge>; expected edges of two nodes", g->file,
                line_of(g));
    if (g->depth == 3 && (g->in_edge || g->out->nodes) && !strcmp(name, "data"))
        open_data(g, attr);
    return MB_OK;
}

/* The number or the text that was collected, without blanks around it. */
static mb_status end_data(parse *g)
{
    char *text = g->text;

    text[g->len] = 0;
    while (g->len && strchr(" \t\r\n", text[g->len - 1]))
        text[--g->len] = 0;
    text += strspn(text, " \t\r\n");
    if (g->into_text)
        MB_TRY(keep(g, text, g->into_text));
    else if (mb_parse_double(text, g->into))
        MB_FAIL(g->err, MB_E_FORMAT, "%s:%lld: position \"%.60s\" is not a finite number", g->file,
                line_of(g), text);
    g->into = NULL;
    g->into_text = NULL;
    g->len = 0;
    return MB_OK;
}

/* Stores the outcome of a handler. */
static void settle(parse *g, mb_status st)
{
    g->st = st;
    if (st < 0)
        XML_StopParser(g->p, XML_FALSE);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attr)
{
    parse      *g = user;
    const char *colon = strrchr(name, ':'); /* documents may give the namespace a prefix */

    if (g->st >= 0)
        settle(g, open_element(g, colon ? colon + 1 : name, attr));
    g->depth++;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    parse *g = user;

    (void)name;
    g->depth--;
    if (g->depth == 1)
        g->of_key = -1;
    if (g->st >= 0 && (g->into || g->into_text))
        settle(g, end_data(g));
}

static void XMLCALL on_text(void *user, const XML_Char *text, int n)
{
    parse *g = user;

    if ((!g->into && !g->into_text) || g->st < 0)
        return;
    if ((size_t)n >= NUMBER - g->len) {
        settle(g, not_a_number(g));
        return;
    }
    memcpy(g->text + g->len, text, (size_t)n);
    g->len += (size_t)n;
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int subset)
{
    parse *g = user;

    (void)name, (void)system, (void)public, (void)subset;
    settle(g, mb_fail_(g->err, MB_E_NOSUP, __FILE__, __LINE__,
                       "%s:%lld: <!DOCTYPE> may declare entities; expected a file without it",
                       g->file, line_of(g)));
}

static mb_status feed(parse *g, mb_source_ *from, char *bytes, mb_err *err)
{
    int64_t fed = 0;
    size_t  got;

    do {
        MB_TRY(mb_source_read_(from, bytes, CHUNK, &got, err));
        fed += (int64_t)got;
        if (XML_Parse(g->p, bytes, (int)got, got < CHUNK) == XML_STATUS_ERROR) {
            MB_TRY(g->st);
            if (XML_GetErrorCode(g->p) == XML_ERROR_NO_MEMORY)
                MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its XML", g->file);
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: not XML: %s", g->file, line_of(g),
                    XML_ErrorString(XML_GetErrorCode(g->p)));
        }
        if (fed - XML_GetCurrentByteIndex(g->p) > TAG + CHUNK)
            MB_FAIL(err, MB_E_NOSUP, "%s:%lld: one tag or comment of more than %d bytes", g->file,
                    line_of(g), TAG);
    } while (got == CHUNK);
    return MB_OK;
}

static mb_status run(parse *g, mb_source_ *from, mb_err *err)
{
    char     *bytes;
    mb_status st;

    MB_NEW(bytes, g->a, CHUNK, err);
    g->p = XML_ParserCreate(NULL);
    if (!g->p)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its XML", g->file);
    XML_SetUserData(g->p, g);
    XML_SetElementHandler(g->p, on_start, on_end);
    XML_SetCharacterDataHandler(g->p, on_text);
    XML_SetStartDoctypeDeclHandler(g->p, on_doctype);
    st = feed(g, from, bytes, err);
    XML_ParserFree(g->p);
    return st;
}

/* Every end is a node; no node occurs twice. */
static mb_status check(const parse *g, mb_err *err)
{
    const mb_edges *out = g->out;
    const int64_t   n = out->nodes + 2 * out->m;
    const char    **text, **list;
    int32_t        *index, count;
    uint8_t        *known;

    MB_NEW(text, g->a, n, err);
    MB_NEW(index, g->a, n, err);
    for (int64_t k = 0; k < n; k++)
        text[k] = k < out->nodes ? out->node[k] : out->end[k - out->nodes];
    MB_TRY(mb_ids_index(g->a, g->file, n, text, index, &list, &count, err));
    MB_NEW(known, g->a, count, err);
    for (int32_t i = 0; i < out->nodes; i++) {
        if (known[index[i]])
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: node \"%.60s\" comes twice; expected once", g->file,
                    (long long)g->node_line[i], out->node[i]);
        known[index[i]] = 1;
    }
    for (int64_t e = 0; e < 2 * out->m; e++)
        if (!known[index[out->nodes + e]])
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: a link to \"%.60s\", which is not a <node> here",
                    g->file, (long long)out->line[e / 2], out->end[e]);
    return MB_OK;
}

/* What was found of the data. */
static void take_data(parse *g)
{
    mb_edges *out = g->out;

    if (g->key[X] && g->key[Y])
        out->xy = g->xy;
    for (int k = 0; k < 2; k++)
        if (!g->key[PROB + k])
            out->given[k] = NULL;
    if (*g->unused)
        out->unused = g->unused;
}

/* Nodes, edges with their lines, data; ends are nodes, nodes are distinct. */
mb_status mb_graphml_read_(mb_arena *a, const char *file, mb_edges *out, mb_err *err)
{
    parse      g = {.file = file, .a = a, .out = out, .err = err, .of_key = -1, .def = {NAN, NAN}};
    mb_source_ from;
    mb_status  st;

    MB_NEW(g.unused, a, LIST, err);
    MB_TRY(mb_source_open_(file, &from, err));
    st = run(&g, &from, err);
    mb_source_close_(&from);
    MB_TRY(st);
    if (!g.graphs)
        MB_FAIL(err, MB_E_FORMAT, "%s: no <graph> in the file", file);
    take_data(&g);
    return check(&g, err);
}

#else

mb_status mb_graphml_read_(mb_arena *a, const char *file, mb_edges *out, mb_err *err)
{
    (void)a, (void)out;
    MB_FAIL(err, MB_E_NOSUP, "%s: a GraphML file, but meshbayes is built without expat", file);
}
#endif
