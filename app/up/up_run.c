/* up_run.c - from the options to the end of the virtual time. */
#include "up/record.h"
#include "up/up_private.h"

#include <math.h>
#include <signal.h>

mb_status up_prepare(up *u, sim *s, mb_err *err)
{
    const sim_args *args = &s->args;

    if (!args->opt.data)
        MB_FAIL(err, MB_E_ARG, "--data is missing: the CSV or NPY file with the rows");
    if (args->opt.privacy) {
        MB_TRY(up_private_open(u, s, err));
        u->first = s->cs.fit->stages->nodes.table.first;
        return local_prepare(u, err);
    }
    MB_TRY(sim_rows_read(&s->job, args, &s->rows, err));
    if (s->rows.data.gaps && u->args.from >= MB_GENESIS_SUMS)
        MB_FAIL(err, MB_E_ARG,
                "%s: %lld cells have no value, and sums of rows need them; expected --genesis "
                "sample, init or a file, or --missing drop",
                args->opt.data, (long long)s->rows.data.gaps);
    MB_TRY(sim_setup(s, err));
    u->first = s->cs.fit->stages->nodes.table.first;
    return u->opt.virtual_ ? up_net_make(u, err) : local_prepare(u, err);
}

static void tell_signal(const up *u)
{
    sim_warn(u->job, "interrupted by %s at %.3f s of virtual time",
             u->job->signal == SIGINT ? "SIGINT" : "SIGTERM",
             1e-6 * (double)mb_virtual_now(u->net));
}

mb_status up_run(up *u, mb_err *err)
{
    mb_status st;

    sim_signal_catch();
    MB_TRY(sim_folder(u->job, err));
    MB_TRY(up_watch_begin(u, err));
    MB_TRY(record_begin(u, err));
    st = mb_virtual_run(u->net, (int64_t)llround(1e6 * u->args.time), u->args.settled, err);
    st = record_end(u, st, err);
    u->settled = st >= 0 && mb_virtual_settled(u->net);
    u->ended = app_now();
    if (st >= 0 && u->job->signal)
        tell_signal(u);
    return up_watch_end(u, st, err);
}
