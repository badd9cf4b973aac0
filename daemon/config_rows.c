/* config_rows.c - the rows of a configuration: where they come from, their weights, their window. */
#include "config_inside.h"

#include <string.h>

static void get_window(mb_json_in *j, const mb_json *o, node_config *c)
{
    static const char *const known[] = {"rows", "seconds", NULL};
    const mb_json           *w = mb_json_at(o, "window");

    if (w->type == MB_JSON_NONE)
        return;
    if (w->type != MB_JSON_OBJECT || w->n != 1) {
        mb_json_refuse(j, "window", "", "{\"rows\": N} or {\"seconds\": T}");
        return;
    }
    j->where = "window.";
    mb_json_only(j, w, known);
    c->window_rows = node_count_of(j, w, "rows", 1, 1000000000, 0);
    c->window_ms = (int64_t)(1e3 * node_real_of(j, w, "seconds", 1e-3, 1e9, 0) + .5);
    j->where = "";
}

mb_status node_rows_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c)
{
    MB_TRY(node_path_of(a, j, o, "data", c, &c->data));
    c->follow = node_flag_of(j, o, "follow");
    if (c->follow && (!c->data || !strcmp(c->data, "-")))
        mb_json_refuse(j, "follow", "", "\"data\" to be a CSV file that grows");
    c->weight_column = mb_json_get_text(j, o, "weight_column");
    if (c->weight_column && !*c->weight_column)
        mb_json_refuse(j, "weight_column", "", "the name of a column");
    c->group_column = mb_json_get_text(j, o, "group_column");
    if (c->group_column && !*c->group_column)
        mb_json_refuse(j, "group_column", "", "the name of a column");
    if (c->group_column && c->data && (c->follow || !strcmp(c->data, "-")))
        mb_json_refuse(j, "group_column", "", "\"data\" to be a file that is read once");
    get_window(j, o, c);
    if (c->group_column && (c->window_rows || c->window_ms))
        mb_json_refuse(j, "window", "", "none, because it would cut groups of rows");
    c->rows_max = node_count_of(j, o, "rows_max", 1, 1000000000, c->window_rows);
    if (c->window_rows && c->rows_max < c->window_rows)
        mb_json_refuse(j, "rows_max", "", "at least window.rows");
    return j->status;
}
