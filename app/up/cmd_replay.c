/* cmd_replay.c - `meshbayes replay FILE`: runs one node again on what a flight recorder has kept, and
 * compares all that it answers to the bit. */
#include "up/up.h"

#include <math.h>
#include <stdio.h>

typedef struct replay_opt {
    const char *file;
} replay_opt;

static void tell(const mb_replayed *r)
{
    if (*r->name)
        printf("node %s: ", r->name);
    else
        printf("node %ld: ", (long)r->id);
    printf("%lld %s, %lld ticks, %lld frames and %lld checkpoints are the same to the bit\n",
           (long long)r->lives, r->lives == 1 ? "life" : "lives", (long long)r->ticks,
           (long long)r->frames, (long long)r->saves);
    if (r->tick)
        printf("from a checkpoint of tick %lld, ", (long long)r->tick);
    printf("%s%lld calls over %.3f s of the node's clock\n", r->tick ? "" : "from its birth, ",
           (long long)r->calls, 1e-3 * (double)(r->now - r->first));
    if (r->cut)
        printf("the record ended in the middle of a record, as that of a process that was killed; "
               "what is whole was run\n");
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const replay_opt *o = opt;
    mb_replay        *replay;
    mb_replayed       so_far;
    mb_status         st = MB_OK;

    (void)a;
    if (!o->file)
        MB_FAIL(err, MB_E_ARG, "got no file; expected: meshbayes replay FILE");
    MB_TRY(mb_replay_open(o->file, &replay, err));
    while (st == MB_OK)
        st = mb_replay_next(replay, NULL, err);
    mb_replay_look(replay, &so_far);
    if (st == MB_STOP)
        tell(&so_far);
    mb_replay_close(replay);
    return st == MB_STOP ? MB_OK : st;
}

static const mb_opt options[] = {{.name = NULL}};

const app_command app_cmd_replay = {
    .name = "replay",
    .summary = "run a recorded node of a mesh again",
    .usage = "meshbayes replay FILE",
    .text =
        "\nReads the record of a node (meshbayes up --record DIR), with its older part FILE.1 "
        "where "
        "there is one, runs this node again from the checkpoint that it begins with, on all that "
        "it "
        "received (rows, frames, the time, checkpoints), and compares every frame, checkpoint and "
        "answer with those of the run, to the bit. The first difference is printed with its call. "
        "The record of a process that was killed ends in the middle of a record; what is whole is "
        "run.\n"
        "\nExit status: 0 all is the same; 1 a difference, damage, or no such file; 2 wrong "
        "usage.\n",
    .options = options,
    .size = sizeof(replay_opt),
    .most_words = 1,
    .words_at = offsetof(replay_opt, file),
    .work = work};
