/* file_write.c - networks as edge lists, GraphML and DOT; their positions and weights as CSV. */
#include "meshbayes/network.h"
#include "meshbayes/table.h"

#include <string.h>

/* What is written, and the file it goes to. */
typedef struct sheet {
    mb_file           f;
    const char       *path;
    const mb_network *net;
} sheet;

/* Writes a name so that it reads back. */
typedef mb_status (*namer)(sheet *s, const char *text, mb_err *err);

static mb_status put(sheet *s, const char *text, mb_err *err)
{
    return mb_file_write(&s->f, text, strlen(text), err);
}

static mb_status csv_name(sheet *s, const char *text, mb_err *err)
{
    return mb_csv_put(&s->f, text, err);
}

static mb_status dot_name(sheet *s, const char *text, mb_err *err)
{
    MB_TRY(put(s, "\"", err));
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            MB_TRY(put(s, "\\", err));
        MB_TRY(mb_file_write(&s->f, text, 1, err));
    }
    return put(s, "\"", err);
}

static mb_status xml_name(sheet *s, const char *text, mb_err *err)
{
    const char *at = text;

    for (int n = 0; *at; at += n) {
        n = mb_xml_char(at);
        if (!n)
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: node \"%.60s\" cannot be written, accepted in GraphML: UTF-8 without "
                    "control characters",
                    s->path, text);
        if (strchr("&<>\"\t\n\r", *at))
            MB_TRY(mb_file_printf(&s->f, err, "&#%d;", *at));
        else
            MB_TRY(mb_file_write(&s->f, at, (size_t)n, err));
    }
    return MB_OK;
}

/* Each link once, the lower index first. */
static mb_status put_links(sheet *s, const char *before, namer name, const char *between,
                           const char *behind, mb_err *err)
{
    const mb_graph *g = &s->net->g;

    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
            if (i > g->adj[e])
                continue;
            MB_TRY(put(s, before, err));
            MB_TRY(name(s, s->net->id[i], err));
            MB_TRY(put(s, between, err));
            MB_TRY(name(s, s->net->id[g->adj[e]], err));
            MB_TRY(put(s, behind, err));
        }
    return MB_OK;
}

static mb_status as_csv(sheet *s, mb_err *err)
{
    MB_TRY(put(s, "i,j\n", err));
    return put_links(s, "", csv_name, ",", "\n", err);
}

static mb_status as_dot(sheet *s, mb_err *err)
{
    MB_TRY(put(s, "graph meshbayes {\n", err));
    for (int32_t i = 0; i < s->net->g.n; i++) {
        MB_TRY(put(s, "  ", err));
        MB_TRY(dot_name(s, s->net->id[i], err));
        if (s->net->xy)
            MB_TRY(mb_file_printf(&s->f, err, " [pos=\"%.17g,%.17g!\"]", s->net->xy[2 * i],
                                  s->net->xy[2 * i + 1]));
        MB_TRY(put(s, ";\n", err));
    }
    MB_TRY(put_links(s, "  ", dot_name, " -- ", ";\n", err));
    return put(s, "}\n", err);
}

static mb_status as_graphml(sheet *s, mb_err *err)
{
    MB_TRY(put(s,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
               err));
    if (s->net->xy)
        MB_TRY(put(s,
                   "<key id=\"x\" for=\"node\" attr.name=\"x\" attr.type=\"double\"/>\n"
                   "<key id=\"y\" for=\"node\" attr.name=\"y\" attr.type=\"double\"/>\n",
                   err));
    MB_TRY(put(s, "<graph edgedefault=\"undirected\">\n", err));
    for (int32_t i = 0; i < s->net->g.n; i++) {
        MB_TRY(put(s, "<node id=\"", err));
        MB_TRY(xml_name(s, s->net->id[i], err));
        if (s->net->xy)
            MB_TRY(mb_file_printf(&s->f, err,
                                  "\"><data key=\"x\">%.17g</data><data key=\"y\">%.17g</data>"
                                  "</node>\n",
                                  s->net->xy[2 * i], s->net->xy[2 * i + 1]));
        else
            MB_TRY(put(s, "\"/>\n", err));
    }
    MB_TRY(put_links(s, "<edge source=\"", xml_name, "\" target=\"", "\"/>\n", err));
    return put(s, "</graph>\n</graphml>\n", err);
}

static mb_status positions(sheet *s, mb_err *err)
{
    MB_TRY(put(s, "node,x,y\n", err));
    for (int32_t i = 0; i < s->net->g.n; i++) {
        MB_TRY(csv_name(s, s->net->id[i], err));
        MB_TRY(
            mb_file_printf(&s->f, err, ",%.17g,%.17g\n", s->net->xy[2 * i], s->net->xy[2 * i + 1]));
    }
    return MB_OK;
}

static mb_status put_weight(sheet *s, int32_t i, int32_t j, double w, mb_err *err)
{
    MB_TRY(csv_name(s, s->net->id[i], err));
    MB_TRY(put(s, ",", err));
    MB_TRY(csv_name(s, s->net->id[j], err));
    return mb_file_printf(&s->f, err, ",%.17g\n", w);
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

static mb_status write_sheet(mb_arena *a, const mb_network *net, const char *path,
                             mb_status (*fill)(sheet *, mb_err *), mb_err *err)
{
    sheet     s = {.path = path, .net = net};
    mb_status st;

    MB_TRY(mb_file_open(a, path, &s.f, err));
    st = fill(&s, err);
    if (st >= 0)
        st = mb_file_commit(&s.f, err);
    mb_file_abort(&s.f);
    return st;
}

mb_status mb_network_write(mb_arena *a, const mb_network *net, const char *path, mb_err *err)
{
    const int dot = mb_path_ends(path, ".dot") || mb_path_ends(path, ".gv");

    return write_sheet(a, net, path,
                       dot                              ? as_dot
                       : mb_path_ends(path, ".graphml") ? as_graphml
                                                        : as_csv,
                       err);
}

mb_status mb_network_write_positions(mb_arena *a, const mb_network *net, const char *path,
                                     mb_err *err)
{
    return write_sheet(a, net, path, positions, err);
}

mb_status mb_network_write_weights(mb_arena *a, const mb_network *net, const char *path,
                                   mb_err *err)
{
    return write_sheet(a, net, path, weights, err);
}
