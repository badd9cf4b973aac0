/* up_write.c - the folder of a run, and what is printed of it. */
#include "mesh/genesis.h"
#include "run/answer.h"
#include "up/up_private.h"

#include <math.h>

static mb_status write_nothing(void *self, mb_err *err)
{
    (void)self, (void)err;
    return MB_OK;
}

static int32_t live(const up *u)
{
    int32_t count = 0;

    for (int32_t i = 0; i < u->cs->network->net.n; i++)
        count += u->part[i] >= 0;
    return count;
}

static const char *source(const up *u)
{
    if (u->args.from == MB_GENESIS_GIVEN)
        return u->args.genesis ? "file" : "init";
    return mb_genesis_from_text_(u->args.from);
}

static void put_tally(const up *u, mb_json_out *j)
{
    mb_json_object(j, "tally");
    for (int k = 0; u->net && k < MB_TALLIES; k++)
        mb_json_integer(j, mb_tally_text((mb_tally)k), mb_virtual_tally(u->net, (mb_tally)k));
    if (!u->net) {
        mb_json_integer(j, "frames", u->frames);
        mb_json_integer(j, "bytes", u->bytes);
        mb_json_integer(j, "restarts", u->restarts);
    }
    mb_json_close(j);
}

/* "virtual" of summary.json, or "processes". */
static mb_status summary(void *self, mb_json_out *j)
{
    const up *u = self;

    mb_json_object(j, u->net ? "virtual" : "processes");
    mb_json_number(j, "time", u->lasted);
    mb_json_number(j, "tick", u->args.tick);
    mb_json_bool(j, "settled", u->settled);
    mb_json_integer(j, "live", live(u));
    mb_json_integer(j, "parts", u->parts);
    mb_json_integer(j, "failed", u->failed);
    if (u->net)
        mb_json_integer(j, "events", mb_virtual_events(u->net));
    mb_json_text(j, "genesis", source(u));
    if (up_mask_text(u))
        mb_json_text(j, "mask", up_mask_text(u));
    mb_json_text(j, "trace", u->job->out ? "trace.csv" : NULL);
    put_tally(u, j);
    if (u->audits.state)
        node_audits_json(&u->audits, "audit", j);
    mb_json_close(j);
    return u->private_ ? up_private_summary(u, j) : MB_OK;
}

/* Verdict first, then where it stands, then what it cost. */
static void print_verdict(const up *u, const sim_result *r)
{
    if (u->net)
        printf("%s after %.6g s of virtual time (%.1f s here): %d of %d nodes live",
               app_verdict(sim_verdict(r)), u->lasted, r->seconds, live(u), u->cs->network->net.n);
    else
        printf("%s after %.1f s: %d of %d processes live", app_verdict(sim_verdict(r)), u->lasted,
               live(u), u->cs->network->net.n);
    if (u->parts > 1)
        printf(", in %d parts", u->parts);
    if (u->private_) {
        up_private_print(u);
        return;
    }
    printf("\nthe farthest node is %.1e from the mean, one centralised step over the rows present "
           "moves %.1e\n\n",
           r->out.disagreement, r->out.moved);
}

static void print_cost(const up *u)
{
    const double bytes = (double)u->bytes;

    printf("%.4g MB in %.0f frames, %.4g kB a node; ", 1e-6 * bytes, (double)u->frames,
           1e-3 * bytes / u->cs->network->net.n);
    if (u->net)
        printf("%lld frames lost\n", (long long)mb_virtual_tally(u->net, MB_TALLY_LOST));
    else
        printf("%d restart%s\n", u->restarts, u->restarts == 1 ? "" : "s");
}

mb_status up_write(up *u, sim_results *all, mb_err *err)
{
    sim_job        *job = u->job;
    const sim_case *cs = all->cs;
    const sim_many  more = {.self = u, .write = write_nothing, .summary = summary};
    char           *text;

    job->many = &more;
    if (job->out) {
        if (u->net)
            MB_TRY(up_nodes_write(u, all->r, err));
        MB_TRY(sim_posteriors_write(all->r, err));
    }
    if (job->out || !cs->args->opt.json)
        MB_TRY(sim_answer_find(job, all, err));
    MB_TRY(sim_output(job, all, &text, err));
    if (cs->args->opt.json) {
        fputs(text, stdout);
        return MB_OK;
    }
    print_verdict(u, all->r);
    sim_print_network(cs, cs->rows->data.n);
    fputs("\n\n", stdout);
    MB_TRY(sim_answer_print(job, all, err));
    if (u->private_)
        private_print(&u->private_->fit);
    putchar('\n');
    print_cost(u);
    if (job->out)
        printf("report: %s/report.html\n", job->out);
    return MB_OK;
}
