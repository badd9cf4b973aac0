/* data_read.c - a data set in memory: features, and the nodes, classes and weights beside them. */
#include "base/format.h"
#include "base/large_pages.h"
#include "base/text.h"
#include "data/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* FIRST_NUMBERS: of the first chunk, in whole rows. SURE_PERCENT: of the rows expected, those that are
 * very likely to come. */
enum { BATCH = 1 << 15, FIRST_NUMBERS = 1 << 15, SURE_PERCENT = 93 };

/* Rows as they come: width numbers each, the features and then the weight. */
typedef struct chunk {
    struct chunk *next;
    double       *x;
    int64_t       n, room;
    int           is_result; /* 1: x belongs to the arena of the result */
} chunk;

/* A text for every row: its index among the distinct ones, until they are sorted. */
typedef struct texts {
    mb_words_ words;
    int32_t  *index; /* room */
} texts;

typedef struct job {
    mb_arena          *a, *scratch_arena;
    const mb_data_opt *opt;
    mb_reader         *r;
    const mb_columns_ *role;
    chunk             *first, *last;
    int64_t            n, room; /* rows; room: of file_row, node and label */
    int64_t           *file_row;
    texts              node, label;
    int32_t           *group;                 /* room: of each row; NULL: in none */
    int32_t            keep_node, keep_label; /* which of the kept texts; -1: none */
    int32_t            width;
} job;

/* Selects the columns. */
static mb_status prepare(job *j, mb_err *err)
{
    int32_t keep[2], k = 0, d, *column;

    j->role = mb_reader_roles_(j->r);
    d = j->role->d;
    MB_NEW(column, j->scratch_arena, d + 1, err);
    memcpy(column, j->role->feature, (size_t)d * sizeof *column);
    j->width = d + (j->role->weight >= 0);
    column[d] = j->role->weight;
    MB_TRY(mb_reader_select(j->r, column, j->width, err));
    MB_TRY(mb_kinds_begin_(j->scratch_arena, j->r, j->opt, err));
    j->keep_node = j->keep_label = -1;
    if (j->role->node >= 0)
        keep[j->keep_node = k++] = j->role->node;
    if (j->role->label >= 0)
        keep[j->keep_label = k++] = j->role->label;
    j->node.words.a = j->label.words.a = j->scratch_arena;
    return k ? mb_reader_keep(j->r, keep, k, err) : MB_OK;
}

/* The next chunk. Where the rows to come are known, or the first ones show their number, it is to
 * hold all rows, also those before it, and to be the result. */
static mb_status add_chunk(job *j, mb_err *err)
{
    const int64_t left = j->role->weight < 0 && j->first == j->last ? mb_reader_left_(j->r) : 0;
    chunk        *c, *before = j->last;

    MB_NEW(c, j->scratch_arena, 1, err);
    c->is_result = left > 0;
    c->room = left ? j->n + left : before ? 2 * before->room : FIRST_NUMBERS / (j->width + 1) + 1;
    MB_NEW(c->x, left ? j->a : j->scratch_arena, c->room * j->width, err);
    if (left)
        mb_large_pages_(c->x, (size_t)(c->room * j->width) * sizeof *c->x / 100 * SURE_PERCENT);
    if (left && before) {
        memcpy(c->x, before->x, (size_t)(before->n * j->width) * sizeof *c->x);
        c->n = before->n;
        before = NULL;
    }
    *(before ? &before->next : &j->first) = c;
    j->last = c;
    return MB_OK;
}

/* Room for `rows` more of what is stored beside the numbers. The rows read are the rows of the
 * files until the first one is dropped. */
static mb_status widen(job *j, int64_t rows, mb_err *err)
{
    const size_t used = (size_t)j->n, room = 2 * (size_t)(j->n + rows);
    const int    listed = j->file_row != NULL, lists = mb_reader_dropped(j->r) > 0;
    int64_t     *row = j->file_row;

    if (j->n + rows <= j->room && listed == lists)
        return MB_OK;
    if (lists) {
        row = mb_larger_(j->scratch_arena, row, listed ? used : 0, room, sizeof *row, err);
        for (int64_t r = 0; row && !listed && r < j->n; r++)
            row[r] = r;
    }
    j->file_row = row;
    if (j->keep_node >= 0)
        j->node.index =
            mb_larger_(j->scratch_arena, j->node.index, used, room, sizeof *j->node.index, err);
    if (j->keep_label >= 0)
        j->label.index =
            mb_larger_(j->scratch_arena, j->label.index, used, room, sizeof *j->label.index, err);
    if (mb_reader_group_(j->r))
        j->group = mb_larger_(j->scratch_arena, j->group, used, room, sizeof *j->group, err);
    j->room = (int64_t)room;
    return (lists && !row) || (j->keep_node >= 0 && !j->node.index) ||
                   (j->keep_label >= 0 && !j->label.index) || (mb_reader_group_(j->r) && !j->group)
               ? MB_E_NOMEM
               : MB_OK;
}

static mb_status add_text(job *j, texts *t, int64_t row, int32_t extra, mb_err *err)
{
    if (extra < 0)
        return MB_OK;
    return mb_words_add_(&t->words, mb_reader_extra(j->r, row, extra), &t->index[j->n + row], err);
}

static mb_status read_rows(job *j, mb_err *err)
{
    for (int64_t got = 1; got;) {
        chunk  *c = j->last;
        int64_t want;

        if (!c || c->n == c->room)
            MB_TRY(add_chunk(j, err));
        c = j->last;
        want = c->room - c->n < BATCH ? c->room - c->n : BATCH;
        MB_TRY(mb_reader_next(j->r, want, c->x + c->n * j->width, &got, err));
        MB_TRY(widen(j, got, err));
        if (j->file_row && got)
            memcpy(j->file_row + j->n, mb_reader_rows(j->r), (size_t)got * sizeof *j->file_row);
        if (j->group && got)
            memcpy(j->group + j->n, mb_reader_group_(j->r), (size_t)got * sizeof *j->group);
        for (int64_t r = 0; r < got && (j->keep_node >= 0 || j->keep_label >= 0); r++) {
            MB_TRY(add_text(j, &j->node, r, j->keep_node, err));
            MB_TRY(add_text(j, &j->label, r, j->keep_label, err));
        }
        c->n += got;
        j->n += got;
    }
    return MB_OK;
}

/* The row of the files that is row r of those read. */
static int64_t row_of(const job *j, int64_t r)
{
    return j->file_row ? j->file_row[r] : r;
}

static mb_status copy_rows(job *j, mb_data *out, mb_err *err)
{
    const size_t d = (size_t)out->d;
    double      *x, *w, largest = 0;

    if (j->first == j->last && j->first->is_result) {
        out->x = j->first->x;
        return MB_OK;
    }
    MB_NEW(out->x, j->a, (size_t)out->n * d, err);
    if (j->role->weight >= 0)
        MB_NEW(out->w, j->a, out->n, err);
    x = out->x;
    w = out->w;
    for (const chunk *c = j->first; c; c = c->next)
        for (int64_t r = 0; r < c->n; r++, x += d) {
            memcpy(x, c->x + r * j->width, d * sizeof *x);
            if (!w)
                continue;
            *w = c->x[r * j->width + out->d];
            largest = *w > largest ? *w : largest;
            w++;
        }
    if (w && !(largest > 0))
        MB_FAIL(err, MB_E_FORMAT, "%s: column \"%.60s\": every weight is 0; expected some above 0",
                mb_reader_files_(j->r)->file[0], j->opt->weight_column);
    return MB_OK;
}

/* The distinct texts in their order, and the index of each row's text among them. */
static mb_status sort_texts(job *j, texts *t, const char *where, int64_t n, const char ***list,
                            int32_t *count, mb_err *err)
{
    const char **sorted;
    int32_t     *rank;

    MB_NEW(rank, j->scratch_arena, t->words.count + 1, err);
    MB_TRY(mb_ids_index(j->scratch_arena, where, t->words.count, t->words.text, rank, &sorted,
                        count, err));
    for (int64_t r = 0; r < n; r++)
        t->index[r] = rank[t->index[r]];
    return mb_texts_copy_(j->a, *count, sorted, list, err);
}

/* The texts of the rows that were read, one for each row of the files. */
static mb_status take_beside(job *j, const char *option, mb_sheet_ *s, texts *t, mb_err *err)
{
    const int64_t all = mb_reader_seen_(j->r);
    const char   *text;
    char          number[32];
    int64_t       at = 0, row = 0;

    if (s->cols != 1)
        MB_FAIL(err, MB_E_SHAPE, "--%s: %s has %d columns; expected one", option, s->file, s->cols);
    for (;; row++) {
        MB_TRY(mb_sheet_beside_(s, number, &text, err));
        if (!text)
            break;
        if (at < j->n && row_of(j, at) == row)
            MB_TRY(mb_words_add_(&t->words, text, &t->index[at++], err));
    }
    if (row != all)
        MB_FAIL(err, MB_E_SHAPE, "--%s: %s has %lld rows; expected %lld, one for each row of %s",
                option, s->file, (long long)row, (long long)all, mb_reader_files_(j->r)->file[0]);
    return MB_OK;
}

static mb_status read_own_file(job *j, const char *option, const char *file, int32_t extra,
                               texts *t, mb_err *err)
{
    mb_sheet_ s;
    mb_status st;

    if (!file)
        return MB_OK;
    if (extra >= 0)
        MB_FAIL(err, MB_E_ARG, "--%s and the same as a column exclude each other", option);
    MB_NEW(t->index, j->scratch_arena, j->n, err);
    MB_TRY(mb_sheet_open_(j->scratch_arena, file, NULL, 1, NULL, &s, err));
    st = take_beside(j, option, &s, t, err);
    mb_sheet_close_(&s);
    return st;
}

/* Several files without other nodes: each is one. */
static mb_status name_files(job *j, mb_err *err)
{
    const mb_file_list *files = mb_reader_files_(j->r);
    const int64_t      *count = mb_reader_counts_(j->r);
    int64_t             at = 0;

    if (files->n < 2 || j->node.words.count)
        return MB_OK;
    MB_NEW(j->node.index, j->scratch_arena, j->n, err);
    for (int32_t k = 0; k < files->n; k++)
        for (int64_t r = 0; r < count[k]; r++)
            MB_TRY(mb_words_add_(&j->node.words, files->name[k], &j->node.index[at++], err));
    return MB_OK;
}

static mb_status copy_texts(mb_arena *a, mb_reader *r, mb_data *out, mb_err *err)
{
    const char *const *note = mb_reader_notes(r, &out->nnotes);

    return mb_texts_copy_(a, out->nnotes, note, &out->note, err);
}

/* "FILE: column "NAME"", or the file beside. */
static const char *where(const job *j, const char *column, const char *file, char text[300])
{
    const mb_file_list *files = mb_reader_files_(j->r);

    if (column)
        snprintf(text, 300, "%.200s: column \"%.60s\"", files->file[0], column);
    else
        snprintf(text, 300, "%.200s", file ? file : "names of the files");
    return text;
}

/* Sizes, names, and the files. */
static mb_status describe(job *j, const char *file, mb_data *out, mb_err *err)
{
    const char *const *all = mb_reader_names(j->r);
    const char       **name;

    out->n = j->n;
    out->d = j->role->d;
    out->dropped = mb_reader_dropped(j->r);
    out->gaps = mb_reader_gaps(j->r);
    out->nfiles = mb_reader_files_(j->r)->n;
    out->from = (mb_origin){.file = mb_text(j->a, err, "%s", file),
                            .separator = j->opt->separator,
                            .header = j->opt->header};
    if (!out->from.file)
        return MB_E_NOMEM;
    if (!all) {
        MB_TRY(mb_numbered_(j->scratch_arena, "x", mb_reader_columns(j->r), &name, err));
        all = name;
    }
    MB_NEW(name, j->scratch_arena, out->d, err);
    for (int32_t k = 0; k < out->d; k++)
        name[k] = all[j->role->feature[k]];
    return mb_texts_copy_(j->a, out->d, name, &out->name, err);
}

static mb_status finish(job *j, const char *file, mb_data *out, mb_err *err)
{
    char    text[300];
    int32_t N;

    MB_TRY(describe(j, file, out, err));
    MB_TRY(copy_rows(j, out, err));
    if (j->file_row || j->node.words.count)
        MB_NEW(out->file_row, j->a, out->n, err);
    for (int64_t r = 0; out->file_row && r < out->n; r++)
        out->file_row[r] = row_of(j, r);
    MB_TRY(mb_kinds_end_(j->a, j->r, out, err));
    MB_TRY(copy_texts(j->a, j->r, out, err));
    if (j->label.words.count) {
        MB_TRY(sort_texts(j, &j->label, where(j, j->opt->label_column, j->opt->label_file, text),
                          out->n, &out->label_name, &out->nlabel, err));
        MB_NEW(out->label, j->a, out->n, err);
        memcpy(out->label, j->label.index, (size_t)out->n * sizeof *out->label);
    }
    if (j->group)
        MB_TRY(
            mb_data_groups_(j->a, j->group, mb_reader_group_names_(j->r), j->node.index, out, err));
    if (!j->node.words.count)
        return MB_OK;
    MB_TRY(sort_texts(j, &j->node, where(j, j->opt->node_column, j->opt->node_file, text), out->n,
                      &out->node_id, &N, err));
    return mb_data_group_(j->a, out, N, j->node.index, err);
}

static mb_status read_all(job *j, const char *file, mb_data *out, mb_err *err)
{
    mb_hash_  hash = mb_hash_begin_();
    mb_status st;

    MB_TRY(mb_reader_open_(j->scratch_arena, file, j->opt, &hash, &j->r, err));
    st = prepare(j, err);
    st = st < 0 ? st : read_rows(j, err);
    st =
        st < 0 ? st : read_own_file(j, "node-file", j->opt->node_file, j->keep_node, &j->node, err);
    st = st < 0 ? st
                : read_own_file(j, "label-file", j->opt->label_file, j->keep_label, &j->label, err);
    st = st < 0 ? st : name_files(j, err);
    st = st < 0 ? st : finish(j, file, out, err);
    mb_reader_close(j->r);
    out->hash = mb_hash_end_(&hash);
    return st;
}

mb_status mb_data_read(mb_arena *a, const char *file, const mb_data_opt *opt, mb_data *out,
                       mb_err *err)
{
    const mb_data_opt usual = {.node_column = NULL};
    job               j = {.a = a, .opt = opt ? opt : &usual};
    mb_status         st;

    memset(out, 0, sizeof *out);
    j.scratch_arena = mb_arena_new(1 << 20);
    if (!j.scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its cells", file);
    st = read_all(&j, file, out, err);
    mb_arena_free(j.scratch_arena);
    return st;
}
