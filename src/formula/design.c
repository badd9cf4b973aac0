/* design.c - terms and kinds of columns as design columns: coding, names, and rows of them as a view. */
#include "formula/design.h"
#include "base/columns.h"
#include "base/rows.h"
#include "base/text.h"

#include <float.h>
#include <string.h>

/* ---- widths and names ---- */

static int is_category(const mb_design *g, const mb_factor *f)
{
    return f->column >= 0 && g->kind[f->column].kind == MB_COLUMN_CATEGORY;
}

/* Columns of factor i of term t. */
static int32_t width(const mb_design *g, int32_t t, int32_t i)
{
    const mb_factor *f = &g->factor[g->terms.term[t].factor[i]];

    if (is_category(g, f))
        return g->kind[f->column].levels - !g->full[t][i];
    return f->degree ? f->degree : 1;
}

/* What factor i of term t calls its column l. */
static const char *part_name(mb_arena *a, const mb_design *g, int32_t t, int32_t i, int32_t l,
                             mb_err *err)
{
    const mb_factor *f = &g->factor[g->terms.term[t].factor[i]];

    if (is_category(g, f) && (g->coding == MB_CONTRASTS_TREATMENT || g->full[t][i]))
        return mb_text(a, err, "%s%s", f->name, g->kind[f->column].level[l + !g->full[t][i]]);
    if (is_category(g, f) || f->degree > 1)
        return mb_text(a, err, "%s%d", f->name, (int)l + 1);
    return f->name;
}

/* The name of column c of term t: the first factor's columns follow each other. */
static mb_status name_of(mb_arena *a, const mb_design *g, int32_t t, int32_t c, const char **out,
                         mb_err *err)
{
    *out = NULL;
    for (int32_t i = 0; i < g->terms.term[t].n; i++) {
        const int32_t w = width(g, t, i);
        const char   *part = part_name(a, g, t, i, c % w, err);

        if (part && *out)
            part = mb_text(a, err, "%s:%s", *out, part);
        if (!part)
            return MB_E_NOMEM;
        *out = part;
        c /= w;
    }
    return MB_OK;
}

/* ---- coding, as R's terms and model.matrix decide it ---- */

static int has(const mb_term *term, int32_t factor)
{
    for (int32_t i = 0; i < term->n; i++)
        if (term->factor[i] == factor)
            return 1;
    return 0;
}

/* 1: some term before t has all factors of t but the i-th; a term of one factor has the intercept. */
static int has_margin(const mb_terms *s, int32_t t, int32_t i)
{
    const mb_term *term = &s->term[t];
    int            found = term->n == 1;

    for (int32_t u = 0; u < t && !found; u++) {
        found = 1;
        for (int32_t k = 0; k < term->n && found; k++)
            found = k == i || has(&s->term[u], term->factor[k]);
    }
    return found;
}

/* Without an intercept the first category there is has all its levels. */
static void fill_up(const mb_design *g, uint8_t (*full)[MB_FORMULA_ORDER])
{
    for (int32_t t = 0; !g->terms.intercept && t < g->terms.n; t++)
        for (int32_t i = 0; i < g->terms.term[t].n; i++)
            if (is_category(g, &g->factor[g->terms.term[t].factor[i]])) {
                full[t][i] = 1;
                return;
            }
}

static mb_status choose_coding(mb_arena *a, mb_design *g, mb_err *err)
{
    uint8_t(*full)[MB_FORMULA_ORDER];

    MB_NEW(full, a, g->terms.n, err);
    for (int32_t t = 0; t < g->terms.n; t++)
        for (int32_t i = 0; i < g->terms.term[t].n; i++)
            full[t][i] = is_category(g, &g->factor[g->terms.term[t].factor[i]]) &&
                         !has_margin(&g->terms, t, i);
    fill_up(g, full);
    g->full = (const uint8_t(*)[MB_FORMULA_ORDER])full;
    return MB_OK;
}

static mb_status refuse(const mb_design *g, const mb_factor *f, const char *message, mb_err *err)
{
    return mb_formula_refuse(g->text, f->at, message, err);
}

/* A category is not a number, and one of a single level says nothing. */
static mb_status check_factors(mb_arena *a, const mb_design *g, mb_err *err)
{
    const char *message;

    for (int32_t k = 0; k < g->factors; k++) {
        const mb_factor *f = &g->factor[k];

        for (int32_t s = 0; s < f->nsteps; s++) {
            const mb_step   *step = &f->step[s];
            const mb_column *kind = step->kind == MB_STEP_COLUMN ? &g->kind[step->column] : NULL;

            if (!kind || kind->kind != MB_COLUMN_CATEGORY || (f->column >= 0 && kind->levels > 1))
                continue;
            message = mb_text(a, err,
                              f->column >= 0
                                  ? "column \"%.60s\" is a category of one level; expected two or "
                                    "more, or a formula without it"
                                  : "column \"%.60s\" is a category; expected a column of numbers",
                              g->column[step->column]);
            return message ? refuse(g, f, message, err) : MB_E_NOMEM;
        }
    }
    return MB_OK;
}

/* Each name once: a column "a" with the level "bc" could be called as "ab" with "c". */
static mb_status check_names(const mb_design *g, mb_err *err)
{
    for (int32_t c = 0; c < g->D; c++)
        for (int32_t b = 0; b < c; b++)
            if (!strcmp(g->name[b], g->name[c]))
                MB_FAIL(err, MB_E_ARG,
                        "--formula: two of its columns are called \"%.60s\"; expected other names "
                        "of columns or levels",
                        g->name[c]);
    return MB_OK;
}

/* As the formula has it, too, where a term has the name of its column. */
static mb_status name_offset(mb_arena *a, const mb_design *g, const char *const *name,
                             const char **out, mb_err *err)
{
    *out = g->offset_name;
    for (int32_t c = 0; *out && c < g->D - 1; c++)
        if (!strcmp(name[c], g->offset_name))
            *out = NULL;
    if (!*out)
        *out = mb_formula_offset(a, g->offsets, g->offset, g->factor, err);
    for (int32_t k = 0; *out && k < g->offsets; k++)
        if (is_category(g, &g->factor[g->offset[k]]))
            return refuse(g, &g->factor[g->offset[k]],
                          "an offset is a number; expected a column of numbers", err);
    return *out ? MB_OK : MB_E_NOMEM;
}

mb_status mb_design_code(mb_arena *a, mb_design *g, mb_err *err)
{
    const char **name;
    int32_t     *first;

    MB_TRY(check_factors(a, g, err));
    MB_TRY(choose_coding(a, g, err));
    MB_NEW(first, a, (size_t)g->terms.n + 1, err);
    for (int32_t t = 0; t < g->terms.n; t++) {
        int64_t count = 1;

        for (int32_t i = 0; i < g->terms.term[t].n && count <= MB_DESIGN_COLUMNS; i++)
            count *= width(g, t, i);
        if (first[t] + count > MB_DESIGN_COLUMNS)
            MB_FAIL(err, MB_E_ARG,
                    "--formula: got more than %d columns, with those of categories; expected "
                    "fewer (--drop leaves a column out)",
                    MB_DESIGN_COLUMNS);
        first[t + 1] = first[t] + (int32_t)count;
    }
    g->first = first;
    g->D = first[g->terms.n] + (g->offsets > 0);
    MB_NEW(name, a, g->D, err);
    MB_NEW(g->poly, a, g->factors, err);
    for (int32_t t = 0; t < g->terms.n; t++)
        for (int32_t c = first[t]; c < first[t + 1]; c++)
            MB_TRY(name_of(a, g, t, c - first[t], &name[c], err));
    if (g->offsets)
        MB_TRY(name_offset(a, g, name, &name[g->D - 1], err));
    g->name = name;
    return check_names(g, err);
}

mb_status mb_design_make(mb_arena *a, const mb_formula *f, const mb_column *kind, mb_design *out,
                         mb_err *err)
{
    *out = (mb_design){.text = f->text,
                       .columns = f->columns,
                       .column = f->column,
                       .kind = kind,
                       .coding = out->coding,
                       .offset_name = out->offset_name,
                       .factors = f->factors,
                       .factor = f->factor,
                       .terms = f->common,
                       .offsets = f->offsets,
                       .offset = f->offset};
    return mb_design_code(a, out, err);
}

static mb_status copy_factors(mb_arena *a, const mb_design *g, mb_design *own, mb_err *err)
{
    mb_factor *factor;

    MB_NEW(factor, a, g->factors, err);
    for (int32_t k = 0; k < g->factors; k++) {
        const mb_factor *f = &g->factor[k];
        mb_step         *step;

        factor[k] = *f;
        factor[k].name = mb_text(a, err, "%s", f->name);
        factor[k].source = mb_text(a, err, "%s", f->source);
        if (!factor[k].name || !factor[k].source)
            return MB_E_NOMEM;
        MB_NEW(step, a, f->nsteps, err);
        memcpy(step, f->step, (size_t)f->nsteps * sizeof *step);
        factor[k].step = step;
    }
    own->factor = factor;
    return MB_OK;
}

static mb_status copy_offsets(mb_arena *a, const mb_design *g, mb_design *own, mb_err *err)
{
    int32_t *offset;

    MB_NEW(offset, a, g->offsets, err);
    for (int32_t k = 0; k < g->offsets; k++)
        offset[k] = g->offset[k];
    own->offset = offset;
    own->offsets = g->offsets;
    own->offset_name = g->offset_name ? mb_text(a, err, "%s", g->offset_name) : NULL;
    return g->offset_name && !own->offset_name ? MB_E_NOMEM : MB_OK;
}

mb_status mb_design_copy(mb_arena *a, const mb_design *g, const mb_design **out, mb_err *err)
{
    mb_design *own;
    mb_columns kinds = {.d = 0};

    MB_NEW(own, a, 1, err);
    *own = (mb_design){.text = mb_text(a, err, "%s", g->text),
                       .columns = g->columns,
                       .coding = g->coding,
                       .factors = g->factors,
                       .terms = g->terms};
    if (!own->text)
        return MB_E_NOMEM;
    MB_TRY(mb_texts_copy(a, g->columns, g->column, &own->column, err));
    if (g->columns)
        MB_TRY(mb_columns_make(a, g->columns, g->kind, &kinds, err));
    own->kind = kinds.of;
    MB_TRY(copy_factors(a, g, own, err));
    MB_TRY(copy_offsets(a, g, own, err));
    MB_NEW(own->terms.term, a, g->terms.n, err);
    if (g->terms.n)
        memcpy(own->terms.term, g->terms.term, (size_t)g->terms.n * sizeof *g->terms.term);
    MB_TRY(mb_design_code(a, own, err));
    if (g->factors)
        memcpy(own->poly, g->poly, (size_t)g->factors * sizeof *g->poly);
    *out = own;
    return MB_OK;
}

/* ---- numbers of a row ---- */

/* A row of columns. */
typedef struct cells {
    const mb_rows *rows;
    const int32_t *from; /* the rows' column of each; NULL: the same */
    int64_t        j;
} cells;

static double cell(const cells *at, int32_t column)
{
    return mb_rows_at(at->rows, at->j, at->from ? at->from[column] : column);
}

static double both(mb_step_kind kind, double a, double b)
{
    switch (kind) {
    case MB_STEP_ADD:
        return a + b;
    case MB_STEP_SUBTRACT:
        return a - b;
    case MB_STEP_MULTIPLY:
        return a * b;
    case MB_STEP_DIVIDE:
        return a / b;
    default:
        return pow(a, b);
    }
}

/* The number that a factor is of. */
static double value(const mb_factor *f, const cells *at)
{
    double  stack[MB_FORMULA_STEPS], *last = stack;
    int32_t n = 0;

    for (int32_t s = 0; s < f->nsteps; s++) {
        const mb_step *step = &f->step[s];

        switch (step->kind) {
        case MB_STEP_COLUMN:
            stack[n++] = cell(at, step->column);
            break;
        case MB_STEP_NUMBER:
            stack[n++] = step->number;
            break;
        case MB_STEP_NEGATE:
            *last = -*last;
            break;
        case MB_STEP_LOG:
            *last = log(*last);
            break;
        case MB_STEP_EXP:
            *last = exp(*last);
            break;
        case MB_STEP_SQRT:
            *last = sqrt(*last);
            break;
        default:
            n--;
            stack[n - 1] = both(step->kind, stack[n - 1], stack[n]);
        }
        last = &stack[n - 1];
    }
    return *last;
}

/* The sum of the offsets. */
static double offset(const mb_design *g, const cells *at)
{
    double sum = 0;

    for (int32_t k = 0; k < g->offsets; k++)
        sum += value(&g->factor[g->offset[k]], at);
    return sum;
}

/* F_0 .. F_k at x. */
static void polynomials(const mb_poly *p, int32_t k, double x, double *F)
{
    F[0] = 1;
    for (int32_t l = 0; l < k; l++)
        F[l + 1] = (x - p->alpha[l]) * F[l] - (l ? p->norm2[l] / p->norm2[l - 1] * F[l - 1] : 0);
}

/* What a factor of a term is in a row. */
typedef struct part {
    int32_t width;
    int32_t levels; /* of a category; 0: it is none */
    int     full;
    double  x; /* a number, or that of the category: NaN, if it is unknown */
    double  poly[MB_FORMULA_DEGREE + 1]; /* of a degree: its columns from [1] on */
} part;

static void read_part(const mb_design *g, int32_t t, int32_t i, const cells *at, part *out)
{
    const int32_t    k = g->terms.term[t].factor[i];
    const mb_factor *f = &g->factor[k];

    out->width = width(g, t, i);
    out->levels = is_category(g, f) ? g->kind[f->column].levels : 0;
    out->full = g->full[t][i];
    out->x = out->levels ? cell(at, f->column) : value(f, at);
    if (f->degree)
        polynomials(&g->poly[k], f->degree, out->x, out->poly);
    for (int32_t l = 1; l <= f->degree; l++)
        out->poly[l] /= sqrt(g->poly[k].norm2[l]);
    if (f->degree == 1)
        out->x = out->poly[1];
}

/* Its column l. */
static double column_of(const mb_design *g, const part *p, int32_t l)
{
    int32_t level;

    if (!p->levels)
        return p->width == 1 ? p->x : p->poly[l + 1];
    if (isnan(p->x) && g->coding == MB_CONTRASTS_SUM)
        return p->full ? 1.0 / p->levels : 0;
    level = isnan(p->x) ? 0 : (int32_t)p->x;
    if (p->full)
        return level == l;
    if (g->coding == MB_CONTRASTS_TREATMENT)
        return level == l + 1;
    return level == p->levels - 1 ? -1 : level == l;
}

/* ---- rows of design columns ---- */

typedef struct view {
    mb_stored        stored; /* first */
    const mb_design *design;
    mb_rows          rows;
    const int32_t   *from;
    int32_t          targets;
} view;

static double at(const mb_stored *s, int64_t j, int32_t d)
{
    const view      *v = (const view *)(const void *)s;
    const mb_design *g = v->design;
    const cells      where = {&v->rows, v->from, j};
    int32_t          t = 0, c;
    double           x = 1;
    part             p;

    if (d >= g->D)
        return mb_rows_at(&v->rows, j, v->rows.d - v->targets + d - g->D);
    if (d == g->first[g->terms.n])
        return offset(g, &where);
    while (g->first[t + 1] <= d)
        t++;
    c = d - g->first[t];
    for (int32_t i = 0; i < g->terms.term[t].n; i++) {
        read_part(g, t, i, &where, &p);
        x *= column_of(g, &p, c % p.width);
        c /= p.width;
    }
    return x;
}

/* The columns of term t, in place: those of the factors before are multiplied by each of the next. */
static void term_columns(const mb_design *g, int32_t t, const cells *where, double *out)
{
    int64_t count = 1;
    part    p;

    *out = 1;
    for (int32_t i = 0; i < g->terms.term[t].n; i++) {
        read_part(g, t, i, where, &p);
        for (int32_t l = p.width - 1; l >= 0; l--) {
            const double x = column_of(g, &p, l);

            for (int64_t k = 0; k < count; k++)
                out[count * l + k] = out[k] * x;
        }
        count *= p.width;
    }
}

static void take(const mb_stored *s, int64_t j, int64_t n, double *out)
{
    const view      *v = (const view *)(const void *)s;
    const mb_design *g = v->design;
    cells            where = {&v->rows, v->from, j};

    for (; where.j < j + n; where.j++) {
        for (int32_t t = 0; t < g->terms.n; t++)
            term_columns(g, t, &where, out + g->first[t]);
        out += g->D;
        if (g->offsets)
            out[-1] = offset(g, &where);
        for (int32_t k = v->rows.d - v->targets; k < v->rows.d; k++)
            *out++ = mb_rows_at(&v->rows, where.j, k);
    }
}

mb_status mb_design_rows(mb_arena *a, const mb_design *g, const mb_rows *rows, const int32_t *from,
                         int32_t targets, mb_rows *out, mb_err *err)
{
    view *v;

    if (!MB_STORED_(1))
        MB_FAIL(err, MB_E_NOSUP, "a formula: got a build without stdio; expected one with it");
    MB_NEW(v, a, 1, err);
    *v = (view){{at, take}, g, *rows, from, targets};
    *out = *rows;
    out->x = NULL;
    out->x32 = NULL;
    out->stored = &v->stored;
    out->skip = 0;
    out->d = g->D + targets;
    out->ld = (size_t)out->d;
    out->gaps = 0;
    out->sums = NULL;
    return MB_OK;
}

/* ---- constants of poly ---- */

/* norm2_k and, below the degree, alpha_k, about the mean, which the squares have digits for; the mean
 * itself about the first number, so that one of equal numbers is exact. */
static int learn_degree(const mb_factor *f, mb_poly *p, int32_t k, const mb_rows *rows,
                        const int32_t *from)
{
    double F[MB_FORMULA_DEGREE + 1], sum = 0, first = 0, centre = p->alpha[0];
    cells  where = {rows, from, 0};

    for (; where.j < rows->n; where.j++) {
        const double x = value(f, &where);

        if (!k && !where.j)
            centre = x;
        polynomials(p, k, x, F);
        sum += F[k] * F[k];
        first += (x - centre) * F[k] * F[k];
    }
    p->norm2[k] = sum;
    if (k < f->degree)
        p->alpha[k] = first / sum + centre;
    return isfinite(first);
}

/* Squares that are rounding errors of those of lower degree, or of numbers far from zero, which grow
 * with the degree: the rows have no more values. */
static int is_zero(const mb_poly *p, int32_t k)
{
    const double rounding = 1e-22, ends = ldexp(4 * DBL_EPSILON * p->alpha[0], k < 8 ? 2 * k : 16);
    const double limit = k > 1 ? rounding * p->norm2[1] / p->norm2[0] + ends * ends
                               : rounding * p->alpha[0] * p->alpha[0];

    return k && !(p->norm2[k] > limit * p->norm2[k - 1]);
}

mb_status mb_design_learn(mb_design *g, const mb_rows *rows, const int32_t *from, mb_err *err)
{
    for (int32_t i = 0; i < g->factors; i++) {
        const mb_factor *f = &g->factor[i];

        for (int32_t k = 0; f->degree && k <= f->degree; k++) {
            if (!learn_degree(f, &g->poly[i], k, rows, from))
                return refuse(g, f, "a row has no finite number there", err);
            if (is_zero(&g->poly[i], k))
                return refuse(g, f, "expected more different values than the degree", err);
        }
    }
    return MB_OK;
}

/* ---- */

static int same_kinds(const mb_design *a, const mb_design *b)
{
    for (int32_t k = 0; k < a->columns; k++) {
        const mb_column *x = &a->kind[k], *y = &b->kind[k];
        const int        levels = is_category(a, &(mb_factor){.column = k});

        if (strcmp(a->column[k], b->column[k]) != 0 ||
            levels != is_category(b, &(mb_factor){.column = k}) ||
            (levels && x->levels != y->levels))
            return 0;
        for (int32_t l = 0; levels && l < x->levels; l++)
            if (strcmp(x->level[l], y->level[l]) != 0)
                return 0;
    }
    return 1;
}

/* Sums over the same rows in another order differ by rounding. */
static int same_poly(const mb_poly *p, const mb_poly *q, int32_t degree)
{
    const double tol = 1e-9, spread = sqrt(p->norm2[degree > 0] / p->norm2[0]);

    for (int32_t k = 0; degree && k <= degree; k++)
        if (!(fabs(p->norm2[k] - q->norm2[k]) <= tol * p->norm2[k]) ||
            (k < degree && !(fabs(p->alpha[k] - q->alpha[k]) <= tol * spread)))
            return 0;
    return 1;
}

int mb_design_same(const mb_design *a, const mb_design *b)
{
    if (!a || !b)
        return a == b;
    if (a->columns != b->columns || a->coding != b->coding || a->factors != b->factors ||
        a->terms.n != b->terms.n || a->offsets != b->offsets || a->D != b->D || !same_kinds(a, b))
        return 0;
    for (int32_t k = 0; k < a->offsets; k++)
        if (a->offset[k] != b->offset[k])
            return 0;
    for (int32_t k = 0; k < a->factors; k++)
        if (strcmp(a->factor[k].source, b->factor[k].source) != 0 ||
            !same_poly(&a->poly[k], &b->poly[k], a->factor[k].degree))
            return 0;
    for (int32_t c = 0; c < a->D; c++)
        if (strcmp(a->name[c], b->name[c]) != 0)
            return 0;
    return 1;
}
