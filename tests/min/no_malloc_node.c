/* Two mesh nodes reach rest, each in a buffer of the size that mb_peer_bytes says and the head of
 * an arena: after the sizes are known, every call of malloc and its kin ends the program. Also the
 * program whose size is that of a node. */
#include "meshbayes/meshbayes.h"

#include "forbidden.h"

#include <math.h>

enum { D = 2, K = 3, ROWS = 64, NEIGHBOURS = 6, HEAD = 192, ROOM = 1 << 16, FRAME = 4096 };

static const char *const column[D] = {"x1", "x2"};
static double            memory[2][ROOM / sizeof(double)], scratch_arena[4 * ROOM / sizeof(double)];
static unsigned char     frame[2][FRAME];
static size_t            bytes[2];

static void draw(int node, double *x)
{
    mb_rng rng = mb_rng_at(1, MB_STREAM_DATA, (uint32_t)node, 0);

    for (int i = 0; i < ROWS; i++) {
        x[i * D] = mb_rng_normal(&rng) + 8 * (i % K);
        x[i * D + 1] = mb_rng_normal(&rng) + 8 * (i % K == 1);
    }
}

/* The block is made of the rows of one node. */
static mb_status make_block(const mb_plan *plan, mb_genesis *g, mb_err *err)
{
    static double x[ROWS * D];
    const mb_rows rows = {.x = x, .n = MB_GENESIS_ROWS, .d = D, .ld = D};
    mb_arena     *a = mb_arena_fixed(scratch_arena, sizeof scratch_arena);

    draw(0, x);
    return mb_genesis_of_sample(a, a, plan, &rows, g, err);
}

static mb_status up(int node, const mb_plan *plan, const mb_genesis *g, mb_peer **p, mb_err *err)
{
    static double     x[ROWS * D];
    const mb_rows     rows = {.x = x, .n = ROWS, .d = D, .ld = D};
    const mb_peer_opt opt = {
        .id = node, .incarnation = 1, .plan = plan, .neighbours = NEIGHBOURS, .rows = ROWS};
    size_t    n;
    mb_arena *a;

    allowed = 1; /* for a scratch arena, which is freed */
    n = mb_peer_bytes(&opt);
    allowed = 0;
    if (!n || n + HEAD > sizeof memory[node])
        MB_FAIL(err, MB_E_NOMEM, "mb_peer_bytes: got %zu; expected 1 to %zu", n,
                sizeof memory[node] - HEAD);
    a = mb_arena_fixed(memory[node], n + HEAD);
    draw(node, x);
    MB_TRY(mb_peer_new(a, &opt, p, err));
    MB_TRY(mb_peer_genesis(*p, g, err));
    MB_TRY(mb_peer_link(*p, 1 - node, err));
    MB_TRY(mb_peer_append(*p, 0, &rows, NULL, err));
    if (mb_peer_frame_max(*p) > FRAME)
        MB_FAIL(err, MB_E_NOMEM, "frames of %zu bytes; expected at most %d", mb_peer_frame_max(*p),
                FRAME);
    return MB_OK;
}

static mb_status tick(mb_peer **p, int64_t now, mb_err *err)
{
    for (int i = 0; i < 2; i++) {
        MB_TRY(mb_peer_tick(p[i], now, err));
        MB_TRY(mb_peer_frame(p[i], 1 - i, frame[i], FRAME, &bytes[i], err));
    }
    for (int i = 0; i < 2; i++)
        if (bytes[i] && mb_peer_hear(p[1 - i], now, i, frame[i], bytes[i], err))
            return MB_E_PEER;
    return MB_OK;
}

static mb_status run(mb_err *err)
{
    mb_gmm_kind    gmm = {0};
    mb_plan        plan = {.kind = &mb_kind_gmm, .kind_opt = &gmm, .columns = D, .column = column};
    mb_peer       *p[2];
    mb_peer_status s[2] = {{0}};
    mb_genesis     g;
    double         far = 0;

    MB_TRY(mb_opt_defaults(mb_kind_options(&mb_kind_gmm), &gmm, err));
    gmm.n_components = K;
    MB_TRY(make_block(&plan, &g, err));
    for (int i = 0; i < 2; i++)
        MB_TRY(up(i, &plan, &g, &p[i], err));
    for (int t = 1; s[0].verdict != MB_PEER_SETTLED || s[1].verdict != MB_PEER_SETTLED; t++) {
        if (t > 5000)
            MB_FAIL(err, MB_E_PEER, "the nodes move after %d ticks", t);
        MB_TRY(tick(p, 20 * t, err));
        mb_peer_look(p[0], 20 * t, &s[0]);
        mb_peer_look(p[1], 20 * t, &s[1]);
    }
    for (size_t l = 0; l < g.len; l++)
        far = fmax(far, fabs(mb_peer_phi(p[0])[l] - mb_peer_phi(p[1])[l]));
    if (!(far < 1e-4) || !(fabs(s[0].n_nodes - 2) < 1e-6))
        MB_FAIL(err, MB_E_NUMERIC, "the nodes are %g apart, N = %g", far, s[0].n_nodes);
    return MB_OK;
}

int main(void)
{
    mb_err err = {0};

    if (run(&err) < 0)
        leave(1, err.msg);
    leave(0, "two nodes are at rest; nothing was allocated\n");
}
