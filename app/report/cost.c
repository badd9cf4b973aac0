/* cost.c - what the network sent, against moving all rows to one node. */
#include "network/graph.h"
#include "report/answer.h"

#include <math.h>
#include <string.h>

enum {
    CANDIDATES = 1000 /* nodes tried as the one to which rows are moved */,
    REAL = 8 /* bytes */
};

/* The links of the report as a graph. */
static mb_status links(report *r, mb_graph *g, mb_err *err)
{
    int32_t *ends;
    int64_t  n = 0;

    MB_NEW(ends, r->page.a, 2 * r->nlink + 1, err);
    for (int64_t e = 0; e < r->nlink; e++) {
        ends[2 * n] = (int32_t)(r->link[e].end[0] - r->node);
        ends[2 * n + 1] = (int32_t)(r->link[e].end[1] - r->node);
        n += ends[2 * n] != ends[2 * n + 1]; /* no message goes from a node to itself */
    }
    return mb_graph_from_edges(r->page.a, (int32_t)r->nnode, n, ends, g, err);
}

/* Sum of rows times hops to the root along a breadth-first tree; infinite if a node with rows is
 * not reached. hops, queue: n. */
static double carry(const mb_graph *g, const double *rows, int32_t root, int32_t *hops,
                    int32_t *queue)
{
    double sum = 0;

    for (int32_t i = 0; i < g->n; i++)
        hops[i] = -1;
    mb_graph_search(g, root, hops, queue);
    for (int32_t i = 0; i < g->n; i++) {
        if (hops[i] < 0 && rows[i] > 0)
            return PAGE_INF;
        sum += rows[i] * fmax(0, hops[i]);
    }
    return sum;
}

/* The rows of each node, as one of the distributed algorithms had them. */
static mb_status load_rows(report *r, double *rows, mb_err *err)
{
    typedef struct line {
        report_algo *algo;
        const char  *id;
        double       rows;
    } line;
    static const report_column column[] = {{"algorithm", REPORT_ALGO, offsetof(line, algo), 0},
                                           {"node", REPORT_TEXT, offsetof(line, id), 0},
                                           {"rows", REPORT_MEASURED, offsetof(line, rows), 0}};
    report_records             t;

    MB_TRY(report_read(r, "nodes.csv", column, 3, sizeof(line), &t, err));
    const line *l = t.record;

    for (int64_t j = 0; j < t.csv.rows; j++)
        for (int64_t lo = 0, hi = r->nnode; !l[j].algo->central && lo < hi;) {
            const int64_t mid = (lo + hi) / 2;
            const int     side = strcmp(l[j].id, r->by_id[mid]->id);

            if (!side)
                rows[r->by_id[mid] - r->node] = fmax(0, l[j].rows);
            lo = side > 0 ? mid + 1 : lo;
            hi = side > 0 ? hi : mid;
        }
    return MB_OK;
}

mb_status report_load_move(report *r, mb_err *err)
{
    const int64_t step = (r->nnode + CANDIDATES - 1) / CANDIDATES;
    mb_graph      g;
    int32_t      *hops, *queue;
    double       *rows;

    r->row_hops = PAGE_NAN;
    if (r->alone || r->nnode < 2)
        return MB_OK;
    MB_NEW(rows, r->page.a, r->nnode, err);
    MB_TRY(load_rows(r, rows, err));
    MB_TRY(links(r, &g, err));
    MB_NEW(hops, r->page.a, r->nnode, err);
    MB_NEW(queue, r->page.a, r->nnode, err);
    for (int64_t i = 0; i < r->nnode; i++)
        r->carried += rows[i];
    for (int64_t i = 0; i < r->nnode; i += step) {
        const double sum = carry(&g, rows, (int32_t)i, hops, queue);

        if (isfinite(sum) && !(r->row_hops <= sum)) {
            r->row_hops = sum;
            r->hub = r->node[i].id;
        }
    }
    return MB_OK;
}

/* Numbers of a row: the inputs, and the targets of a kind that has them. */
static double numbers_of_row(const report *r)
{
    const mb_json *data = mb_json_at(r->summary, "data");
    const char    *model = mb_json_at(r->summary, "model")->text;
    const mb_kind *kind = model ? mb_kind_find(model) : NULL;
    const int64_t  several = r->answer ? r->answer->targets : 0;

    return (double)mb_json_at(data, "features")->n +
           (double)(several > 1 ? several : kind && kind->targets);
}

static double sent_by(const report_algo *a)
{
    return (double)a->bytes + (double)(a->start_bytes > 0 ? a->start_bytes : 0);
}

static void line(FILE *out, const report *r, const report_algo *a, double moving)
{
    const double sent = sent_by(a);
    const double each = r->carried / (double)r->nnode;

    fprintf(out,
            "<tr><th scope=\"row\"><span class=\"dot\" style=\"--c:%s\"></span>%s</th>"
            "<td>%s</td><td>%s</td><td>%s</td><td>%s</td>",
            a->colour, a->label, page_bytes((int64_t)sent).s, page_bytes(a->start_bytes).s,
            page_bytes((int64_t)(sent / (double)r->nnode)).s, page_count(a->frames).s);
    if (moving > 0)
        fprintf(out, "<td>%s</td><td>%s</td>", page_num(sent / moving, 3).s,
                page_count((int64_t)ceil(each * sent / moving)).s);
    fprintf(out, "<td>%s</td></tr>\n", page_num(a->seconds, 3).s);
}

static int sends(const report_algo *a)
{
    return !a->central && !a->failed && a->bytes > 0;
}

/* The one that sent the fewest bytes of those that settled, or of all. */
static const report_algo *cheapest(const report *r)
{
    const report_algo *best = NULL;
    int                rests = 0;

    for (const report_algo *a = r->algo; a < r->algo + r->nalgo; a++) {
        const int settled = a->verdict && !strcmp(a->verdict, "settled");

        if (!sends(a) || settled < rests ||
            (best && settled == rests && sent_by(best) <= sent_by(a)))
            continue;
        best = a;
        rests = settled;
    }
    return best;
}

static void explain(FILE *out, const report *r, double moving)
{
    const report_algo *a = cheapest(r);

    if (!(moving > 0)) {
        fputs("<p>All bytes that nodes sent over all links, headers included.</p>\n", out);
        return;
    }
    fprintf(out,
            "<p>The network sent <b>%s</b> (%s); moving all rows to one place costs <b>%s</b>: "
            "%.0f rows of %.0f numbers of 8 bytes, over %.2f hops each of a tree on average, to "
            "node ",
            page_bytes((int64_t)sent_by(a)).s, a->label, page_bytes((int64_t)moving).s, r->carried,
            numbers_of_row(r), r->row_hops / r->carried);
    page_wrap(out, "<b>", r->hub ? r->hub : "", "</b>, the best for this");
    if (r->nnode > CANDIDATES)
        fprintf(out, " of %d that were tried", CANDIDATES);
    fputs(". An algorithm of the network sends about as much however many rows a node holds: with "
          "more rows a node than the last but one column says, it sends less than moving them "
          "would.</p>\n",
          out);
}

int report_sends(const report *r)
{
    for (const report_algo *a = r->algo; a < r->algo + r->nalgo; a++)
        if (sends(a))
            return 1;
    return 0;
}

void report_cost(FILE *out, const report *r)
{
    const double moving = r->row_hops * REAL * numbers_of_row(r);

    if (!report_sends(r))
        return;
    fputs("<section id=\"cost\"><h2>What it cost</h2>\n", out);
    explain(out, r, moving);
    fputs(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"text\">algorithm</th>"
        "<th scope=\"col\">bytes sent by all</th><th scope=\"col\">of them to initialise</th>"
        "<th scope=\"col\">bytes a node</th><th scope=\"col\">messages</th>",
        out);
    if (moving > 0)
        fputs("<th scope=\"col\">times the bytes of moving rows</th>"
              "<th scope=\"col\">sends less from .. rows a node</th>",
              out);
    fputs("<th scope=\"col\">seconds</th></tr></thead>\n<tbody>\n", out);
    for (const report_algo *a = r->algo; a < r->algo + r->nalgo; a++)
        if (sends(a))
            line(out, r, a, moving);
    fputs("</tbody></table></div>\n</section>\n", out);
}
