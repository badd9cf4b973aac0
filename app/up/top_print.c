/* top_print.c - the nodes' answers as a table and as JSON. */
#include "base/app.h"
#include "up/top.h"

#include <math.h>
#include <string.h>

enum {
    NAME = 16, /* characters of a name at most, and at least  */
    LEAST = 5,
    COLUMNS = 10, /* after it */
    WIDTHS = 64,  /* their characters without those between them */
    LINES = 3     /* messages below the table at most */
};
static const double ANSWER = 0.8; /* seconds */

static mb_status take(mb_arena *a, const ask *q, top_node *n, mb_err *err)
{
    const double now = app_now();

    MB_TRY(node_status_of(a, q, &n->newest, err));
    n->rate = (double)NAN;
    if (!n->newest.answered) {
        n->newest.message = n->where ? n->newest.message : "its node.json has no status";
        n->at = 0;
        return MB_OK;
    }
    if (n->at > 0 && now > n->at && n->newest.bytes_sent >= n->bytes)
        n->rate = (double)(n->newest.bytes_sent - n->bytes) / (now - n->at);
    n->at = now;
    n->bytes = n->newest.bytes_sent;
    return MB_OK;
}

mb_status top_look(mb_arena *a, top *t, mb_err *err)
{
    ask *all;

    MB_NEW(all, a, t->n + 1, err);
    for (int32_t i = 0; i < t->n; i++)
        all[i] = (ask){.where = t->node[i].where ? t->node[i].where : "unix:",
                       .path = "/status",
                       .token = t->node[i].token};
    MB_TRY(ask_all(a, all, t->n, ANSWER, err));
    for (int32_t i = 0; i < t->n; i++) {
        MB_TRY(take(a, &all[i], &t->node[i], err));
        if (!t->node[i].newest.answered && t->node[i].why)
            t->node[i].newest.message = t->node[i].why;
    }
    t->audits = (node_audits){.n = 0};
    for (int32_t i = 0; i < t->n; i++)
        MB_TRY(node_audits_add(a, &t->audits, &t->node[i].newest, err));
    t->audited = node_audits_text(a, &t->audits, err);
    return t->audited ? MB_OK : MB_E_NOMEM;
}

static const char *name_of(const top_node *n)
{
    return n->newest.answered ? n->newest.node : n->name;
}

/* Characters of the column of names, and blanks between columns, so that a line fits. */
typedef struct form {
    int name, gap;
} form;

static form form_of(const top *t)
{
    const int line = app_line();
    form      f = {.name = LEAST, .gap = 2};

    for (int32_t i = 0; i < t->n; i++) {
        const int n = (int)strlen(name_of(&t->node[i]));

        f.name = n > f.name ? n : f.name;
    }
    f.name = f.name > NAME ? NAME : f.name;
    if (f.name + WIDTHS + COLUMNS * f.gap >= line)
        f.gap = 1;
    if (f.name + WIDTHS + COLUMNS * f.gap >= line)
        f.name = line - 1 - WIDTHS - COLUMNS * f.gap;
    f.name = f.name < LEAST ? LEAST : f.name;
    return f;
}

/* A name of a node, which may be anyone's text, in a column of its own. */
static void put_name(const char *text, int room)
{
    int n, width = 0;

    while (*text && width < room) {
        const char *shown = app_visible(&text, &n);

        fwrite(shown, 1, (size_t)n, stdout);
        width++;
    }
    printf("%*s", room - width, "");
}

/* A number with this number of digits, as %g, %e or %f, and its unit. */
static void put(int gap, int width, char how, int digits, double x, const char *unit)
{
    char text[40] = "-";

    if (isfinite(x) && how == 'g')
        snprintf(text, sizeof text, "%.*g%s", digits, x, unit);
    else if (isfinite(x) && how == 'e')
        snprintf(text, sizeof text, "%.*e%s", digits, x, unit);
    else if (isfinite(x))
        snprintf(text, sizeof text, "%.*f%s", digits, x, unit);
    printf("%*s", gap + width, text);
}

static void put_bytes(int gap, double x)
{
    if (x >= 1e6)
        put(gap, 8, 'f', 1, 1e-6 * x, " MB");
    else if (x >= 1e3)
        put(gap, 8, 'f', 1, 1e-3 * x, " kB");
    else
        put(gap, 8, 'f', 0, x, " B");
}

static void put_node(const top_node *n, form f)
{
    const node_status *is = &n->newest;
    const double       oldest =
        is->oldest_ms < 0 ? (double)NAN : 1e-3 * (double)is->oldest_ms; /* seconds */
    char links[32];

    put_name(name_of(n), f.name);
    printf("%*s", f.gap, "");
    put_name(is->answered ? is->verdict : "down", 7);
    if (!is->answered)
        return;
    snprintf(links, sizeof links, "%d/%d", is->live, is->neighbours);
    put(f.gap, 7, 'f', 0, (double)is->tick, "");
    put(f.gap, 4, 'g', 4, is->n_nodes, "");
    put(f.gap, 8, 'e', 1, is->disagreement, "");
    put(f.gap, 9, 'g', 6, is->bound, "");
    put(f.gap, 5, 'f', 0, (double)is->rows, "");
    put_bytes(f.gap, n->rate);
    printf("%*s", f.gap + 5, links);
    put(f.gap, 6, 'f', oldest < 100 ? 1 : 0, oldest, " s");
    put(f.gap, 5, 'f', 0, 100 * is->loss, " %");
}

/* Lines below the table: why a node has failed or waits, and what is the matter with its neighbours. */
static int32_t lines_of(const node_status *is)
{
    int32_t n = is->message != NULL;

    for (int32_t k = 0; is->answered && k < is->deads; k++)
        n += is->dead[k].reason != NULL;
    return n;
}

static void tell_neighbour(const top_node *n, const node_dead *dead, const char *end)
{
    app_print_visible(name_of(n));
    fputs(": neighbour ", stdout);
    app_print_visible(dead->node ? dead->node : "");
    fputs(": ", stdout);
    app_print_visible(dead->reason);
    fputs(end, stdout);
}

static void tell_broken(const node_broken *b, const char *end)
{
    printf("member %d (", (int)b->id);
    app_print_visible(b->node ? b->node : "");
    printf(") fails the audits of %d node%s: ", (int)b->by, app_plural(b->by));
    app_print_visible(b->reason ? b->reason : "");
    fputs(end, stdout);
}

static void tell(const top *t, const char *end)
{
    int printed = 0;

    for (; printed < t->audits.broken_n && printed < LINES; printed++)
        tell_broken(&t->audits.broken[printed], end);
    for (int32_t i = 0; i < t->n && printed < LINES; i++)
        if (t->node[i].newest.message) {
            app_print_visible(name_of(&t->node[i]));
            fputs(": ", stdout);
            app_print_visible(t->node[i].newest.message);
            fputs(end, stdout);
            printed++;
        }
    for (int32_t i = 0; i < t->n; i++)
        for (int32_t k = 0; k < t->node[i].newest.deads && printed < LINES; k++)
            if (t->node[i].newest.dead[k].reason) {
                tell_neighbour(&t->node[i], &t->node[i].newest.dead[k], end);
                printed++;
            }
}

void top_print(const top *t, int lines, const char *end)
{
    static const struct {
        const char *name;
        int         width;
    } column[COLUMNS] = {{"verdict", -7}, {"tick", 7}, {"N", 4},       {"disagree", 8},
                         {"bound", 9},    {"rows", 5}, {"bytes/s", 8}, {"links", 5},
                         {"oldest", 6},   {"loss", 5}};
    const form f = form_of(t);
    int32_t    settled = 0, down = 0, printed = t->audits.broken_n;
    int        all;

    for (int32_t i = 0; i < t->n; i++) {
        settled += t->node[i].newest.answered && !strcmp(t->node[i].newest.verdict, "settled");
        down += !t->node[i].newest.answered;
        printed += lines_of(&t->node[i].newest);
    }
    lines -= printed < LINES ? printed : LINES;
    all = t->n + 2 <= lines;
    printf("%d nodes, %d settled, %d down; ", t->n, settled, down);
    app_print_visible(t->audited);
    fputs(end, stdout);
    printf("%-*s", f.name, "node");
    for (int k = 0; k < COLUMNS; k++)
        printf("%*s%*s", f.gap, "", column[k].width, column[k].name);
    printf("%s", end);
    for (int32_t i = 0; i < t->n && (all || i < lines - 3); i++) {
        put_node(&t->node[i], f);
        fputs(end, stdout);
    }
    if (!all)
        printf("and %d more%s", t->n - (lines - 3), end);
    tell(t, end);
}

static void put_dead(const node_status *is, mb_json_out *j)
{
    mb_json_list(j, "dead");
    for (int32_t k = 0; k < is->deads; k++) {
        mb_json_object(j, NULL);
        mb_json_text(j, "node", is->dead[k].node);
        mb_json_text(j, "state", is->dead[k].state);
        mb_json_text(j, "reason", is->dead[k].reason);
        mb_json_close(j);
    }
    mb_json_close(j);
}

static void put_json(const top_node *n, mb_json_out *j)
{
    const node_status *is = &n->newest;
    const node_audits  one = {.on = is->audit && !strcmp(is->audit, "on"),
                              .state = is->audit,
                              .members = is->members,
                              .judged = is->judged,
                              .broken_n = is->broken_n,
                              .broken = is->broken};

    mb_json_object(j, NULL);
    mb_json_text(j, "node", name_of(n));
    mb_json_text(j, "address", n->where);
    mb_json_text(j, "verdict", is->answered ? is->verdict : "down");
    mb_json_text(j, "message", is->message);
    if (is->answered) {
        mb_json_integer(j, "tick", is->tick);
        mb_json_number(j, "n_nodes", is->n_nodes);
        mb_json_number(j, "disagreement", is->disagreement);
        mb_json_number(j, "bound", is->bound);
        mb_json_integer(j, "rows", is->rows);
        mb_json_integer(j, "bytes_sent", is->bytes_sent);
        mb_json_integer(j, "neighbours", is->neighbours);
        mb_json_integer(j, "live", is->live);
        if (is->oldest_ms < 0)
            mb_json_null(j, "oldest_ms");
        else
            mb_json_integer(j, "oldest_ms", is->oldest_ms);
        mb_json_number(j, "loss", is->loss);
        put_dead(is, j);
        if (is->audit)
            node_audits_json(&one, "audit", j);
    }
    mb_json_close(j);
}

void top_json(const top *t, mb_json_out *j)
{
    mb_json_list(j, NULL);
    for (int32_t i = 0; i < t->n; i++)
        put_json(&t->node[i], j);
    mb_json_close(j);
}
