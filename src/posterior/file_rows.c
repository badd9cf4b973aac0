/* file_rows.c - rows of a file in the columns of a posterior, batch by batch. */
#include "data/data.h"
#include "data/parse.h"
#include "formula/design.h"
#include "model/kind.h"
#include "posterior/file.h"
#include "posterior/posterior.h"

#include "base/rows.h"

#include <math.h>
#include <string.h>

enum { BATCH = 4096, NUMBERS = 1 << 20 /* of a batch, when rows are wide */, LIST = 300 };

static int32_t find(const char *const *name, int32_t n, const char *want)
{
    int32_t k = 0;

    while (k < n && strcmp(name[k], want) != 0)
        k++;
    return k < n ? k : -1;
}

/* The columns of files that make the features. */
static int32_t inputs_of(const mb_posterior *p, const char *const **name)
{
    *name = p->design ? p->design->column : p->column;
    return p->design ? p->design->columns : p->size.D;
}

mb_status mb_posterior_sources(mb_arena *a, const mb_posterior *p, int32_t *d,
                               const char *const **name, const mb_columns **kinds, mb_err *err)
{
    const char *const *input;
    const int32_t      D = inputs_of(p, &input), T = mb_posterior_columns(p) - p->size.D;
    const mb_columns  *own = p->size.columns;
    const char       **names;
    mb_column         *of;
    mb_columns        *made;

    *d = D + T;
    *kinds = own;
    MB_NEW(names, a, D + T, err);
    *name = names;
    if (D)
        memcpy(names, input, (size_t)D * sizeof *names);
    if (T)
        memcpy(names + D, p->target, (size_t)T * sizeof *names);
    if (!p->design)
        return MB_OK;
    MB_NEW(of, a, D + T, err);
    MB_NEW(made, a, 1, err);
    if (D)
        memcpy(of, p->design->kind, (size_t)D * sizeof *of);
    for (int32_t t = 0; own && t < T; t++)
        of[D + t] = own->of[p->size.D + t];
    *kinds = made;
    return mb_columns_make(a, D + T, of, made, err);
}

/* The inputs, then the targets, all or none, then the weight; *count of them. */
static mb_status by_name(const mb_posterior_rows *r, const char *const *name, int need_target,
                         const char *weight, int32_t *column, int32_t *count, mb_err *err)
{
    const char *const *input;
    const int32_t      cols = mb_reader_columns(r->reader), D = inputs_of(r->p, &input);
    const int32_t      all = D + mb_posterior_columns(r->p) - r->p->size.D;
    char               missing[LIST] = "";
    int32_t            targets = 0;

    *count = 0;
    for (int32_t d = D; d < all; d++)
        targets += find(name, cols, r->p->target[d - D]) >= 0;
    for (int32_t d = 0; d <= all; d++) {
        const char   *want = d < D ? input[d] : d < all ? r->p->target[d - D] : weight;
        const int32_t at = want ? find(name, cols, want) : -1;

        if (d >= D && d < all && targets < all - D && !need_target)
            continue;
        if (at >= 0)
            column[(*count)++] = at;
        else if (want)
            mb_list_add_(missing, LIST, want);
    }
    if (*missing)
        MB_FAIL(err, MB_E_FORMAT, "%s: columns that %s needs are missing: %s", r->file, r->p->name,
                missing);
    return MB_OK;
}

static int has(const int32_t *list, int32_t n, int32_t c)
{
    while (n > 0 && list[n - 1] != c)
        n--;
    return n > 0;
}

/* NPY files have no names but x1, x2, ..: inputs of such names are found by them. Otherwise the
 * features come in order, the targets after them. */
static mb_status by_place(mb_arena *a, const mb_posterior_rows *r, int need_target, int32_t *column,
                          int32_t *count, mb_err *err)
{
    const char *const *input;
    const char       **number;
    const int32_t      D = inputs_of(r->p, &input), all = mb_reader_columns(r->reader);
    const int32_t      most = D + mb_posterior_columns(r->p) - r->p->size.D;
    int32_t            cols, numbered = 1;
    const int32_t     *feature = mb_reader_features(r->reader, &cols);

    if (cols != most && (cols != D || need_target))
        MB_FAIL(err, MB_E_SHAPE, "%s: got %d columns; expected the %d of %s", r->file, cols, most,
                r->p->name);
    MB_TRY(mb_data_number_columns(a, all, &number, err));
    for (int32_t k = 0; numbered && k < cols; k++) {
        const int32_t at = find(number, all, k < D ? input[k] : r->p->target[k - D]);

        column[k] = at < 0 && k >= D ? feature[k] : at;
        numbered &= column[k] >= 0 && !has(column, k, column[k]);
    }
    if (!numbered)
        memcpy(column, feature, (size_t)cols * sizeof *column);
    *count = cols;
    return MB_OK;
}

/* 1 for a column of which the caller said that it is not used. */
static int is_given(const mb_data_opt *opt, const char *name)
{
    return opt &&
           ((opt->node_column && !strcmp(opt->node_column, name)) ||
            (opt->label_column && !strcmp(opt->label_column, name)) ||
            (opt->group_column && !strcmp(opt->group_column, name)) ||
            (opt->time_column && !strcmp(opt->time_column, name)) || opt->drop || opt->columns);
}

/* Lists columns that are neither read nor kept: those of nodes and labels are usual. */
static mb_status list_unused(mb_arena *a, mb_posterior_rows *r, const int32_t *keep, int32_t keeps,
                             mb_err *err)
{
    const char *const *name = mb_reader_names(r->reader);
    const int32_t      cols = mb_reader_columns(r->reader);
    char              *unused;

    MB_NEW(unused, a, LIST, err);
    for (int32_t c = 0; name && c < cols; c++)
        if (!has(r->column, r->read, c) && !has(keep, keeps, c) && !is_given(r->opt, name[c]))
            mb_list_add_(unused, LIST, name[c]);
    r->unused = *unused ? unused : NULL;
    return MB_OK;
}

mb_status mb_posterior_rows_keep(mb_arena *a, mb_posterior_rows *r, int32_t n,
                                 const char *const *name, mb_err *err)
{
    const char *const *all = mb_reader_names(r->reader);
    const int32_t      cols = mb_reader_columns(r->reader);
    int32_t           *keep;
    char               list[LIST] = "";

    MB_NEW(keep, a, n, err);
    for (int32_t c = 0; all && c < cols; c++)
        mb_list_add_(list, LIST, all[c]);
    for (int32_t k = 0; all && k < n; k++) {
        keep[k] = find(all, cols, name[k]);
        if (keep[k] < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%.60s\" to keep; expected %s", r->file,
                    name[k], list);
    }
    MB_TRY(mb_reader_keep(r->reader, keep, n, err));
    return list_unused(a, r, keep, n, err);
}

/* What is asked of groups, and of a target that is needed, suits the posterior. */
static mb_status check_requested(const mb_posterior_rows *r, int need_target,
                                 const mb_data_opt *opt, mb_err *err)
{
    static const char *const words[] = {"error", "ignore", "baseline"};
    const int32_t            unseen = opt ? opt->unseen : MB_UNSEEN_ERROR;
    const int32_t            other = r->p->design ? MB_UNSEEN_IGNORE : MB_UNSEEN_BASELINE;
    const int                ignore = need_target && unseen != MB_UNSEEN_ERROR;
    const int                given = opt && (opt->group_column || opt->group_file);
    const int                needed = mb_kind_grouped(r->p->kind, &r->p->size);

    if (needed && !given && !mb_kind_needs_groups(r->p->kind))
        MB_FAIL(err, MB_E_ARG,
                "--group-column is missing: %s was fitted to rows in groups; expected the column "
                "with the group of each row, or --group-file",
                r->p->name);
    if (given && !needed)
        MB_FAIL(err, MB_E_ARG, "--group-%s: %s was fitted to rows, not to groups of them",
                opt->group_column ? "column" : "file", r->p->name);
    if (unseen == other)
        MB_FAIL(err, MB_E_ARG, "--unseen: got %s; expected error or %s for %s", words[other],
                words[MB_UNSEEN_IGNORE + MB_UNSEEN_BASELINE - other], r->p->name);
    if (ignore && mb_kind_category(r->p->kind, &r->p->size))
        MB_FAIL(err, MB_E_ARG,
                "--unseen: got %s; expected error: a target that %s does not know has no density",
                words[unseen], r->p->name);
    return MB_OK;
}

/* Batches of whole groups, of which the longest decides how many rows there is room for. */
static mb_status set_up_groups(mb_arena *a, mb_posterior_rows *r, int64_t wide, mb_err *err)
{
    if (!mb_reader_group_(r->reader))
        return MB_OK;
    mb_reader_whole_groups_(r->reader, r->batch);
    r->groups = r->batch + 1;
    r->batch += NUMBERS / wide + 1;
    MB_NEW(r->group, a, r->batch + 1, err);
    return MB_OK;
}

/* What the columns are that the reader delivers before the weight. */
static mb_status set_kinds(mb_arena *a, mb_posterior_rows *r, int32_t count, mb_err *err)
{
    const char *const *name;
    const mb_columns  *kinds;
    int32_t            d;

    MB_TRY(mb_posterior_sources(a, r->p, &d, &name, &kinds, err));
    return kinds ? mb_reader_kinds(r->reader, kinds->of, count, err) : MB_OK;
}

/* The rows of a batch, of the numbers that are read. */
static mb_status set_rows(mb_arena *a, mb_posterior_rows *r, const mb_data_opt *opt, int weighted,
                          mb_err *err)
{
    const mb_posterior *p = r->p;
    const mb_rows       read = {.x = r->x,
                                .w = r->w,
                                .d = r->read - weighted,
                                .ld = (size_t)r->read,
                                .gaps = opt->missing == MB_MISSING_KEEP && p->kind->gaps};

    r->rows = read;
    if (!p->design)
        return MB_OK;
    MB_NEW(r->room, a, mb_posterior_columns(p), err);
    return mb_design_rows(a, p->design, &read, NULL, read.d - r->inputs, &r->rows, err);
}

static mb_status set_up(mb_arena *a, mb_posterior_rows *r, int need_target, const mb_data_opt *opt,
                        mb_err *err)
{
    const char         *weight = opt ? opt->weight_column : NULL;
    const char *const  *name;
    const mb_posterior *p = r->p;
    const int64_t       wide = (int64_t)mb_posterior_columns(p) + p->size.K + 2;
    const char *const  *input;
    int32_t            *column, count = 0;
    mb_data_opt        *reading;

    r->inputs = inputs_of(p, &input);
    MB_TRY(check_requested(r, need_target, opt, err));
    MB_NEW(reading, a, 1, err);
    *reading = opt ? *opt : (mb_data_opt){0};
    reading->file_groups = mb_kind_needs_groups(p->kind);
    opt = reading;
    MB_TRY(mb_reader_open(a, r->file, opt, &r->reader, err));
    name = mb_reader_names(r->reader);
    MB_NEW(column, a, (size_t)r->inputs + (size_t)mb_posterior_columns(p) + 1, err);
    MB_TRY(name ? by_name(r, name, need_target, weight, column, &count, err)
                : by_place(a, r, need_target, column, &count, err));
    if (count == 0)
        MB_FAIL(err, MB_E_ARG, "%s has no inputs: it predicts the same for every row", p->name);
    MB_TRY(mb_reader_select(r->reader, column, count, err));
    MB_TRY(set_kinds(a, r, count - (weight != NULL), err));
    if (!need_target && mb_kind_needs_groups(p->kind) && count - (weight != NULL) > r->inputs)
        mb_reader_may_lack(r->reader, r->inputs); /* a row to predict from others of its group */
    r->read = count;
    r->column = column;
    r->opt = opt;
    MB_TRY(list_unused(a, r, NULL, 0, err));
    r->batch = NUMBERS / wide < BATCH ? NUMBERS / wide + 1 : BATCH;
    MB_TRY(set_up_groups(a, r, wide, err));
    MB_NEW(r->x, a, (size_t)r->batch * (size_t)count, err);
    MB_NEW(r->scratch, a, mb_posterior_scratch(p, 1), err);
    if (weight)
        MB_NEW(r->w, a, r->batch, err);
    return set_rows(a, r, opt, weight != NULL, err);
}

mb_status mb_posterior_rows_open(mb_arena *a, const mb_posterior *p, const char *file,
                                 int need_target, const mb_data_opt *opt, mb_posterior_rows *out,
                                 mb_err *err)
{
    mb_status st;

    *out = (mb_posterior_rows){.p = p, .file = file};
    st = set_up(a, out, need_target, opt, err);
    if (st < 0)
        mb_posterior_rows_close(out);
    return st;
}

/* Where row j of the batch stands, and a column (NULL: none). */
static void place_of(const mb_posterior_rows *r, int64_t j, const char *column, char text[MB_PLACE])
{
    const mb_origin from = {.file = r->file,
                            .separator = r->opt ? r->opt->separator : 0,
                            .header = r->opt ? r->opt->header : 0};

    mb_row_place(&from, mb_reader_rows(r->reader)[j], column, text);
}

/* A target that the posterior's model does not explain. */
static mb_status check_targets(const mb_posterior_rows *r, mb_err *err)
{
    const mb_posterior *p = r->p;
    char                place[MB_PLACE];

    if (r->rows.d <= p->size.D || !p->kind->target_kind)
        return MB_OK;
    for (int64_t j = 0; j < r->rows.n; j++) {
        const double y = mb_rows_at(&r->rows, j, p->size.D);
        const char  *expected = mb_kind_refuses(p->kind, &p->size, p->size.D, y);

        if (!expected)
            continue;
        place_of(r, j, *p->target, place);
        MB_FAIL(err, MB_E_FORMAT, "%s: got %.9g; expected %s", place, y, expected);
    }
    return MB_OK;
}

/* A row that a formula makes no number of, as the logarithm of 0, or whose exposure is none. */
static mb_status check_design(const mb_posterior_rows *r, mb_err *err)
{
    const mb_posterior *p = r->p;
    char                place[MB_PLACE];

    for (int64_t j = 0; r->room && j < r->rows.n; j++) {
        mb_rows_take(&r->rows, j, 1, r->room);
        for (int32_t d = 0; d < p->size.D; d++) {
            const char *expected = mb_kind_refuses(p->kind, &p->size, d, r->room[d]);

            if (isfinite(r->room[d]) && !expected)
                continue;
            place_of(r, j, expected ? p->column[d] : NULL, place);
            if (expected)
                MB_FAIL(err, MB_E_FORMAT, "%s: got %.9g; expected %s", place, r->room[d], expected);
            MB_FAIL(err, MB_E_FORMAT, "%s: %.60s is %g; expected a finite number", place,
                    p->column[d], r->room[d]);
        }
    }
    return MB_OK;
}

static mb_status unequal(const mb_posterior_rows *r, int64_t j, mb_err *err)
{
    char place[MB_PLACE];

    place_of(r, j, NULL, place);
    MB_FAIL(err, MB_E_FORMAT,
            "%s: got weight %.9g; expected %.9g, that of the rows before it in its group", place,
            r->w[j], r->w[j - 1]);
}

/* The groups of the batch, each with one weight. */
static mb_status find_groups(mb_posterior_rows *r, mb_err *err)
{
    const int32_t *of = mb_reader_group_(r->reader);

    r->rows.ngroup = 0;
    for (int64_t j = 0; j < r->rows.n; j++) {
        if (!j || of[j] != of[j - 1])
            r->group[r->rows.ngroup++] = j;
        else if (r->w && (r->w[j] < r->w[j - 1] || r->w[j] > r->w[j - 1]))
            return unequal(r, j, err);
    }
    r->group[r->rows.ngroup] = r->rows.n;
    r->rows.first = r->group;
    return MB_OK;
}

mb_status mb_posterior_rows_next(mb_posterior_rows *r, mb_err *err)
{
    const int64_t gaps = mb_reader_gaps(r->reader);

    r->first += r->rows.n;
    MB_TRY(mb_reader_next(r->reader, r->batch, r->x, &r->rows.n, err));
    if (!r->p->size.columns && !r->p->design) /* a category may be unknown, too */
        r->rows.gaps = mb_reader_gaps(r->reader) > gaps;
    for (int64_t j = 0; r->w && j < r->rows.n; j++) /* which the reader has checked */
        r->w[j] = r->x[(j + 1) * r->read - 1];
    MB_TRY(check_targets(r, err));
    MB_TRY(check_design(r, err));
    return r->group ? find_groups(r, err) : MB_OK;
}

/* The first row that fails alone, by its number in the file. */
static mb_status blame(const mb_posterior_rows *r, mb_want want, double level, double *out,
                       mb_err *err)
{
    char place[MB_PLACE];

    for (int64_t j = 0; j < r->rows.n; j++) {
        const mb_rows one = mb_rows_part(&r->rows, j, 1); /* as a group of its own */

        if (mb_posterior_predict(r->p, &one, want, level, out, r->scratch, NULL) < 0) {
            place_of(r, j, NULL, place);
            MB_FAIL(err, MB_E_NUMERIC,
                    "%s: a value is too large, or absurdly far from everything %s knows", place,
                    r->p->name);
        }
    }
    return MB_E_NUMERIC;
}

mb_status mb_posterior_rows_predict(const mb_posterior_rows *r, mb_want want, double level,
                                    double *out, mb_err *err)
{
    const mb_status st =
        mb_posterior_predict_on(r->p, &r->rows, want, level, r->opt->pool, out, err);

    return st == MB_E_NUMERIC ? blame(r, want, level, out, err) : st;
}

mb_status mb_posterior_rows_score(const mb_posterior_rows *r, mb_density density, double *each,
                                  mb_err *err)
{
    const mb_status st = mb_score_rows_on(r->p, &r->rows, density, r->opt->pool, each, err);

    return st == MB_E_NUMERIC ? blame(r, mb_density_want_(density), 0, each, err) : st;
}

void mb_posterior_rows_close(mb_posterior_rows *r)
{
    mb_reader_close(r->reader);
    r->reader = NULL;
}
