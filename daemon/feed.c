/* feed.c - rows of a node from files, standard input and texts. */
#include "feed.h"
#include "base/columns.h"
#include "data/data.h"
#include "mesh/genesis.h"

#include <stdio.h>
#include <string.h>

csv_want feed_columns(const node_config *c)
{
    const mb_plan *plan = &c->plan;

    return (csv_want){.columns = c->design ? c->sources : plan->columns,
                      .name = c->design ? c->source : plan->column,
                      .kinds = c->design ? c->source_kinds : plan->kinds,
                      .weight = c->weight_column,
                      .gaps = mb_plan_gaps(plan),
                      .design = c->design,
                      .made = plan->kinds};
}

/* What the design of the genesis makes of the rows of a file. */
static mb_status lay(feed *f, const node_config *c, mb_data *all, mb_err *err)
{
    const csv_want want = feed_columns(c);
    mb_rows        rows = {.x = all->x, .n = all->n, .d = all->d, .ld = (size_t)all->d};
    mb_err         why = {.msg = ""};

    if (!c->design)
        return MB_OK;
    if (design_rows(f->a, &want, &rows, &why) < 0)
        MB_FAIL(err, why.code, "%s: %.300s", c->data, why.msg);
    all->x = (double *)(uintptr_t)rows.x;
    all->d = rows.d;
    all->gaps = 0;
    return MB_OK;
}

/* A file that is read once. */
static mb_status read_all(feed *f, node_config *c, mb_err *err)
{
    const csv_want want = feed_columns(c);
    const int      gaps = want.gaps && !c->design;
    mb_data_opt    how = {.weight_column = c->weight_column,
                          .group_column = c->group_column,
                          .missing = gaps ? MB_MISSING_KEEP : MB_MISSING_ERROR};
    mb_data       *all;

    MB_NEW(all, f->a, 1, err);
    if (want.kinds && !mb_path_ends(c->data, ".npy")) {
        how.column = mb_columns_declaration(f->a, want.kinds, want.name, err);
        how.recognise = 1;
        how.coded = c->design != NULL;
        if (!how.column)
            return MB_E_NOMEM;
    }
    if (want.name && !mb_path_ends(c->data, ".npy"))
        MB_TRY(app_read_columns(f->a, c->data, &how, want.columns, want.name,
                                c->genesis ? c->genesis : c->file, all, err));
    else
        MB_TRY(mb_data_read(f->a, c->data, &how, all, err));
    if (!c->plan.column) {
        c->plan.column = all->name;
        c->plan.columns = all->d;
    }
    if (all->d != (c->design ? c->sources : c->plan.columns))
        MB_FAIL(err, MB_E_FORMAT, "%s: got %d columns; expected %d", c->data, (int)all->d,
                (int)(c->design ? c->sources : c->plan.columns));
    MB_TRY(lay(f, c, all, err));
    f->all = all;
    f->data = all->hash;
    return MB_OK;
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

mb_status feed_post(feed *f, int64_t now, uint64_t key, const mb_rows *rows, mb_err *err)
{
    mb_status st;

    if (f->c->plan.mask && f->c->follow)
        MB_FAIL(err, MB_E_NOSUP,
                "rows: with masks those of a node come from one place, so that their order lasts; "
                "expected them in %s",
                f->c->data);
    if (!f->posted || !rows->n)
        return feed_rows(f, now, rows, err);
    MB_TRY(posted_add(f->posted, now, key, rows, err));
    st = feed_rows(f, now, rows, err);
    if (st < 0)
        posted_undo(f->posted);
    return st;
}

/* The rows of a text, in the arena. */
static mb_status read_text(feed *f, mb_arena *a, const char *file, char *text, size_t n,
                           mb_rows *out, mb_err *err)
{
    const csv_want want = feed_columns(f->c);
    mb_csv         csv;

    MB_TRY(mb_csv_parse(a, file, text, n, &csv, err));
    return csv_rows(a, &csv, &want, out, err);
}

mb_status feed_text(feed *f, int64_t now, uint64_t key, const char *text, size_t n, int64_t *rows,
                    mb_err *err)
{
    mb_arena *a = mb_arena_new(n + 4096);
    char     *copy = a ? mb_alloc(a, n + 1, 1) : NULL;
    mb_rows   got;
    mb_status st;

    *rows = 0;
    if (!copy) {
        mb_arena_free(a);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for rows");
    }
    memcpy(copy, text, n);
    st = read_text(f, a, "POST /rows", copy, n, &got, err);
    if (st >= 0)
        st = feed_post(f, now, key, &got, err);
    *rows = st >= 0 ? got.n : 0;
    mb_arena_free(a);
    return st;
}

static mb_status take_lines(void *self, mb_arena *scratch_arena, char *text, size_t n, mb_err *err)
{
    feed   *f = self;
    mb_rows got;

    MB_TRY(read_text(f, scratch_arena, f->c->data, text, n, &got, err));
    MB_TRY(feed_rows(f, f->now, &got, err));
    f->rows += got.n;
    return MB_OK;
}

/* A message without the file and the line at its beginning, which is that of a text of two lines. */
static const char *without_place(const char *why, const char *file)
{
    const size_t n = strlen(file);
    size_t       digits;

    if (strncmp(why, file, n) != 0 || why[n] != ':')
        return why;
    digits = strspn(why + n + 1, "0123456789");
    return digits && why[n + 1 + digits] == ':' ? why + n + digits + 3 : why;
}

static mb_status say_refused(void *self, int64_t line, const char *why, mb_err *err)
{
    feed *f = self;
    char  quoted[160];

    (void)err;
    log_value(without_place(why, f->c->data), quoted, sizeof quoted);
    f->refused++;
    snprintf(f->why, sizeof f->why, "line %lld: %s", (long long)line, quoted);
    node_say_at(f->log, LOG_WARNING, LOG_ROWS, "refused=1 line=%lld reason=\"%s\"", (long long)line,
                quoted);
    return MB_OK;
}

static void say_replaced(void *self)
{
    node_say(((feed *)self)->log, LOG_ROWS, "file=replaced");
}

mb_status feed_more(feed *f, int64_t now, mb_err *err)
{
    mb_status st;

    f->now = now;
    st = tail_more(&f->tail, err);
    return st == MB_E_IO ? MB_OK : st; /* a disk may answer again later */
}

/* rows_max where it is not given: as many as there are, and room. A file that grows doubles it, so that
 * it is the same in most lives: the size of a checkpoint depends on it. */
static void make_room(node_config *c, int64_t rows, int grows)
{
    if (c->rows_max)
        return;
    c->rows_max = NODE_ROWS;
    while (grows && c->rows_max < rows + rows / 4)
        c->rows_max *= 2;
    if (c->rows_max < rows + rows / 4)
        c->rows_max = rows + rows / 4;
}

static mb_status check_room(const feed *f, mb_err *err)
{
    if (!f->c->window_rows && f->all->n > f->c->rows_max)
        MB_FAIL(err, MB_E_ARG, "%s: got %lld rows; expected at most rows_max, %lld", f->c->data,
                (long long)f->all->n, (long long)f->c->rows_max);
    return MB_OK;
}

/* Lines of a file that grows; 0: it cannot be read, which is said elsewhere. */
static int64_t count_lines(const char *file)
{
    char    piece[1 << 14];
    int64_t lines = 0;
    size_t  n;
    FILE   *f = fopen(file, "r");

    while (f && (n = fread(piece, 1, sizeof piece, f)) > 0)
        for (size_t k = 0; k < n; k++)
            lines += piece[k] == '\n';
    if (f)
        fclose(f);
    return lines > 0 ? lines - 1 : 0;
}

mb_status feed_open(mb_arena *a, node_config *c, node_log *log, feed *f, mb_err *err)
{
    *f = (feed){.c = c, .log = log, .a = a, .tail = {.fd = -1}};
    if (c->data && !c->follow && strcmp(c->data, "-") != 0) {
        MB_TRY(read_all(f, c, err));
        make_room(c, f->all->n, 0);
        return check_room(f, err);
    }
    f->lines = c->follow ? count_lines(c->data) : 0;
    make_room(c, f->lines, 1);
    if (!c->plan.column)
        MB_FAIL(
            err, MB_E_FORMAT,
            "%s: field \"model.columns\" is missing; expected the names of the columns, because "
            "no data file tells them",
            c->file);
    if (!c->data)
        return MB_OK;
    f->tail.file = c->follow ? c->data : NULL;
    f->tail.take = take_lines;
    f->tail.refused = say_refused;
    f->tail.replaced = say_replaced;
    f->tail.self = f;
    return tail_open(a, &f->tail, err);
}

void feed_close(feed *f)
{
    tail_close(&f->tail);
}

/* The groups of the rows that are left; those of an earlier life were whole. */
static mb_status groups_left(const feed *f, mb_rows *rows, mb_err *err)
{
    const mb_data *all = f->all;
    int32_t        g = 0;
    int64_t       *first;
    char           place[MB_PLACE];

    while (all->group[g] < f->rows)
        g++;
    if (all->group[g] > f->rows) {
        mb_row_place(&all->from, all->file_row ? all->file_row[f->rows] : f->rows, NULL, place);
        MB_FAIL(err, MB_E_FORMAT, "%s: the group of this row has grown; expected new groups only",
                place);
    }
    rows->ngroup = all->ngroup - g;
    MB_NEW(first, f->a, (size_t)rows->ngroup + 1, err);
    for (int32_t i = 0; i <= rows->ngroup; i++)
        first[i] = all->group[g + i] - f->rows;
    rows->first = first;
    return MB_OK;
}

/* The node refuses rows outside of the bounds of its plan, too, but knows no file. */
static mb_status check_bounds(const feed *f, mb_err *err)
{
    const char *stated = f->c->bounds ? f->c->bounds : f->c->genesis ? f->c->genesis : f->c->file;

    return f->c->plan.bounds ? mb_bounds_hold(f->c->plan.bounds, f->all, stated, err) : MB_OK;
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
        MB_TRY(check_bounds(f, err));
        if (f->all->group)
            MB_TRY(groups_left(f, &rows, err));
        MB_TRY(feed_rows(f, now, &rows, err));
        f->rows = f->all->n;
    }
    if (f->c->follow && f->tail.at > 0)
        MB_TRY(tail_resume(&f->tail, f->tail.at, err));
    return feed_more(f, now, err);
}
