/* Without memory every function of the library says so, whichever allocation it is that fails, and
 * loses none of what it took. The linker puts the allocator below in front of the library's calls
 * (--wrap), so this holds under sanitizers too. */
#include "base/pool.h"
#include "checkpoint/checkpoint.h"
#include "core/observe.h"
#include "data/data.h"
#include "data/file.h"
#include "data/table.h"
#include "failing.h"
#include "genesis_work.h"
#include "gmm_world.h"
#include "meshbayes/bind.h"
#include "scratch.h"
#include "test.h"

/* What the functions are given. */
typedef struct bench {
    scratch    *files;
    const char *csv, *npy, *edges, *out, *checkpoints, *posterior;
    world      *w;
    double      centres[SYN_K * SYN_D];
} bench;

typedef mb_status (*work)(bench *b, mb_arena *a, mb_err *err);

/* Every arena chunk is an allocation of its own. Enough failures must happen for the claim to say
 * something. */
static void every_failure_is_reported(bench *b, work f, long at_least)
{
    for (long k = 0;; k++) {
        mb_arena *a = mb_arena_new(1);
        mb_err    err = {0};
        mb_status st;
        long      before = live;

        assert_non_null(a);
        failed = 0;
        left = k;
        st = f(b, a, &err);
        left = -1;
        mb_arena_free(a);
        assert_int_equal(live, before - 1); /* the arena itself */
        if (!failed) {
            assert_true(st >= 0);
            assert_in_range(k, at_least, 100000);
            return;
        }
        assert_int_equal(st, MB_E_NOMEM);
        assert_int_equal(err.code, MB_E_NOMEM);
        assert_non_null(strstr(err.msg, "out of memory"));
    }
}

static mb_status read_csv(bench *b, mb_arena *a, mb_err *err)
{
    mb_csv csv;

    return mb_csv_read(a, b->csv, &csv, err);
}

static mb_status read_npy(bench *b, mb_arena *a, mb_err *err)
{
    mb_npy npy;

    return mb_npy_read(a, b->npy, &npy, err);
}

static mb_status read_matrix(bench *b, mb_arena *a, mb_err *err)
{
    mb_matrix m;

    MB_TRY(mb_matrix_read(a, b->npy, &m, err));
    return mb_matrix_read(a, b->edges, &m, err);
}

static mb_status read_data(bench *b, mb_arena *a, mb_err *err)
{
    const mb_data_opt columns = {.node_column = "node",
                                 .label_column = "label",
                                 .weight_column = "w"},
                      none = {.drop = NULL},
                      chosen = {.drop = "node,label,w", .missing = MB_MISSING_DROP},
                      texts = {.label_column = "label", .missing = MB_MISSING_DROP};
    const char *const id[] = {"1", "2", "3"};
    mb_data           d;
    mb_cells          cells;

    MB_TRY(mb_cells_read(a, b->csv, &texts, &cells, err));
    MB_TRY(mb_cells_read(a, b->npy, &none, &cells, err));
    MB_TRY(mb_data_read(a, b->csv, &columns, &d, err));
    MB_TRY(mb_data_regroup(a, &d, 3, id, err));
    MB_TRY(mb_data_read(a, b->csv, &chosen, &d, err));
    MB_TRY(mb_data_read(a, b->npy, &none, &d, err));
    return mb_data_deal(a, &d, 2, 1, err);
}

static mb_status read_edges(bench *b, mb_arena *a, mb_err *err)
{
    mb_edges edges;

    return mb_edges_read(a, b->edges, &edges, err);
}

static mb_status rows_of(const char *file, mb_arena *a, mb_err *err)
{
    mb_reader *r = NULL;
    double     x[4];
    int64_t    n;
    int32_t    column = 0;
    mb_status  st = mb_reader_open(a, file, NULL, &r, err);

    if (st >= 0)
        st = mb_reader_select(r, &column, 1, err);
    if (st >= 0 && mb_reader_names(r))
        st = mb_reader_keep(r, &column, 1, err);
    if (st >= 0)
        st = mb_reader_next(r, 4, x, &n, err);
    mb_reader_close(r);
    return st;
}

static mb_status read_batches(bench *b, mb_arena *a, mb_err *err)
{
    MB_TRY(rows_of(b->npy, a, err));
    return rows_of(b->edges, a, err);
}

static mb_status write_npy(bench *b, mb_arena *a, mb_err *err)
{
    const int64_t shape[2] = {2, 2};
    const double  x[4] = {1, 2, 3, 4};

    return mb_npy_write(a, b->out, 2, shape, x, err);
}

static mb_status make_models(bench *b, mb_arena *a, mb_err *err)
{
    const mb_gmm_opt    gmm = mb_gmm_defaults(3, 2);
    const mb_linreg_opt linreg = mb_linreg_defaults(2, 1);
    mb_model            m, many;
    mb_pool            *pool;
    double             *sums;

    MB_TRY(mb_gmm_new(a, &gmm, &m, err));
    MB_NEW(sums, a, m.layout.len, err);
    MB_TRY(mb_pool_open(a, 2, &pool, err));
    mb_status st = mb_model_parallel(a, &m, pool, 2, &many, err);

    if (st >= 0)
        st = mb_row_statistics(a, &m, b->w->rows, m.prior, pool, sums, NULL, err);
    mb_pool_close(pool);
    MB_TRY(st);
    return mb_linreg_new(a, &linreg, &m, err);
}

static mb_status make_network(bench *b, mb_arena *a, mb_err *err)
{
    static const char *const text[] = {"geometric:n=12,side=2,radius=1.2", "ring:n=5",
                                       "er:n=9,p=.6"};
    mb_topology              top;
    mb_weights               w;
    mb_part                  part;
    mb_graph_stats           stats;
    mb_transport             tp;

    (void)b;
    for (int k = 0; k < 3; k++)
        MB_TRY(mb_topology_make(a, text[k], 1, &top, err));
    MB_TRY(mb_weights_make(a, &top.g, MB_METROPOLIS, &w, err));
    MB_TRY(mb_weights_make(a, &top.g, MB_LAPLACIAN, &w, err));
    MB_TRY(mb_graph_check_connected(a, &top.g, NULL, err));
    MB_TRY(mb_graph_describe(a, &top.g, &w, &stats, err));
    MB_TRY(mb_part_whole(a, &top.g, &w, &part, err));
    return mb_transport_none(a, &part, &tp, err);
}

static const run *ready; /* made before allocations fail */

static mb_status make_state(bench *b, mb_arena *a, mb_err *err)
{
    mb_state s;

    (void)b;
    return mb_state_new(a, &ready->problem, &s, err);
}

static mb_status put_nowhere(void *to, const char *line, size_t len, mb_err *err)
{
    (void)to, (void)line, (void)len, (void)err;
    return MB_OK;
}

/* EDGE over a network that loses messages, watched by all there is. */
static mb_status run_edge(bench *b, mb_arena *a, mb_err *err)
{
    mb_problem       p = ready->problem;
    const mb_faults  f = {.loss = 0.2, .delay = 2, .silent = 0.1, .seed = 1};
    const mb_run_opt opt = {.rounds = 4, .timeout_ms = -1, .threads = 2};
    const double    *star = b->w->star;
    mb_metrics       m = {.on = 1u << MB_M_BOUND | 1u << MB_M_KL_CVB, .cvb = b->w->cvb};
    mb_transport     faults;
    mb_observer      obs[2];
    mb_state         s;

    MB_TRY(mb_state_new(a, &p, &s, err));
    for (size_t i = 0; i < (size_t)p.part->n_local; i++)
        memcpy(s.phi_star + i * s.ld, star + i * b->w->model.layout.len,
               b->w->model.layout.len * sizeof *star);
    MB_TRY(mb_transport_faults(a, &b->w->net->tp, &f, &s.mail, &faults, err));
    p.tp = &faults;
    MB_TRY(mb_metrics_new(a, &p, &m, err));
    MB_TRY(mb_trace_new(a, &m, NULL, put_nowhere, NULL, &obs[0], err));
    MB_TRY(mb_stop_new(a, &p, 1e-8, NULL, &obs[1], err));
    return mb_run(&p, &s, obs, 2, &opt, err);
}

/* A state saved and loaded; arenas are the library's own. */
static mb_status keep_run(bench *b, mb_arena *a, mb_err *err)
{
    static const mb_fact fact = {"seed", "1", MB_FACT_SET};
    mb_state             s = ready->state;
    mb_journal           journal = {0};
    const mb_checkpoint  c = {.dir = b->checkpoints,
                              .name = "edge",
                              .fact = &fact,
                              .nfact = 1,
                              .journal = &journal,
                              .ranks = 1};
    mb_status            st = mb_journal_add(&journal, "a", 1, err);

    (void)a;
    if (st >= 0)
        st = mb_checkpoint_save(&c, &ready->problem, &s, 0, err);
    if (st >= 0)
        st = mb_checkpoint_load(&c, &ready->problem, &s, err);
    mb_journal_free(&journal);
    return st;
}

static mb_status draw_centres(bench *b, mb_arena *a, mb_err *err)
{
    static const double zero[SYN_D] = {0, 0}, one[SYN_D] = {1, 1};
    mb_row_moments      seen;
    int32_t             repeated, steps;
    mb_tree             tree;
    mb_traffic          sent = {0};
    mb_transport       *tp = &b->w->net->tp;

    MB_TRY(mb_agree_tree(a, a, tp, &tree, &sent, err));
    MB_TRY(mb_agree_moments(a, a, tp, &tree, b->w->rows, SYN_D, 1, 0, NULL, &seen, &sent, err));
    MB_TRY(mb_draw_centres(a, tp, &tree, b->w->rows, zero, one, MB_KMEANS, 2, SYN_K, 1, 0,
                           b->centres, &repeated, &sent, err));
    return mb_lloyd(a, tp, &tree, b->w->rows, zero, one, SYN_K, SYN_D, NULL, b->centres, &steps,
                    &sent, err);
}

static mb_status judge(bench *b, mb_arena *a, mb_err *err)
{
    static const int64_t counts[4] = {3, 1, 0, 4};
    mb_agreement         out;
    int32_t              match[2];
    double               moved, bound;

    MB_TRY(mb_agreement_of(a, counts, 2, 2, &out, match, err));
    return mb_central_check(a, &ready->problem, b->w->cvb, &moved, &bound, err);
}

static mb_status make_folders(bench *b, mb_arena *a, mb_err *err)
{
    (void)a;
    return mb_dir_make(b->files->dir, err);
}

/* A posterior written, read, compared with itself and seen as arrays. */
static mb_status keep_posterior(bench *b, mb_arena *a, mb_err *err)
{
    static const mb_provenance from = {.algorithm = "a", .of = "b", .data = "c"};
    const mb_sizes             size = {.K = SYN_K, .D = SYN_D};
    const mb_layout           *l = &b->w->model.layout;
    double                    *par, *work_room;
    mb_posterior               p, q;
    mb_compared                c;
    const mb_run_info          ended = {.settled = 1, .rounds = 3, .bound = -1, .weight_total = 6};
    mb_array                  *x;
    int32_t                    n;

    remove(b->posterior); /* realpath takes memory that is not counted when it is there */
    MB_NEW(par, a, l->len, err);
    MB_NEW(work_room, a, l->scratch, err);
    MB_TRY(mb_to_par(l, b->w->model.prior, par, work_room, err));
    MB_TRY(mb_posterior_make(a, &mb_kind_gmm, &size, par, &p, err));
    p.prior_par = par;
    MB_TRY(mb_posterior_write(a, &p, &from, b->posterior, err));
    MB_TRY(mb_posterior_read(a, b->posterior, NULL, &q, NULL, err));
    MB_TRY(mb_posterior_compare(a, &p, &q, &c, err));
    return mb_kind_gmm.sklearn(a, &q, &ended, &x, &n, err);
}

static mb_status keep_genesis(bench *b, mb_arena *a, mb_err *err)
{
    remove(b->posterior);
    return genesis_work(a, b->posterior, err);
}

/* What a binding calls, one after the other, to the first that fails. */
static int bind_calls(mb_bind *f)
{
    static double      x[60];
    const char        *names[] = {"a", "b"}, *text;
    double             mean, weight;
    int64_t            rows, columns, shape[3];
    size_t             n;
    int32_t            ndim;
    const void        *v;
    int                type, st = mb_bind_set(f, "rounds", "3");
    const char *const *list;

    for (int j = 0; j < 60; j++)
        x[j] = j % 7 + 10 * (j / 30);
    st = st ? st : mb_bind_set(f, "n-components", "2");
    st = st ? st : mb_bind_texts(f, "columns", 2, names);
    st = st ? st : mb_bind_list(f, "options", &list, &rows, &columns);
    st = st ? st : mb_bind_network(f, "ring:n=3", 1, 0, 0, NULL);
    st = st ? st : mb_bind_algorithm(f, "edge", NULL, NULL, 0, NULL);
    for (int k = 0; k < 2; k++) {
        st = st ? st
                : mb_bind_array(f, "x", MB_BIND_F8, 2, (int64_t[]){30, 2}, (int64_t[]){8, 240}, x);
        if (!k)
            st = st ? st : mb_bind_fit(f, NULL, NULL);
        else
            st = st ? st : mb_bind_score(f, 1, 0, &mean, &weight, NULL);
    }
    st = st ? st : mb_bind_get(f, 2, "means", &type, &ndim, shape, &v);
    return st ? st : mb_bind_json(f, -1, &text, &n);
}

static mb_status bind_handle(bench *b, mb_arena *a, mb_err *err)
{
    mb_bind    *f = mb_bind_new("gmm");
    const char *text = "out of memory";
    const int   st = f ? bind_calls(f) : MB_E_NOMEM;

    (void)b, (void)a;
    if (f)
        mb_bind_error(f, &text, NULL, NULL, NULL);
    if (st)
        mb_fail_(err, (mb_status)st, __FILE__, __LINE__, "%s", text);
    mb_bind_free(f);
    return (mb_status)st;
}

static int prepare(void **state)
{
    static bench  b;
    const double  x[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[2] = {3, 2};
    void         *files;

    if (scratch_begin(&files))
        return -1;
    b.files = files;
    b.csv = scratch_text(b.files, "a.csv", "node,x,w,label\n2,1,1,a\n1,2,\"2\",b\n2,-1e3,1,a\n");
    b.edges = scratch_text(b.files, "e.csv", "i,j\n1,2\n2,3\n3,1\n");
    b.npy = scratch_path(b.files, "x.npy");
    b.checkpoints = scratch_path(b.files, "kept");
    b.out = scratch_path(b.files, "out.npy");
    b.posterior = scratch_path(b.files, "p.json");
    must(mb_npy_write(b.files->a, b.npy, 2, shape, x, NULL));
    b.w = gmm_world(b.files->a, "ring:n=5", MB_METROPOLIS, 1, 12);
    world_solve(b.w);
    ready = world_run(b.w, &mb_algo_edge, NULL, &(mb_faults){.loss = 0.2, .delay = 2, .seed = 1});
    *state = &b;
    return 0;
}

static int finish(void **state)
{
    void *files = ((bench *)*state)->files;

    return scratch_end(&files);
}

#define TELLS(name, f, at_least)                                                                   \
    TEST(name)                                                                                     \
    {                                                                                              \
        every_failure_is_reported(*state, f, at_least);                                            \
    }
TELLS(csv_reader_tells_of_every_failure, read_csv, 5)
TELLS(npy_reader_tells_of_every_failure, read_npy, 3)
TELLS(matrix_reader_tells_of_every_failure, read_matrix, 8)
TELLS(data_reader_tells_of_every_failure, read_data, 30)
TELLS(edge_reader_tells_of_every_failure, read_edges, 5)
TELLS(batch_reader_tells_of_every_failure, read_batches, 10)
TELLS(npy_writer_tells_of_every_failure, write_npy, 2)
TELLS(models_tell_of_every_failure, make_models, 10)
TELLS(networks_tell_of_every_failure, make_network, 30)
TELLS(state_tells_of_every_failure, make_state, 10)
TELLS(run_tells_of_every_failure, run_edge, 25)
TELLS(checkpoints_tell_of_every_failure, keep_run, 5)
TELLS(drawing_centres_tells_of_every_failure, draw_centres, 10)
TELLS(judging_tells_of_every_failure, judge, 3)
TELLS(folder_tells_of_every_failure, make_folders, 1)
TELLS(posterior_tells_of_every_failure, keep_posterior, 60)
TELLS(genesis_tells_of_every_failure, keep_genesis, 150)
TELLS(handles_tell_of_every_failure, bind_handle, 30)

/* The arena returns NULL and still serves requests that fit into its chunks. */
TEST(arena_survives_a_failure)
{
    mb_arena *a = mb_arena_new(1 << 10);

    assert_non_null(mb_alloc(a, 1, 8));
    left = 0;
    assert_null(mb_alloc(a, 1, 1 << 20));
    left = 0;
    assert_non_null(mb_alloc(a, 1, 8));
    left = 0;
    assert_null(mb_arena_new(1));
    left = -1;
    mb_arena_free(a);
}

RUN_TESTS(prepare, finish)
