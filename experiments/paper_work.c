/* paper_work.c - computes the units that have no file yet, several at a time, and estimates how
 * long it will take. Each unit is stored as soon as it is done: finished units are never lost, and
 * the numbers depend neither on interruptions nor on how many units run at a time. */
#include "base/folder.h"
#include "base/pool.h"
#include "base/text.h"
#include "paper_run.h"

#include <unistd.h>

typedef struct job {
    const paper_table *t;
    int64_t            index;
    double             cost; /* seconds, about */
} job;

typedef struct work {
    const paper_set *set;
    mb_arena        *a;
    job             *job;
    int64_t          jobs, done;
    double           total, spent; /* cost of all jobs, and of those done */
    double           began;        /* app_now() */
    int              tty;
    mb_status        status;
    mb_err           err;
} work;

mb_status paper_sweep(const paper_table *t, mb_err *err)
{
    const char *dir = mb_text(t->a, err, "%s/%s", t->set->out, t->row->name);
    const char *parts = mb_text(t->a, err, "%s/%s/parts", t->set->out, t->row->name);

    if (!dir || !parts)
        return MB_E_NOMEM;
    folder_sweep(parts);
    folder_sweep(dir);
    folder_sweep(t->set->out);
    return MB_OK;
}

/* Nothing to compute: no data, or the runs of another experiment of the list. */
static int idle(const paper_table *t, const paper_table *list, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        if (t->row->parts_of && list[k].row == t->row->parts_of)
            return 1;
    return t->how != NULL;
}

/* The units of one run that have no file. */
static mb_status collect(work *w, const paper_table *t, int64_t run, mb_err *err)
{
    for (int64_t k = 0; k < paper_units(t); k++) {
        paper_unit u;
        int        there;

        paper_unit_at(w->a, t, k, &u);
        if (u.run != run)
            continue;
        MB_TRY(paper_part_read(&u, &there, err));
        if (there)
            continue;
        w->job[w->jobs] = (job){t, k, t->row->seconds / t->parts};
        w->total += w->job[w->jobs++].cost;
    }
    return MB_OK;
}

/* All experiments' first runs, then the second ones: interrupted work is of use with fewer --runs.
 * */
static mb_status collect_all(work *w, const paper_table *t, int32_t count, mb_err *err)
{
    int64_t units = 1, runs = 0;

    for (int32_t k = 0; k < count; k++) {
        units += paper_units(&t[k]);
        runs = t[k].runs > runs ? t[k].runs : runs;
        if (idle(&t[k], t, count))
            continue;
        const paper_row *owner = t[k].row->parts_of ? t[k].row->parts_of : t[k].row;
        const char      *dir = mb_text(w->a, err, "%s/%s/parts", w->set->out, owner->name);

        if (!dir)
            return MB_E_NOMEM;
        MB_TRY(mb_dir_make(dir, err));
        MB_TRY(paper_sweep(&t[k], err));
    }
    MB_NEW(w->job, w->a, units, err);
    for (int64_t run = 0; run < runs; run++)
        for (int32_t k = 0; k < count; k++)
            if (!idle(&t[k], t, count))
                MB_TRY(collect(w, &t[k], run, err));
    return MB_OK;
}

static void say_time(char *text, size_t room, double s)
{
    if (s < 90)
        snprintf(text, room, "%.0f s", s);
    else if (s < 5400)
        snprintf(text, room, "%.0f min", s / 60);
    else
        snprintf(text, room, "%.1f h", s / 3600);
}

static void show(const work *w, const job *j)
{
    char left[32];

    say_time(left, sizeof left, (app_now() - w->began) / w->spent * (w->total - w->spent));
    fprintf(stderr, "\r%-16s %lld of %lld units done, about %s left    ", j->t->row->name,
            (long long)w->done, (long long)w->jobs, left);
    fflush(stderr);
}

static mb_status compute(const job *j, mb_err *err)
{
    mb_arena  *a = mb_arena_new(1 << 20);
    paper_unit u;
    mb_status  st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a run of %s", j->t->row->name);
    paper_unit_at(a, j->t, j->index, &u);
    st = u.row->run(&u, err);
    if (st >= 0)
        st = paper_part_write(&u, err);
    paper_world_close(u.world);
    mb_arena_free(a);
    return st;
}

static mb_status status_now(const work *w)
{
    mb_status st;

    mb_pool_lock(w->set->pool);
    st = w->status;
    mb_pool_unlock(w->set->pool);
    return st;
}

static void do_job(void *arg, int32_t thread, int64_t k)
{
    work      *w = arg;
    const job *j = &w->job[k];
    mb_err     err = {0};
    mb_status  st;

    (void)thread;
    if (status_now(w) < 0)
        return;
    st = compute(j, &err);
    mb_pool_lock(w->set->pool);
    w->done++;
    w->spent += j->cost;
    if (st < 0 && w->status >= 0) {
        w->err = err;
        w->status = st;
    }
    if (w->tty)
        show(w, j);
    mb_pool_unlock(w->set->pool);
}

static mb_status compute_all(work *w, const paper_table *t, int32_t count, mb_err *err)
{
    const int32_t threads = mb_pool_threads(w->set->pool);
    char          total[32];

    MB_TRY(collect_all(w, t, count, err));
    say_time(total, sizeof total, w->total / threads);
    if (w->set->runs < 0 || w->tty)
        fprintf(stderr, "%lld units to compute, about %s\n", (long long)w->jobs, total);
    w->began = app_now();
    mb_pool_run(w->set->pool, threads, w->jobs, do_job, w);
    if (w->tty && w->jobs)
        fprintf(stderr, "\r%78s\r", "");
    if (w->status < 0)
        *err = w->err;
    return w->status;
}

mb_status paper_work(const paper_set *set, const paper_table *t, int32_t count, mb_err *err)
{
    work      w = {.set = set, .a = mb_arena_new(1 << 20), .tty = isatty(STDERR_FILENO)};
    mb_status st;

    if (!w.a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the list of runs");
    st = compute_all(&w, t, count, err);
    mb_arena_free(w.a);
    return st;
}
