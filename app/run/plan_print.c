/* plan_print.c - the plan as a table and as JSON. */
#include "run/plan.h"

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
           amount(plan_runs(p->cs) * c->bytes_typical + begin_bytes(p), "B", b[1], CELL),
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

    if (!steps)
        return;
    printf("K-means took %d step%s ", steps, steps == 1 ? "" : "s");
    if (p->cs->args->opt.data)
        printf("on these rows, which sim repeats.\n");
    else
        printf("on rows drawn for this plan. With 300, the most it makes, initialisation\n"
               "takes %s. Given --data, its steps are those of your rows.\n",
               duration(p->begin.most, most, CELL));
}

void plan_print(const plan *p)
{
    const sim_case *cs = p->cs;

    sim_print_network(cs, (int64_t)p->rows);
    printf("; a message has %zu numbers\n\n", cs->fit->stages->nodes.model.layout.len);
    table(p);
    explain(p);
    printf(
        "\nTime is an estimate. Measured on this machine: one initialisation, and rounds of each\n"
        "algorithm for %.3g s, or until it settled. A run is the initialisation and its rounds.\n",
        p->opt.measure);
    tell_steps(p);
    if (cs->n_init > 1)
        printf("%lld initialisations are run, and the best one again.\n", (long long)cs->n_init);
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

mb_status plan_json(const plan *p, mb_err *err)
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
