/* file_write.c - networks as edge lists, GraphML and DOT; their positions and weights as CSV. */
#include "base/format.h"
#include "data/file.h"
#include "data/table.h"

#include <string.h>

/* Writes a name so that it reads back. */
typedef mb_status (*namer)(mb_file *f, const char *text, mb_err *err);

/* What is written, the file it goes to, and how names are written there. */
typedef struct sheet {
    mb_file           f;
    const mb_network *net;
    namer             name;
} sheet;

static mb_status dot_name(mb_file *f, const char *text, mb_err *err)
{
    MB_TRY(mb_file_write(f, "\"", 1, err));
    for (; *text; text++)
        MB_TRY(mb_file_printf(f, err, strchr("\"\\", *text) ? "\\%c" : "%c", *text));
    return mb_file_write(f, "\"", 1, err);
}

static mb_status xml_name(mb_file *f, const char *text, mb_err *err)
{
    const char *at = text;

    for (int n = 0; *at; at += n) {
        n = mb_xml_char(at);
        if (!n)
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: node \"%.60s\" cannot be written; expected in GraphML: UTF-8 without "
                    "control characters",
                    f->path, text);
        if (strchr("&<>\"\t\n\r", *at))
            MB_TRY(mb_file_printf(f, err, "&#%d;", *at));
        else
            MB_TRY(mb_file_write(f, at, (size_t)n, err));
    }
    return MB_OK;
}

static mb_status put(sheet *s, const char *text, mb_err *err)
{
    return mb_file_write(&s->f, text, strlen(text), err);
}

static mb_status put_node(sheet *s, const char *before, int32_t i, const char *after, mb_err *err)
{
    MB_TRY(put(s, before, err));
    MB_TRY(s->name(&s->f, s->net->id[i], err));
    return put(s, after, err);
}

/* What stands around the nodes of a link. */
typedef struct around {
    const char *before, *between, *after;
    const char *open, *close; /* in place of `after`: around its probability to deliver */
} around;

static mb_status put_delivery(sheet *s, const around *w, double up, mb_err *err)
{
    char text[32];

    mb_format_exact_(text, sizeof text, up);
    MB_TRY(put(s, w->open, err));
    MB_TRY(put(s, text, err));
    return put(s, w->close, err);
}

/* Each link once, the lower index first. */
static mb_status put_links(sheet *s, const around *w, mb_err *err)
{
    const mb_graph *g = &s->net->g;
    const double   *up = s->net->delivery;

    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
            if (i > g->adj[e])
                continue;
            MB_TRY(put_node(s, w->before, i, w->between, err));
            MB_TRY(put_node(s, "", g->adj[e], up ? "" : w->after, err));
            if (up)
                MB_TRY(put_delivery(s, w, up[e], err));
        }
    return MB_OK;
}

static mb_status as_csv(sheet *s, mb_err *err)
{
    static const around words = {"", ",", "\n", ",", "\n"};

    MB_TRY(put(s, s->net->delivery ? "i,j,prob\n" : "i,j\n", err));
    return put_links(s, &words, err);
}

static mb_status as_dot(sheet *s, mb_err *err)
{
    static const around words = {"  ", " -- ", ";\n", " [prob=", "];\n"};
    const double       *xy = s->net->xy;

    MB_TRY(put(s, "graph meshbayes {\n", err));
    for (int32_t i = 0; i < s->net->g.n; i++) {
        MB_TRY(put_node(s, "  ", i, "", err));
        if (xy)
            MB_TRY(mb_file_printf(&s->f, err, " [pos=\"%.17g,%.17g!\"]", xy[2 * i], xy[2 * i + 1]));
        MB_TRY(put(s, ";\n", err));
    }
    MB_TRY(put_links(s, &words, err));
    return put(s, "}\n", err);
}

static mb_status as_graphml(sheet *s, mb_err *err)
{
    static const around words = {"<edge source=\"", "\" target=\"", "\"/>\n",
                                 "\"><data key=\"prob\">", "</data></edge>\n"};
    const double       *xy = s->net->xy;

    MB_TRY(put(s,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
               err));
    if (xy)
        MB_TRY(put(s,
                   "<key id=\"x\" for=\"node\" attr.name=\"x\" attr.type=\"double\"/>\n"
                   "<key id=\"y\" for=\"node\" attr.name=\"y\" attr.type=\"double\"/>\n",
                   err));
    if (s->net->delivery)
        MB_TRY(put(s, "<key id=\"prob\" for=\"edge\" attr.name=\"prob\" attr.type=\"double\"/>\n",
                   err));
    MB_TRY(put(s, "<graph edgedefault=\"undirected\">\n", err));
    for (int32_t i = 0; i < s->net->g.n; i++) {
        MB_TRY(put_node(s, "<node id=\"", i, xy ? "\">" : "\"/>\n", err));
        if (xy)
            MB_TRY(mb_file_printf(
                &s->f, err, "<data key=\"x\">%.17g</data><data key=\"y\">%.17g</data></node>\n",
                xy[2 * i], xy[2 * i + 1]));
    }
    MB_TRY(put_links(s, &words, err));
    return put(s, "</graph>\n</graphml>\n", err);
}

static mb_status positions(sheet *s, mb_err *err)
{
    const double *xy = s->net->xy;

    MB_TRY(put(s, "node,x,y\n", err));
    for (int32_t i = 0; i < s->net->g.n; i++) {
        MB_TRY(put_node(s, "", i, "", err));
        MB_TRY(mb_file_printf(&s->f, err, ",%.17g,%.17g\n", xy[2 * i], xy[2 * i + 1]));
    }
    return MB_OK;
}

static mb_status put_weight(sheet *s, int32_t i, int32_t j, double w, mb_err *err)
{
    MB_TRY(put_node(s, "", i, ",", err));
    MB_TRY(put_node(s, "", j, ",", err));
    return mb_file_printf(&s->f, err, "%.17g\n", w);
}

static mb_status weights(sheet *s, mb_err *err)
{
    const mb_graph *g = &s->net->g;

    MB_TRY(put(s, "i,j,w\n", err));
    for (int32_t i = 0; i < g->n; i++) {
        MB_TRY(put_weight(s, i, i, s->net->w.self[i], err));
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            MB_TRY(put_weight(s, i, g->adj[e], s->net->w.edge[e], err));
    }
    return MB_OK;
}

static mb_status write_sheet(mb_arena *a, const mb_network *net, const char *path, namer name,
                             mb_status (*fill)(sheet *s, mb_err *err), mb_err *err)
{
    sheet s = {.net = net, .name = name};

    MB_TRY(mb_file_open(a, path, &s.f, err));
    return mb_file_close(&s.f, fill(&s, err), err);
}

mb_status mb_network_write(mb_arena *a, const mb_network *net, const char *path, mb_err *err)
{
    if (mb_path_ends(path, ".graphml"))
        return write_sheet(a, net, path, xml_name, as_graphml, err);
    if (mb_path_ends(path, ".dot") || mb_path_ends(path, ".gv"))
        return write_sheet(a, net, path, dot_name, as_dot, err);
    return write_sheet(a, net, path, mb_csv_put, as_csv, err);
}

mb_status mb_network_write_positions(mb_arena *a, const mb_network *net, const char *path,
                                     mb_err *err)
{
    return write_sheet(a, net, path, mb_csv_put, positions, err);
}

mb_status mb_network_write_weights(mb_arena *a, const mb_network *net, const char *path,
                                   mb_err *err)
{
    return write_sheet(a, net, path, mb_csv_put, weights, err);
}
