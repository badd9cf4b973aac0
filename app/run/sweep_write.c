/* sweep_write.c - the curves over the number of components: table, components.csv, summary.json. */
#include "run/sweep.h"

#include <math.h>
#include <string.h>

/* What tells the curves apart: the form, or the algorithm; "" where there is one. */
static const char *curve_of(const sim_args *args, const sweep_row *r)
{
    return r->form ? r->form : args->nchoice > 1 ? r->choice->name : "";
}

/* The longest name of a curve; 0: there is one, which needs no column. */
static int name_width(const sim_case *cs)
{
    const sweep *w = cs->sweep;
    size_t       width = 0;

    for (const sweep_row *r = w->row; r < w->row + w->nrow; r++)
        width = strlen(curve_of(cs->args, r)) > width ? strlen(curve_of(cs->args, r)) : width;
    return (int)width + (width > 0);
}

static void number(int width, int digits, double x)
{
    if (isfinite(x))
        printf(" %*.*f", width, digits, app_shown(x, digits));
    else
        printf(" %*s", width, "-");
}

void sweep_print(const sim_case *cs)
{
    const sweep *w = cs->sweep;
    const int    width = w ? name_width(cs) : 0;
    char         share[32];

    if (!w)
        return;
    printf("%-*s%10s %5s %14s %7s %9s %15s %s\n", width, "", "components", "left", "lower bound",
           "rounds", "smallest", "initialisations", "verdict");
    for (const sweep_row *r = w->row; r < w->row + w->nrow; r++) {
        snprintf(share, sizeof share, "%d of %d", r->at_best, r->attempts);
        printf("%-*s%10d %5d", width, curve_of(cs->args, r), r->K, r->left);
        number(14, 3, r->bound);
        printf(" %7lld", (long long)r->rounds);
        number(9, 4, r->least);
        printf(" %15s %s%s\n", share, mb_verdict_text(r->verdict), r == w->best ? "  best" : "");
    }
    putchar('\n');
}

/* Empty if there is none. */
static mb_status cell(mb_file *f, double x, mb_err *err)
{
    return isfinite(x) ? mb_file_printf(f, err, "%.17g,", x) : mb_file_printf(f, err, ",");
}

static mb_status lines(void *self, mb_file *f, mb_err *err)
{
    const sweep *w = self;

    for (const sweep_row *r = w->row; r < w->row + w->nrow; r++) {
        MB_TRY(mb_file_printf(f, err, "%s,%d,%d,", r->choice->name, r->K, r->left));
        MB_TRY(cell(f, r->bound, err));
        MB_TRY(
            mb_file_printf(f, err, "%lld,%s,", (long long)r->rounds, mb_verdict_text(r->verdict)));
        MB_TRY(cell(f, r->least, err));
        MB_TRY(mb_file_printf(f, err, "%d,%d,%.3f", r->attempts, r->at_best, r->seconds));
        MB_TRY(mb_file_printf(f, err, r->form ? ",%s\n" : "\n", r->form));
    }
    return MB_OK;
}

#define HEADER                                                                                     \
    "algorithm,components,left,bound,rounds,verdict,smallest_weight,attempts,at_best,seconds"

mb_status sweep_file(sim_job *job, const sim_case *cs, mb_err *err)
{
    if (!cs->sweep)
        return MB_OK;
    return sim_file(job, "components.csv",
                    cs->sweep->nform > 1 ? HEADER ",covariance_type\n" : HEADER "\n", lines,
                    cs->sweep, err);
}

static void record(const sweep_row *r, mb_json_out *j)
{
    mb_json_object(j, NULL);
    mb_json_text(j, "algorithm", r->choice->name);
    if (r->form)
        mb_json_text(j, "covariance_type", r->form);
    mb_json_integer(j, "components", r->K);
    mb_json_integer(j, "left", r->left);
    mb_json_number(j, "bound", r->bound);
    mb_json_integer(j, "rounds", r->rounds);
    mb_json_text(j, "verdict", mb_verdict_text(r->verdict));
    mb_json_number(j, "smallest_weight", r->least);
    mb_json_integer(j, "attempts", r->attempts);
    mb_json_integer(j, "at_best", r->at_best);
    mb_json_number(j, "seconds", r->seconds);
    mb_json_close(j);
}

void sweep_summary(const sim_case *cs, mb_json_out *j)
{
    const sweep *w = cs->sweep;

    if (!w) {
        mb_json_null(j, "components");
        return;
    }
    mb_json_object(j, "components");
    if (cs->args->opt.components)
        mb_json_text(j, "asked", cs->args->opt.components);
    else
        mb_json_integer(j, "asked", w->best->K);
    mb_json_integer(j, "chosen", w->best->K);
    if (w->best->form)
        mb_json_text(j, "covariance_type", w->best->form);
    mb_json_text(j, "by", w->by->name);
    mb_json_list(j, "curve");
    for (int32_t k = 0; k < w->nrow; k++)
        record(&w->row[k], j);
    mb_json_close(j);
    mb_json_close(j);
}
