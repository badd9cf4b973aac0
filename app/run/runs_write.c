/* runs_write.c - what many runs have in common, as CSV files of the folder, on standard output and in
 * summary.json. */
#include "run/runs.h"

#include <math.h>

static const char *const levels[RUNS_LEVELS] = {"KL to central VB below 1 nat",
                                                "KL to the truth within 1 % of central VB's"};

typedef struct quartiles {
    int64_t n; /* numbers that they are of */
    double  q25, median, q75;
} quartiles;

/* Sorts x. */
static quartiles quartiles_of(double *x, int64_t n)
{
    if (!n)
        return (quartiles){0, (double)NAN, (double)NAN, (double)NAN};
    app_sort(x, n);
    return (quartiles){n, app_quantile(x, n, 0.25), app_quantile(x, n, 0.5),
                       app_quantile(x, n, 0.75)};
}

static mb_status cell(mb_file *f, double x, mb_err *err)
{
    return isfinite(x) ? mb_file_printf(f, err, ",%.17g", x) : mb_file_printf(f, err, ",");
}

static mb_status cells(mb_file *f, const quartiles *q, mb_err *err)
{
    MB_TRY(cell(f, q->q25, err));
    MB_TRY(cell(f, q->median, err));
    return cell(f, q->q75, err);
}

static mb_status run_line(const runs *all, int64_t k, int32_t c, mb_file *f, mb_err *err)
{
    static const mb_metric end[] = {MB_M_KL_CVB, MB_M_KL_TRUTH,  MB_M_ACCURACY, MB_M_NMI,  MB_M_ARI,
                                    MB_M_FROZEN, MB_M_PROJECTED, MB_M_FRAMES,   MB_M_BYTES};
    const runs_one        *o = runs_of(all, k, c);
    const double           none = (double)NAN;

    MB_TRY(mb_file_printf(f, err, "%s,%lld,%s,", all->args->choice[c].name,
                          (long long)(all->args->opt.seed + k),
                          mb_verdict_text(o->ended ? o->verdict : MB_ENDED_FAILED)));
    MB_TRY(o->ended ? mb_file_printf(f, err, "%lld", (long long)o->rounds) : MB_OK);
    MB_TRY(cell(f, o->ended ? o->bound : none, err));
    MB_TRY(cell(f, o->ended ? o->disagreement : none, err));
    MB_TRY(cell(f, o->ended ? o->moved : none, err));
    MB_TRY(cell(f, o->ended ? o->outside : none, err));
    for (size_t m = 0; m < sizeof end / sizeof *end; m++)
        MB_TRY(cell(f, o->ended ? o->end[end[m]] : none, err));
    return mb_file_write(f, "\n", 1, err);
}

static mb_status run_lines(void *self, mb_file *f, mb_err *err)
{
    const runs *all = self;

    for (int32_t c = 0; c < all->args->nchoice; c++)
        for (int64_t k = 0; k < all->count; k++)
            MB_TRY(run_line(all, k, c, f, err));
    return MB_OK;
}

/* The value in round t; a run that has ended keeps its last one. *from moves along the samples. */
static double value_at(const runs_one *o, int64_t *from, int64_t t, int metric)
{
    while (*from + 1 < o->n && o->at[*from + 1].t <= t)
        ++*from;
    return o->n && o->at[*from].t <= t ? o->at[*from].value[metric] : (double)NAN;
}

static mb_status band_line(const runs *all, int32_t c, int metric, int64_t t, int64_t *from,
                           double *x, mb_file *f, mb_err *err)
{
    const mb_metric_info *info = &mb_metric_table()[metric];
    int64_t               n = 0;
    quartiles             q;

    for (int64_t k = 0; k < all->count; k++) {
        x[n] = value_at(runs_of(all, k, c), &from[k], t, metric);
        n += isfinite(x[n]);
    }
    if (!n)
        return MB_OK;
    q = quartiles_of(x, n);
    MB_TRY(mb_file_printf(f, err, "%s,%lld,%s,%s,%lld", all->args->choice[c].name, (long long)t,
                          info->name, info->unit, (long long)n));
    MB_TRY(cells(f, &q, err));
    return mb_file_write(f, "\n", 1, err);
}

static int64_t last_round(const runs *all, int32_t c)
{
    int64_t last = 0;

    for (int64_t k = 0; k < all->count; k++) {
        const runs_one *o = runs_of(all, k, c);

        last = o->n && o->at[o->n - 1].t > last ? o->at[o->n - 1].t : last;
    }
    return last;
}

/* The next sampled round, at most the last; 0: t was the last. */
static int64_t after(int64_t t, int64_t last)
{
    const int64_t next = mb_metrics_next(t);

    return t == last ? 0 : next < last ? next : last;
}

/* Sampled rounds and the last one of the longest run. from: count, x: count + 1. */
static mb_status band(const runs *all, int32_t c, int metric, int64_t *from, double *x, mb_file *f,
                      mb_err *err)
{
    const int64_t last = last_round(all, c);

    for (int64_t k = 0; k < all->count; k++)
        from[k] = 0;
    for (int64_t t = last ? 1 : 0; t; t = after(t, last))
        MB_TRY(band_line(all, c, metric, t, from, x, f, err));
    return MB_OK;
}

static mb_status band_lines(void *self, mb_file *f, mb_err *err)
{
    const runs *all = self;
    int64_t    *from;
    double     *x;

    MB_NEW(from, all->job->a, all->count, err);
    MB_NEW(x, all->job->a, all->count + 1, err);
    for (int32_t c = 0; c < all->args->nchoice; c++)
        for (int m = 0; m < MB_M_COUNT; m++)
            MB_TRY(band(all, c, m, from, x, f, err));
    return MB_OK;
}

/* Rounds, bytes and frames to a level, of the runs that reached it. */
typedef struct reached {
    quartiles rounds, bytes, frames;
} reached;

static mb_status reach_of(const runs *all, int32_t c, int level, reached *out, mb_err *err)
{
    double *x[3];
    int64_t n = 0;

    for (int k = 0; k < 3; k++)
        MB_NEW(x[k], all->job->a, all->count, err);
    for (int64_t k = 0; k < all->count; k++) {
        const runs_one   *o = runs_of(all, k, c);
        const runs_reach *at = &o->reach[level];

        if (!o->ended || !at->t)
            continue;
        x[0][n] = (double)at->t;
        x[1][n] = at->bytes;
        x[2][n++] = at->frames;
    }
    *out = (reached){quartiles_of(x[0], n), quartiles_of(x[1], n), quartiles_of(x[2], n)};
    return MB_OK;
}

/* Levels that the metrics of this run can tell. */
static int is_known(const runs *all, int level)
{
    return all->metrics >> (level == RUNS_NAT ? MB_M_KL_CVB : MB_M_KL_TRUTH) & 1;
}

static mb_status reach_lines(void *self, mb_file *f, mb_err *err)
{
    const runs *all = self;
    reached     r;

    for (int32_t c = 0; c < all->args->nchoice; c++)
        for (int level = 0; level < RUNS_LEVELS; level++) {
            if (!is_known(all, level))
                continue;
            MB_TRY(reach_of(all, c, level, &r, err));
            MB_TRY(mb_file_printf(f, err, "%s,%s,%lld,%lld", all->args->choice[c].name,
                                  level == RUNS_NAT ? "1 nat" : "1 %", (long long)all->count,
                                  (long long)r.rounds.n));
            MB_TRY(cells(f, &r.rounds, err));
            MB_TRY(cells(f, &r.bytes, err));
            MB_TRY(cells(f, &r.frames, err));
            MB_TRY(mb_file_write(f, "\n", 1, err));
        }
    return MB_OK;
}

mb_status runs_write(void *self, mb_err *err)
{
    runs *all = self;

    MB_TRY(
        sim_file(all->job, "runs.csv",
                 "algorithm,seed,verdict,rounds,bound,disagreement,moved,outside,kl_cvb,kl_truth,"
                 "accuracy,nmi,ari,frozen,projected,frames,bytes\n",
                 run_lines, all, err));
    MB_TRY(sim_file(all->job, "bands.csv", "algorithm,t,metric,unit,runs,q25,median,q75\n",
                    band_lines, all, err));
    return sim_file(all->job, "reach.csv",
                    "algorithm,level,runs,reached,rounds_q25,rounds_median,rounds_q75,bytes_q25,"
                    "bytes_median,bytes_q75,frames_q25,frames_median,frames_q75\n",
                    reach_lines, all, err);
}

static int64_t settled(const runs *all, int32_t c)
{
    int64_t n = 0;

    for (int64_t k = 0; k < all->count; k++)
        n += runs_of(all, k, c)->ended && runs_of(all, k, c)->verdict == MB_ENDED_SETTLED;
    return n;
}

static void print_reach(const runs *all, int32_t c, int level)
{
    reached r;

    if (!is_known(all, level) || reach_of(all, c, level, &r, NULL) < 0)
        return;
    printf("%-12s %7lld %8lld", all->args->choice[c].name, (long long)settled(all, c),
           (long long)r.rounds.n);
    if (r.rounds.n)
        printf(" %8.0f (%.0f to %.0f) %12.3g %12.0f", r.rounds.median, r.rounds.q25, r.rounds.q75,
               1e-6 * r.bytes.median, r.frames.median);
    putchar('\n');
}

void runs_print(void *self)
{
    const runs *all = self;

    printf("\nThe table above is of the first of %lld runs, seeds %lld to %lld. Of all runs:\n",
           (long long)all->count, (long long)all->args->opt.seed,
           (long long)(all->args->opt.seed + all->count - 1));
    for (int level = 0; level < RUNS_LEVELS; level++) {
        if (!is_known(all, level))
            continue;
        printf("\n%s, from then on (runs that reached it; median and quartiles)\n%-12s %7s %8s %8s "
               "%24s %12s\n",
               levels[level], "", "settled", "reached", "rounds", "MB sent", "messages");
        for (int32_t c = 0; c < all->args->nchoice; c++)
            print_reach(all, c, level);
    }
}

mb_status runs_summary(void *self, mb_json_out *j)
{
    const runs *all = self;

    mb_json_object(j, "runs");
    mb_json_integer(j, "count", all->count);
    mb_json_integer(j, "first_seed", all->args->opt.seed);
    mb_json_object(j, "settled");
    for (int32_t c = 0; c < all->args->nchoice; c++)
        mb_json_integer(j, all->args->choice[c].name, settled(all, c));
    mb_json_close(j);
    mb_json_close(j);
    return MB_OK;
}
