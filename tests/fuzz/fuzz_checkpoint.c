/* Checkpoints: one of the files is the input unchanged, or the genuine file with words of the input
 * inserted and its checksums corrected, so that the code after the checks is reached too. */
#include "checkpoint/checkpoint.h"
#include "core/run.h"
#include "fuzz.h"
#include "model/model.h"
#include "network/graph.h"
#include "transport/transport.h"

#include "checkpoint/pages.h"

#include <string.h>

enum { FILES = 3, MOST = 1 << 12 };
static const char *const names[FILES] = {"manifest.mbck", "part-0000.mbck", "journal.mbck"};

/* A run on three nodes and its checkpoint, made once. */
typedef struct bench {
    mb_arena     *a;
    char          dir[64];
    mb_model      model;
    mb_topology   top;
    mb_weights    w;
    mb_part       part;
    mb_transport  tp;
    mb_rows       rows[3];
    mb_problem    problem;
    mb_state      state;
    mb_journal    journal;
    mb_checkpoint c;
    char         *bytes[FILES]; /* of the true files */
    size_t        size[FILES];
} bench;

static void must(mb_status st, const mb_err *err)
{
    if (st >= 0)
        return;
    fprintf(stderr, "%s\n", err->msg);
    abort();
}

static const char *path_of(const bench *b, int file)
{
    static char path[160];

    snprintf(path, sizeof path, "%.63s/round-000000000-flow/%s", b->dir, names[file]);
    return path;
}

static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        abort();
}

static void make_run(bench *b)
{
    static const mb_flow_opt opt = {.eta = .3, .gamma = 0, .part = 1, .per_edge = 1, .history = 2};
    const mb_gmm_opt         gmm = mb_gmm_defaults(1, 1);
    mb_faults                faults = {.delay = 2, .seed = 1};
    mb_transport            *late;
    mb_err                   err;

    must(mb_gmm_new(b->a, &gmm, &b->model, &err), &err);
    must(mb_topology_make(b->a, "path:n=3", 0, &b->top, &err), &err);
    must(mb_weights_make(b->a, &b->top.g, MB_METROPOLIS, &b->w, &err), &err);
    must(mb_part_whole(b->a, &b->top.g, &b->w, &b->part, &err), &err);
    must(mb_transport_none(b->a, &b->part, &b->tp, &err), &err);
    b->problem = (mb_problem){.model = &b->model,
                              .algo = &mb_algo_flow,
                              .opt = &opt,
                              .part = &b->part,
                              .rows = b->rows,
                              .scale = 3};
    must(mb_state_new(b->a, &b->problem, &b->state, &err), &err);
    late = mb_alloc(b->a, 1, sizeof *late);
    must(mb_transport_faults(b->a, &b->tp, &faults, &b->state.mail, late, &err), &err);
    b->problem.tp = late;
    b->c = (mb_checkpoint){.dir = b->dir, .name = "flow", .journal = &b->journal, .ranks = 1};
}

static bench *prepare(void)
{
    static bench b;
    const char  *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    mb_err       err;

    if (b.a)
        return &b;
    b.a = mb_arena_new(1 << 16);
    snprintf(b.dir, sizeof b.dir, "%s/mb-fuzz-%ld", folder, (long)getpid());
    make_run(&b);
    must(mb_journal_add(&b.journal, "t,metric\n1,bound\n", 17, &err), &err);
    must(mb_checkpoint_save(&b.c, &b.problem, &b.state, 0, &err), &err);
    for (int k = 0; k < FILES; k++)
        must(mb_file_read(b.a, path_of(&b, k), &b.bytes[k], &b.size[k], &err), &err);
    return &b;
}

/* The true words with those of the input in their places (2 bytes each), behind each 8 bytes. */
static size_t patch(const bench *b, int file, const uint8_t *data, size_t size, char *out)
{
    size_t   n = b->size[file] / 8 - 1;
    uint64_t place = 1, sum;

    memcpy(out, b->bytes[file], 8 * n);
    for (; size >= 10; data += 10, size -= 10) {
        const size_t at = (size_t)(data[0] + 256 * data[1]) % (n + 8);

        if (at >= n)
            n -= n > 4; /* a shorter file */
        else
            memcpy(out + 8 * at, data + 2, 8);
    }
    sum = mb_words_hash_(mb_words_hash_(0, &place, 1), out, n);
    memcpy(out + 8 * n, &sum, 8);
    return 8 * (n + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char changed[8 * MOST];
    bench      *b = prepare();
    mb_err      err = {0};
    mb_state    s = b->state;
    int         file;

    if (!size)
        return 0;
    file = data[0] % FILES;
    if (b->size[file] > sizeof changed)
        abort();
    if (data[0] % 2)
        put(path_of(b, file), data + 1, size - 1);
    else
        put(path_of(b, file), changed, patch(b, file, data + 1, size - 1, changed));
    fuzz_check(mb_checkpoint_load(&b->c, &b->problem, &s, &err), &err);
    put(path_of(b, file), b->bytes[file], b->size[file]);
    return 0;
}
