/* schedule.c - a schedule of events, from CSV: time,event,a,b. */
#include "virtual/virtual.h"

#include "data/parse.h"
#include "network/csr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is read: the file, the names, the row and its event. */
typedef struct reading {
    mb_arena          *a;
    const mb_csv      *csv;
    int32_t            n;    /* nodes */
    const char *const *name; /* of them, or NULL */
    int32_t            col[4];
    int64_t            row;
} reading;
enum { TIME, EVENT, A, B };
static const char *const column[4] = {"time", "event", "a", "b"};

static const char *cell(const reading *r, int which)
{
    return r->csv->cell[r->row * r->csv->cols + r->col[which]];
}

/* `FILE:LINE: column "a": got "x"; expected ..`. */
static mb_status refuse(const reading *r, int which, const char *expected, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%s\": got \"%.60s\"; expected %s", r->csv->file,
            (long long)r->csv->line[r->row], column[which], cell(r, which), expected);
}

static mb_status take_kind(const reading *r, mb_event *e, mb_err *err)
{
    char list[200] = "";

    for (int k = 0; k < MB_EVENT_FAILED; k++)
        if (!strcmp(cell(r, EVENT), mb_event_text((mb_event_kind)k))) {
            e->kind = (mb_event_kind)k;
            return MB_OK;
        }
    for (int k = 0; k < MB_EVENT_FAILED; k++)
        mb_list_add_(list, sizeof list, mb_event_text((mb_event_kind)k));
    return refuse(r, EVENT, list, err);
}

/* The node of a name; -1: there is none. */
static int32_t find(const reading *r, const char *name)
{
    int64_t number;

    if (!r->name)
        return mb_parse_integer_(name, &number) == 0 && number >= 1 && number <= r->n
                   ? (int32_t)number - 1
                   : -1;
    for (int32_t i = 0; i < r->n; i++)
        if (!strcmp(r->name[i], name))
            return i;
    return -1;
}

static mb_status take_node(const reading *r, int which, int32_t *out, mb_err *err)
{
    *out = find(r, cell(r, which));
    return *out < 0 ? refuse(r, which, "the name of a node", err) : MB_OK;
}

/* Names with blanks between. */
static mb_status take_set(const reading *r, mb_event *e, mb_err *err)
{
    const char *at = cell(r, A);
    size_t      n = strlen(at);
    int32_t    *set;
    char       *name;

    MB_NEW(set, r->a, n / 2 + 1, err);
    MB_NEW(name, r->a, n + 1, err);
    for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
        const size_t len = strcspn(at, " ");

        memcpy(name, at, len);
        name[len] = 0;
        set[e->nset] = find(r, name);
        if (set[e->nset++] < 0)
            return refuse(r, A, "names of nodes with blanks between", err);
        at += len;
    }
    e->set = set;
    return e->nset ? MB_OK : refuse(r, A, "names of nodes with blanks between", err);
}

static mb_status take_number(const reading *r, int which, double *out, mb_err *err)
{
    if (mb_parse_double(cell(r, which), out) || !isfinite(*out))
        return refuse(r, which, which == TIME ? "seconds, 0 to 1e9" : "a number", err);
    return MB_OK;
}

static mb_status empty(const reading *r, int which, mb_err *err)
{
    return *cell(r, which) ? refuse(r, which, "nothing for this event", err) : MB_OK;
}

/* a and b as the kind reads them. */
static mb_status take_arguments(const reading *r, mb_event *e, mb_err *err)
{
    if (e->kind == MB_EVENT_REJOIN)
        MB_TRY(empty(r, A, err));
    else if (e->kind == MB_EVENT_PARTITION)
        MB_TRY(take_set(r, e, err));
    else
        MB_TRY(take_node(r, A, &e->a, err));
    switch (e->kind) {
    case MB_EVENT_CUT:
    case MB_EVENT_HEAL:
    case MB_EVENT_ONEWAY:
        return take_node(r, B, &e->b, err);
    case MB_EVENT_PAUSE:
        return *cell(r, B) ? take_number(r, B, &e->x, err) : MB_OK;
    case MB_EVENT_CLOCK:
    case MB_EVENT_DRIFT:
    case MB_EVENT_DISKFULL:
        return take_number(r, B, &e->x, err);
    case MB_EVENT_ROWS:
        e->file = cell(r, B);
        return *e->file ? MB_OK : refuse(r, B, "the name of a file", err);
    default:
        return empty(r, B, err);
    }
}

static mb_status take_row(const reading *r, mb_event *e, mb_err *err)
{
    double seconds;

    e->line = r->csv->line[r->row];
    MB_TRY(take_number(r, TIME, &seconds, err));
    if (seconds < 0 || seconds > 1e9)
        return refuse(r, TIME, "seconds, 0 to 1e9", err);
    e->at_us = llround(seconds * 1e6);
    MB_TRY(take_kind(r, e, err));
    MB_TRY(take_arguments(r, e, err));
    if (e->kind == MB_EVENT_PAUSE && *cell(r, B) && !(e->x > 0))
        return refuse(r, B, "seconds above 0, or nothing", err);
    return MB_OK;
}

static mb_status take(mb_arena *a, const mb_csv *csv, const mb_graph *g, const char *const *name,
                      mb_schedule *out, mb_err *err)
{
    reading r = {.a = a, .csv = csv, .n = g->n, .name = name};

    *out = (mb_schedule){.file = csv->file};
    for (int k = 0; k < 4; k++)
        MB_TRY(mb_csv_need_(csv, MB_E_FORMAT, "column of a schedule", column[k], &r.col[k], err));
    MB_NEW(out->event, a, csv->rows + 1, err);
    for (; r.row < csv->rows; r.row++)
        MB_TRY(take_row(&r, &out->event[out->n++], err));
    return mb_schedule_check(a, out, g, name, err);
}

mb_status mb_schedule_parse(mb_arena *a, const char *file, char *bytes, size_t n, const mb_graph *g,
                            const char *const *name, mb_schedule *out, mb_err *err)
{
    mb_csv csv;

    MB_TRY(mb_csv_parse(a, file, bytes, n, &csv, err));
    return take(a, &csv, g, name, out, err);
}

mb_status mb_schedule_read(mb_arena *a, const char *file, const mb_graph *g,
                           const char *const *name, mb_schedule *out, mb_err *err)
{
    mb_csv csv;

    MB_TRY(mb_csv_read(a, file, &csv, err));
    return take(a, &csv, g, name, out, err);
}
