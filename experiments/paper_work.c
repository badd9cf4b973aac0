/* paper_work.c - computes the units that have no file yet, several at a time, and says how long it
 * will take. Every unit is stored as soon as it is done: what was finished is never lost, and the
 * numbers do not depend on when the work was interrupted or on how many units run at a time. */
#include "base/folder.h"
#include "paper_run.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct job {
    const paper_row *row;
    int64_t          index, run, place;
    double           cost; /* seconds, about */
} job;

typedef struct work {
    const paper_set *set;
    mb_arena        *a;
    job             *job;
    int64_t          jobs, done;
    double           total, spent; /* cost of all jobs, and of those done */
    struct timespec  began;
    int              tty;
    mb_status        status;
    mb_err           err;
} work;

mb_status paper_sweep(mb_arena *a, const paper_set *set, const paper_row *row, mb_err *err)
{
    static const char *const below[] = {"parts", "."};

    for (int k = 0; k < 2; k++) {
        const char *dir = mb_text(a, err, "%s/%s/%s", set->out, row->name, below[k]);

        if (!dir)
            return MB_E_NOMEM;
        folder_sweep(dir);
    }
    folder_sweep(set->out);
    return MB_OK;
}

static mb_status collect(work *w, const paper_row *row, mb_err *err)
{
    const int64_t units = paper_units(w->set, row);
    const double  cost = row->seconds / paper_parts_of(row);
    const char   *dir =
        mb_text(w->a, err, "%s/%s/parts", w->set->out, (row->parts_of ? row->parts_of : row)->name);

    if (!dir)
        return MB_E_NOMEM;
    MB_TRY(mb_dir_make(dir, err));
    MB_TRY(paper_sweep(w->a, w->set, row, err));
    for (int64_t k = 0; k < units; k++) {
        paper_unit u;
        int        there;

        paper_unit_at(w->a, w->set, row, k, &u);
        MB_TRY(paper_part_read(&u, &there, err));
        if (there)
            continue;
        w->job[w->jobs] = (job){row, k, u.run, w->jobs, cost};
        w->jobs++;
        w->total += cost;
    }
    return MB_OK;
}

/* All experiments' first runs, then the second ones: what is interrupted is of use with fewer --runs. */
static int by_run(const void *a, const void *b)
{
    const job *x = a, *y = b;

    return x->run != y->run ? (x->run > y->run) - (x->run < y->run)
                            : (x->place > y->place) - (x->place < y->place);
}

/* Nothing to compute: no data, or runs that another experiment of the list computes as well. */
static int idle(const paper_table *t, const paper_table *list, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        if (t->row->parts_of && list[k].row == t->row->parts_of)
            return 1;
    return t->how != NULL;
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
    struct timespec now;
    char            left[32];

    clock_gettime(CLOCK_MONOTONIC, &now);
    const double spent =
        (double)(now.tv_sec - w->began.tv_sec) + 1e-9 * (double)(now.tv_nsec - w->began.tv_nsec);

    say_time(left, sizeof left, spent / w->spent * (w->total - w->spent));
    fprintf(stderr, "\r%-16s %lld of %lld units done, about %s left    ", j->row->name,
            (long long)w->done, (long long)w->jobs, left);
    fflush(stderr);
}

static mb_status compute(const work *w, const job *j, mb_err *err)
{
    mb_arena  *a = mb_arena_new(1 << 20);
    paper_unit u;
    mb_status  st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a run of %s", j->row->name);
    paper_unit_at(a, w->set, j->row, j->index, &u);
    st = j->row->run(&u, err);
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
    st = compute(w, j, &err);
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

mb_status paper_work(const paper_set *set, const paper_table *t, int32_t count, mb_err *err)
{
    work    w = {.set = set, .a = mb_arena_new(1 << 20), .tty = isatty(STDERR_FILENO)};
    int64_t most = 1;
    char    total[32];

    if (!w.a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the list of runs");
    for (int32_t k = 0; k < count; k++)
        most += paper_units(set, t[k].row);
    w.job = mb_alloc(w.a, (size_t)most, sizeof *w.job);
    if (!w.job)
        w.status = mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for %lld runs",
                            (long long)most);
    for (int32_t k = 0; k < count && w.status >= 0; k++)
        if (!idle(&t[k], t, count))
            w.status = collect(&w, t[k].row, err);
    if (w.status < 0) {
        mb_arena_free(w.a);
        return w.status;
    }
    qsort(w.job, (size_t)w.jobs, sizeof *w.job, by_run);
    say_time(total, sizeof total, w.total / mb_pool_threads(set->pool));
    if (set->runs < 0 || w.tty)
        fprintf(stderr, "%lld units to compute, about %s\n", (long long)w.jobs, total);
    clock_gettime(CLOCK_MONOTONIC, &w.began);
    mb_pool_run(set->pool, mb_pool_threads(set->pool), w.jobs, do_job, &w);
    if (w.tty && w.jobs)
        fprintf(stderr, "\r%78s\r", "");
    mb_arena_free(w.a);
    if (w.status < 0)
        *err = w.err;
    return w.status;
}
