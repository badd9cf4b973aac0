/* answer_print.c - the answer of a run on standard output: a table within the terminal's width. */
#include "model/kind.h"
#include "run/doubts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* At most NAME characters of a name, whole ones. */
static void name(char *to, const char *from)
{
    int bytes = 0, n = 0;

    while (from[bytes] && bytes < CELL - 4) {
        if (((unsigned char)from[bytes] & 0xC0) != 0x80 && ++n > NAME)
            break;
        bytes++;
    }
    while (bytes && from[bytes] && ((unsigned char)from[bytes] & 0xC0) == 0x80)
        bytes--;
    snprintf(to, CELL, "%.*s", bytes, from);
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
        name(cell[0], u->label[k]);
    else
        snprintf(cell[0], CELL, "%d", k);
    if (u->weight)
        snprintf(cell[n++], CELL, "%.3f", u->weight[k]);
    if (u->count && isnan(u->count[k]))
        snprintf(cell[n++], CELL, "-");
    else if (u->count)
        snprintf(cell[n++], CELL, "%.1f", app_shown(u->count[k], 1));
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

static mb_status table(const sim_job *job, const sim_answer *a, mb_err *err)
{
    const mb_summary *u = &a->summary;
    const int32_t     values = mb_summary_effects(u)      ? 4
                               : u->columns < MOST_VALUES ? u->columns
                                                          : MOST_VALUES;
    texts             t = {.rows = u->rows < MOST_ROWS ? u->rows : MOST_ROWS};
    int32_t           first = 1 + (u->weight != NULL) + (u->count != NULL);
    int32_t           left = mb_summary_effects(u) ? 0 : u->columns - values;

    MB_NEW(t.cell, a->of->session.own, t.rows + 1, err);
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
        printf("%s: this answer has not settled\n", mb_verdict_text(verdict));
}

/* What stands after "±" in the table, and where the intervals of shares are. */
static void spreads(const sim_job *job, const mb_summary *u)
{
    const int64_t n = (int64_t)u->rows * u->columns;

    if (mb_summary_effects(u))
        return;
    if (app_any(u->sd, n))
        printf("±: standard deviation among the rows of a %s\n", u->part);
    if (app_any(u->low, n))
        printf("95 %% intervals of shares: %s\n",
               sim_to_folder(job) ? "in the report" : "--out DIR");
}

/* The report says the same. */
static void empty(const sim_answer *a)
{
    const int32_t n = sim_empty(a);

    if (n)
        printf("%d component%s no rows: the data need fewer, and what the table shows of %s is the "
               "prior\n",
               n, n == 1 ? " holds" : "s hold", n == 1 ? "it" : "them");
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
        MB_TRY(table(job, a, err));
    spreads(job, &a->summary);
    empty(a);
    for (int32_t t = 0; t < mb_kind_targets(all->cs->args->kind, &a->posterior.size); t++) {
        printf("%starget %s", t ? "; " : "", a->posterior.target[t]);
        if (a->rmse && isfinite(a->rmse[t]))
            isnan(a->r2[t]) ? printf(": constant, RMSE %.4g", a->rmse[t])
                            : printf(": R2 %.4f, RMSE %.4g", app_shown(a->r2[t], 4), a->rmse[t]);
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
