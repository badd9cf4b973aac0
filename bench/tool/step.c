/* step.c - variational Bayes on given rows, a few steps at a time, for a driver that takes turns
 * with others. On standard input
 *     load ROWS.npy RESP.npy K
 *     run THREADS STEPS   from the start again; prints seconds, wall and processor
 *     moments STEPS       of the rows alone, one thread; prints seconds, processor
 *     precision BITS      of the rows in the next runs: 64, or 32
 *     par FILE.npy        textbook parameters after the last run
 * Prior: the library's defaults. A step is what `meshbayes fit` does in one round, with the bound. */
#include "base/pool.h"
#include "clock.h"
#include "data/table.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 4096, NAME = 1024 };

typedef struct bench {
    mb_arena *a;
    mb_npy    x, resp;
    mb_rows   rows;
    float    *x32;
    mb_model  model; /* one thread, one piece */
    double   *first; /* phi* of the start   */
    double   *phi, *next, *par, *scratch;
} bench;

static mb_status load(bench *b, const char *rows, const char *resp, int32_t K, mb_err *err)
{
    mb_gmm_opt o;

    mb_arena_free(b->a);
    b->a = mb_arena_new(1 << 20);
    if (!b->a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory");
    MB_TRY(mb_npy_read(b->a, rows, &b->x, err));
    MB_TRY(mb_npy_read(b->a, resp, &b->resp, err));
    o = mb_gmm_defaults(K, (int32_t)b->x.shape[1]);
    MB_TRY(mb_gmm_new(b->a, &o, &b->model, err));
    b->rows = (mb_rows){.x = b->x.x, .n = b->x.shape[0], .d = o.D, .ld = (size_t)o.D};
    MB_NEW(b->x32, b->a, b->rows.n * b->rows.d, err);
    for (int64_t k = 0; k < b->rows.n * b->rows.d; k++)
        b->x32[k] = (float)b->x.x[k];
    MB_NEW(b->first, b->a, b->model.layout.len, err);
    MB_NEW(b->phi, b->a, b->model.layout.len, err);
    MB_NEW(b->next, b->a, b->model.layout.len, err);
    MB_NEW(b->par, b->a, b->model.layout.len, err);
    MB_NEW(b->scratch, b->a, mb_local_scratch(&b->model), err);
    MB_TRY(mb_seed_step(&b->model, &b->rows, 1, b->resp.x, b->first, b->scratch, err));
    printf("{}\n");
    return MB_OK;
}

static mb_status run(bench *b, int threads, int steps, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 20);
    mb_pool  *pool = NULL;
    mb_model  m;
    double   *scratch, bound = 0, wall, cpu;
    mb_status st = MB_OK;

    if (!a || mb_pool_open(a, threads, &pool, err) < 0 ||
        mb_model_parallel(a, &b->model, pool, threads, &m, err) < 0 ||
        !(scratch = mb_alloc(a, mb_local_scratch(&m), sizeof *scratch))) {
        mb_pool_close(pool);
        mb_arena_free(a);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for %d threads", threads);
    }
    memcpy(b->phi, b->first, m.layout.len * sizeof *b->phi);
    wall = bench_wall();
    cpu = bench_now();
    for (int i = 0; i < steps && st >= 0; i++) {
        double *swap = b->phi;

        st = mb_local_step(&m, &b->rows, 1, b->phi, b->next, &bound, NULL, scratch, err);
        b->phi = b->next;
        b->next = swap;
    }
    cpu = bench_now() - cpu;
    wall = bench_wall() - wall;
    if (st >= 0)
        printf("{\"wall\": %.9g, \"cpu\": %.9g, \"bound\": %.17g}\n", wall, cpu, bound);
    mb_pool_close(pool);
    mb_arena_free(a);
    return st;
}

/* The sums of the rows alone, again and again, with the responsibilities of the start. */
static mb_status moments(bench *b, int steps, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 20);
    double   *scratch = a ? mb_alloc(a, mb_local_scratch(&b->model), sizeof *scratch) : NULL, cpu;
    mb_status st = scratch ? MB_OK : MB_E_NOMEM;

    cpu = bench_now();
    for (int i = 0; i < steps && st >= 0; i++)
        st = mb_seed_step(&b->model, &b->rows, 1, b->resp.x, b->next, scratch, err);
    cpu = bench_now() - cpu;
    if (st >= 0)
        printf("{\"cpu\": %.9g}\n", cpu);
    mb_arena_free(a);
    return st;
}

static mb_status write_par(bench *b, const char *file, mb_err *err)
{
    const int64_t len = (int64_t)b->model.layout.len;

    MB_TRY(mb_to_par(&b->model.layout, b->phi, b->par, b->scratch, err));
    MB_TRY(mb_npy_write(b->a, file, 1, &len, b->par, err));
    printf("{}\n");
    return MB_OK;
}

static mb_status obey(bench *b, char *line, mb_err *err)
{
    char rows[NAME], resp[NAME];
    int  threads, steps, K, bits;

    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "load %1023s %1023s %d", rows, resp, &K) == 3)
        return load(b, rows, resp, K, err);
    if (b->a && sscanf(line, "run %d %d", &threads, &steps) == 2)
        return run(b, threads, steps, err);
    if (b->a && sscanf(line, "moments %d", &steps) == 1)
        return moments(b, steps, err);
    if (b->a && sscanf(line, "par %1023s", rows) == 1)
        return write_par(b, rows, err);
    if (b->a && sscanf(line, "precision %d", &bits) == 1 && (bits == 32 || bits == 64)) {
        b->rows.x32 = bits == 32 ? b->x32 : NULL;
        printf("{}\n");
        return MB_OK;
    }
    MB_FAIL(
        err, MB_E_ARG,
        "\"%.80s\" is none of load, run THREADS STEPS, moments STEPS, precision 32|64 and par FILE",
        line);
}

int main(void)
{
    static bench b;
    static char  line[LINE];
    mb_err       err = {.code = MB_OK};
    mb_status    st = MB_OK;

    while (st >= 0 && fgets(line, sizeof line, stdin)) {
        st = obey(&b, line, &err);
        fflush(stdout);
    }
    if (st < 0)
        fprintf(stderr, "tool_step: %s\n", err.msg);
    mb_arena_free(b.a);
    return st < 0;
}
