/* cmd_fit.c - `meshbayes fit`: central VB on one machine; `sim` with one node. */
#include "base/run_rows.h"
#include "run/answer.h"
#include "run/fit_follow.h"
#include "run/fit_share.h"
#include "run/fit_update.h"
#include "run/option_rows.h"
#include "run/private.h"
#include "run/sweep.h"

#include <math.h>
#include <string.h>

#define OWN(field) offsetof(fit_opt, field)

static const sim_row own[] = {
    ROW(MODEL, SIM_FIT, MB_ROW_PREFER_(OWN(prefer))),
    ROW(ARRIVING, OFTEN(SIM_FIT), "update", MB_OPT_TEXT, OWN(update), NULL, 0, 0, "FILE.json", "",
        "math 26", "partial_fit",
        "a posterior that these rows update: it is prior and initialisation, model and columns are "
        "its own; --out may be the same file"),
    ROW(ARRIVING, SIM_FIT, "forget", MB_OPT_REAL, OWN(forget), "1", 1e-300, 1, NULL, "", "math 26",
        "",
        "with --update, how much what the posterior has learnt counts, once for each update: rows "
        "of n updates before weigh forget^n; its own prior stays"),
    ROW(ARRIVING, OFTEN(SIM_FIT), "follow", MB_OPT_TEXT, OWN(follow), NULL, 0, 0, "FILE.csv|-", "",
        "", "",
        "instead of --data: rows that arrive, in a CSV file that grows or on standard input, "
        "update the posterior of --update, or that of the first 100 of them, until a signal or the "
        "end of standard input; --out is replaced as a whole after every update"),
    ROW(ARRIVING, SIM_FIT, "window", MB_OPT_TEXT, OWN(window), NULL, 0, 0, "rows=N|time=T", "", "",
        "",
        "with --follow, the posterior is that of the newest N rows, or of rows younger than T "
        "(20s, 10min, 1h; at most 100000 rows), and of the prior; without it all rows, which are "
        "not stored"),
    ROW(ARRIVING, SIM_FIT, "every", MB_OPT_TEXT, OWN(every), NULL, 0, 0, "N|rows=N|time=T", "", "",
        "",
        "with --checkpoint, rounds between checkpoints; with --follow, rows (at most 65536) or "
        "time between two updates: nothing is written when nothing has changed; without it 100 "
        "rounds, or time=10s"),
    ROW(ARRIVING, SIM_FIT, "on-bad-row", MB_OPT_CHOICE, OWN(on_bad_row), "skip", 0, 0, "skip|stop",
        "", "", "",
        "with --follow, a row that cannot be read: a warning with file and line, counted and left "
        "out, or the end, once the rows before are learnt"),
    ROWS_END};

/* --every of a fit that ends. */
static mb_status read_rounds(sim_args *args, const char *every, mb_err *err)
{
    double n = 100;

    if (every && !args->opt.checkpoint)
        MB_FAIL(err, MB_E_ARG, "--every requires --checkpoint DIR or --follow FILE|-");
    if (every && (mb_parse_double(every, &n) || n < 1 || n > 1e9 || n != (double)(int64_t)n))
        MB_FAIL(err, MB_E_ARG, "--every: got \"%s\"; expected a whole number of rounds, 1 to 1e9",
                every);
    args->opt.every = (int64_t)n;
    return MB_OK;
}

static mb_status check_prefer(sim_args *args, mb_err *err)
{
    const fit_opt *o = args->own;
    const char    *with = o->update                         ? "--update"
                          : o->follow                       ? "--follow"
                          : args->opt.prune == SIM_PRUNE_ON ? "--prune on"
                                                            : NULL;

    args->prefer = (mb_prefer)o->prefer;
    if (o->prefer == MB_PREFER_HELD_OUT && with)
        MB_FAIL(err, MB_E_ARG,
                "--prefer held-out and %s exclude each other: it chooses among several optima",
                with);
    return MB_OK;
}

static mb_status check(sim_job *job, sim_args *args, mb_err *err)
{
    const fit_opt *o = args->own;

    MB_TRY(private_check(job, args, err));
    if ((o->window || o->on_bad_row) && !o->follow)
        MB_FAIL(err, MB_E_ARG, "--window and --on-bad-row require --follow FILE|-");
    if (!o->follow)
        MB_TRY(read_rounds(args, o->every, err));
    if (o->follow && job->ranks.size > 1)
        MB_FAIL(err, MB_E_ARG, "--follow: got %d processes; expected one", job->ranks.size);
    if (o->forget < 1 && !o->update && !o->follow)
        MB_FAIL(err, MB_E_ARG, "--forget requires --update FILE.json or --follow FILE|-");
    MB_TRY(check_prefer(args, err));
    if (o->update)
        MB_TRY(sim_update_check(args, err));
    if (o->update)
        args->update->forget = o->forget;
    if (args->opt.trace || sim_to_folder(job))
        args->metrics = 1u << MB_M_BOUND | 1u << MB_M_BOUND_SKLEARN;
    return o->follow ? follow_take(args, err) : MB_OK;
}

/* Of all batches; the lower bound above is that of the last. */
static void print_learnt(const char *file, const mb_update_totals *all)
{
    printf("update of %s: %lld row%s in all", file, (long long)all->rows, app_plural(all->rows));
    if (isfinite(all->bound))
        printf(", their lower bound %.6f nats", mb_shown_(all->bound, 6));
    putchar('\n');
}

static mb_status print(sim_job *job, const sim_results *all, mb_err *err)
{
    const sim_case   *cs = all->cs;
    const sim_result *r = all->r;

    sim_print_sizes(cs, cs->rows->data.n);
    fputs("\n\n", stdout);
    sweep_print(all);
    MB_TRY(sim_answer_print(job, all, err));
    if (isfinite(r->out.bound))
        printf("\nlower bound %.6f nats", mb_shown_(r->out.bound, 6));
    else
        fputs("\nno lower bound", stdout);
    printf(" after %lld round%s in %.2f s: %s\n", (long long)r->out.rounds,
           app_plural(r->out.rounds), r->seconds, app_verdict(sim_verdict(r)));
    sim_print_pruned(r);
    MB_TRY(sim_doubts_print(job, cs, err));
    if (cs->args->update)
        print_learnt(cs->args->update->file, &r->learnt);
    sim_share_print(job, cs);
    if (cs->rows->data.label)
        printf("accuracy %.1f %%, adjusted Rand index %.3f (labels were not used)\n",
               100 * r->final.value[MB_M_ACCURACY].mean,
               mb_shown_(r->final.value[MB_M_ARI].mean, 3));
    if (job->out && !r->unwritten)
        printf("posterior: %s%s\n", job->out,
               sim_to_folder(job) ? "/posterior.json, report: report.html beside it" : "");
    return MB_OK;
}

static int fit_or_follow(sim *s, mb_err *err)
{
    const fit_opt *o = s->args.own;

    return s->args.opt.privacy ? private_run(s, err)
           : o->follow         ? follow_run(s, err)
                               : sim_simulate(s, err);
}

static const sim_command command = {
    .name = "fit",
    .bit = SIM_FIT,
    .more = own,
    .run = fit_or_follow,
    .size = sizeof(fit_opt),
    .check = check,
    .print = print,
    .fit = sim_fit,
    .about =
        "\nSome steps are extrapolated, which takes fewer rounds; with --accelerate off none is, "
        "and "
        "iteration r of scikit-learn is round r + 1, as round 1 is the M-step of the "
        "initialisation.\n"
        "\nThe number of initialisations, --n-init auto: 10 while rows x components x "
        "features^2 (without matrices rows x 2 numbers of the posterior, if fewer) <= 1e8, "
        "above 1e6 only 4 where these have the same bound; where fewer than three of 10 "
        "have the best bound, up to 40 moves follow, runs from the best posterior so far "
        "with one component split and two merged. 3 up to 1e10, else 1. Up to 1e6 there are "
        "always moves, 15 if all initialisations have the same bound; up to 2e5 and 1000 "
        "rows, where some give rows to other components, until 200 in a row find nothing "
        "better, at most 990. Of 160,000 rows and more (16,000 a component) four initialisations "
        "of a sample come first; where these agree with each other and with one of all rows, "
        "there are no others.\n"
        "\nThe number of components: --n-components 1..8 (or 2,4,8) fits each and takes the one "
        "with the best lower bound; auto fits 1, 2, 3, .. until three more do not raise it, at "
        "most 20 or the square root of the number of rows, with --prune on. Components that the "
        "rows do not need slow a fit down and end as copies that weigh almost nothing; --prune on "
        "merges them on the way. --covariance-type auto fits every form of the covariance, with "
        "each of these numbers, and takes the best bound.\n"
        "\n--update FILE.json: the rows are a further batch for the posterior in that file, which "
        "has "
        "model, columns, units and prior; what it has learnt is prior and initialisation, and the "
        "file that is written counts all rows. Linear regressions learn in batches what they "
        "learn at once.\n"
        "  meshbayes fit --update posterior.json --data new.csv --out posterior.json\n"
        "\n--follow FILE.csv|-: rows that arrive, in a file that grows or on standard input, "
        "update the posterior of --update, or of the first 100 of them, until a signal or the end "
        "of "
        "standard input. --out is replaced as "
        "a whole after every update, so it is complete at any time. Without --window all rows "
        "count, although they are not stored; with it the newest alone.\n"
        "  sensor | meshbayes fit --follow - --update posterior.json --out posterior.json\n"
        "\nWith --checkpoint DIR --resume DIR the same command starts a fit and, after a crash, "
        "resumes it, on any number of processes and threads: the posterior is bit-identical to "
        "that of a fit without interruption.\n"
        "  meshbayes fit --data rows.npy --checkpoint saved --resume saved --out posterior.json\n"
        "\nmpirun -n P meshbayes fit ..: P processes share the rows of an NPY file of more than "
        "262144 rows, on one machine or several, and write the same files. Other rows are read "
        "by each of them, and they share initialisations and numbers of components. --data "
        "part-%r.npy: process 0 reads part-0.npy, process 1 part-1.npy; the rows are those of all, "
        "in this order.\n"
        "\nThe trace has two lower bounds, in nats: \"bound\" at the parameters with which a round "
        "begins its E-step, and \"lower_bound_sklearn\" after the M-step that follows, whose "
        "increments are those of lower_bound_ in scikit-learn (its constant differs). At the end "
        "both agree.\n"
        "\nStatus 3: the fit ended outside the domain. Status 4, with --require-settled: it did "
        "not settle within --rounds.\n"
        "\nSIGINT (Ctrl-C) and SIGTERM end the fit after the current round, with its posterior "
        "and, given --checkpoint, a checkpoint; status 130 or 143. A second signal ends it at "
        "once.\n",
    .see = "--update, --follow: docs/howto/streams.md. --checkpoint, mpirun: "
           "docs/howto/cluster.md. Exit status: meshbayes help fit all.\n"};

static int run(int argc, char **argv)
{
    return sim_main(&command, argc, argv);
}

static int help(FILE *out, const char *part)
{
    return sim_help(&command, part, out);
}

const app_command app_cmd_fit = {
    .name = "fit",
    .summary = "fit a model to one file on this machine",
    .usage = "meshbayes fit --data FILE --n-components K [options]",
    .run = run,
    .many = 1,
    .text =
        "\nFits a model to the rows of one file on this machine: variational Bayes on all rows at "
        "once, the reference for networks of nodes. Every round is one pass over the rows, an "
        "E-step and an M-step; the lower bound never decreases. It ends when it has settled "
        "(--tol) or after --rounds.\n"
        "\nThe default model is a mixture of Gaussians. --n-components 1..8 fits each number of "
        "components, auto finds one, and the best lower bound is taken; likewise "
        "--covariance-type auto. Other models are robust mixtures (tmm), mixtures of categories, "
        "counts and numbers (lca), linear (linreg) and generalised linear regressions (glm), and "
        "regressions with effects that vary by group (mixed) or by a segment that no column says "
        "(mixreg), states of sequences (hmm), time series (structural), factors (fa) and topics of "
        "documents (lda).\n"
        "\nExamples\n"
        "  meshbayes fit --data rows.csv --n-components 3 --out posterior.json\n"
        "  meshbayes fit --data houses.csv --model linreg --target-column price --out result\n",
    .help = help};
