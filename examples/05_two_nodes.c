/* 05_two_nodes.c - two mesh nodes in one program, each with rows of its own: they exchange frames
 * through an array until nothing moves, and have the same posterior then. Usage: 05_two_nodes */
#include <meshbayes/meshbayes.h>

#include <stdio.h>

enum { ROWS = 90, COLUMNS = 2, NODES = 2, FRAME = 4096, TICK_MS = 20 };

static const char *const column[COLUMNS] = {"temperature", "humidity"};

/* What a link carries: the newest frame, which replaces one that was not read. */
typedef struct mail {
    unsigned char frame[FRAME];
    size_t        bytes;
} mail;

/* Rows of three groups; node 1 never sees the first group, node 0 never sees the last. */
static void measure(uint64_t day, int32_t node, double *x)
{
    static const double middle[3][COLUMNS] = {{12, 60}, {18, 48}, {24, 66}};
    mb_rng              rng = mb_rng_at(day, MB_STREAM_DATA, (uint32_t)node, 0);

    for (int i = 0; i < ROWS; i++)
        for (int d = 0; d < COLUMNS; d++)
            x[i * COLUMNS + d] = middle[node + i % 2][d] + (1 + d) * mb_rng_normal(&rng);
}

/* The block that all nodes are given, made from rows of an earlier day, which may be shown. */
static mb_status agree(mb_arena *a, const mb_plan *plan, mb_genesis *out, mb_err *err)
{
    double        x[NODES * ROWS * COLUMNS];
    const mb_rows rows = {.x = x, .n = NODES * ROWS, .d = COLUMNS, .ld = COLUMNS};

    for (int i = 0; i < NODES; i++)
        measure(0, i, x + i * ROWS * COLUMNS);
    return mb_genesis_of_sample(a, a, plan, &rows, out, err);
}

static mb_status start_node(mb_arena *a, int32_t id, const mb_plan *plan, const mb_genesis *given,
                            mb_peer **out, mb_err *err)
{
    const mb_peer_opt opt = {
        .id = id, .incarnation = 1, .plan = plan, .neighbours = 1, .rows = ROWS};
    double        x[ROWS * COLUMNS];
    const mb_rows rows = {.x = x, .n = ROWS, .d = COLUMNS, .ld = COLUMNS};

    measure(1, id, x);
    MB_TRY(mb_peer_new(a, &opt, out, err));
    MB_TRY(mb_peer_genesis(*out, given, err));
    MB_TRY(mb_peer_link(*out, 1 - id, err));
    return mb_peer_append(*out, 0, &rows, NULL, err);
}

/* One pass of a host's loop: hear what arrived, tick when it is time, and send. */
static mb_status turn(mb_peer *p, int32_t id, int64_t now, mail *in, mail *out, mb_err *err)
{
    if (in->bytes && mb_peer_hear(p, now, 1 - id, in->frame, in->bytes, err))
        fprintf(stderr, "node %d refused a frame: %s\n", (int)id, err->msg);
    in->bytes = 0;
    if (mb_peer_due(p) > now && !mb_peer_ready(p))
        return MB_OK;
    MB_TRY(mb_peer_tick(p, now, err));
    return mb_peer_frame(p, 1 - id, out->frame, FRAME, &out->bytes, err);
}

static mb_status print(mb_arena *a, const mb_peer *p, int32_t id, mb_posterior *post, mb_err *err)
{
    mb_summary s;

    MB_TRY(mb_peer_posterior(a, p, post, err));
    MB_TRY(mb_posterior_ready(a, post, err));
    MB_TRY(mb_posterior_summary(a, post, &s, err));
    for (int32_t k = 0; k < s.rows; k++)
        printf("node %d: weight %.3f, %s %.4f, %s %.4f\n", (int)id, s.weight[k], s.name[0],
               s.mean[k * COLUMNS], s.name[1], s.mean[k * COLUMNS + 1]);
    return MB_OK;
}

static mb_status run(mb_arena *a, mb_err *err)
{
    mb_gmm_kind gmm = {0};
    mb_plan  plan = {.kind = &mb_kind_gmm, .kind_opt = &gmm, .columns = COLUMNS, .column = column};
    mail     to[NODES] = {{.bytes = 0}}; /* the array: to[i] is what node i will hear */
    mb_peer *node[NODES];
    mb_peer_status status = {.tick = 0};
    mb_posterior   post[NODES];
    mb_compared    far;
    mb_genesis     given;

    MB_TRY(mb_opt_defaults(mb_kind_options(&mb_kind_gmm), &gmm, err));
    gmm.n_components = 3;
    MB_TRY(agree(a, &plan, &given, err));
    for (int32_t i = 0; i < NODES; i++)
        MB_TRY(start_node(a, i, &plan, &given, &node[i], err));
    for (int64_t now = 0; status.verdict != MB_PEER_SETTLED && now < 5000 * TICK_MS; now += TICK_MS)
        for (int32_t i = 0; i < NODES; i++) {
            MB_TRY(turn(node[i], i, now, &to[i], &to[1 - i], err));
            mb_peer_look(node[i], now, &status);
        }
    for (int32_t i = 0; i < NODES; i++)
        MB_TRY(print(a, node[i], i, &post[i], err));
    MB_TRY(mb_posterior_compare(a, &post[0], &post[1], &far, err));
    printf("%s; the same posterior within 1e-6: %s\n", mb_peer_verdict_text(status.verdict),
           far.largest < 1e-6 ? "yes" : "no");
    return MB_OK;
}

int main(void)
{
    mb_arena *a = mb_arena_new(1 << 20);
    mb_err    err = {.msg = "no memory"};
    mb_status st = a ? run(a, &err) : MB_E_NOMEM;

    if (st < 0)
        fprintf(stderr, "%s\n", err.msg);
    mb_arena_free(a);
    return st < 0;
}
