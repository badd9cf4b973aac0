/* cmd_plan.c - `meshbayes plan`: what a run would send, compute and store, and how long it would
 * take: a short run of each algorithm, what follows for the whole run, and both as a table and as
 * JSON. */
#include "data/data.h"
#include "model/kind.h"
#include "network/graph.h"
#include "run/option_rows.h"
#include "run/private.h"
#include "run/sim.h"

#include <math.h>

typedef struct plan_opt {
    int64_t rows_per_node, features;
    double  measure; /* seconds an algorithm */
} plan_opt;

/* The initialisation of a run, every time that --n-init makes it: measured on the rows of the trial
 * run, once, and scaled by the work. */
typedef struct plan_begin {
    double  seconds;
    double  most;  /* seconds if k-means moved its centres as often as it may */
    int32_t steps; /* of k-means, counted                                     */
    int32_t known; /* 1: it has been measured                                 */
} plan_begin;

/* How many rounds a run makes until the stopping rule ends it. */
typedef enum plan_end {
    PLAN_SETTLED,  /* the trial run did                                                   */
    PLAN_FORECAST, /* by the rate at which its nodes came to rest                         */
    PLAN_LIMIT,    /* all that --rounds allows: it would need more, or --tol is 0         */
    PLAN_UNKNOWN   /* the trial was too short to tell                                     */
} plan_end;

/* What one algorithm costs: bytes and memory of the trial run are exact, seconds an estimate. */
typedef struct plan_cost {
    const char *name;
    double      bytes_round, frames_round; /* of the whole network, after the first two rounds */
    double      bytes, bytes_typical;      /* all rounds, and those until the run settles;
                                              without the initialisation                       */
    double      flops_round;               /* leading terms                                    */
    double      seconds_round;
    double      seconds, seconds_typical; /* the same, with the initialisation                */
    int64_t     rounds_typical;
    int         continues;    /* 1: the best of several runs that settle runs on      */
    double      runs_typical; /* of these rounds                                      */
    plan_end    end;
    double      memory, memory_node; /* bytes: the simulation, and one node by itself    */
    int64_t     rounds_measured;
    mb_pass     pass; /* zeros: the algorithm has none */
    int32_t     failed;
    mb_err      err;
} plan_cost;

typedef struct plan {
    sim_job        *job;
    const sim_case *cs;
    plan_opt        opt;
    double          rows;     /* of the run that is planned                */
    int64_t         measured; /* rows of the trial run: fewer when more do not fit */
    plan_begin      begin;
    mb_traffic      sent; /* by all nodes before the first round */
    plan_cost       cost[SIM_MAX_ALGOS];
} plan;

enum {
    MOST_STEPS = 300, /* see mb_lloyd */
    NODE = 3,         /* rows: what the sums of a node cost on their way over the tree, about */
    LEVELS = 3        /* of a category that is drawn                                          */
};

/* How often a run is begun at most: once, or with each initialisation and then again with the best. */
static double plan_runs(const sim_case *cs)
{
    return cs->n_init > 1 ? (double)cs->n_init + 1 : 1;
}

/* Seconds that a seed takes; the centres of attempt 0 are drawn unless they are known. */
static mb_status seed(plan *p, mb_session *session, double *seconds, mb_err *err)
{
    const double began = app_now();

    MB_TRY(mb_session_seed(session, &p->cs->start, 0, err));
    *seconds = app_now() - began;
    return MB_OK;
}

/* Seconds of one row a centre by k-means++, where k-means chooses among several. */
static mb_status draw(const sim_case *cs, mb_arena *scratch_arena, double *seconds, mb_err *err)
{
    mb_start   plain = cs->start;
    mb_centres drawn = {0};
    mb_traffic sent = {0};
    double     began;

    plain.how = MB_INIT_KMEANSPP;
    MB_NEW(drawn.centres, scratch_arena, (size_t)sim_components(cs->args) * sim_centre(cs->rows),
           err);
    began = app_now();
    MB_TRY(mb_case_centres(&cs->fit->stages->nodes, &plain, 0, scratch_arena, &drawn, &sent, err));
    *seconds = app_now() - began;
    return MB_OK;
}

/* Seconds of one assignment of all rows by k-means, of `centres` in all. */
static mb_status assignment(const sim_case *cs, double centres, double *seconds, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_new(1 << 16);
    mb_status st;
    double    once = 0;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to draw centres");
    st = draw(cs, scratch_arena, &once, err);
    mb_arena_free(scratch_arena);
    MB_TRY(st);
    once *= mb_start_candidates(MB_INIT_KMEANS, sim_components(cs->args), 0);
    *seconds = fmax(centres - once, 0) / (cs->drawn->steps + 1);
    return MB_OK;
}

/* Work of k-means, in rows. */
static double work(const sim_case *cs, double rows)
{
    const double  nodes = cs->network->net.n;
    const int64_t each = mb_start_rows((int64_t)ceil(rows / nodes), cs->network->rows->data.d,
                                       sim_components(cs->args));

    return nodes * ((double)each + NODE);
}

static mb_status measure(plan *p, mb_session *session, mb_err *err)
{
    const sim_case *cs = p->cs;
    plan_begin     *b = &p->begin;
    double          whole, sums, centres, one = 0;
    const double    more = work(cs, p->rows) / work(cs, (double)p->measured);

    MB_TRY(seed(p, session, &whole, err));
    MB_TRY(seed(p, session, &sums, err)); /* from the same centres */
    centres = cs->start.drawn ? fmax(whole - sums, 0) : 0;
    if (cs->start.drawn && cs->start.how == MB_INIT_KMEANS)
        MB_TRY(assignment(cs, centres, &one, err));
    b->steps = cs->drawn->steps;
    b->seconds = plan_runs(cs) * (centres * more + sums * p->rows / (double)p->measured);
    b->most = b->seconds + plan_runs(cs) * one * more * (MOST_STEPS - b->steps);
    b->known = 1;
    return MB_OK;
}

/* Seeds a trial run, the first one under the stopwatch. */
static mb_status plan_seed(plan *p, mb_session *session, mb_err *err)
{
    return p->begin.known ? mb_session_seed(session, &p->cs->start, 0, err)
                          : measure(p, session, err);
}

/* Rounds 1 and 2 differ from the others: some methods begin with another message or none. */
enum { SETTLED = 2 };

typedef struct stopwatch {
    double     limit; /* seconds */
    double     began; /* at the end of round 2 */
    double     spent;
    mb_traffic at[SETTLED + 1]; /* after rounds 1 and 2, and the last */
    int64_t    rounds;          /* since round 2 */
} stopwatch;

static mb_status look(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    stopwatch *w = self;

    (void)p, (void)err;
    w->at[st->t <= SETTLED ? st->t - 1 : SETTLED] = st->sent;
    if (st->t <= SETTLED) {
        w->began = app_now();
        return MB_OK;
    }
    w->rounds = st->t - SETTLED;
    w->spent = app_now() - w->began;
    return w->spent >= w->limit ? MB_STOP : MB_OK;
}

/* Doubles of a member of a block that are its matrix: not those of its parts. */
static double whole(const mb_block *k)
{
    const mb_parted *p = k->family->parts;
    const double     len = (double)k->len / k->members;

    return p ? len - (double)p->count(k->dim) * (double)p->len(k->dim) : len;
}

/* Leading terms of one round: 2 for each number of the message and row in the E-step and 2 in the
 * statistics; len^(3/2) for factorising each member of a block; 4 for each number received. */
static double flops(const mb_layout *l, double rows, double nodes, double received)
{
    double factors = 0;

    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];

        factors += (double)k->count * k->members * pow(whole(k), 1.5);
    }
    return 4 * (double)l->len * (rows + received) + nodes * factors;
}

/* Bytes of a number of the rows in run units. */
static double number_bytes(const sim_args *args)
{
    return args->opt.precision == MB_FLOAT32 ? 4 : 8;
}

/* Rounds until the run settles, by the trial. */
static void foresee(const sim_args *args, const mb_session *run, plan_cost *c)
{
    const int64_t limit = args->opt.rounds, more = run->stand.more;
    const int64_t rounds = run->state.t + (run->stopped ? 0 : more);

    c->end = run->stopped         ? PLAN_SETTLED
             : args->opt.tol <= 0 ? PLAN_LIMIT
             : more < 0           ? PLAN_UNKNOWN
                                  : PLAN_FORECAST;
    if (c->end != PLAN_UNKNOWN && rounds > limit)
        c->end = PLAN_LIMIT;
    c->rounds_typical = c->end == PLAN_SETTLED || c->end == PLAN_FORECAST ? rounds : limit;
}

/* Bytes of these rounds, the first two as counted. */
static double sent(const stopwatch *w, const plan_cost *c, int64_t rounds)
{
    const double later = (double)(rounds - SETTLED);

    return (double)w->at[rounds >= SETTLED].bytes + (later > 0 ? later * c->bytes_round : 0);
}

/* Two copies of each row (data and run units), its weight and its place in the file; central VB
 * starts from the responsibilities of all rows at once. */
static double row_bytes(const sim_case *cs, const sim_choice *c)
{
    return (8.0 + number_bytes(cs->args)) * cs->rows->data.d +
           8.0 * (double)((c->cvb ? cs->fit->stages->nodes.model.K : 0) + 2);
}

static void fill(const plan *p, const stopwatch *w, const sim_result *r, plan_cost *c)
{
    const sim_case  *cs = p->cs;
    const mb_layout *l = &cs->fit->stages->nodes.model.layout;
    const double nodes = r->session.problem.part->n_local, missing = p->rows - (double)p->measured;
    const double message = MB_FRAME_HEADER + 8.0 * (double)l->len;
    const double state = (double)mb_arena_used(r->session.own);
    const double n = (double)w->rounds;
    double       received;

    c->bytes_round = (double)(w->at[2].bytes - w->at[1].bytes) / n;
    c->frames_round = (double)(w->at[2].frames - w->at[1].frames) / n;
    foresee(cs->args, &r->session, c);
    c->bytes = sent(w, c, cs->args->opt.rounds);
    c->bytes_typical = sent(w, c, c->rounds_typical);
    c->runs_typical = plan_runs(cs);
    if (c->continues && cs->n_init > 1 && (c->end == PLAN_SETTLED || c->end == PLAN_FORECAST))
        c->runs_typical--;
    received = c->bytes_round / message;
    c->flops_round = flops(l, p->rows, nodes, received);
    c->seconds_round =
        w->spent / n * c->flops_round / flops(l, (double)p->measured, nodes, received);
    c->seconds = p->begin.seconds + c->seconds_round * (double)cs->args->opt.rounds * plan_runs(cs);
    c->seconds_typical =
        p->begin.seconds + c->seconds_round * (double)c->rounds_typical * c->runs_typical;
    c->memory = state + (double)mb_arena_used(p->job->a) + missing * row_bytes(cs, r->choice);
    c->memory_node = state / nodes + p->rows / nodes * number_bytes(cs->args) * cs->rows->data.d;
    c->rounds_measured = w->rounds;
    if (r->session.how.algo->pass)
        c->pass = r->session.how.algo->pass(r->session.opt);
}

/* One attempt under the stopwatch. */
static mb_status try_out(plan *p, int32_t k, sim_result *r, stopwatch *w, mb_err *err)
{
    const mb_observer obs = {.self = w, .every = 1, .see = look};
    const mb_case    *on;
    mb_method         how;

    MB_TRY(sim_prepare(p->job, p->cs, r->choice, &on, &how, err));
    p->cost[k].continues = mb_case_continues(on, &how, p->cs->args->opt.tol);
    how.rounds = INT64_MAX;
    MB_TRY(mb_session_open(on, &how, &r->session, err));
    MB_TRY(plan_seed(p, &r->session, err));
    MB_TRY(mb_session_stop(&r->session, p->cs->args->opt.tol, SETTLED + 1, err));
    MB_TRY(mb_session_watch(&r->session, &obs, err));
    return mb_session_run(&r->session, err);
}

/* Runs the k-th algorithm for a moment; an algorithm that fails says so in its record. */
static mb_status plan_measure(plan *p, int32_t k, sim_result *r, mb_err *err)
{
    plan_cost *c = &p->cost[k];
    stopwatch  w = {.limit = p->opt.measure};
    mb_status  st;

    *r = (sim_result){.job = p->job, .cs = p->cs, .choice = &p->cs->args->choice[k]};
    c->name = r->choice->name;
    st = try_out(p, k, r, &w, &c->err);
    if (st >= 0)
        fill(p, &w, r, c);
    c->failed = st < 0;
    if (st == MB_E_NOMEM)
        MB_FAIL(err, st, "%s: %s", c->name, c->err.msg);
    return MB_OK;
}

/* MB_E_NOMEM with both figures when a run would need more than `available` bytes. */
static mb_status plan_check_memory(const plan *p, double available, mb_err *err)
{
    const plan_cost *most = NULL;

    for (int32_t k = 0; k < p->cs->args->nchoice; k++)
        if (!p->cost[k].failed && (!most || p->cost[k].memory > most->memory))
            most = &p->cost[k];
    if (!most || !(available > 0) || most->memory <= available)
        return MB_OK;
    MB_FAIL(err, MB_E_NOMEM,
            "%s would hold %.3g GB and %.3g GB are free here; expected fewer nodes, rows or "
            "components, a larger machine, or mpirun over %.0f machines like this",
            most->name, 1e-9 * most->memory, 1e-9 * available, most->memory / available + 1);
}

/* 3 digits and a unit: "1.23 kB". */
static const char *amount(double x, const char *unit, char *buf, size_t cap)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    size_t                   e = 0;

    while (x >= 999.5 && e + 1 < sizeof prefix / sizeof *prefix) {
        x /= 1000;
        e++;
    }
    snprintf(buf, cap, x >= 99.5 || (e == 0 && x < 1e-9) ? "%.0f %s%s" : "%.3g %s%s", x, prefix[e],
             unit);
    return buf;
}

static const char *duration(double s, char *buf, size_t cap)
{
    if (s < 1e-3)
        snprintf(buf, cap, "%.3g us", 1e6 * s);
    else if (s < 1)
        snprintf(buf, cap, "%.3g ms", 1e3 * s);
    else if (s < 600)
        snprintf(buf, cap, "%.3g s", s);
    else
        snprintf(buf, cap, s < 7200 ? "%.0f min" : "%.1f h", s < 7200 ? s / 60 : s / 3600);
    return buf;
}

enum { CELL = 32 };

/* What all nodes send before the first round. */
static double begin_bytes(const plan *p)
{
    return (double)p->sent.bytes;
}

/* How a run ends: beside its rounds, in JSON, and what the mark means. */
static const struct {
    const char *mark, *word, *says;
} ends[] = {[PLAN_SETTLED] = {"", "settled", NULL},
            [PLAN_FORECAST] = {"~", "forecast", "by the rate at which the trial came to rest"},
            [PLAN_LIMIT] = {"*", "limit", "the limit of --rounds"},
            [PLAN_UNKNOWN] = {"?", "unknown",
                              "not known after so short a trial: a longer --measure tells more"}};

/* A forecast to two digits. */
static const char *rounds(const plan_cost *c, char *buf, size_t cap)
{
    const double n = (double)c->rounds_typical;

    snprintf(buf, cap, "%.0f", c->end == PLAN_FORECAST ? sim_two_digits(n) : n);
    return buf;
}

static void line(const plan *p, const plan_cost *c)
{
    const double nodes = p->cs->network->net.n;
    char         b[9][CELL];

    if (c->failed) {
        printf("%-14s cannot run: %s\n", c->name, c->err.msg);
        return;
    }
    printf("%-14s %7s %-1s %9s %9s  %9s %10s  %9s %10s %9s %10s\n", c->name, rounds(c, b[8], CELL),
           ends[c->end].mark, duration(c->seconds_typical, b[0], CELL),
           amount(c->runs_typical * c->bytes_typical + begin_bytes(p), "B", b[1], CELL),
           amount(c->memory_node, "B", b[2], CELL), amount(c->memory, "B", b[3], CELL),
           duration(c->seconds_round, b[4], CELL), amount(c->bytes_round / nodes, "B", b[5], CELL),
           amount(c->bytes_round, "B", b[6], CELL), amount(c->flops_round, "flop", b[7], CELL));
}

/* What runs cost that the limit ends rather than the stopping rule. */
static void limits(const plan *p)
{
    char        b[2][CELL];
    const char *separator = "";

    printf("\nWith all %lld rounds (--rounds), if it does not settle: ",
           (long long)p->cs->args->opt.rounds);
    for (int32_t k = 0; k < p->cs->args->nchoice; k++) {
        const plan_cost *c = &p->cost[k];

        if (c->failed || (c->end != PLAN_SETTLED && c->end != PLAN_FORECAST))
            continue;
        printf("%s%s %s and %s", separator, c->name, duration(c->seconds, b[0], CELL),
               amount(plan_runs(p->cs) * c->bytes + begin_bytes(p), "B", b[1], CELL));
        separator = ", ";
    }
    puts(".");
}

/* Passes of algorithms that have some. */
static void print_passes(const plan *p)
{
    const double nodes = p->cs->network->net.n;

    for (int32_t k = 0; k < p->cs->args->nchoice; k++) {
        const plan_cost *c = &p->cost[k];

        if (c->pass.rounds > 0)
            printf("%s: a pass, a step of fit, takes %lld rounds and %lld messages, %.3g a node, "
                   "where nothing is lost.\n",
                   c->name, (long long)c->pass.rounds, (long long)c->pass.messages,
                   (double)c->pass.messages / nodes);
    }
}

/* What the marks beside the rounds mean, of those that were printed. */
static void explain(const plan *p)
{
    unsigned seen = 0;

    for (int32_t k = 0; k < p->cs->args->nchoice; k++)
        seen |= p->cost[k].failed ? 0 : 1u << p->cost[k].end;
    for (int e = PLAN_FORECAST; e <= PLAN_UNKNOWN; e++)
        if (seen & 1u << e)
            printf("%s  %s\n", ends[e].mark, ends[e].says);
    if (seen & (1u << PLAN_SETTLED | 1u << PLAN_FORECAST))
        limits(p);
}

static void table(const plan *p)
{
    char b[2][CELL];

    printf("%-14s %29s  %20s  %41s\n", "", "until it settles", "memory", "a round");
    printf("%-14s %7s   %9s %9s  %9s %10s  %9s %10s %9s %10s\n", "", "rounds", "time", "all send",
           "a node", "simulation", "time", "node sends", "all send", "work");
    for (int32_t k = 0; k < p->cs->args->nchoice; k++)
        line(p, &p->cost[k]);
    if (p->begin.known)
        printf("%-14s %19s %9s  (included)\n", "initialisation",
               duration(p->begin.seconds, b[0], CELL), amount(begin_bytes(p), "B", b[1], CELL));
}

/* How many steps k-means takes, which the rows decide. */
static void tell_steps(const plan *p)
{
    const int32_t steps = p->begin.steps;
    char          most[CELL];

    if (!steps || p->cs->start.how != MB_INIT_KMEANS)
        return;
    printf("K-means took %d step%s ", steps, steps == 1 ? "" : "s");
    if (p->cs->args->opt.data)
        printf("on these rows, which sim repeats.\n");
    else
        printf("on rows drawn for this plan. With 300, the most it makes, initialisation\n"
               "takes %s. Given --data, its steps are those of your rows.\n",
               duration(p->begin.most, most, CELL));
}

/* The nodes whose loss parts the network, the first of them by name. */
static void print_cuts(const plan *p)
{
    enum { NAMED = 8 };
    const mb_network *net = &p->cs->network->net;
    mb_arena         *own = mb_arena_new(0);
    uint8_t          *cut = own ? mb_alloc(own, (size_t)net->n, 1) : NULL;
    int32_t           cuts = 0;

    if (cut && mb_graph_cut_nodes(own, &net->g, cut, NULL, NULL) >= 0)
        for (int32_t i = 0; i < net->n; i++)
            if (cut[i] && cuts++ < NAMED)
                printf("%s%s",
                       cuts == 1 ? "Cut nodes, without which the network parts and whose "
                                   "sides cannot audit each other: "
                                 : ", ",
                       net->id[i]);
    if (cuts > NAMED)
        printf(" and %d more", (int)(cuts - NAMED));
    if (cuts)
        puts(".\n");
    mb_arena_free(own);
}

static void plan_print(const plan *p)
{
    const sim_case *cs = p->cs;

    sim_print_network(cs, (int64_t)p->rows);
    printf("; a message has %zu numbers, %zu bytes\n\n", cs->fit->stages->nodes.model.layout.len,
           8 * cs->fit->stages->nodes.model.layout.len);
    print_cuts(p);
    table(p);
    explain(p);
    print_passes(p);
    printf(
        "\nTime is an estimate. Measured on this machine: one initialisation, and rounds of each\n"
        "algorithm for %.3g s, or until it settled. A run is the initialisation and its rounds.\n",
        p->opt.measure);
    tell_steps(p);
    if (cs->n_init > 1)
        printf(
            "At most %lld initialisations are run, and the best one again, or on where that takes\n"
            "notable time on one machine.\n",
            (long long)cs->n_init);
    else if (cs->args->nchoice > 1)
        printf("Algorithms of one run share the centres of the initialisation.\n");
    printf("Bytes: %d and 8 a number for each message over each link, counted in a trial run.\n"
           "Work: leading terms.\n",
           MB_FRAME_HEADER);
    if ((double)p->measured < p->rows)
        printf("Timed on %lld of the rows and scaled by the work.\n", (long long)p->measured);
}

static void record(mb_json_out *j, const plan *p, const plan_cost *c)
{
    mb_json_object(j, NULL);
    mb_json_text(j, "name", c->name);
    mb_json_text(j, "status", c->failed ? "failed" : "ok");
    if (c->failed)
        mb_json_text(j, "error", c->err.msg);
    else {
        mb_json_number(j, "bytes_node_round", c->bytes_round / p->cs->network->net.n);
        mb_json_number(j, "bytes_round", c->bytes_round);
        mb_json_number(j, "frames_round", c->frames_round);
        if (c->pass.rounds > 0) {
            mb_json_integer(j, "rounds_pass", c->pass.rounds);
            mb_json_integer(j, "messages_pass", c->pass.messages);
        }
        mb_json_number(j, "bytes", c->bytes);
        mb_json_number(j, "flops_round", c->flops_round);
        mb_json_number(j, "seconds_round", c->seconds_round);
        mb_json_number(j, "seconds", c->seconds);
        mb_json_number(j, "memory_node", c->memory_node);
        mb_json_number(j, "memory", c->memory);
        mb_json_integer(j, "rounds_measured", c->rounds_measured);
        mb_json_text(j, "ends", ends[c->end].word);
        mb_json_integer(j, "rounds_typical", c->rounds_typical);
        mb_json_number(j, "bytes_typical", c->bytes_typical);
        mb_json_number(j, "seconds_typical", c->seconds_typical);
    }
    mb_json_close(j);
}

static mb_status plan_json(const plan *p, mb_err *err)
{
    const sim_case *cs = p->cs;
    const mb_model *m = &cs->fit->stages->nodes.model;
    mb_json_out     j;

    mb_json_begin(&j, p->job->a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "meshbayes", MB_VERSION);
    mb_json_integer(&j, "nodes", cs->network->net.n);
    mb_json_integer(&j, "links", cs->network->net.facts.edges);
    mb_json_number(&j, "rows", p->rows);
    mb_json_integer(&j, "features", sim_inputs(cs->rows));
    mb_json_integer(&j, "components", m->K);
    mb_json_integer(&j, "message_numbers", (int64_t)m->layout.len);
    mb_json_integer(&j, "rounds", cs->args->opt.rounds);
    mb_json_integer(&j, "starts", cs->n_init);
    mb_json_integer(&j, "rows_measured", p->measured);
    mb_json_integer(&j, "start_bytes", p->sent.bytes);
    mb_json_number(&j, "start_seconds", p->begin.seconds);
    mb_json_number(&j, "start_seconds_most", p->begin.most);
    mb_json_integer(&j, "start_steps", p->begin.steps);
    mb_json_list(&j, "algorithms");
    for (int32_t k = 0; k < cs->args->nchoice; k++)
        record(&j, p, &p->cost[k]);
    mb_json_close(&j);
    mb_json_close(&j);
    return app_print_json(&j);
}

#define AT(field) offsetof(plan, opt.field)

static const sim_row options[] = {
    ROW(SHAPE, OFTEN(SIM_PLAN) | SIM_PRIVATE, "rows-per-node", MB_OPT_INT, AT(rows_per_node), "100",
        1, 1e12, NULL, "rows", "", "", "rows of each node, when there is no --data"),
    ROW(SHAPE, OFTEN(SIM_PLAN) | SIM_PRIVATE, "features", MB_OPT_INT, AT(features), "2", 1, 10000,
        NULL, "columns", "", "",
        "columns of the rows, when there is no --data, categories with 3 levels; of topics the "
        "terms that documents have"),
    ROW(SHAPE, OFTEN(SIM_PLAN), "measure", MB_OPT_REAL, AT(measure), "0.2", 0, 3600, NULL,
        "seconds", "", "",
        "how long rounds of each algorithm are timed, at least one; initialisation is timed once"),
    ROWS_END};

/* Largest trial run: rows times (columns + components), about 100 MB; and rows times columns times
 * components, so that k-means takes about half a second. */
static const double MOST = 4e6, MOST_WORK = 2e7;
/* Of two clouds, standard deviations. They overlap so that k-means takes about as many steps as for
 * rows that were measured: for most data sets 10 to 50. */
static const double APART = 2;

static mb_status count_nodes(sim_job *job, const sim_args *args, int32_t *nodes, mb_err *err)
{
    const mb_network_opt links = {.links_only = 1, .skip_own = 1};
    mb_network           net = {.n = 1};

    if (args->opt.network)
        MB_TRY(mb_network_read(job->a, args->opt.network, &links, &net, err));
    else if (args->opt.topology)
        MB_TRY(mb_topology_size(args->opt.topology, &net.n, err));
    *nodes = net.n;
    return MB_OK;
}

/* Row r belongs to cloud r mod K; column d is shifted in one cloud in K. */
static double cloud_cell(const sim_args *args, int64_t r, int32_t d, int32_t D, mb_rng *rng)
{
    const int64_t K = sim_components(args), clouds = K ? K : 2;
    const double  shift = APART / sqrt(2 * fmax(1, (double)D / (double)clouds));

    return mb_rng_normal(rng) + (d % clouds == r % clouds ? shift : 0);
}

/* Where model or options say what a column is: one of `levels` categories, the first ones more often
 * and the last in the first row, since it says how many there are; or a count. */
static double form_cell(mb_column_kind kind, int64_t levels, int64_t r, mb_rng *rng)
{
    const double u = mb_rng_uniform(rng);

    if (kind != MB_COLUMN_CATEGORY)
        return 1 + floor(4 * u);
    return r ? floor((double)levels * u * u) : (double)levels - 1;
}

/* Columns as the model's options declare them, if they do. */
static mb_status declare(mb_arena *a, const sim_args *args, mb_data *data, mb_err *err)
{
    const char  *text = mb_kind_declares(args->kind, args->model_opt);
    const char **level;
    mb_column   *of;
    mb_columns  *made;
    uint8_t     *given;

    if (!text)
        return MB_OK;
    MB_NEW(of, a, data->d, err);
    MB_NEW(given, a, data->d, err);
    MB_NEW(made, a, 1, err);
    MB_TRY(mb_data_number_columns(a, LEVELS, &level, err));
    MB_TRY(mb_columns_declare(a, text, data->d, data->name, of, given, err));
    for (int32_t d = 0; d < data->d; d++)
        if (of[d].kind == MB_COLUMN_CATEGORY) {
            of[d].levels = LEVELS;
            of[d].level = level;
        }
    data->columns = made;
    return mb_columns_make(a, data->d, of, made, err);
}

/* The target of a link is 0 or 1, which is a flag and a count. */
static double cell(const plan *p, const sim_args *args, const mb_data *data, int64_t r, int32_t d,
                   mb_rng *rng)
{
    const mb_column_kind *form = args->kind->form;
    double                x;

    if (form)
        return form_cell(form[d], p->opt.features, r, rng);
    if (data->columns)
        return form_cell(data->columns->of[d].kind, LEVELS, r, rng);
    x = cloud_cell(args, r, d, data->d, rng);
    return args->kind->mean_at && d >= p->opt.features ? x > 0 : x;
}

static mb_status draw_rows(const plan *p, const sim_args *args, int64_t n, int32_t D,
                           sim_rows *rows, mb_err *err)
{
    sim_job *job = p->job;
    mb_rng   rng = mb_rng_at((uint64_t)args->opt.seed, MB_STREAM_DATA, 0, 0);

    *rows = (sim_rows){.args = args};
    MB_NEW(rows->mapped, job->a, 1, err);
    rows->data.n = n;
    rows->data.d = D;
    MB_NEW(rows->data.x, job->a, (size_t)n * (size_t)D, err);
    MB_NEW(rows->data.file_row, job->a, n, err);
    MB_TRY(mb_data_number_columns(job->a, D, &rows->data.name, err));
    MB_TRY(declare(job->a, args, &rows->data, err));
    for (int64_t r = 0; r < n; r++) {
        rows->data.file_row[r] = r;
        for (int32_t d = 0; d < D; d++)
            rows->data.x[r * D + d] = cell(p, args, &rows->data, r, d, &rng);
    }
    return MB_OK;
}

/* Columns of the rows that are drawn, with those that are explained. */
static int32_t columns(const plan *p, const sim_args *args)
{
    mb_sizes size;
    int32_t  d = 0;

    while (args->kind->form && args->kind->form[d] != MB_COLUMN_KINDS)
        d++;
    if (d)
        return d;
    mb_kind_sizes(args->kind, args->model_opt, 1, NULL, &size);
    return (int32_t)p->opt.features + mb_kind_targets(args->kind, &size);
}

/* Rows of the planned shape, or those of --data. */
static mb_status data(plan *p, const sim_args *args, sim_rows *rows, mb_err *err)
{
    const int32_t D = columns(p, args);
    const int64_t K = sim_components(args);
    int32_t       nodes;
    double        per_node;

    if (args->opt.data) {
        MB_TRY(sim_rows_read(p->job, args, rows, err));
        p->rows = (double)rows->data.n;
        p->measured = rows->data.n;
        return MB_OK;
    }
    MB_TRY(count_nodes(p->job, args, &nodes, err));
    p->rows = (double)p->opt.rows_per_node * nodes;
    per_node = fmin(MOST / (double)(D + K), MOST_WORK / fmax(1, (double)D * (double)K)) / nodes;
    per_node = fmin(fmax(1, per_node), (double)p->opt.rows_per_node);
    p->measured = (int64_t)per_node * nodes;
    if (p->measured < K && p->rows >= (double)K)
        p->measured = K;
    return draw_rows(p, args, p->measured, D, rows, err);
}

static mb_status estimate(plan *p, sim_result *r, int *failures, mb_err *err)
{
    const sim_case *cs = p->cs;

    for (int32_t k = 0; k < cs->args->nchoice; k++) {
        MB_TRY(plan_measure(p, k, &r[k], err));
        *failures += p->cost[k].failed;
    }
    MB_TRY(sim_start_sent(cs, &p->sent, err));
    p->sent.bytes += (cs->n_init - 1) * cs->drawn->sent.bytes; /* of the trial: one */
    if (cs->args->opt.json)
        MB_TRY(plan_json(p, err));
    else
        plan_print(p);
    return plan_check_memory(p, sim_free_memory(), err);
}

static int make(sim *s, mb_err *err)
{
    plan   *p = s->args.own;
    int     failures = 0;
    int32_t nodes;

    p->job = &s->job;
    p->cs = &s->cs;
    if (s->args.opt.privacy)
        return count_nodes(&s->job, &s->args, &nodes, err) < 0
                   ? app_fail("plan", err, 1)
                   : private_plan(s, nodes, p->opt.rows_per_node, (int32_t)p->opt.features, err);
    if (data(p, &s->args, &s->rows, err) < 0 || sim_setup(s, err) < 0 ||
        sim_results_begin(s, err) < 0)
        return app_fail("plan", err, 1);
    if (estimate(p, s->results.r, &failures, err) < 0)
        return app_fail("plan", err, 0);
    return failures ? APP_FAILED : APP_DONE;
}

static const sim_command command = {
    .name = "plan", .bit = SIM_PLAN, .more = options, .size = sizeof(plan), .run = make};

static int run(int argc, char **argv)
{
    return sim_main(&command, argc, argv);
}

static int help(FILE *out, const char *part)
{
    return sim_help(&command, part, out);
}

const app_command app_cmd_plan = {
    .name = "plan",
    .summary = "bytes, memory and time of a run, before it",
    .usage = "meshbayes plan --topology T --rows-per-node N "
             "--features D --n-components K ..",
    .run = run,
    .text =
        "\nPredicts what `meshbayes sim` with the same options would send, compute and store, and "
        "about how long it would take on this machine. It needs no data: the number of rows per "
        "node and of columns suffices. Each algorithm runs briefly on rows of that shape.\n"
        "\nTimes are estimates. The initialisation is timed once, and rounds of each algorithm for "
        "--measure seconds, or until it settles: a run is the initialisation and the rounds until "
        "it settles, which a shorter trial forecasts from the rate at which its nodes come to "
        "rest. What all --rounds would cost stands below the table. How many steps k-means "
        "takes depends on the rows: given --data they are counted on all of them, otherwise on "
        "rows that are drawn, from overlapping clusters, and the plan also says how long the "
        "largest number of steps would take.\n"
        "\nExample\n"
        "  meshbayes plan --topology geometric:n=200,side=7,radius=0.8 --rows-per-node 1000 \\\n"
        "      --features 10 --n-components 5 --algorithm cvb,dsvb,edge --rounds 2000\n"
        "\nOn radios or modems the bytes decide, on one machine the time. The bytes of a message "
        "grow with components times features squared, not with rows. A round on real nodes takes "
        "the larger of a node's share of the work and the delay of a message.\n"
        "\nIf a run would not fit into the free memory of this machine, the plan ends with status "
        "1.\n",
    .help = help};
