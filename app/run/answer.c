/* answer.c - the answer of a run: how well it fits the rows, what speaks against it, and a table
 * of it on standard output. */
#include "run/answer.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "model/model.h"
#include "posterior/posterior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A settled run is a surer answer than another, and the network's is what was asked for. */
static int rank(const sim_result *r)
{
    return 2 * (sim_verdict(r) == MB_ENDED_SETTLED) +
           (!r->choice->cvb && r->choice->algo->consensus);
}

static double error_left(const sim_result *r)
{
    return fmax(r->out.disagreement, r->out.moved);
}

/* Is it the surer of two of one rank: by its bound, or, where these differ by rounding, by what is
 * left of its error? */
static int surer(const sim_result *one, const sim_result *best)
{
    const double gap = one->out.bound - best->out.bound;

    if (fabs(gap) > MB_SETTLED * fmax(1, fabs(best->out.bound)) || rank(one) < 2)
        return gap > 0;
    return error_left(one) < error_left(best);
}

static const sim_result *best_run(const sim_results *all)
{
    const sim_result *best = NULL;

    for (const sim_result *one = all->r; one < all->r + all->n; one++) {
        if (one->failed || !(isfinite(one->out.bound) || one->given))
            continue;
        if (!best || rank(one) > rank(best) || (rank(one) == rank(best) && surer(one, best)))
            best = one;
    }
    return best;
}

static int predicts(const mb_case *c, mb_want want)
{
    int32_t        n;
    const mb_want *all = mb_kind_wants(c->kind, &c->size, &n);

    while (n > 0 && all[n - 1] != want)
        n--;
    return n > 0;
}

/* Numbers of rows that are read together, from `first` on; returns how many. */
static int64_t next_rows(int64_t first, int64_t all, int64_t *j)
{
    const int64_t n = all - first < MB_TOGETHER ? all - first : MB_TOGETHER;

    for (int64_t k = 0; k < n; k++)
        j[k] = first + k;
    return n;
}

size_t sim_fitted_scratch(const sim_answer *a)
{
    const mb_case *c = a->of->session.c;

    return MB_TOGETHER * ((size_t)c->run.d + 2 * (size_t)a->targets) + mb_local_scratch(&c->model);
}

static mb_status say(const sim_answer *a, const int64_t *j, int64_t n, mb_want want,
                     double *predicted, double *scratch, mb_err *err)
{
    return mb_case_predict(a->of->session.c, a->of->out.mean, j, n, want, predicted, scratch, err);
}

static double in_group(const sim_answer *a, int64_t j, const double *x)
{
    return a->effects ? sim_effects_of(a->effects, &a->of->session.c->table.rows, j, x) : 0;
}

/* Of rows that need the others of their group: all of them at once. */
static mb_status by_group(sim_answer *a, mb_err *err)
{
    const mb_case *c = a->of->session.c;
    double        *to, *scratch;

    MB_NEW(to, a->of->session.own, c->table.rows.n * a->targets, err);
    MB_NEW(scratch, a->of->session.own, mb_local_scratch(&c->model), err);
    a->fitted = to;
    for (int32_t i = 0; i < c->place->part.n_local; to += c->rows[i++].n * a->targets)
        MB_TRY(c->model.ops->predict(&c->model, a->of->out.mean, &c->rows[i], MB_WANT_MEAN_, to,
                                     scratch, err));
    return MB_OK;
}

mb_status sim_fitted(const sim_answer *a, const int64_t *j, int64_t n, double *fitted,
                     double *observed, double *scratch, mb_err *err)
{
    const mb_case *c = a->of->session.c;
    const int32_t  T = a->targets, inputs = c->run.d - T;
    int            alone = predicts(c, MB_WANT_INTERVAL);
    mb_status      st = MB_E_NOSUP;
    double        *predicted = scratch, *x = predicted + 2 * (size_t)T * MB_TOGETHER;

    for (int64_t k = 0; a->fitted && k < n; k++) {
        st = MB_OK;
        memcpy(predicted + k * T, a->fitted + j[k] * T, (size_t)T * sizeof *predicted);
        mb_case_row(c, j[k], x + k * c->run.d);
    }
    if (alone && !a->fitted)
        st = say(a, j, n, MB_WANT_MEAN_, predicted, x, err);
    if (st == MB_E_NOSUP) { /* a model of the caller may not have the mean by itself */
        alone = 0;
        st = say(a, j, n, MB_WANT_MEAN_VAR, predicted, x, err);
    }
    MB_TRY(st);
    for (int64_t k = 0; k < n; k++, x += c->run.d)
        for (int32_t t = 0; t < T; t++, predicted += alone ? 1 : 2) {
            const double o = c->run.origin[inputs + t], scale = c->run.scale[inputs + t];

            *fitted++ = o + scale * (predicted[0] + in_group(a, j[k], x));
            *observed++ = o + scale * x[inputs + t];
        }
    return MB_OK;
}

/* Rows by component (canonical order) and class. */
static mb_status classes(const sim_rows *rows, sim_answer *out, mb_err *err)
{
    const mb_case *c = out->of->session.c;
    const mb_data *data = &rows->data;
    mb_arena      *a = out->of->session.own;
    double        *scratch, label[MB_TOGETHER];
    int64_t        j[MB_TOGETHER];
    int32_t       *place;

    MB_NEW(scratch, a, sim_fitted_scratch(out), err);
    MB_NEW(place, a, c->model.K, err);
    MB_NEW(out->table, a, (size_t)c->model.K * (size_t)data->nlabel, err);
    for (int32_t k = 0; k < c->model.K; k++)
        place[out->of->out.order[k]] = k;
    for (int64_t first = 0, n; first < data->n; first += n) {
        n = next_rows(first, data->n, j);
        MB_TRY(say(out, j, n, MB_WANT_LABEL, label, scratch, err));
        for (int64_t k = 0; k < n; k++)
            out->table[(int64_t)place[(int32_t)label[k]] * data->nlabel + data->label[j[k]]]++;
    }
    return MB_OK;
}

static int is_of_counts(const mb_case *c)
{
    return c->kind->target_kind && c->kind->target_kind(&c->size) == MB_COLUMN_COUNT;
}

/* Pearson's sum of squares of counts, and its variance were they Poisson counts: E[(y - m)^4] is m +
 * 3 m^2. */
static void disperse(sim_answer *out, double w, double observed, double fitted)
{
    out->dispersion += w * (observed - fitted) * (observed - fitted) / fitted;
    out->dispersion_sd += w * w * (2 + 1 / fitted);
}

/* Sums of squares of what the answer leaves over, into out->rmse. */
static mb_status leftover(sim_answer *out, mb_err *err)
{
    const mb_rows *rows = &out->of->session.c->table.rows;
    mb_arena      *a = out->of->session.own;
    const int32_t  T = out->targets;
    int64_t        j[MB_TOGETHER];
    const int      counts = is_of_counts(out->of->session.c);
    double        *scratch, *fitted, *observed;

    MB_NEW(fitted, a, MB_TOGETHER * (size_t)T, err);
    MB_NEW(observed, a, MB_TOGETHER * (size_t)T, err);
    MB_NEW(scratch, a, sim_fitted_scratch(out), err);
    for (int64_t first = 0, n; first < rows->n; first += n) {
        n = next_rows(first, rows->n, j);
        MB_TRY(sim_fitted(out, j, n, fitted, observed, scratch, err));
        for (int64_t e = 0; e < n * T; e++) {
            const double w = rows->w ? rows->w[j[e / T]] : 1, left = observed[e] - fitted[e];

            if (isnan(left)) /* a gap */
                continue;
            out->rmse[e % T] += w * left * left;
            if (counts)
                disperse(out, w, observed[e], fitted[e]);
        }
    }
    return MB_OK;
}

/* Over the rows less the coefficients. Of counts that are nearly all 0 or 1 it says little: a single
 * event where few are expected is as much as all others. */
static void finish_dispersion(const mb_case *c, sim_answer *out)
{
    const double rows = c->seen.weight - mb_sizes_inputs(&c->size) - c->size.intercept;
    const int    shown = rows > 0 && c->seen.mean[c->table.rows.d - 1] >= 1;

    out->dispersion = shown ? out->dispersion / rows : 0;
    out->dispersion_sd = shown ? sqrt(out->dispersion_sd) / rows : 0;
}

/* R2 and RMSE over all rows, and the dispersion of counts. */
static mb_status regression(sim_answer *out, mb_err *err)
{
    const mb_case *c = out->of->session.c;
    const double   weight = c->seen.weight;
    mb_arena      *a = out->of->session.own;
    const int32_t  T = mb_kind_targets(c->kind, &c->size);

    out->targets = T;
    MB_NEW(out->r2, a, T, err);
    MB_NEW(out->rmse, a, T, err);
    if (mb_kind_needs_groups(c->kind) && !out->effects)
        MB_TRY(by_group(out, err));
    MB_TRY(leftover(out, err));
    for (int32_t t = 0; t < T; t++) {
        const double sd = c->seen.sd[c->table.rows.d - T + t];
        const double total = (weight > 1 ? weight - 1 : weight) * sd * sd;

        out->r2[t] = total > 0 ? 1 - out->rmse[t] / total : (double)NAN;
        out->rmse[t] = sqrt(out->rmse[t] / weight);
    }
    if (is_of_counts(c))
        finish_dispersion(c, out);
    return MB_OK;
}

/* Whether these rows are all that is known of variances: an earlier answer is too sure of them, and
 * its rows are elsewhere. */
static int rows_are_all(const sim_results *all, const mb_rows *rows)
{
    const sim_args *args = all->cs->args;

    return sim_rows_in_sequences(rows) && !args->update && !sim_prior_file(args);
}

static mb_status find(const sim_results *all, sim_answer *out, mb_err *err)
{
    const mb_kind    *kind = all->cs->args->kind;
    const sim_result *of = best_run(all);
    mb_status         st;

    *out = (sim_answer){.of = NULL};
    if (!of)
        return MB_OK;
    st = mb_case_posterior(of->session.own, of->session.c, of->out.mean, of->out.order,
                           &out->posterior, err);
    if (st == MB_E_DOMAIN)
        return MB_OK;
    MB_TRY(st);
    out->of = of;
    if (of->given)
        out->posterior = *of->given->posterior;
    MB_TRY(mb_posterior_summary(of->session.own, &out->posterior, &out->summary, err));
    if (kind->variances && rows_are_all(all, &of->session.c->table.rows))
        MB_TRY(mb_posterior_observed_(of->session.own, &out->posterior, &of->session.c->table.rows,
                                      &out->summary, err));
    if (all->cs->rows->data.label && mb_kind_has_components(kind) &&
        predicts(of->session.c, MB_WANT_LABEL))
        MB_TRY(classes(all->cs->rows, out, err));
    MB_TRY(mb_fit_iterations_(of->session.own, of->session.c, of->out.mean, &out->iterations, err));
    if (!kind->targets)
        return MB_OK;
    out->sd = of->given ? NULL : of->session.c->seen.sd;
    MB_TRY(sim_effects_find(of->session.own, of->session.c, of->out.mean, &out->effects, err));
    if (predicts(of->session.c, MB_WANT_MEAN_VAR))
        MB_TRY(regression(out, err));
    return mb_fit_levels_(of->session.own, of->session.c, of->out.mean, &out->levels, err);
}

/* More than chance makes of Poisson counts, and enough that intervals are too short by a tenth. */
static void warn_of_dispersion(sim_job *job, const sim_answer *a)
{
    const double errors = 4, least = 1.2;

    if (a->dispersion > least && a->dispersion > 1 + errors * a->dispersion_sd)
        sim_warn(job,
                 "the counts vary %.3g times as much about what is fitted as Poisson counts would: "
                 "intervals should be %.2g times as long",
                 a->dispersion, sqrt(a->dispersion));
}

mb_status sim_answer_find(sim_job *job, sim_results *all, mb_err *err)
{
    sim_answer *found;
    const char *separated, *capped;

    MB_NEW(found, job->a, 1, err);
    MB_TRY(find(all, found, err));
    all->answer = found;
    if (found->summary.warning)
        sim_warn(job, "%s", found->summary.warning);
    warn_of_dispersion(job, found);
    MB_TRY(mb_fit_capped_(job->a, &found->iterations, &capped, err));
    if (capped)
        sim_warn(job, "%s", capped);
    if (!found->levels)
        return MB_OK;
    MB_TRY(mb_fit_separated_(job->a, &found->posterior, found->levels, &separated, err));
    if (separated)
        sim_warn(job, "%s", separated);
    return MB_OK;
}

/* Nothing for other commands than fit. */
static mb_status find_doubts(sim_job *job, const sim_case *cs, mb_doubts_ *to, mb_err *err)
{
    *to = (mb_doubts_){.n = 0};
    return cs->args->command->fit ? mb_fit_doubts_(job->a, cs->fit, to, err) : MB_OK;
}

mb_status sim_doubts_print(sim_job *job, const sim_case *cs, mb_err *err)
{
    mb_doubts_ all;

    MB_TRY(find_doubts(job, cs, &all, err));
    for (int32_t k = 0; k < all.n; k++)
        puts(all.line[k]);
    return MB_OK;
}

mb_status sim_doubts_write(sim_job *job, const sim_case *cs, mb_json_out *j, mb_err *err)
{
    mb_doubts_ all;

    MB_TRY(find_doubts(job, cs, &all, err));
    mb_json_list(j, "doubts");
    for (int32_t k = 0; k < all.n; k++)
        mb_json_text(j, NULL, all.line[k]);
    mb_json_close(j);
    return MB_OK;
}

/* How many components hold no rows. */
static int32_t count_empty(const sim_answer *a)
{
    const mb_summary *u = &a->summary;
    int32_t           n = 0;

    for (int32_t k = 0; u->weight && u->count && k < u->rows; k++)
        n += u->count[k] < 0.5;
    return n;
}

mb_status sim_is_safe(sim_job *job, const sim_case *cs, const sim_answer *a, int *safe, mb_err *err)
{
    const mb_summary       *u = &a->summary;
    const mb_search_result *f = &a->of->found;
    mb_doubts_              all;

    MB_TRY(find_doubts(job, cs, &all, err));
    *safe = f->n_init > 1 && f->at_best == f->n_init && !f->improved && !all.n;
    for (int32_t k = 0; u->weight && u->count && k < u->rows; k++)
        *safe &= !(u->count[k] < 2.0 * a->posterior.size.D);
    return MB_OK;
}

enum { MOST_ROWS = 30, MOST_VALUES = 6, MOST_COLUMNS = MOST_VALUES + 3, CELL = 64 };
enum { NAME = 24 /* characters of a name */ };

/* The table as texts; the first line has the headings. */
typedef struct texts {
    int32_t rows, columns;
    char (*cell)[MOST_COLUMNS][CELL]; /* rows + 1 */
    int width[MOST_COLUMNS];
} texts;

/* Characters of a text in UTF-8. */
static int characters(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

/* At most `most` characters of a name, whole ones. */
static void cut(char *to, const char *from, int most)
{
    int bytes = 0, n = 0;

    while (from[bytes] && bytes < CELL - 4) {
        if (((unsigned char)from[bytes] & 0xC0) != 0x80 && ++n > most)
            break;
        bytes++;
    }
    while (bytes && from[bytes] && ((unsigned char)from[bytes] & 0xC0) == 0x80)
        bytes--;
    snprintf(to, CELL, "%.*s", bytes, from);
}

static void name(char *to, const char *from)
{
    cut(to, from, NAME);
}

/* x with this number of figures: 54.5, 0.266, 12345, 1.23e-07; "-" for no value. */
static void figures(char *to, size_t cap, double x, int digits)
{
    const double size = fabs(x);
    const int    plain = size < 1e7 && size >= 1e-4;
    /* of the rounded number: 999.96 is 1000 */
    const int whole = plain && size >= 1 ? (int)log10(size * (1 + 0.5 * pow(10, -digits))) + 1 : 0;
    size_t    n;

    if (isnan(x))
        snprintf(to, cap, "-");
    else if (size <= 0)
        snprintf(to, cap, "0");
    else if (!plain)
        snprintf(to, cap, "%.*e", digits - 1, x);
    else
        snprintf(to, cap, "%#.*g", whole > digits ? whole : digits, x);
    n = strlen(to);
    if (n && to[n - 1] == '.')
        to[n - 1] = 0;
}

static void spread(char *to, double mean, double sd)
{
    char m[24], s[24];

    figures(m, sizeof m, mean, 3);
    figures(s, sizeof s, sd, 3);
    snprintf(to, CELL, "%s%s%s", m, isnan(sd) ? "" : " ± ", isnan(sd) ? "" : s);
}

/* Name or number, weight and rows of a part; returns the columns written. */
static int32_t lead(const mb_summary *u, int32_t k, char (*cell)[CELL])
{
    int32_t n = 1;

    if (u->label)
        cut(cell[0], u->label[k], u->ranked ? 2 * NAME : NAME);
    else
        snprintf(cell[0], CELL, "%d", k);
    if (u->weight)
        snprintf(cell[n++], CELL, "%.3f", u->weight[k]);
    if (u->count && isnan(u->count[k]))
        snprintf(cell[n++], CELL, "-");
    else if (u->count)
        snprintf(cell[n++], CELL, "%.1f", mb_shown_(u->count[k], 1));
    return n;
}

static void quantities(const mb_summary *u, int32_t k, int32_t values, char (*cell)[CELL])
{
    const int64_t at = (int64_t)k * u->columns;

    if (mb_summary_effects(u)) { /* one quantity with its interval */
        figures(cell[0], CELL, u->mean[at], 6);
        figures(cell[1], CELL, u->sd[at], 3);
        figures(cell[2], CELL, u->low[at], 6);
        figures(cell[3], CELL, u->high[at], 6);
        return;
    }
    for (int32_t d = 0; d < values; d++)
        if (u->sd)
            spread(cell[d], u->mean[at + d], u->sd[at + d]);
        else
            figures(cell[d], CELL, u->mean[at + d], 6);
}

static void headings(const mb_summary *u, int32_t values, char (*cell)[CELL])
{
    static const char *const interval[] = {"mean", "sd", "95 % from", "to"};
    int32_t                  n = 0;

    name(cell[n++], u->part);
    if (u->weight)
        name(cell[n++], "weight");
    if (u->count)
        name(cell[n++], u->counted);
    for (int32_t d = 0; d < values; d++)
        name(cell[n++], mb_summary_effects(u) ? interval[d] : u->name[d]);
}

/* As many quantities as fit the line; *left: the others. */
static void fit_line(texts *t, int32_t first, int32_t *left)
{
    const int line = app_line();
    int       total = 0;
    int32_t   c = 0;

    for (int32_t k = 0; k <= t->rows; k++)
        for (int32_t d = 0; d < t->columns; d++) {
            const int n = characters(t->cell[k][d]);

            t->width[d] = n > t->width[d] ? n : t->width[d];
        }
    for (; c < t->columns; c++) {
        total += t->width[c] + (c ? 2 : 0);
        if (total > line && c > first)
            break;
    }
    *left += t->columns - c;
    t->columns = c;
}

static void lines(const texts *t, int flush_left)
{
    for (int32_t k = 0; k <= t->rows; k++) {
        for (int32_t d = 0; d < t->columns; d++) {
            const int blanks = t->width[d] - characters(t->cell[k][d]);

            printf("%s%*s%s%*s", d ? "  " : "", d || !flush_left ? blanks : 0, "", t->cell[k][d],
                   !d && flush_left ? blanks : 0, "");
        }
        putchar('\n');
    }
}

mb_status sim_summary_print(const sim_job *job, const mb_summary *u, mb_err *err)
{
    const int32_t values = mb_summary_effects(u)      ? 4
                           : u->ranked                ? 0
                           : u->columns < MOST_VALUES ? u->columns
                                                      : MOST_VALUES;
    texts         t = {.rows = u->rows < MOST_ROWS ? u->rows : MOST_ROWS};
    int32_t       first = 1 + (u->weight != NULL) + (u->count != NULL);
    int32_t       left = mb_summary_effects(u) || u->ranked ? 0 : u->columns - values;

    MB_NEW(t.cell, job->a, t.rows + 1, err);
    t.columns = first + values;
    headings(u, values, t.cell[0]);
    for (int32_t k = 0; k < t.rows; k++)
        quantities(u, k, values, t.cell[k + 1] + lead(u, k, t.cell[k + 1]));
    fit_line(&t, first, &left);
    lines(&t, u->label != NULL);
    const char *where = sim_to_folder(job) ? "in the report" : "--out DIR";

    if (left)
        printf("and %d more column%s: %s\n", left, left == 1 ? "" : "s", where);
    if (t.rows < u->rows)
        printf("and %d more %ss: %s\n", u->rows - t.rows, u->part, where);
    return MB_OK;
}

/* Whose answer it is, and a warning where that run has not settled. */
static void origin(const sim_results *all, const sim_result *of)
{
    const mb_verdict verdict = sim_verdict(of);
    const int        settled = verdict == MB_ENDED_SETTLED;

    if (all->n > 1)
        printf("this is the posterior of %s, %s\n", of->choice->name,
               settled ? "the best run that settled" : "and no run has settled");
    if (!settled)
        printf("%s: this answer has not settled\n", app_verdict(verdict));
}

/* What stands after "±" in the table, and where the intervals are. */
static void spreads(const sim_job *job, const mb_summary *u)
{
    const int64_t n = (int64_t)u->rows * u->columns;

    if (mb_summary_effects(u) || u->ranked)
        return;
    const int coefficients = u->sd && u->low && !isnan(u->sd[0]) && !isnan(u->low[0]);

    if (app_any(u->sd, n))
        printf(coefficients ? "±: standard deviation of the posterior\n"
                            : "±: standard deviation %s%s\n",
               u->weight ? "among the rows of a " : "of the posterior", u->weight ? u->part : "");
    if (app_any(u->low, n))
        printf("95 %% intervals of %s: %s\n", coefficients ? "coefficients" : "shares",
               sim_to_folder(job) ? "in the report" : "--out DIR");
}

static void iterations(const mb_iterations *is)
{
    if (is->groups)
        printf("local iterations of %lld groups: mean %.1f, most %lld; %lld reached the limit of "
               "%lld\n",
               (long long)is->groups, (double)is->sum / (double)is->groups, (long long)is->most,
               (long long)is->capped, (long long)is->cap);
}

/* The report says the same. */
static void empty(const sim_answer *a)
{
    const int32_t n = count_empty(a);

    if (n)
        printf("%d %s%s no %s: the data need fewer, and what the table shows of %s is the prior\n",
               n, a->summary.part, n == 1 ? " holds" : "s hold", a->summary.counted,
               n == 1 ? "it" : "them");
}

mb_status sim_answer_print(sim_job *job, const sim_results *all, mb_err *err)
{
    const sim_answer *a = all->answer;
    int               safe;

    if (!a->of) {
        puts("no valid answer: the network mean is outside the domain");
        return MB_OK;
    }
    if (a->summary.rows && a->summary.columns)
        MB_TRY(sim_summary_print(job, &a->summary, err));
    spreads(job, &a->summary);
    empty(a);
    iterations(&a->iterations);
    for (int32_t t = 0; t < mb_kind_targets(all->cs->args->kind, &a->posterior.size); t++) {
        printf("%starget %s", t ? "; " : "", a->posterior.target[t]);
        if (a->rmse && isfinite(a->rmse[t]))
            isnan(a->r2[t]) ? printf(": constant, RMSE %.4g", a->rmse[t])
                            : printf(": R2 %.4f, RMSE %.4g", mb_shown_(a->r2[t], 4), a->rmse[t]);
        if (a->dispersion > 0)
            printf(", dispersion %.4g", a->dispersion);
    }
    if (a->posterior.target || a->summary.note)
        printf("%s%s\n", a->posterior.target && a->summary.note ? "; " : "",
               a->summary.note ? a->summary.note : "");
    if (a->levels)
        app_print_levels(a->levels, mb_kind_levels(all->cs->args->kind, &a->posterior.size));
    origin(all, a->of);
    MB_TRY(sim_is_safe(job, all->cs, a, &safe, err));
    sim_print_starts(all->cs, a->of, safe);
    return MB_OK;
}
