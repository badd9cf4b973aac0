/* private.c - `fit --privacy`, `sim --privacy`: what is stated of the columns, the sums of the clipped
 * rows, the release in the ledger, and only then noise, posterior and output. Nothing that is printed or
 * written follows from the rows but by the noisy sums and the number of rows. Of `up --privacy` the rows
 * and the booking: its nodes sum, and draw noise, themselves. */
#include "run/private.h"
#include "algo/sum.h"
#include "base/promise.h"
#include "base/random.h"
#include "base/rows.h"
#include "base/text.h"
#include "data/data.h"
#include "model/kind.h"
#include "run/answer.h"

#include <math.h>
#include <string.h>

/* What plan assumes of rows: the bounds are three standard deviations from the middle. */
static const double FORESEEN_SPREAD = 1.0 / 3, FORESEEN_R2 = 0.5;

static mb_status fill_seeded(void *self, void *to, size_t n, mb_err *err)
{
    unsigned char *at = to;

    (void)err;
    for (size_t k = 0; k < n; k++)
        at[k] = (unsigned char)mb_rng_u32(self);
    return MB_OK;
}

/* The number that follows KEY= at *text, which is then after it. 0: something else is there. */
static int take(const char **text, const char *key, double *x)
{
    const size_t n = strlen(key);
    char         number[64];
    int          len;

    if (strncmp(*text, key, n) != 0)
        return 0;
    len = (int)strcspn(*text += n, ",");
    snprintf(number, sizeof number, "%.*s", len, *text);
    *text += len;
    return len < (int)sizeof number && !mb_parse_double(number, x);
}

mb_status private_words(const sim_args *args, int32_t nodes, mb_promise *out, mb_err *err)
{
    const int   network = args->command->bit != SIM_FIT;
    const char *text = args->opt.privacy;
    double      colluders = nodes / 2;

    *out = (mb_promise){.nodes = nodes};
    if (!take(&text, "epsilon=", &out->epsilon) || !take(&text, ",delta=", &out->delta) ||
        (*text && !(network && take(&text, ",colluders=", &colluders))) || *text)
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got \"%s\"; expected epsilon=E,delta=D%s, such as epsilon=1,delta=1e-5",
                args->opt.privacy, network ? "[,colluders=T]" : "");
    if (!(colluders >= 0 && colluders < nodes && floor(colluders) >= colluders))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got %g colluders; expected a whole number, at most %d of %d node%s",
                colluders, nodes - 1, nodes, app_plural(nodes));
    out->colluders = (int32_t)colluders;
    return MB_OK;
}

static mb_status refuse(const mb_opt *o, const void *obj, mb_err *err)
{
    if (sim_option_given(o, obj))
        MB_FAIL(err, MB_E_ARG, "--%s and --privacy exclude each other", o->name);
    return MB_OK;
}

/* Options of the command that are not for private releases. */
static mb_status refuse_rows(const sim_args *args, const sim_row *row, const void *obj, mb_err *err)
{
    for (; row && row->opt.name; row++)
        if (row->commands & args->command->bit && !(row->commands & SIM_PRIVATE))
            MB_TRY(refuse(&row->opt, obj, err));
    return MB_OK;
}

/* The same for options alone, those of the model too. */
static mb_status check_options(const sim_args *args, mb_err *err)
{
    MB_TRY(refuse_rows(args, args->command->more, args->own, err));
    MB_TRY(refuse_rows(args, sim_rows_shared(), &args->opt, err));
    for (const mb_opt *o = args->kind->noisy ? args->kind->opts : NULL; o && o->name; o++)
        if (strcmp(o->name, "target-column") != 0 && strcmp(o->name, "intercept") != 0)
            MB_TRY(refuse(o, args->model_opt, err));
    return MB_OK;
}

/* Of a network: sums that are exact, and that no node sees. The nodes of `up` have masks of their own. */
static mb_status check_network(const sim_args *args, mb_err *err)
{
    const sim_choice *c = args->choice;
    const int         up = args->command->bit == SIM_UP;

    if (args->nchoice != 1 || c->algo != &mb_algo_sum || !(up || c->algo->masked(c->opt)))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got %s of a network; expected --algorithm sum%s, whose sums no node "
                "sees before the noise of all is in them",
                args->nchoice != 1        ? "several algorithms"
                : c->algo == &mb_algo_sum ? "sums without masks"
                                          : c->name,
                up ? "" : " --sum.mask simulated");
    return MB_OK;
}

static mb_status check_files(const sim_job *job, const sim_args *args, mb_err *err)
{
    if (args->opt.data && !strcmp(args->opt.data, "-"))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got standard input; expected a file, whose releases a ledger can "
                "count");
    if (job->out && sim_to_folder(job) && args->command->bit != SIM_UP)
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got --out %s; expected FILE.json or FILE.npz: a folder has figures of "
                "the rows",
                job->out);
    return MB_OK;
}

mb_status private_check(const sim_job *job, const sim_args *args, mb_err *err)
{
    const sim_opt *o = &args->opt;
    const int      fits = args->command->bit == SIM_FIT;

    if (!o->privacy && ((fits && o->bounds) || o->ledger || !isnan(o->budget)))
        MB_FAIL(err, MB_E_ARG, "%s--ledger and --privacy.budget require --privacy",
                fits ? "--bounds, " : "");
    if (!o->privacy)
        return MB_OK;
    if (!o->bounds)
        MB_FAIL(err, MB_E_ARG, "--privacy requires --bounds FILE.csv: column,low,high");
    if (fits && job->ranks.size > 1)
        MB_FAIL(err, MB_E_ARG, "--privacy: got %d processes; expected one", job->ranks.size);
    MB_TRY(check_files(job, args, err));
    if (!fits)
        MB_TRY(check_network(args, err));
    return check_options(args, err);
}

/* What the ledger cannot undo is tried before it: the place of the answer. */
static mb_status try_out(private_fit *f, mb_err *err)
{
    sim_job *job = &f->s->job;
    mb_file  file;

    if (!job->out || sim_to_folder(job))
        return MB_OK;
    MB_TRY(app_refuse_overwrite("--out", job->out, "--ledger", f->ledger, err));
    MB_TRY(app_refuse_overwrite("--out", job->out, "--bounds", f->s->args.opt.bounds, err));
    MB_TRY(mb_file_open(job->a, job->out, &file, err));
    mb_file_abort(&file);
    return MB_OK;
}

/* All that is known without rows and network. */
static mb_status begin(private_fit *f, mb_err *err)
{
    const sim_args *args = &f->s->args;
    sim_job        *job = &f->s->job;

    MB_TRY(
        private_words(args, args->command->bit == SIM_FIT ? 1 : MB_PRIVATE_MOST, &f->promise, err));
    mb_kind_sizes(args->kind, args->model_opt, 2, NULL, &f->size);
    MB_TRY(mb_privacy_make(args->kind, &f->size, &f->promise, &f->privacy, err));
    f->ledger = args->opt.ledger;
    if (!f->ledger)
        MB_TRY(ledger_default(job->a, args->opt.data, &f->ledger, err));
    return ranks_agree(&job->ranks, job->ranks.rank ? MB_OK : try_out(f, err), err);
}

/* Random bytes of the nodes here, or of one machine. In a network they are always of --seed. */
static mb_status open_entropy(private_fit *f, mb_err *err)
{
    const sim_args *args = &f->s->args;
    const mb_part  *part = f->nodes.place ? &f->nodes.place->part : NULL;
    const int32_t   n = part ? part->n_local : 1;

    f->simulated =
        part || (args->command->bit != SIM_UP && app_option_value(args->argc, args->argv, "seed"));
    MB_NEW(f->rng, f->s->job.a, n, err);
    MB_NEW(f->entropy, f->s->job.a, n, err);
    for (int32_t i = 0; i < n; i++) {
        f->rng[i] = mb_rng_at((uint64_t)args->opt.seed, MB_STREAM_NOISE, 0,
                              part ? (uint64_t)part->gid[i] + 1 : 0);
        f->entropy[i] = f->simulated ? (mb_entropy){fill_seeded, &f->rng[i]} : app_random;
    }
    f->nodes.from = f->entropy;
    return MB_OK;
}

/* Where the rows are. */
static mb_status place_rows(private_fit *f, mb_err *err)
{
    sim     *s = f->s;
    sim_job *job = &s->job;

    s->network.args = &s->args;
    s->network.rows = &s->rows;
    if (s->args.command->bit == SIM_FIT)
        return sim_case_empty(job, &s->network, &s->cs, err);
    MB_TRY(sim_network_make(job, &s->rows, &s->network, err));
    MB_TRY(private_words(&s->args, s->network.net.n, &f->promise, err));
    MB_TRY(sim_rows_deal(job, &s->network, &s->rows, err));
    MB_TRY(sim_case_empty(job, &s->network, &s->cs, err));
    return s->args.command->bit == SIM_UP ? MB_OK : private_nodes_link(f, err);
}

static mb_status read_bounds(private_fit *f, const mb_table *t, mb_err *err)
{
    const int32_t d = t->rows.d;
    double       *low, *high;

    MB_NEW(low, f->s->job.a, d, err);
    MB_NEW(high, f->s->job.a, d, err);
    MB_TRY(mb_bounds_read(f->s->job.a, f->s->args.opt.bounds, d, t->column, low, high, err));
    f->bounds = (mb_bounds){d, low, high};
    return MB_OK;
}

/* The sums of the rows of each node here. */
static mb_status sum_rows(private_fit *f, const mb_table *t, mb_err *err)
{
    const mb_part *part = f->nodes.place ? &f->nodes.place->part : NULL;
    const int64_t *first = f->s->rows.data.first;
    const size_t   len = mb_privacy_len(&f->privacy);
    mb_arena      *a = f->s->job.a;

    for (int32_t i = 0; i < (part ? part->n_local : 1); i++) {
        const int64_t from = part ? first[part->gid[i]] : 0;
        const int64_t n = part ? first[part->gid[i] + 1] - from : t->rows.n;
        const mb_rows rows = mb_rows_part(&t->rows, from, n);

        f->count[i] = n;
        MB_TRY(mb_privacy_sums(a, &f->privacy, &rows, &f->bounds, f->own + (size_t)i * len, err));
    }
    return MB_OK;
}

/* What the posterior would refuse afterwards, as too few rows, is refused now, when nothing is spent. */
static mb_status make_sums(private_fit *f, const mb_table *t, mb_err *err)
{
    const sim_args *args = &f->s->args;
    mb_arena       *a = f->s->job.a;
    const size_t    n = f->nodes.place ? (size_t)f->nodes.place->part.n_local : 1;
    mb_foreseen     seen;

    f->rows = t->rows.n;
    mb_kind_sizes(args->kind, args->model_opt, t->rows.d, NULL, &f->size);
    MB_TRY(mb_privacy_make(args->kind, &f->size, &f->promise, &f->privacy, err));
    MB_TRY(mb_privacy_foresee(a, args->kind, &f->size, &f->privacy, f->rows, FORESEEN_SPREAD,
                              FORESEEN_R2, &seen, err));
    MB_NEW(f->count, a, n, err);
    MB_NEW(f->own, a, n * mb_privacy_len(&f->privacy), err);
    MB_NEW(f->sums, a, mb_privacy_len(&f->privacy), err);
    return ranks_agree(&f->s->job.ranks, sum_rows(f, t, err), err);
}

/* Readers of rows suggest options that are refused here. */
static mb_status without_hints(mb_status st, mb_err *err)
{
    static const char *const hints[] = {"; --missing drop", " (--missing drop", ", --label-column",
                                        ", or a formula without it"};

    for (size_t k = 0; st < 0 && k < sizeof hints / sizeof *hints; k++) {
        char *at = strstr(err->msg, hints[k]);

        if (at)
            *at = '\0';
    }
    return st;
}

/* Notes about what columns look like would show rows. */
static mb_status read_quietly(sim *s, mb_err *err)
{
    s->job.quiet = 1;
    MB_TRY(without_hints(sim_rows_read(&s->job, &s->args, &s->rows, err), err));
    s->job.nwarning = s->job.nnotes = 0;
    return MB_OK;
}

static mb_status read_rows(private_fit *f, mb_err *err)
{
    sim            *s = f->s;
    const sim_args *args = &s->args;
    mb_table        t;

    MB_TRY(read_quietly(s, err));
    if (s->rows.design || s->rows.data.columns)
        MB_FAIL(
            err, MB_E_ARG,
            "%s: a column is not a number; expected numbers with --privacy (--drop NAME leaves a "
            "column out)",
            args->opt.data);
    if (!s->rows.data.name)
        MB_TRY(mb_data_number_columns(s->job.a, s->rows.data.d, &s->rows.data.name, err));
    MB_TRY(place_rows(f, err));
    MB_TRY(open_entropy(f, err));
    t = mb_table_of(&s->rows.data, args->opt.data);
    MB_TRY(read_bounds(f, &t, err));
    return make_sums(f, &t, err);
}

mb_status private_open(private_fit *f, mb_err *err)
{
    MB_TRY(begin(f, err));
    MB_TRY(read_rows(f, err));
    return private_nodes_give(f, err);
}

static ledger_release entry(const private_fit *f, int64_t rows)
{
    return (ledger_release){
        f->promise.epsilon, f->promise.delta, f->privacy.mu, f->s->args.kind->name, rows,
        f->simulated};
}

mb_status private_ask(const private_fit *f, const char *ledger, const char *data, int64_t rows,
                      double budget, ledger_sum *out, mb_err *err)
{
    const ledger_release release = entry(f, rows);

    return ledger_ask(f->s->job.a, ledger, data, budget, &release, out, err);
}

/* Before the first byte leaves, by one process. */
mb_status private_book(private_fit *f, mb_err *err)
{
    const sim_args      *args = &f->s->args;
    const ranks         *r = &f->s->job.ranks;
    const ledger_release release = entry(f, f->rows);
    mb_status            st = MB_OK;

    if (!r->rank)
        st = ledger_book(f->s->job.a, f->ledger, args->opt.data, args->opt.budget, &release,
                         &app_random, &f->spent, err);
    return ranks_agree(r, st, err);
}

static mb_status draw(private_fit *f, mb_err *err)
{
    mb_arena *a = f->s->job.a;
    int64_t   total = f->rows;

    if (f->nodes.place)
        MB_TRY(mb_private_nodes_sum(a, &f->privacy, &f->nodes, f->own, f->count, f->sums, &total,
                                    err));
    else {
        MB_TRY(mb_privacy_add_noise(a, &f->privacy, f->entropy, f->own, err));
        memcpy(f->sums, f->own, mb_privacy_len(&f->privacy) * sizeof *f->sums);
    }
    if (total != f->rows)
        MB_FAIL(err, MB_E_PEER, "--privacy: the nodes have %lld rows; expected %lld",
                (long long)total, (long long)f->rows);
    return MB_OK;
}

static mb_status release(private_fit *f, mb_err *err)
{
    MB_TRY(private_book(f, err));
    MB_TRY(draw(f, err));
    MB_TRY(mb_privacy_posterior(f->s->job.a, f->s->args.kind, &f->size, &f->privacy, &f->bounds,
                                f->rows, f->sums, &f->p, &f->raised, err));
    f->p.column = f->s->rows.data.name;
    f->p.target = f->s->rows.data.name + f->size.D;
    return MB_OK;
}

static mb_status write(private_fit *f, mb_err *err)
{
    sim          *s = f->s;
    sim_result    r = {.job = &s->job, .cs = &s->cs, .choice = s->args.choice};
    mb_provenance from;

    if (!s->job.out)
        return MB_OK;
    s->cs.hash = 0;
    r.session.how.opt = s->args.choice->opt;
    r.out.rounds = 2 * f->nodes.tree.hops;
    MB_TRY(sim_provenance(&r, &from, err));
    from.verdict = NULL;
    from.weight_total = (double)f->rows;
    from.bound = (double)NAN;
    from.nmore = 1;
    MB_TRY(promise_json(s->job.a, &f->privacy, &f->bounds, "simulated", f->simulated, f->raised,
                        &from.more, err));
    return sim_write_posterior(s->job.a, &f->p, &from, s->job.out, err);
}

void private_print(const private_fit *f)
{
    const mb_promise *p = &f->promise;

    printf("\nprivate: epsilon %g, delta %g, neighbours differ in one row replaced; the sums have "
           "noise of sd %.4g, in columns scaled to -1 .. 1, which the intervals know\n",
           p->epsilon, p->delta, f->privacy.sd);
    if (p->nodes > 1)
        printf("each of %d nodes drew a part of it; what %d of them know leaves enough\n", p->nodes,
               p->colluders);
    if (f->simulated)
        printf("simulated: %s of --seed, so that the answer is not private\n",
               f->nodes.place ? "noise and masks are" : "the noise is");
    if (f->raised)
        printf("%d of %d eigenvalues of the noisy sums were below the noise and raised to it: the "
               "rows hardly determine a coefficient or the residuals, and intervals are rather too "
               "wide\n",
               f->raised, f->privacy.n);
    printf("%s: %lld release%s, epsilon %.4g of %.4g at delta %g\n", f->ledger,
           (long long)f->spent.releases, app_plural(f->spent.releases), f->spent.epsilon,
           f->spent.budget, f->spent.delta);
}

static mb_status print(private_fit *f, int64_t rounds, double bytes, mb_err *err)
{
    const sim_job *job = &f->s->job;
    mb_summary     u;

    MB_TRY(mb_posterior_summary(job->a, &f->p, &u, err));
    printf("%lld rows, %d input%s", (long long)f->rows, f->size.D, app_plural(f->size.D));
    if (f->nodes.place)
        printf(", %d nodes: one pass, %lld rounds, %.0f bytes with the tree", f->promise.nodes,
               (long long)rounds, bytes);
    fputs("\n\n", stdout);
    MB_TRY(sim_summary_print(job, &u, err));
    printf("target %s; %s\n", f->p.target[0], u.note);
    private_print(f);
    if (job->out)
        printf("posterior: %s\n", job->out);
    return MB_OK;
}

/* By one process. */
static mb_status show(private_fit *f, mb_err *err)
{
    double  bytes = 0;
    int64_t rounds = 0;

    if (f->nodes.place)
        MB_TRY(private_nodes_sent(f, &rounds, &bytes, err));
    if (f->s->job.ranks.rank)
        return MB_OK;
    MB_TRY(write(f, err));
    return print(f, rounds, bytes, err);
}

int private_run(sim *s, mb_err *err)
{
    private_fit f = {.s = s};

    if (!s->args.opt.data)
        mb_fail_(err, MB_E_ARG, __FILE__, __LINE__,
                 "--data is missing: the CSV or NPY file with the rows");
    if (!s->args.opt.data || begin(&f, err) < 0 || read_rows(&f, err) < 0 || release(&f, err) < 0)
        return sim_fail(&s->job, err, 1);
    if (show(&f, err) < 0)
        return sim_fail(&s->job, err, 0);
    return APP_DONE;
}

static mb_status plan_json(sim *s, const mb_privacy *p, int64_t rows, int32_t inputs,
                           const mb_foreseen *seen, mb_err *err)
{
    mb_json_out j;

    mb_json_begin(&j, s->job.a, err);
    mb_json_object(&j, NULL);
    mb_json_integer(&j, "rows", rows);
    mb_json_integer(&j, "inputs", inputs);
    if (p->promise.nodes > 1) {
        mb_json_integer(&j, "nodes", p->promise.nodes);
        mb_json_integer(&j, "colluders", p->promise.colluders);
    }
    mb_json_number(&j, "epsilon", p->promise.epsilon);
    mb_json_number(&j, "delta", p->promise.delta);
    mb_json_number(&j, "noise_sd", p->sd);
    mb_json_number(&j, "sd_without_noise", seen->without);
    mb_json_number(&j, "sd", seen->with);
    mb_json_integer(&j, "raised", seen->raised);
    mb_json_close(&j);
    return app_print_json(&j);
}

static void print_plan(const mb_privacy *p, int64_t rows, int32_t inputs, const mb_foreseen *seen)
{
    const mb_promise *of = &p->promise;

    printf("%lld rows, %d input%s: epsilon %g, delta %g\n\n"
           "noise of the sums: sd %.4g, in columns scaled to -1 .. 1\n",
           (long long)rows, inputs, app_plural(inputs), of->epsilon, of->delta, p->sd);
    if (of->nodes > 1)
        printf("it is that of %d nodes, %.3g times that of one machine, so that what %d of them "
               "know leaves enough\n",
               of->nodes, sqrt((double)of->nodes / (of->nodes - of->colluders)), of->colluders);
    printf("sd of a coefficient: %.3g without noise, %.3g with it, in half ranges of the target a "
           "half range of the input; where inputs are independent, three standard deviations reach "
           "the bounds, and R2 is %g\n",
           seen->without, seen->with, FORESEEN_R2);
    if (seen->raised)
        puts("too few rows: the noise hides what they say, and intervals will be rather too wide");
}

static mb_status plan(sim *s, int32_t nodes, int64_t rows_per_node, int32_t inputs, mb_err *err)
{
    const sim_args *args = &s->args;
    const int64_t   rows = nodes * rows_per_node;
    mb_promise      promise;
    mb_sizes        size;
    mb_privacy      p;
    mb_foreseen     seen;

    MB_TRY(check_options(args, err));
    MB_TRY(private_words(args, nodes, &promise, err));
    mb_kind_sizes(args->kind, args->model_opt, inputs + 1, NULL, &size);
    MB_TRY(mb_privacy_make(args->kind, &size, &promise, &p, err));
    MB_TRY(mb_privacy_foresee(s->job.a, args->kind, &size, &p, rows, FORESEEN_SPREAD, FORESEEN_R2,
                              &seen, err));
    if (args->opt.json)
        return plan_json(s, &p, rows, inputs, &seen, err);
    print_plan(&p, rows, inputs, &seen);
    return MB_OK;
}

int private_plan(sim *s, int32_t nodes, int64_t rows_per_node, int32_t inputs, mb_err *err)
{
    return plan(s, nodes, rows_per_node, inputs, err) < 0 ? app_fail("plan", err, 1) : APP_DONE;
}
