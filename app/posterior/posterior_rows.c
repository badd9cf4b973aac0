/* posterior_rows.c - rows of a file in the columns and units of a posterior, batch by batch. */
#include "posterior/posterior.h"

#include <string.h>

enum { BATCH = 4096, NUMBERS = 1 << 20 /* of a batch, when rows are wide */ };

static int32_t find(const char *const *name, int32_t n, const char *want)
{
    int32_t k = 0;

    while (k < n && strcmp(name[k], want) != 0)
        k++;
    return k < n ? k : -1;
}

/* Adds ", name" while there is room. */
static void append(char *list, size_t cap, const char *name)
{
    const size_t at = strlen(list);

    if (at + strlen(name) + 8 < cap)
        snprintf(list + at, cap - at, "%s%s", at ? ", " : "", name);
    else if (at > 4 && strcmp(list + at - 4, ", ..") != 0 && at + 5 < cap)
        strcpy(list + at, ", ..");
}

/* The features, then the target, then the weight; *count of them. */
static mb_status by_name(const posterior_rows *r, const char *const *name, int need_target,
                         const char *weight, int32_t *column, int32_t *count, mb_err *err)
{
    const int32_t cols = mb_reader_columns(r->reader);
    const char   *target = r->p->target;
    char          missing[300] = "";
    int32_t       at;

    for (int32_t d = 0; d < r->p->D; d++) {
        column[d] = find(name, cols, r->p->feature[d]);
        if (column[d] < 0)
            append(missing, sizeof missing, r->p->feature[d]);
    }
    *count = r->p->D;
    at = target ? find(name, cols, target) : -1;
    if (at >= 0)
        column[(*count)++] = at;
    else if (target && need_target)
        append(missing, sizeof missing, target);
    at = weight ? find(name, cols, weight) : -1;
    if (at >= 0)
        column[(*count)++] = at;
    else if (weight)
        append(missing, sizeof missing, weight);
    if (*missing)
        MB_FAIL(err, MB_E_FORMAT, "%s: columns that %s needs are missing: %s", r->file, r->p->file,
                missing);
    return MB_OK;
}

/* NPY files have no names: the features in order, and the target behind them. */
static mb_status by_place(const posterior_rows *r, int need_target, const char *weight,
                          int32_t *column, int32_t *count, mb_err *err)
{
    const int32_t cols = mb_reader_columns(r->reader), most = posterior_columns(r->p);

    if (weight)
        MB_FAIL(err, MB_E_ARG, "--weight-column: %s has no named columns", r->file);
    if (cols != most && (cols != r->p->D || need_target))
        MB_FAIL(err, MB_E_SHAPE, "%s: %d columns, accepted: the %d of %s", r->file, cols, most,
                r->p->file);
    for (int32_t k = 0; k < cols; k++)
        column[k] = k;
    *count = cols;
    return MB_OK;
}

/* A note, not a warning: columns of nodes and labels are usual. */
static void tell_unused(const posterior_rows *r, const char *cmd, const char *const *name,
                        const int32_t *column, int32_t count)
{
    const int32_t cols = mb_reader_columns(r->reader);
    char          unused[300] = "";

    for (int32_t c = 0; name && c < cols; c++) {
        int32_t k = 0;

        while (k < count && column[k] != c)
            k++;
        if (k == count)
            append(unused, sizeof unused, name[c]);
    }
    if (*unused)
        fprintf(stderr, "meshbayes %s: note: %s: columns not used: %s\n", cmd, r->file, unused);
}

static mb_status set_up(mb_arena *a, posterior_rows *r, const char *cmd, int need_target,
                        const char *weight, mb_err *err)
{
    const char *const *name;
    const posterior   *p = r->p;
    const int64_t      wide = (int64_t)p->D + p->K + 2;
    int32_t           *column, count = 0;

    MB_TRY(mb_reader_open(a, r->file, &r->reader, err));
    name = mb_reader_names(r->reader);
    MB_NEW(column, a, (size_t)posterior_columns(p) + 1, err);
    MB_TRY(name ? by_name(r, name, need_target, weight, column, &count, err)
                : by_place(r, need_target, weight, column, &count, err));
    if (count == 0)
        MB_FAIL(err, MB_E_ARG, "%s has no inputs: it says the same of every row", p->file);
    tell_unused(r, cmd, name, column, count);
    MB_TRY(mb_reader_select(r->reader, column, count, err));
    r->read = count;
    r->with_target = count - (weight != NULL) > p->D;
    r->batch = NUMBERS / wide < BATCH ? NUMBERS / wide + 1 : BATCH;
    MB_NEW(r->raw, a, (size_t)r->batch * (size_t)count, err);
    MB_NEW(r->x, a, (size_t)r->batch * (size_t)count, err);
    MB_NEW(r->scratch, a, mb_local_scratch(&p->model), err);
    if (weight)
        MB_NEW(r->w, a, r->batch, err);
    return MB_OK;
}

mb_status posterior_rows_open(mb_arena *a, const posterior *p, const char *cmd, const char *file,
                              int need_target, const char *weight, posterior_rows *out, mb_err *err)
{
    mb_status st;

    *out = (posterior_rows){.p = p, .file = file};
    st = set_up(a, out, cmd, need_target, weight, err);
    if (st < 0)
        posterior_rows_close(out);
    return st;
}

mb_status posterior_rows_next(posterior_rows *r, mb_err *err)
{
    const int32_t d = r->p->D + r->with_target;

    r->first += r->n;
    MB_TRY(mb_reader_next(r->reader, r->batch, r->raw, &r->n, err));
    for (int64_t j = 0; j < r->n; j++) {
        const double *from = r->raw + j * r->read;

        for (int32_t k = 0; k < d; k++)
            r->x[j * d + k] = (from[k] - r->p->origin[k]) / r->p->scale[k];
        if (r->w)
            r->w[j] = from[d];
        if (r->w && !(r->w[j] >= 0 && r->w[j] <= MB_WEIGHT_MAX))
            MB_FAIL(err, MB_E_FORMAT, "%s, row %lld: its weight is %g, accepted: 0 to %g", r->file,
                    (long long)(r->first + j) + 1, r->w[j], MB_WEIGHT_MAX);
    }
    return MB_OK;
}

mb_rows posterior_batch(const posterior_rows *r)
{
    const int32_t d = r->p->D + r->with_target;

    return (mb_rows){.x = r->x, .n = r->n, .d = d, .ld = (size_t)d};
}

/* The first row that fails alone, by its number in the file. */
static mb_status blame(const posterior_rows *r, mb_want want, double *out, mb_err *err)
{
    const mb_model *m = &r->p->model;
    mb_rows         one = posterior_batch(r);

    one.n = 1;
    for (int64_t j = 0; j < r->n; j++, one.x += one.ld)
        if (m->ops->predict(m, r->p->phi, &one, want, out, r->scratch, NULL) < 0)
            MB_FAIL(err, MB_E_NUMERIC,
                    "%s, row %lld: a value is too large, or absurdly far from everything %s knows",
                    r->file, (long long)(r->first + j) + 1, r->p->file);
    return MB_E_NUMERIC;
}

mb_status posterior_rows_predict(const posterior_rows *r, mb_want want, double *out, mb_err *err)
{
    const mb_model *m = &r->p->model;
    const mb_rows   rows = posterior_batch(r);
    const mb_status st = m->ops->predict(m, r->p->phi, &rows, want, out, r->scratch, err);

    return st == MB_E_NUMERIC ? blame(r, want, out, err) : st;
}

void posterior_rows_close(posterior_rows *r)
{
    mb_reader_close(r->reader);
    r->reader = NULL;
}
