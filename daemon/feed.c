/* feed.c - rows of a node from files, standard input and texts. */
#define _XOPEN_SOURCE 700
#include "feed.h"

#include "app.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16 /* bytes read at a time, and of the longest line */ };

/* A file that is read once. */
static mb_status read_all(feed *f, node_config *c, mb_err *err)
{
    const int   gaps = mb_plan_gaps(&c->plan);
    mb_data_opt how = {.weight_column = c->weight_column,
                       .group_column = c->group_column,
                       .missing = gaps ? MB_MISSING_KEEP : MB_MISSING_ERROR};
    mb_data    *all;

    MB_NEW(all, f->a, 1, err);
    if (c->plan.kinds && !mb_path_ends(c->data, ".npy")) {
        how.column = mb_columns_declaration(f->a, c->plan.kinds, c->plan.column, err);
        how.recognise = 1;
        if (!how.column)
            return MB_E_NOMEM;
    }
    if (c->plan.column && !mb_path_ends(c->data, ".npy"))
        MB_TRY(app_read_columns(f->a, c->data, &how, c->plan.columns, c->plan.column,
                                c->genesis ? c->genesis : c->file, all, err));
    else
        MB_TRY(mb_data_read(f->a, c->data, &how, all, err));
    if (!c->plan.column) {
        c->plan.column = all->name;
        c->plan.columns = all->d;
    }
    if (all->d != c->plan.columns)
        MB_FAIL(err, MB_E_FORMAT, "%s: got %d columns; expected %d", c->data, (int)all->d,
                (int)c->plan.columns);
    f->all = all;
    f->data = all->hash;
    return MB_OK;
}

mb_status feed_open(mb_arena *a, node_config *c, node_log *log, feed *f, mb_err *err)
{
    *f = (feed){.c = c, .log = log, .a = a, .fd = -1};
    if (c->data && !c->follow && strcmp(c->data, "-") != 0)
        return read_all(f, c, err);
    if (!c->plan.column)
        MB_FAIL(
            err, MB_E_FORMAT,
            "%s: field \"model.columns\" is missing; expected the names of the columns, because "
            "no data file tells them",
            c->file);
    if (!c->data)
        return MB_OK;
    f->room = PIECE;
    MB_NEW(f->held, a, f->room + 1, err);
    f->fd = c->follow ? open(c->data, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (f->fd < 0)
        MB_FAIL(err, MB_E_IO, "%s: cannot be read: %s", c->data, strerror(errno));
    if (!c->follow)
        fcntl(f->fd, F_SETFL, fcntl(f->fd, F_GETFL) | O_NONBLOCK);
    return MB_OK;
}

void feed_close(feed *f)
{
    if (f->fd > STDIN_FILENO)
        close(f->fd);
    f->fd = -1;
}

mb_status feed_rows(feed *f, int64_t now, const mb_rows *rows, mb_err *err)
{
    if (!rows->n)
        return MB_OK;
    if (f->c->group_column && !rows->first)
        MB_FAIL(err, MB_E_NOSUP, "rows in groups come from \"data\" alone");
    MB_TRY(mb_peer_append(f->peer, now, rows, NULL, err));
    f->took(f->self, now, rows);
    return MB_OK;
}

/* A column of a table of texts, of this kind, one number each `ld`. */
static mb_status of_kind(const mb_csv *csv, const char *name, const mb_column *kind, size_t ld,
                         double *x, mb_err *err)
{
    const int32_t at = mb_csv_find(csv, name);

    if (at < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\"", csv->file, name);
    for (int64_t i = 0; i < csv->rows; i++, x += ld)
        MB_TRY(mb_csv_cell(csv, i, at, kind, x, err));
    return MB_OK;
}

/* A column of a table of texts as numbers from `least` to `most`, one each `ld`. */
static mb_status column(const mb_csv *csv, const char *name, double least, double most, size_t ld,
                        double *x, mb_err *err)
{
    const int32_t at = mb_csv_find(csv, name);

    if (at < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\"", csv->file, name);
    for (int64_t i = 0; i < csv->rows; i++, x += ld) {
        MB_TRY(mb_csv_bounded(csv, i, at, most, x, err));
        if (*x < least)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%s\": got %g; expected 0 or more",
                    csv->file, (long long)csv->line[i], name, *x);
    }
    return MB_OK;
}

/* The columns of the plan, and the weights, in a table of texts. */
static mb_status numbers(const feed *f, mb_arena *a, const mb_csv *csv, mb_rows *out, mb_err *err)
{
    const mb_plan *plan = &f->c->plan;
    const size_t   D = (size_t)plan->columns;
    double        *x, *w = NULL;

    MB_NEW(x, a, (size_t)csv->rows * D + 1, err);
    for (size_t d = 0; d < D; d++)
        if (plan->kinds)
            MB_TRY(of_kind(csv, plan->column[d], &plan->kinds->of[d], D, x + d, err));
        else
            MB_TRY(column(csv, plan->column[d], -MB_VALUE_MAX, MB_VALUE_MAX, D, x + d, err));
    if (f->c->weight_column) {
        MB_NEW(w, a, csv->rows + 1, err);
        MB_TRY(column(csv, f->c->weight_column, 0, MB_WEIGHT_MAX, 1, w, err));
    }
    *out = (mb_rows){.x = x, .w = w, .n = csv->rows, .d = plan->columns, .ld = D};
    return MB_OK;
}

/* file: for messages. */
static mb_status take_text(feed *f, mb_arena *a, const char *file, int64_t now, char *text,
                           size_t n, int64_t *rows, mb_err *err)
{
    mb_csv  csv;
    mb_rows got;

    MB_TRY(mb_csv_parse(a, file, text, n, &csv, err));
    MB_TRY(numbers(f, a, &csv, &got, err));
    MB_TRY(feed_rows(f, now, &got, err));
    *rows = csv.rows;
    return MB_OK;
}

/* head and text joined, in an arena of their own. */
static mb_status join(feed *f, int64_t now, const char *head, size_t nhead, const char *text,
                      size_t n, int64_t *rows, mb_err *err)
{
    mb_arena *a = mb_arena_new(nhead + n + 4096);
    char     *copy = a ? mb_alloc(a, nhead + n + 1, 1) : NULL;
    mb_status st;

    *rows = 0;
    if (!copy) {
        mb_arena_free(a);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for rows");
    }
    if (nhead)
        memcpy(copy, head, nhead);
    memcpy(copy + nhead, text, n);
    st = take_text(f, a, nhead ? f->c->data : "POST /rows", now, copy, nhead + n, rows, err);
    mb_arena_free(a);
    return st;
}

mb_status feed_text(feed *f, int64_t now, const char *text, size_t n, int64_t *rows, mb_err *err)
{
    return join(f, now, NULL, 0, text, n, rows, err);
}

/* Whole lines: all at once, or where that fails each by itself. */
static mb_status take_lines(feed *f, int64_t now, const char *text, size_t n)
{
    int64_t   rows;
    mb_err    why = {.msg = ""};
    mb_status st = join(f, now, f->header, f->header_len, text, n, &rows, &why);

    f->rows += rows;
    if (st >= 0)
        return st;
    for (size_t at = 0; at < n;) {
        const char  *end = memchr(text + at, '\n', n - at);
        const size_t len = end ? (size_t)(end - text) - at + 1 : n - at;
        char         quoted[200];

        if (len > 1 && join(f, now, f->header, f->header_len, text + at, len, &rows, &why) < 0)
            node_say(f->log, LOG_ROWS, "refused=1 reason=\"%s\"",
                     log_value(why.msg, quoted, sizeof quoted));
        else if (len > 1)
            f->rows += rows;
        at += len;
    }
    return st == MB_E_NOMEM ? st : MB_OK;
}

/* The first line has the names. */
static mb_status take_header(feed *f, size_t *used, mb_err *err)
{
    const char *end = memchr(f->held, '\n', f->n);

    *used = 0;
    if (f->header || !end)
        return MB_OK;
    *used = f->header_len = (size_t)(end - f->held) + 1;
    MB_NEW(f->header, f->a, f->header_len + 1, err);
    memcpy(f->header, f->held, f->header_len);
    f->at += (int64_t)f->header_len;
    return MB_OK;
}

/* The whole lines of what is held; all: the last one without an end, too. */
static mb_status take_held(feed *f, int64_t now, int all, mb_err *err)
{
    size_t used, n;

    MB_TRY(take_header(f, &used, err));
    for (n = f->n; n > used && f->held[n - 1] != '\n' && !all;)
        n--;
    if (n > used && f->header) {
        MB_TRY(take_lines(f, now, f->held + used, n - used));
        f->at += (int64_t)(n - used);
    } else {
        n = used;
    }
    memmove(f->held, f->held + n, f->n - n);
    f->n -= n;
    if (f->n == f->room) {
        node_say(f->log, LOG_ROWS, "refused=1 reason=\"a line of more than %d bytes\"", PIECE);
        f->at += (int64_t)f->n;
        f->n = 0;
    }
    return MB_OK;
}

/* A file that has become shorter was replaced: it is read from its beginning. */
static void check_replaced(feed *f)
{
    struct stat is, open_one;

    if (!f->c->follow || stat(f->c->data, &is) || fstat(f->fd, &open_one))
        return;
    if (is.st_ino == open_one.st_ino && is.st_dev == open_one.st_dev &&
        is.st_size >= f->at + (int64_t)f->n)
        return;
    close(f->fd);
    f->fd = open(f->c->data, O_RDONLY | O_CLOEXEC);
    f->at = 0;
    f->n = f->header_len = 0;
    f->header = NULL;
    node_say(f->log, LOG_ROWS, "file=replaced");
}

mb_status feed_more(feed *f, int64_t now, mb_err *err)
{
    ssize_t got = 1;

    if (!f->held || f->ended)
        return MB_OK;
    check_replaced(f);
    while (got > 0 && f->fd >= 0) {
        const off_t from = (off_t)(f->at + (int64_t)f->n);

        got = f->c->follow ? pread(f->fd, f->held + f->n, f->room - f->n, from)
                           : read(f->fd, f->held + f->n, f->room - f->n);
        if (got <= 0)
            break;
        f->n += (size_t)got;
        MB_TRY(take_held(f, now, 0, err));
    }
    if (got == 0 && !f->c->follow) {
        f->ended = 1;
        return take_held(f, now, 1, err);
    }
    return MB_OK;
}

/* The names of a file of which a part was read in an earlier life. */
static mb_status header_again(feed *f, mb_err *err)
{
    const int64_t at = f->at;
    size_t        used;
    ssize_t       got = pread(f->fd, f->held, f->room, 0);

    f->n = got > 0 ? (size_t)got : 0;
    f->at = 0;
    MB_TRY(take_header(f, &used, err));
    f->n = 0;
    f->at = f->header ? at : 0;
    return MB_OK;
}

/* The groups of the rows that are left; those of an earlier life were whole. */
static mb_status groups_left(const feed *f, mb_rows *rows, mb_err *err)
{
    const mb_data *all = f->all;
    int32_t        g = 0;
    int64_t       *first;

    while (all->group[g] < f->rows)
        g++;
    if (all->group[g] > f->rows)
        MB_FAIL(err, MB_E_FORMAT, "%s: the group of row %lld has grown; expected new groups only",
                f->c->data, (long long)f->rows + 1);
    rows->ngroup = all->ngroup - g;
    MB_NEW(first, f->a, (size_t)rows->ngroup + 1, err);
    for (int32_t i = 0; i <= rows->ngroup; i++)
        first[i] = all->group[g + i] - f->rows;
    rows->first = first;
    return MB_OK;
}

mb_status feed_begin(feed *f, mb_peer *peer, int64_t now, mb_err *err)
{
    mb_rows rows;

    f->peer = peer;
    if (f->all && f->rows < f->all->n) {
        rows = (mb_rows){.x = f->all->x + f->rows * f->all->d,
                         .w = f->all->w ? f->all->w + f->rows : NULL,
                         .n = f->all->n - f->rows,
                         .d = f->all->d,
                         .ld = (size_t)f->all->d,
                         .gaps = f->all->gaps > 0};
        if (f->all->group)
            MB_TRY(groups_left(f, &rows, err));
        MB_TRY(feed_rows(f, now, &rows, err));
        f->rows = f->all->n;
    }
    if (f->c->follow && f->at > 0)
        MB_TRY(header_again(f, err));
    return feed_more(f, now, err);
}
