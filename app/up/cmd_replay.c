/* cmd_replay.c - `meshbayes replay FILE`: runs one node again on what a flight recorder has kept, and
 * compares all that it answers to the bit. */
#include "base/replay.h"
#include "up/up.h"

typedef struct replay_opt {
    const char *file;
} replay_opt;

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    const replay_opt *o = opt;

    (void)a;
    if (!o->file)
        MB_FAIL(err, MB_E_ARG, "got no file; expected: meshbayes replay FILE");
    return replay_file(o->file, NULL, err);
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
        "run. A record of a node that masked its sums has what it drew at random, but not its key: "
        "`meshbayes-node replay FILE --key FILE.key` runs it.\n"
        "\nExit status: 0 all is the same; 1 a difference, damage, or no such file; 2 wrong "
        "usage.\n",
    .options = options,
    .size = sizeof(replay_opt),
    .most_words = 1,
    .words_at = offsetof(replay_opt, file),
    .work = work};
