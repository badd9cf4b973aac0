/* meshbayes/transport.h - moves rows of doubles between nodes. Knows the partition and bytes;
 * knows nothing of models or algorithms. */
#ifndef MESHBAYES_TRANSPORT_H
#define MESHBAYES_TRANSPORT_H

#include "meshbayes/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many messages a node makes in a round. */
typedef enum mb_fanout {
    MB_BROADCAST,    /* one, the same for all neighbours */
    MB_PER_NEIGHBOUR /* one for each neighbour           */
} mb_fanout;

/* One round's mail. A directed edge e = ptr[i] + p is "from neighbour adj[e] to node i" when it
 * is read here. The plane has a row per node (broadcast) or per directed edge (per neighbour:
 * row ptr[i] + p holds the message of node i to its p-th neighbour), ghosts behind. */
typedef struct mb_mail {
    mb_fanout      fanout; /* rows of the plane                                       */
    size_t         ld;     /* row stride, doubles                                     */
    size_t         len;    /* row length, doubles                                     */
    double        *plane;  /* rows x ld, 64-byte aligned                              */
    uint8_t       *sent;   /* n_local + n_ghost: 1 when the node sends this round; ours are set by
                            the caller (emit != MB_QUIET), the ghosts' by the transport       */
    const uint8_t *links;  /* ptr[n_local]: 1 on links that carry messages, both directions alike;
                            NULL: all do. Borrowed; set by the caller after mb_mail_new          */
    const double **from;   /* ptr[n_local]: newest message heard on edge e; NULL: never */
    int32_t       *age;    /* ptr[n_local]: rounds since it was sent, 0 = this round   */
    uint8_t       *fresh;  /* ptr[n_local]: 1 when it arrived this round               */
} mb_mail;
/* Rows of the plane for a fan-out, without ghosts. */
MB_API size_t mb_mail_rows(const mb_part *part, mb_fanout fanout);
/* Empty mail for messages of len doubles. */
MB_API mb_status mb_mail_new(mb_arena *a, const mb_part *part, mb_fanout fanout, size_t len,
                             mb_mail *out, mb_err *err) MB_CHECKED;

/* How reduce() joins the numbers of all processes. */
typedef enum mb_reduce {
    MB_SUM, /* their sum */
    MB_MAX, /* largest   */
    MB_MIN  /* smallest  */
} mb_reduce;

/* Called for every node of the network, by ascending id. */
typedef void (*mb_visit)(void *self, int32_t gid, const double *row);

/* A message on directed edge e between two rounds: heard already, or on its way. */
typedef struct mb_letter {
    int64_t       sent; /* round it was sent in                                 */
    int64_t       due;  /* round it is heard in; up to the last one: it was heard */
    const double *row;  /* len doubles                                          */
} mb_letter;

/* One exchange per round. begin() sends the local rows that others read and may return before they
 * have left; it fills from, age, fresh of the nodes without a neighbour elsewhere, end() of the
 * others (part->border). timeout_ms < 0 waits for all. reduce() and walk() serve metrics and the
 * start only: every process calls them alike and gets the same. MB_SUM is exact for whole numbers;
 * other sums are made over walk(), whose order is that of the ids, however the nodes are shared. */
typedef struct mb_transport mb_transport;
/* What a transport can do. Errors: MB_E_PEER, MB_E_IO. */
typedef struct mb_transport_ops {
    const char *scheme; /* "none", "faults", "mpi" */
    /* Sends the local rows of round t that others read; may return before they have left. */
    mb_status (*begin)(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err);
    /* Receives: fills from, age, fresh. */
    mb_status (*end)(mb_transport *tp, int64_t t, int timeout_ms, mb_mail *mail, mb_err *err);
    /* v (n numbers) joined over all processes, in place. */
    mb_status (*reduce)(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *err);
    /* Shows the rows of all nodes, by ascending id. v: n_local rows of len doubles, stride ld. */
    mb_status (*walk)(mb_transport *tp, const double *v, size_t ld, size_t len, mb_visit see,
                      void *self, mb_err *err);
    /* What a later round may still read, t: the last round; keyed by the edge, so that a run
     * resumes from it on other processes. 1: *out is the first letter on edge e sent after round
     * `after` (-1: any), its row valid until the next round; 0: there is none. NULL: nothing can
     * be stored. */
    int32_t (*held)(const mb_transport *tp, int64_t t, const mb_mail *mail, int64_t e,
                    int64_t after, mb_letter *out);
    /* Puts a letter back, in the order of held(); first NULL, which empties the edge. MB_E_FORMAT
     * for rounds that cannot be. */
    mb_status (*put)(mb_transport *tp, int64_t t, mb_mail *mail, int64_t e, const mb_letter *letter,
                     mb_err *err);
    /* Releases what it holds of the system; always there. */
    void (*close)(mb_transport *tp);
} mb_transport_ops;
/* A transport in use. */
struct mb_transport {
    const mb_transport_ops *ops;   /* static                                          */
    const mb_part          *part;  /* borrowed                                        */
    void                   *self;  /* its own data                                    */
    int32_t                 lossy; /* 1: messages may be lost or late, nodes silent */
};

/* All rows are here: the simulator. */
MB_API mb_status mb_transport_none(mb_arena *a, const mb_part *part, mb_transport *out,
                                   mb_err *err) MB_CHECKED;

/* Bytes on their way to another process, or from it. */
typedef struct mb_parcel {
    int32_t peer;  /* the other process         */
    void   *bytes; /* n of them, borrowed       */
    size_t  n;     /* how many bytes            */
} mb_parcel;

/* The processes of one job. NULL stands for one process alone, wherever a comm is taken. */
typedef struct mb_comm mb_comm;
struct mb_comm {
    int32_t rank; /* of this process, 0..size-1 */
    int32_t size; /* processes                  */
    /* The transport between the shares of a network. Collective. */
    mb_status (*link)(mb_arena *a, const mb_comm *c, const mb_part *part, mb_transport *out,
                      mb_err *err);
    /* Collective: the error of the first process that has one; st where none has. */
    mb_status (*agree)(const mb_comm *c, mb_status st, mb_err *err);
    /* Bytes of process `from`, in all of them. Collective. */
    mb_status (*share)(const mb_comm *c, int32_t from, void *bytes, size_t n, mb_err *err);
    /* Sends parcels and receives others: two processes name those between them in one order, of
     * one size. Waits for the peers that are named only. MB_E_PEER, MB_E_NOMEM. */
    mb_status (*trade)(const mb_comm *c, const mb_parcel *out, int32_t nout, const mb_parcel *in,
                       int32_t nin, mb_err *err);
    void *self; /* its own data */
};
/* c->link; one process: mb_transport_none. */
MB_API mb_status mb_comm_link(mb_arena *a, const mb_comm *c, const mb_part *part, mb_transport *out,
                              mb_err *err) MB_CHECKED;
/* c->agree; one process: st. */
MB_API mb_status mb_comm_agree(const mb_comm *c, mb_status st, mb_err *err) MB_CHECKED;
/* c->share; one process: nothing to do. */
MB_API mb_status mb_comm_share(const mb_comm *c, int32_t from, void *bytes, size_t n,
                               mb_err *err) MB_CHECKED;

/* Simulated faults over another transport. Everything is drawn per edge (or node) and round from
 * the counter-based generator, keyed by global ids: the same faults for any threads or ranks. */
typedef struct mb_faults {
    double loss; /* P(an undirected link is down in a round), both directions */
    /* One for each link, instead of loss: P(the link is up), aligned with graph->adj and the same
     * in both directions (mb_network.delivery). NULL: loss holds for all. Borrowed with the graph,
     * which is the whole network. */
    const double   *delivery;
    const mb_graph *graph;         /* of delivery                                                */
    double          loss_directed; /* P(a directed message is lost)                             */
    double          silent;        /* P(a node sends nothing in a round); it still hears        */
    int64_t         delay;         /* each message arrives 0..delay rounds late, uniform        */
    uint64_t        seed;          /* of the faults                                               */
} mb_faults;
/* 1 when any of them can happen, else 0. */
MB_API int mb_faults_any(const mb_faults *f);
/* The faults f over `inner`. mail: the shape it will carry. MB_E_ARG for a probability outside 0
 * to 1. Messages overtaken by a newer one are dropped. */
MB_API mb_status mb_transport_faults(mb_arena *a, mb_transport *inner, const mb_faults *f,
                                     const mb_mail *mail, mb_transport *out,
                                     mb_err *err) MB_CHECKED;

/* What left the nodes. A frame is a 48-byte header and 8 bytes a double; on links a broadcast
 * counts once for each neighbour (a radio would count frames). */
typedef struct mb_traffic {
    int64_t frames; /* messages emitted: broadcast 1, per neighbour deg */
    int64_t bytes;  /* bytes over links                                 */
} mb_traffic;
enum { MB_FRAME_HEADER = 48 };

#ifdef __cplusplus
}
#endif
#endif
