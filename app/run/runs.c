/* runs.c - `sim --runs R`: the runs with the further seeds, each with an arena of its own, and
 * then the first one, which has the folder; what is stored of each, and what they have in
 * common. */
#include "run/runs.h"
#include "core/observe.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* A level that a run reaches: from then on it stays there. */
typedef enum runs_level { RUNS_NAT, RUNS_PERCENT, RUNS_LEVELS } runs_level;

/* The network in one round: means over the nodes, sums of what is counted. */
typedef struct runs_sample {
    int64_t t;
    double  value[MB_M_COUNT];
} runs_sample;

/* Where a level was reached; t 0: it was not. */
typedef struct runs_reach {
    int64_t t;
    double  bytes, frames; /* of the whole network so far */
} runs_reach;

/* One algorithm in one run. */
typedef struct runs_one {
    int32_t      ended; /* 0: it failed with an error; the rest is not set */
    mb_verdict   verdict;
    int64_t      rounds;
    int32_t      outside;
    double       bound, disagreement, moved;
    double       end[MB_M_COUNT]; /* as in a sample */
    runs_reach   reach[RUNS_LEVELS];
    int64_t      n;
    runs_sample *at; /* n, t ascending */
} runs_one;

/* All runs; the first has the files of the folder. */
typedef struct runs {
    sim_job        *job;
    const sim_args *args;    /* of the first run */
    uint32_t        metrics; /* of the first run */
    int64_t         count, now;
    runs_one       *all;         /* count x nchoice                                       */
    sim_many        hook;        /* of every run                                          */
    int32_t         ended_badly; /* further runs that failed with an error */
} runs;

enum { TRAFFIC = 1 << MB_M_BYTES | 1 << MB_M_FRAMES };
#define PERCENT 0.01 /* of the divergence of central VB from the truth */

typedef struct watch {
    runs_one  *to;
    mb_metrics m;
    uint32_t   band;  /* metrics in sampled rounds                                          */
    uint32_t   level; /* of them those of the levels, in every round                        */
    double     truth; /* KL divergence of central VB from the truth posterior; NaN: unknown */
    int64_t    room;
} watch;

/* Of run k and algorithm c. */
static runs_one *of_run(const runs *all, int64_t k, int32_t c)
{
    return &all->all[k * all->args->nchoice + c];
}

/* One number of the network: the sum of what is counted, else the mean over the nodes. */
static double number(const mb_metrics *m, int metric)
{
    const mb_stat *v = &m->value[metric];

    return isnan(v->total) ? v->mean : v->total;
}

static void take(runs_sample *to, const mb_metrics *m, uint32_t which, int64_t t)
{
    to->t = t;
    for (int k = 0; k < MB_M_COUNT; k++)
        to->value[k] = m->on & which & 1u << k ? number(m, k) : (double)NAN;
}

/* 1 if the network is at a level in this round. */
static int is_at(const watch *w, runs_level level)
{
    const mb_stat *cvb = &w->m.value[MB_M_KL_CVB], *truth = &w->m.value[MB_M_KL_TRUTH];

    if (level == RUNS_NAT)
        return w->level >> MB_M_KL_CVB & 1 && !cvb->outside && cvb->mean < 1;
    return w->level >> MB_M_KL_TRUTH & 1 && !truth->outside &&
           fabs(truth->mean - w->truth) <= PERCENT * w->truth && truth->sd <= PERCENT * w->truth;
}

static void note_levels(watch *w, int64_t t)
{
    for (int k = 0; k < RUNS_LEVELS; k++) {
        runs_reach *since = &w->to->reach[k];

        if (!is_at(w, (runs_level)k))
            *since = (runs_reach){0};
        else if (!since->t)
            *since = (runs_reach){t, number(&w->m, MB_M_BYTES), number(&w->m, MB_M_FRAMES)};
    }
}

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    watch    *w = self;
    const int sampled = mb_metrics_sampled(s->t) && w->to->n < w->room;

    w->m.on = sampled ? w->band : w->level;
    MB_TRY(mb_metrics_see(&w->m, p, s, err));
    note_levels(w, s->t);
    if (sampled)
        take(&w->to->at[w->to->n++], &w->m, w->band, s->t);
    return MB_OK;
}

/* Central VB's distance from the truth, which the nodes' is compared with. */
static mb_status central_truth(const sim_result *r, mb_arena *a, double *kl, mb_err *err)
{
    const mb_model *m = &r->cs->fit->stages->nodes.model;
    double         *scratch;
    mb_status       st;

    *kl = (double)NAN;
    if (!r->ref.truth || !r->ref.cvb)
        return MB_OK;
    MB_NEW(scratch, a, mb_kl_aligned_scratch(m), err);
    st = mb_kl_aligned(m, r->ref.cvb, r->ref.truth, kl, NULL, scratch, err);
    return st == MB_E_DOMAIN || st == MB_E_NUMERIC ? MB_OK : st;
}

/* The sampled rounds up to this one, and the last one. */
static int64_t samples(int64_t rounds)
{
    int64_t n = 1;

    for (int64_t t = mb_metrics_next(0); t <= rounds; t = mb_metrics_next(t))
        n++;
    return n;
}

static mb_status watch_one(void *self, sim_result *r, mb_session *session, mb_err *err)
{
    runs           *all = self;
    const sim_case *cs = r->cs;
    mb_arena       *a = session->own;
    watch          *w;
    mb_problem     *p = &session->problem;

    MB_NEW(w, a, 1, err);
    w->to = of_run(all, all->now, (int32_t)(r->choice - cs->args->choice));
    MB_TRY(central_truth(r, a, &w->truth, err));
    w->m = sim_metrics_of(r, p, cs->metrics | TRAFFIC);
    MB_TRY(mb_metrics_new(a, p, &w->m, err));
    w->band = w->m.on; /* those without a reference are off */
    w->level = w->band & (1u << MB_M_KL_CVB | 1u << MB_M_KL_TRUTH | TRAFFIC);
    if (!all->now)
        all->metrics = w->band;
    w->room = samples(cs->args->opt.rounds);
    MB_NEW(w->to->at, all->job->a, w->room, err);
    w->to->n = 0;
    const mb_observer obs = {.self = w,
                             .every = 1,
                             .see = see,
                             .wants_bound =
                                 (w->band & (1u << MB_M_BOUND | 1u << MB_M_BOUND_SKLEARN)) != 0};

    return mb_session_watch(session, &obs, err);
}

static mb_status end_one(void *self, sim_result *r, mb_err *err)
{
    runs     *all = self;
    runs_one *to = of_run(all, all->now, (int32_t)(r->choice - r->cs->args->choice));

    (void)err;
    to->ended = 1;
    to->verdict = sim_verdict(r);
    to->rounds = r->out.rounds;
    to->outside = r->out.outside;
    to->bound = r->out.bound;
    to->disagreement = r->out.disagreement;
    to->moved = r->out.moved;
    for (int k = 0; k < MB_M_COUNT; k++)
        to->end[k] = r->final.on >> k & 1 ? number(&r->final, k) : (double)NAN;
    if (!to->n || to->at[to->n - 1].t < to->rounds)
        take(&to->at[to->n++], &r->final, r->cs->metrics | TRAFFIC, to->rounds);
    return MB_OK;
}

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
    const runs_one        *o = of_run(all, k, c);
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
        x[n] = value_at(of_run(all, k, c), &from[k], t, metric);
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
        const runs_one *o = of_run(all, k, c);

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
        const runs_one   *o = of_run(all, k, c);
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

static mb_status write_files(void *self, mb_err *err)
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
        n += of_run(all, k, c)->ended && of_run(all, k, c)->verdict == MB_ENDED_SETTLED;
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

static void print_all(void *self)
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

static mb_status summarise(void *self, mb_json_out *j)
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

static mb_status check(const sim_args *args, mb_err *err)
{
    static const char *const alone[] = {"checkpoint", "resume", "dump-phi", "dump-messages"};

    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        if (sim_option_given(mb_opt_find(args->table, alone[k]), &args->opt))
            MB_FAIL(err, MB_E_ARG,
                    "--%s: got it with --runs %lld; expected --runs 1: it belongs to one run",
                    alone[k], (long long)args->opt.runs);
    if (args->opt.seed > 9007199254740992 - args->opt.runs)
        MB_FAIL(err, MB_E_ARG,
                "--seed: got %lld with --runs %lld; expected the last seed to be at "
                "most 9007199254740992",
                (long long)args->opt.seed, (long long)args->opt.runs);
    return MB_OK;
}

/* The options of the first run with another seed, and no output. */
static mb_status another(runs *all, sim *one, int *failures, mb_err *err)
{
    one->job.ranks = all->job->ranks;
    one->job.quiet = 1;
    one->job.many = &all->hook;
    MB_TRY(sim_parse(&one->job, &one->args, all->args->argc, all->args->argv, err));
    one->args.opt.seed += all->now;
    one->args.opt.out = one->args.opt.trace = one->job.out = NULL;
    return sim_run_case(one, failures, err);
}

static mb_status run_another(runs *all, mb_err *err)
{
    sim      *one = sim_new(all->args->command);
    int       failures = 0;
    mb_status st;

    if (!one)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for run %lld", (long long)all->now + 1);
    st = another(all, one, &failures, err);
    all->ended_badly += failures > 0;
    all->job->signal = one->job.signal;
    sim_close(one);
    return st;
}

static void show(const runs *all, int tty)
{
    if (tty)
        fprintf(stderr, "\rrun %lld of %lld  ", (long long)all->now + 1, (long long)all->count);
}

/* Runs 2 .. R; until a signal comes. */
static mb_status run_others(runs *all, mb_err *err)
{
    const int tty = !all->job->ranks.rank && isatty(STDERR_FILENO);
    mb_status st = MB_OK;

    sim_signal_catch();
    for (all->now = 1; st >= 0 && all->now < all->count && !all->job->signal; all->now++) {
        show(all, tty);
        st = run_another(all, err);
    }
    all->now = 0;
    if (tty)
        fprintf(stderr, "\r%40s\r", "");
    return st;
}

/* The status of a run by itself, over all runs: failed only if all have. */
static int status_of(const runs *all, int status)
{
    const sim_args *args = all->args;
    int64_t         failed = 0, settled = 0, ran = 0;

    if (status != APP_DONE && status != APP_NO_ANSWER && status != APP_UNSETTLED)
        return status;
    for (int64_t k = 0; k < all->count; k++)
        for (int32_t c = 0; c < args->nchoice; c++) {
            const runs_one *o = of_run(all, k, c);

            settled += o->ended && o->verdict == MB_ENDED_SETTLED;
            if (args->choice[c].cvb && args->nchoice > 1)
                continue;
            ran++;
            failed += !o->ended || o->verdict == MB_ENDED_FAILED;
        }
    if (failed == ran)
        return APP_NO_ANSWER;
    if (all->ended_badly)
        return APP_FAILED;
    return args->opt.require_settled && settled < all->count * args->nchoice ? APP_UNSETTLED
                                                                             : APP_DONE;
}

static mb_status begin(runs *all, sim_job *job, const sim_args *args, mb_err *err)
{
    *all = (runs){.job = job, .args = args, .count = args->opt.runs};
    all->hook = (sim_many){.self = all,
                           .watch = watch_one,
                           .ended = end_one,
                           .write = write_files,
                           .print = print_all,
                           .summary = summarise};
    MB_TRY(check(args, err));
    MB_NEW(all->all, job->a, all->count * args->nchoice, err);
    return MB_OK;
}

int runs_simulate(sim *s, mb_err *err)
{
    runs all;

    if (s->args.opt.runs < 2)
        return sim_simulate(s, err);
    if (begin(&all, &s->job, &s->args, err) < 0 || run_others(&all, err) < 0)
        return sim_fail(&s->job, err, 1);
    s->job.many = &all.hook;
    return status_of(&all, sim_simulate(s, err));
}
