/* file_parts.c - what posterior files and genesis files have in common: model, columns, sizes and the
 * textbook parameters, every field checked against the table of the kind. */
#include "posterior/file_parts.h"
#include "base/opt.h"
#include "model/kind.h"
#include "num/num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 10000, MOST_COMPONENTS = 1000000 };

/* Most rows of matrices that are written in full: programs that read matrices, and earlier versions
 * of this one, can read small files as before. */
enum { MOST_FULL = 64 };

int64_t mb_part_version_(const mb_posterior *p)
{
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = mb_kind_fields(p->kind, &p->size, f);

    for (int32_t k = 0; k < n; k++)
        if (f[k].symmetric && f[k].shape[f[k].ndim - 1] > MOST_FULL)
            return MB_PART_TRIANGLES_;
    return MB_PART_FULL_;
}

int32_t mb_part_shape_(const mb_field *f, int64_t version, int64_t shape[3])
{
    for (int32_t i = 0; i < f->ndim; i++)
        shape[i] = f->shape[i];
    if (version == MB_PART_FULL_ || !f->symmetric)
        return f->ndim;
    shape[f->ndim - 2] = (int64_t)mb_svec_len_(f->shape[f->ndim - 1]);
    return f->ndim - 1;
}

/* The numbers of a field in a file of that version. */
static void field_numbers(mb_json_in *j, const mb_json *o, const mb_field *f, int64_t version,
                          double *x)
{
    int64_t       shape[3];
    int32_t       each[3] = {0};
    const int32_t ndim = mb_part_shape_(f, version, shape);

    for (int32_t i = 0; i < ndim; i++)
        each[i] = (int32_t)shape[i];
    mb_json_get_numbers(j, o, f->key, ndim, each, x);
}

const char *mb_part_text_(mb_json_in *j, const mb_json *o, const char *key)
{
    const char *text = mb_json_get_text(j, o, key);

    if (!text)
        mb_json_refuse(j, key, "", "a text");
    return text;
}

void mb_part_must_be_(mb_json_in *j, const mb_json *o, const char *key, const char *want)
{
    const char *text = mb_json_get_text(j, o, key);

    if (!text || strcmp(text, want) != 0)
        mb_json_refuse(j, key, "", want);
}

const mb_kind *mb_part_kind_(mb_json_in *j, const mb_json *o, const mb_kind *only)
{
    const char           *name = mb_part_text_(j, o, "model");
    const mb_kind *const *all = mb_kind_list();
    const mb_kind        *found = only ? only : name ? mb_kind_find(name) : NULL;
    char                  list[160] = "";
    size_t                n = 0;

    if (name && found && !strcmp(found->name, name))
        return found;
    for (int k = 0; !only && all[k] && n < sizeof list; k++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
                              k == 0       ? ""
                              : all[k + 1] ? ", "
                                           : " or ",
                              all[k]->name);
    mb_json_refuse(j, "model", "", only ? only->name : list);
    return NULL;
}

void mb_part_write_target_(mb_json_out *j, int32_t n, const char *const *name)
{
    if (n == 1)
        mb_json_text(j, "target", name[0]);
    else if (n > 1)
        mb_json_texts(j, "target", n, name);
}

mb_status mb_part_names_(mb_arena *a, mb_json_in *j, const char *key, const mb_json *list,
                         const char *const **out)
{
    const char **name;
    char         index[32];

    if (list->n > MOST_COLUMNS)
        mb_json_refuse(j, key, "", "at most 10000 names");
    MB_TRY(j->status);
    MB_NEW(name, a, list->n + 1, j->err);
    *out = name;
    for (size_t d = 0; d < list->n && j->status >= 0; d++) {
        snprintf(index, sizeof index, "[%zu]", d);
        name[d] = list->item[d].text;
        if (!name[d])
            mb_json_refuse(j, key, index, "a text");
        for (size_t e = 0; name[d] && e < d; e++)
            if (!strcmp(name[d], name[e]))
                mb_json_refuse(j, key, index, "a name that is there once");
    }
    return j->status;
}

/* "target" is a text, or a list of them. */
static mb_status targets(mb_arena *a, mb_json_in *j, const mb_json *o, mb_posterior *p)
{
    const mb_json *one = mb_json_at(o, "target");
    const char   **name;

    if (one->type == MB_JSON_LIST) {
        if (one->n < 2)
            mb_json_refuse(j, "target", "", "a name, or a list of several");
        p->size.targets = (int32_t)one->n;
        return mb_part_names_(a, j, "target", one, &p->target);
    }
    MB_NEW(name, a, 1, j->err);
    *name = mb_json_get_text(j, o, "target");
    p->target = *name ? name : NULL;
    p->size.targets = *name != NULL;
    return j->status;
}

mb_status mb_part_columns_(mb_arena *a, mb_json_in *j, const mb_json *o, mb_posterior *p)
{
    const mb_json *list = mb_json_get(j, o, "features", MB_JSON_LIST);

    MB_TRY(j->status);
    MB_TRY(mb_part_names_(a, j, "features", list, &p->column));
    p->size.D = (int32_t)list->n;
    MB_TRY(targets(a, j, o, p));
    for (int32_t d = 0; d < p->size.D; d++)
        for (int32_t t = 0; t < p->size.targets; t++)
            if (!strcmp(p->column[d], p->target[t]))
                mb_json_refuse(j, "target", "", "a name that is not among the features");
    return j->status;
}

void mb_part_write_choices_(mb_json_out *j, const mb_kind *kind, const mb_sizes *s)
{
    for (int32_t c = 0; c < mb_kind_choices(kind); c++)
        if (s->choice[c])
            mb_json_text(j, kind->choices[c].name, mb_kind_word(kind, s, c));
}

/* A choice that is not there is the first word. */
static void read_choices(mb_json_in *j, const mb_json *o, const mb_kind *kind, mb_sizes *s)
{
    for (int32_t c = 0; c < mb_kind_choices(kind); c++) {
        const mb_choice *choice = &kind->choices[c];
        const char      *word = mb_json_get_text(j, o, choice->name);
        char             accepted[160];
        int32_t          k = 0;

        while (word && choice->word[k] && strcmp(choice->word[k], word) != 0)
            k++;
        s->choice[c] = choice->word[k] ? k : 0;
        if (choice->word[k])
            continue;
        mb_opt_accepts(mb_opt_find(kind->opts, choice->option), accepted, sizeof accepted);
        mb_json_refuse(j, choice->name, "", accepted);
    }
}

/* Sets s->intercept by the field that is null without one; 1 when the kind has such a field. */
static int find_intercept(mb_json_in *j, const mb_json *o, const mb_kind *kind, mb_sizes *s)
{
    mb_field       f[MB_FIELDS_MAX];
    const int32_t  n = mb_kind_fields(kind, s, f);
    const mb_json *v;

    for (int32_t k = 0; k < n; k++)
        if (f[k].optional && !f[k].derived) {
            v = mb_json_at(o, f[k].key);
            if (v->type == MB_JSON_NONE)
                mb_json_refuse(j, f[k].key, "", "a number, or null for none");
            s->intercept = v->type != MB_JSON_NULL;
            return 1;
        }
    return 0;
}

/* Refuses a largest field of the wrong size, before memory for it is allocated. */
static void check_largest(mb_json_in *j, const mb_json *o, const mb_kind *kind, int64_t version,
                          const mb_sizes *s)
{
    mb_field        f[MB_FIELDS_MAX];
    const int32_t   n = mb_kind_fields(kind, s, f);
    const mb_field *most = f;

    for (int32_t k = 0; k < n; k++)
        if (!f[k].derived && mb_field_size(&f[k]) >= mb_field_size(most))
            most = &f[k];
    if (!most->absent)
        field_numbers(j, o, most, version, NULL);
}

mb_status mb_part_sizes_(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_json *par,
                         const char *where, int64_t version, mb_posterior *p)
{
    const char *here = j->where;
    mb_sizes   *s = &p->size;
    const int   latent = mb_kind_latent(p->kind);
    const int   most = p->kind->factors ? MB_FACTORS_MAX : MOST_COMPONENTS;
    int64_t     K = latent ? mb_json_get_count(j, o, "n_components") : 0;

    if (latent && (K < 1 || K > most))
        mb_json_refuse(j, "n_components", "", p->kind->factors ? "1 to 200" : "1 to 1000000");
    *mb_sizes_latent(p->kind, s) = K > 0 && K <= most ? (int32_t)K : most * latent;
    read_choices(j, o, p->kind, s);
    MB_TRY(j->status);
    MB_TRY(mb_part_kinds_(a, j, o, p));
    j->where = where;
    const int optional = find_intercept(j, par, p->kind, s);

    j->where = here;
    if (p->kind->targets && (p->size.targets < 1 || (p->size.targets > 1 && p->kind->targets == 1)))
        mb_json_refuse(j, "target", "", "the name of the column that is explained");
    if (s->D < mb_kind_least_inputs(p->kind, s))
        mb_json_refuse(j, "features", "",
                       optional ? "at least one name when there is no intercept"
                                : "at least one name");
    if (!p->kind->targets) {
        p->target = NULL;
        p->size.targets = 0;
    }
    j->where = where;
    check_largest(j, par, p->kind, version, s);
    j->where = here;
    return j->status;
}

static void above(mb_json_in *j, const mb_field *f, int of_prior, const double *x)
{
    const int    improper = of_prior && f->improper > 0;
    const double least = f->above - (improper ? f->improper : 0);
    char         index[32] = "", accepted[64];

    snprintf(accepted, sizeof accepted, improper ? "a number of at least %g" : "a number above %g",
             least);
    for (size_t k = 0; k < mb_field_size(f); k++) {
        if (f->ndim)
            snprintf(index, sizeof index, "[%zu]", k);
        if (!(improper ? x[k] >= least : x[k] > least))
            mb_json_refuse(j, f->key, index, accepted);
    }
}

/* The lower triangle by rows of a matrix (n x n), which must be symmetric up to the rounding of
 * numbers written as text. index: of the matrix, or "". */
static void lower(mb_json_in *j, const char *key, const char *index, int32_t n, const double *full,
                  double *tril)
{
    const double tol = 1e-9; /* of the geometric mean of the two diagonal entries */
    char         entry[64];

    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c <= r; c++) {
            const double x = full[r * n + c], y = full[c * n + r];

            *tril++ = x;
            snprintf(entry, sizeof entry, "%s[%d][%d]", index, (int)r, (int)c);
            if (!(fabs(x - y) <= tol * sqrt(fabs(full[r * n + r])) * sqrt(fabs(full[c * n + c]))))
                mb_json_refuse(j, key, entry, "a symmetric matrix");
        }
}

/* An item of a field to its place in par: numbers, a triangle, or a matrix, which is overwritten. */
static mb_status read_item(mb_arena *a, mb_json_in *j, const mb_field *f, size_t k, int matrix,
                           double *item, double *par)
{
    const int32_t n = f->symmetric ? f->shape[f->ndim - 1] : 0;
    char          index[32] = "";
    double       *C = item;

    if (f->ndim > 2)
        snprintf(index, sizeof index, "[%zu]", k);
    for (size_t l = 0; !matrix && l < mb_field_stored(f); l++)
        par[mb_field_at(f, k, l)] = item[l];
    if (matrix)
        lower(j, f->key, index, n, item, par + mb_field_at(f, k, 0));
    else if (n)
        MB_NEW(C, a, (size_t)n * (size_t)n, j->err);
    if (n && (matrix ? mb_chol_(C, n) : mb_chol_packed_(item, n, C)) != 0)
        mb_json_refuse(j, f->key, index, "a positive definite matrix");
    return MB_OK;
}

/* A field to its place in par. */
static mb_status read_field(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_field *f,
                            int64_t version, int of_prior, double *par)
{
    const int    matrix = f->symmetric && version == MB_PART_FULL_;
    const size_t len = matrix ? mb_field_size(f) / mb_field_items(f) : mb_field_stored(f);
    double      *item;

    if (f->absent && mb_json_at(o, f->key)->type != MB_JSON_NULL)
        mb_json_refuse(j, f->key, "", "null, as in the posterior");
    if (f->absent)
        return j->status;
    MB_NEW(item, a, mb_field_items(f) * len, j->err);
    field_numbers(j, o, f, version, item);
    MB_TRY(j->status);
    if (f->bounded)
        above(j, f, of_prior, item);
    for (size_t k = 0; k < mb_field_items(f); k++, item += len)
        MB_TRY(read_item(a, j, f, k, matrix, item, par));
    return j->status;
}

mb_status mb_part_parameters_(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                              int64_t version, int of_prior, double **out)
{
    mb_field      f[MB_FIELDS_MAX];
    const int32_t n = mb_kind_fields(p->kind, &p->size, f);

    MB_NEW(*out, a, p->model->layout.len, j->err);
    for (int32_t k = 0; k < n; k++)
        if (!f[k].derived)
            MB_TRY(read_field(a, j, o, &f[k], version, of_prior, *out));
    return j->status;
}
