/* 06_udp_node.c - one mesh node as a process over UDP, one datagram a neighbour and tick; it needs
 * the library alone (preset min) and sockets of POSIX. NOTHING IS ENCRYPTED and senders are known by
 * their address only, which can be forged: for links where everybody is trusted; meshbayes-node
 * has keys. Usage: 06_udp_node [-t SECONDS] ID PORT NEIGHBOUR_ID HOST:PORT .. */
#define _POSIX_C_SOURCE 200809L
#include <meshbayes/meshbayes.h>

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { ROWS = 90, COLUMNS = 2, GROUPS = 3, LINKS = 8, FRAME = 4096, HOLD_MS = 2000 };

static const char *const column[COLUMNS] = {"temperature", "humidity"};

typedef struct host {
    int                fd, links, id, neighbour[LINKS];
    struct sockaddr_in at[LINKS]; /* of each neighbour */
    mb_gmm_kind        gmm;
    mb_plan            plan;
    mb_peer           *peer;
    int64_t            ends; /* ms */
} host;

static int64_t clock_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The sensor: rows of two of three groups, which two depends on the node. */
static void measure(uint64_t day, int32_t node, double *x)
{
    static const double middle[GROUPS][COLUMNS] = {{12, 60}, {18, 48}, {24, 66}};
    mb_rng              rng = mb_rng_at(day, MB_STREAM_DATA, (uint32_t)node, 0);

    for (int i = 0; i < ROWS; i++)
        for (int d = 0; d < COLUMNS; d++)
            x[i * COLUMNS + d] = middle[(node + i % 2) % GROUPS][d] + (1 + d) * mb_rng_normal(&rng);
}

/* The address of HOST:PORT, IPv4. */
static mb_status resolve(const char *text, struct sockaddr_in *out, mb_err *err)
{
    struct addrinfo how = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM}, *found = NULL;
    char            name[256], port[8], rest;

    if (sscanf(text, "%255[^:]:%7[0-9]%c", name, port, &rest) != 2 ||
        getaddrinfo(name, port, &how, &found))
        MB_FAIL(err, MB_E_ARG, "neighbour: got \"%s\"; expected HOST:PORT that is known", text);
    memcpy(out, found->ai_addr, sizeof *out);
    freeaddrinfo(found);
    return MB_OK;
}

/* The genesis block is made by each node alike, from rows of an earlier day, which may be shown. */
static mb_status start(mb_arena *a, host *h, mb_err *err)
{
    double      x[GROUPS * ROWS * COLUMNS];
    mb_rows     rows = {.x = x, .n = GROUPS * ROWS, .d = COLUMNS, .ld = COLUMNS};
    mb_peer_opt opt = {.id = h->id, .plan = &h->plan, .neighbours = LINKS, .rows = ROWS};
    mb_genesis  given;

    h->plan = (mb_plan){.kind = &mb_kind_gmm,
                        .kind_opt = &h->gmm,
                        .columns = COLUMNS,
                        .column = column,
                        .from = MB_GENESIS_GIVEN};
    MB_TRY(mb_opt_defaults(mb_kind_options(&mb_kind_gmm), &h->gmm, err));
    h->gmm.n_components = GROUPS;
    for (int i = 0; i < GROUPS; i++)
        measure(0, i, x + i * ROWS * COLUMNS);
    MB_TRY(mb_genesis_of_sample(a, a, &h->plan, &rows, &given, err));
    opt.incarnation = (uint32_t)(time(NULL) - 1767225600); /* above that of each earlier life */
    MB_TRY(mb_peer_new(a, &opt, &h->peer, err));
    MB_TRY(mb_peer_genesis(h->peer, &given, err));
    for (int k = 0; k < h->links; k++)
        MB_TRY(mb_peer_link(h->peer, h->neighbour[k], err));
    measure(1, h->id, x);
    rows.n = ROWS;
    return mb_peer_append(h->peer, clock_ms(), &rows, NULL, err);
}

/* All datagrams that are there; the sender is the neighbour with that address, others are dropped. */
static void hear(host *h)
{
    unsigned char      frame[FRAME + 1];
    struct sockaddr_in from;
    socklen_t          len = sizeof from;
    ssize_t            n;

    while ((n = recvfrom(h->fd, frame, sizeof frame, MSG_DONTWAIT, (struct sockaddr *)&from,
                         &len)) >= 0)
        for (int k = 0; k < h->links; k++)
            if (from.sin_addr.s_addr == h->at[k].sin_addr.s_addr &&
                from.sin_port == h->at[k].sin_port)
                (void)mb_peer_hear(h->peer, clock_ms(), h->neighbour[k], frame, (size_t)n, NULL);
}

/* A datagram that is lost, or for which there is no route now, is followed by a newer one. */
static mb_status send_all(host *h, mb_err *err)
{
    unsigned char frame[FRAME];
    size_t        n;

    for (int k = 0; k < h->links; k++) {
        MB_TRY(mb_peer_frame(h->peer, h->neighbour[k], frame, FRAME, &n, err));
        if (n)
            (void)sendto(h->fd, frame, n, 0, (struct sockaddr *)&h->at[k], sizeof h->at[k]);
    }
    return MB_OK;
}

static mb_status print(mb_arena *a, const host *h, const mb_peer_status *is, mb_err *err)
{
    mb_posterior post;
    mb_summary   s;

    MB_TRY(mb_peer_posterior(a, h->peer, &post, err));
    MB_TRY(mb_posterior_ready(a, &post, err));
    MB_TRY(mb_posterior_summary(a, &post, &s, err));
    printf("node %d: %s, %.0f nodes\n", h->id, mb_peer_verdict_text(is->verdict), is->n_nodes);
    for (int32_t k = 0; k < s.rows; k++)
        printf("node %d: weight %.3f, %s %.3f, %s %.3f\n", h->id, s.weight[k], s.name[0],
               s.mean[k * COLUMNS], s.name[1], s.mean[k * COLUMNS + 1]);
    return MB_OK;
}

/* Prints when it has been settled for HOLD_MS; others may need its frames as long again. */
static mb_status run(mb_arena *a, host *h, mb_err *err)
{
    struct pollfd  wait = {.fd = h->fd, .events = POLLIN};
    mb_peer_status is = {.tick = 0};
    int64_t        moved = clock_ms();
    int            printed = 0;

    for (int64_t now = clock_ms(); now < h->ends; now = clock_ms()) {
        const int64_t due = mb_peer_ready(h->peer) ? now : mb_peer_due(h->peer);

        (void)poll(&wait, 1, due <= now ? 0 : due < now + 100 ? (int)(due - now) : 100);
        hear(h);
        now = clock_ms();
        if (mb_peer_due(h->peer) <= now || mb_peer_ready(h->peer)) {
            MB_TRY(mb_peer_tick(h->peer, now, err));
            MB_TRY(send_all(h, err));
        }
        mb_peer_look(h->peer, now, &is);
        if (is.verdict != MB_PEER_SETTLED)
            moved = now;
        if (printed || now - moved < HOLD_MS)
            continue;
        MB_TRY(print(a, h, &is, err));
        printed = 1;
        h->ends = now + HOLD_MS;
    }
    return printed ? MB_OK : print(a, h, &is, err);
}

static mb_status begin(mb_arena *a, int argc, char **argv, host *h, mb_err *err)
{
    const int          at = argc > 2 && !strcmp(argv[1], "-t") ? 3 : 1;
    struct sockaddr_in own = {.sin_family = AF_INET};

    h->links = (argc - at - 2) / 2;
    if (argc < at + 4 || (argc - at) % 2 || h->links > LINKS)
        MB_FAIL(err, MB_E_ARG, "usage: 06_udp_node [-t SECONDS] ID PORT NEIGHBOUR_ID HOST:PORT ..");
    h->id = atoi(argv[at]);
    h->ends = clock_ms() + 1000 * (at > 1 ? atoi(argv[2]) : 3600);
    for (int k = 0; k < h->links; k++) {
        h->neighbour[k] = atoi(argv[at + 2 + 2 * k]);
        MB_TRY(resolve(argv[at + 3 + 2 * k], &h->at[k], err));
    }
    own.sin_port = htons((uint16_t)atoi(argv[at + 1]));
    h->fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (h->fd < 0 || bind(h->fd, (struct sockaddr *)&own, sizeof own))
        MB_FAIL(err, MB_E_IO, "port: got %s; expected one that is free", argv[at + 1]);
    printf("node %d: nothing is encrypted\n", h->id);
    MB_TRY(start(a, h, err));
    return run(a, h, err);
}

int main(int argc, char **argv)
{
    host      h = {.fd = -1};
    mb_arena *a = mb_arena_new(1 << 20);
    mb_err    err = {.msg = "no memory"};
    mb_status st = a ? begin(a, argc, argv, &h, &err) : MB_E_NOMEM;

    if (st < 0)
        fprintf(stderr, "%s\n", err.msg);
    mb_arena_free(a);
    return st < 0;
}
