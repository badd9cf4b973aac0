/* web.c - the functions that a page calls, over the two ways in which nodes run. */
#include "web.h"

#include "algo/nodes.h"
#include "inside.h"
#include "model/kind.h"
#include "network/csr.h"
#include "network/graph.h"

#include <stdlib.h>
#include <string.h>

web *web_new(void)
{
    return calloc(1, sizeof(web));
}

/* The run, not rows and links. */
static void stop(web *w)
{
    if (w->engine)
        w->engine->end(w);
    w->engine = NULL;
    mb_place_close(&w->place);
    w->place = (mb_local_part){0};
    mb_arena_free(w->run_arena);
    mb_arena_free(w->part_arena);
    mb_arena_free(w->look_arena);
    w->run_arena = w->part_arena = w->look_arena = NULL;
    w->piece = NULL;
    w->pieces = w->parts = 0;
    w->key = 0;
}

void web_free(web *w)
{
    if (!w)
        return;
    stop(w);
    mb_arena_free(w->data_arena);
    mb_arena_free(w->link_arena);
    free(w);
}

const char *web_error(const web *w)
{
    return w->err.msg;
}

const char *web_version(void)
{
    return MB_VERSION;
}

/* An empty arena in place of another. */
static mb_status renew(mb_arena **a, mb_err *err)
{
    mb_arena_free(*a);
    *a = mb_arena_new(1 << 16);
    if (!*a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a page");
    return MB_OK;
}

static mb_status owners(web *w, const int64_t *first, mb_err *err)
{
    MB_NEW(w->owner, w->data_arena, w->rows + 1, err);
    for (int32_t i = 0; i < w->named; i++)
        for (int64_t j = first[i]; j < first[i + 1]; j++)
            w->owner[j] = i;
    return MB_OK;
}

static mb_status small_enough(const mb_data *data, const char *file, mb_err *err)
{
    if (data->n > WEB_MOST_ROWS || data->d > WEB_MOST_COLUMNS || data->N > WEB_MOST_NODES ||
        data->N == 1)
        MB_FAIL(err, MB_E_ARG,
                "%s: got %lld rows of %d columns, at %d named nodes; expected at most %d rows and "
                "%d columns, at 2 to %d nodes where a column names them",
                file, (long long)data->n, data->d, data->N, WEB_MOST_ROWS, WEB_MOST_COLUMNS,
                WEB_MOST_NODES);
    return MB_OK;
}

/* A file that is refused leaves the rows that there were. */
static mb_status read(web *w, const char *file, const mb_data_opt *opt, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 16);
    mb_data   data;
    mb_status st = MB_E_NOMEM;

    if (a)
        st = mb_data_read(a, file, opt, &data, err);
    if (st >= 0)
        st = small_enough(&data, file, err);
    if (st < 0) {
        mb_arena_free(a);
        return st;
    }
    stop(w);
    mb_arena_free(w->data_arena);
    w->data_arena = a;
    w->rows = data.n;
    w->d = data.d;
    w->x = data.x;
    w->column = data.name;
    w->named = data.N;
    w->node = data.node_id;
    return owners(w, data.first, err);
}

int web_read(web *w, const char *file, const char *columns, const char *node_column, int separator,
             int header, int missing)
{
    const mb_data_opt opt = {.columns = *columns ? columns : NULL,
                             .node_column = *node_column ? node_column : NULL,
                             .separator = separator,
                             .header = header,
                             .missing = missing};

    w->err.msg[0] = 0;
    return read(w, file, &opt, &w->err);
}

static mb_status room_for_rows(web *w, int n, mb_err *err)
{
    static const char *const name[] = {"x1", "x2"};

    stop(w);
    MB_TRY(renew(&w->data_arena, err));
    w->rows = n;
    w->d = 2;
    w->column = name;
    w->named = 0;
    MB_NEW(w->x, w->data_arena, 2 * w->rows + 1, err);
    return owners(w, NULL, err);
}

double *web_rows(web *w, int n)
{
    return room_for_rows(w, n, &w->err) < 0 ? NULL : w->x;
}

int web_row_count(const web *w)
{
    return (int)w->rows;
}

int web_columns(const web *w)
{
    return w->d;
}

const char *web_column(const web *w, int d)
{
    return w->column[d];
}

const double *web_cells(const web *w)
{
    return w->x;
}

int web_named(const web *w)
{
    return w->named;
}

const char *web_node(const web *w, int i)
{
    return w->node[i];
}

int32_t *web_owner(web *w)
{
    return w->owner;
}

static const mb_algo *algorithm(int k)
{
    const mb_algo *const *list = mb_algo_list();

    while (k-- > 0 && *list)
        list++;
    return *list;
}

const char *web_algorithm(int k)
{
    return algorithm(k) ? algorithm(k)->name : NULL;
}

const char *web_algorithm_label(int k)
{
    const mb_algo *a = algorithm(k);

    return a->label ? a->label : a->name;
}

const char *web_algorithm_title(int k)
{
    return algorithm(k)->title;
}

const char *web_algorithm_why(web *w, int k)
{
    w->err.msg[0] = 0;
    return mb_algo_on_nodes_(algorithm(k), &w->err) < 0 ? w->err.msg : "";
}

static mb_status room_for_links(web *w, int m, mb_err *err)
{
    stop(w);
    MB_TRY(renew(&w->link_arena, err));
    w->links = m;
    MB_NEW(w->ends, w->link_arena, 2 * m + 1, err);
    return MB_OK;
}

int32_t *web_ends(web *w, int m)
{
    return room_for_links(w, m, &w->err) < 0 ? NULL : w->ends;
}

/* The rows by their nodes, in the order in which they came. */
static mb_status by_node(web *w, mb_err *err)
{
    const int32_t n = w->net.n;
    int64_t      *first, *at;
    double       *x;

    MB_NEW(first, w->run_arena, n + 1, err);
    MB_NEW(at, w->run_arena, n + 1, err);
    MB_NEW(x, w->run_arena, w->rows * w->d + 1, err);
    for (int64_t j = 0; j < w->rows; j++) {
        if (w->owner[j] < 0 || w->owner[j] >= n)
            MB_FAIL(err, MB_E_ARG, "row %lld: got node %d; expected one of %d nodes",
                    (long long)j + 1, w->owner[j] + 1, n);
        first[w->owner[j] + 1]++;
    }
    for (int32_t i = 0; i < n; i++) {
        first[i + 1] += first[i];
        at[i] = first[i];
    }
    for (int64_t j = 0; j < w->rows; j++)
        memcpy(x + w->d * at[w->owner[j]]++, w->x + w->d * j, (size_t)w->d * sizeof *x);
    w->table = (mb_table){.rows = {.x = x, .n = w->rows, .d = w->d, .ld = (size_t)w->d},
                          .column = w->column,
                          .N = n,
                          .first = first};
    return MB_OK;
}

/* Bytes of moving all rows, hop by hop, to the node where that is least. */
static mb_status cost_of_moving(web *w, mb_err *err)
{
    const int32_t n = w->net.n;
    int32_t      *hops, *queue;

    MB_NEW(hops, w->run_arena, n, err);
    MB_NEW(queue, w->run_arena, n, err);
    w->move = (double)INFINITY;
    for (int32_t root = 0; root < n; root++) {
        double sum = 0;

        memset(hops, -1, (size_t)n * sizeof *hops);
        mb_graph_search(&w->net.g, root, hops, queue);
        for (int32_t i = 0; i < n; i++)
            sum += (double)(w->table.first[i + 1] - w->table.first[i]) * hops[i];
        w->move = fmin(w->move, sum * (double)w->d * sizeof(double));
    }
    return MB_OK;
}

static mb_status room_for_looks(web *w, mb_err *err)
{
    const int32_t n = w->net.n;
    const size_t  all = (size_t)n * (size_t)w->gmm.n_components * WEB_ELLIPSE;

    MB_NEW(w->part, w->run_arena, n, err);
    MB_NEW(w->state, w->run_arena, n, err);
    MB_NEW(w->phi, w->run_arena, n, err);
    MB_NEW(w->distance, w->run_arena, n, err);
    MB_NEW(w->ellipse, w->run_arena, all, err);
    MB_NEW(w->answer, w->run_arena, all, err);
    MB_NEW(w->lost, w->run_arena, w->links + 1, err);
    MB_NEW(w->cut, w->run_arena, w->links + 1, err);
    MB_NEW(w->edge, w->run_arena, w->links + 1, err);
    for (int32_t i = 0; i < n; i++)
        w->part[i] = -1;
    for (int32_t e = 0; e < w->links; e++)
        w->edge[e] = mb_edge_at_(&w->net.g, w->ends[2 * e], w->ends[2 * e + 1]);
    return MB_OK;
}

static mb_status begin(web *w, int n, int K, mb_err *err)
{
    mb_err why;

    stop(w);
    MB_TRY(renew(&w->run_arena, err));
    MB_TRY(mb_opt_defaults(mb_kind_options(&mb_kind_gmm), &w->gmm, err));
    w->gmm.n_components = K;
    if (K > w->rows)
        MB_FAIL(err, MB_E_ARG, "components: got %d for %lld rows; expected 1 to %lld", K,
                (long long)w->rows, (long long)w->rows);
    MB_TRY(mb_network_from(w->run_arena, n, w->named ? w->node : NULL, w->links, w->ends, NULL,
                           &w->net, err));
    MB_TRY(by_node(w, err));
    MB_TRY(cost_of_moving(w, err));
    MB_TRY(room_for_looks(w, err));
    MB_TRY(mb_place_make(w->run_arena, &w->net, NULL, &w->place, err));
    MB_TRY(
        mb_case_make(w->run_arena, &w->place, &w->table, &mb_kind_gmm, &w->gmm, NULL, &w->c, err));
    w->engine = mb_algo_on_nodes_(w->algo, &why) < 0 ? &web_sim : &web_mesh;
    return w->engine->begin(w, err);
}

int web_begin(web *w, int n, int K, int algorithm_, int seed, double loss)
{
    mb_status st;

    w->err.msg[0] = 0;
    w->algo = algorithm(algorithm_);
    w->seed = (uint64_t)seed;
    w->loss = loss;
    st = begin(w, n, K, &w->err);
    if (st < 0)
        stop(w);
    return st;
}

/* MB_E_ARG where nothing runs. */
static mb_status runs(web *w)
{
    w->err.msg[0] = 0;
    if (!w->engine)
        MB_FAIL(&w->err, MB_E_ARG, "nothing runs; expected a call of web_begin before");
    return MB_OK;
}

int web_advance(web *w, double ms)
{
    MB_TRY(runs(w));
    return w->engine->advance(w, ms, &w->err);
}

static mb_status event(web *w, const char *what, int a, int b, mb_err *err)
{
    if (!w->engine->event)
        return mb_algo_on_nodes_(w->algo, err);
    for (int k = 0; k < MB_EVENT_FAILED; k++)
        if (!strcmp(mb_event_text((mb_event_kind)k), what))
            return w->engine->event(w, &(mb_event){.kind = (mb_event_kind)k, .a = a, .b = b}, err);
    MB_FAIL(err, MB_E_ARG, "event: got %.40s; expected kill, start, cut or heal", what);
}

int web_event(web *w, const char *what, int a, int b)
{
    MB_TRY(runs(w));
    return event(w, what, a, b, &w->err);
}

int web_lose(web *w, double loss)
{
    MB_TRY(runs(w));
    if (!w->engine->lose)
        return mb_algo_on_nodes_(w->algo, &w->err);
    return w->engine->lose(w, loss, &w->err);
}

/* The posteriors of the nodes and of one machine as ellipses; a posterior outside its domain has
 * none. */
static mb_status draw(web *w, int32_t x, int32_t y, mb_err *err)
{
    const size_t each = (size_t)w->gmm.n_components * WEB_ELLIPSE;
    mb_posterior p;

    for (int32_t k = 0; k < w->pieces; k++) {
        const web_piece *at = &w->piece[k];
        const int is = at->answer && mb_case_posterior(w->look_arena, &at->central, at->answer,
                                                       NULL, &p, NULL) == MB_OK;

        MB_TRY(web_ellipses(w, is ? &p : NULL, x, y, w->answer + (size_t)k * each, err));
    }
    for (int32_t i = 0; i < w->net.n; i++) {
        const web_piece *at = w->phi[i] ? &w->piece[w->part[i]] : NULL;
        const int        is =
            at && at->central.kind &&
            mb_case_posterior(w->look_arena, &at->central, w->phi[i], NULL, &p, NULL) == MB_OK;

        MB_TRY(web_ellipses(w, is ? &p : NULL, x, y, w->ellipse + (size_t)i * each, err));
    }
    return MB_OK;
}

/* What is said of the whole network: of the part with most rows. */
static void sum_up(web *w)
{
    const web_piece *largest = NULL;

    for (int32_t k = 0; k < w->pieces; k++)
        if (w->piece[k].central.kind &&
            (!largest || w->piece[k].central.table.rows.n > largest->central.table.rows.n))
            largest = &w->piece[k];
    w->number[WEB_BOUND] = largest ? largest->bound : (double)NAN;
    w->number[WEB_BOUND_ONE] = largest && largest->answer ? largest->bound_one : (double)NAN;
    w->number[WEB_ROWS_HERE] = largest ? (double)largest->central.table.rows.n : 0;
    w->number[WEB_PARTS] = w->parts;
    w->number[WEB_MOVE] = w->move;
    w->number[WEB_DISTANCE] = (double)NAN;
    for (int32_t i = 0; i < w->net.n; i++)
        w->number[WEB_DISTANCE] = fmax(w->number[WEB_DISTANCE], w->distance[i]);
}

static mb_status look(web *w, int32_t x, int32_t y, mb_err *err)
{
    if (x < 0 || y < 0 || x >= w->d || y >= w->d)
        MB_FAIL(err, MB_E_ARG, "columns: got %d and %d; expected 0 to %d", x, y, w->d - 1);
    MB_TRY(renew(&w->look_arena, err));
    memset(w->number, 0, sizeof w->number);
    for (int32_t i = 0; i < w->net.n; i++)
        w->distance[i] = (double)NAN;
    MB_TRY(w->engine->look(w, err));
    sum_up(w);
    return draw(w, x, y, err);
}

int web_look(web *w, int x, int y)
{
    MB_TRY(runs(w));
    return look(w, x, y, &w->err);
}

double web_number(const web *w, int which)
{
    return w->number[which];
}

const char *web_verdict(const web *w)
{
    return mb_verdict_text(w->verdict);
}

const char *web_state(const web *w, int i)
{
    return w->state[i];
}

const int32_t *web_part(const web *w)
{
    return w->part;
}

const double *web_distance(const web *w)
{
    return w->distance;
}

const double *web_ellipse(const web *w)
{
    return w->ellipse;
}

const double *web_answer(const web *w)
{
    return w->answer;
}

const int32_t *web_lost(const web *w)
{
    return w->lost;
}

const uint8_t *web_cut(const web *w)
{
    return w->cut;
}
