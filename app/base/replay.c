/* replay.c - a record is run again, and what was the same is printed. */
#include "base/replay.h"

#include <stdio.h>

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

mb_status replay_file(const char *file, const mb_mask_maker *masks, mb_err *err)
{
    mb_replay  *replay;
    mb_replayed so_far;
    mb_status   st = MB_OK;

    MB_TRY(mb_replay_open(file, &replay, err));
    mb_replay_masks(replay, masks);
    while (st == MB_OK)
        st = mb_replay_next(replay, NULL, err);
    mb_replay_look(replay, &so_far);
    if (st == MB_STOP)
        tell(&so_far);
    mb_replay_close(replay);
    return st == MB_STOP ? MB_OK : st;
}
