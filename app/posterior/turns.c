/* turns.c - batches of rows that the processes of a job compute in turn, one of each at a time. */
#include "posterior/turns.h"
#include "base/pool.h"
#include "posterior/posterior.h"

#include <string.h>
#include <sys/stat.h>

mb_status posterior_open(mb_arena *a, const mb_posterior *p, const char *file, int need_target,
                         const ranks *job, int64_t threads, mb_data_opt *read,
                         mb_posterior_rows *out, mb_err *err)
{
    mb_status own, st;

    MB_TRY(mb_pool_open(a, threads ? (int32_t)threads : job->threads, &read->pool, err));
    own = mb_posterior_rows_open(a, p, file, need_target, read, out, err);
    st = ranks_agree(job, own, err);
    if (st < 0 && own >= 0)
        mb_posterior_rows_close(out);
    if (st < 0)
        mb_pool_close(read->pool);
    return st;
}

void posterior_close(mb_posterior_rows *rows, mb_data_opt *read)
{
    mb_posterior_rows_close(rows);
    mb_pool_close(read->pool);
}

static mb_status own_files(mb_arena *a, const ranks *job, int results, const mb_data_opt *read,
                           posterior_files *f, mb_err *err)
{
    if (read->group_file)
        MB_FAIL(err, MB_E_ARG, "--group-file: got %s beside rows in parts; expected a column",
                read->group_file);
    MB_TRY(ranks_rows(a, job, &f->data, err));
    f->writes = f->own_part = 1;
    if (f->out && strstr(f->out, "%r"))
        return ranks_part(a, job, &f->out, err);
    if (results && job->size > 1)
        MB_FAIL(err, MB_E_ARG,
                "--out: got %s for rows in parts; expected a file for each process, such as "
                "out-%%r.npy",
                f->out ? f->out : "none");
    return MB_OK;
}

static mb_status come_to_all(const ranks *job, const char *file, mb_err *err)
{
    struct stat is;

    if (job->size > 1 && (!strcmp(file, "-") ||
                          (stat(file, &is) == 0 && !S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode))))
        MB_FAIL(err, MB_E_ARG,
                "--data: got %s, which comes to one process only; expected a file, which every "
                "process reads",
                strcmp(file, "-") ? file : "standard input");
    return MB_OK;
}

mb_status posterior_files_find(mb_arena *a, const ranks *job, int results, const mb_data_opt *read,
                               posterior_files *f, mb_err *err)
{
    f->own_part = 0;
    f->writes = !job->rank;
    if (ranks_in_parts(f->data))
        return own_files(a, job, results, read, f, err);
    return come_to_all(job, f->data, err);
}

static int64_t lines(const posterior_turns *t)
{
    return mb_want_lines_(t->rows->p, &t->rows->rows, t->of);
}

/* Results of the batch to process 0, which is where they are written. */
static mb_status hand_over(const posterior_turns *t, int32_t from, double *x, mb_err *err)
{
    const mb_comm  *job = t->job->comm;
    const int       here = from == t->job->rank;
    const size_t    n = (size_t)lines(t) * (size_t)t->width + (size_t)t->more;
    const mb_parcel p = {here ? 0 : from, x, n * sizeof *x};

    if (!from || (!here && t->job->rank))
        return MB_OK;
    return job->trade(job, &p, here, &p, !here, err);
}

/* Parts end at their own time, and every process takes part in agreeing until the last has ended. */
static mb_status next_own_part(posterior_turns *t, double *x, int64_t *n, mb_err *err)
{
    mb_status st = MB_OK;
    double    more;

    do {
        if (!t->over)
            st = mb_posterior_rows_next(t->rows, err);
        *n = st < 0 || t->over ? 0 : lines(t);
        t->over = !*n;
        if (*n)
            st = t->make(t->self, x, err);
        MB_TRY(ranks_agree(t->job, st, err));
        more = *n > 0;
        MB_TRY(ranks_most(t->job, &more, err));
    } while (!*n && more > 0);
    t->ended = !*n;
    return MB_OK;
}

/* The processes agree once in a round of turns, each in its own turn or, where it finds the end or
 * an error before, there: the first that has an error is the one whose batch comes first. */
mb_status posterior_turns_next(posterior_turns *t, double *x, int64_t *n, mb_err *err)
{
    const int32_t turn = t->next, me = t->job->rank;
    mb_status     st;

    if (t->own_part)
        return next_own_part(t, x, n, err);
    st = mb_posterior_rows_next(t->rows, err);
    *n = st < 0 ? 0 : lines(t);
    t->next = (turn + 1) % t->job->size;
    if (*n && turn == me)
        st = t->make(t->self, x, err);
    if (turn == me || (turn < me && !*n))
        st = ranks_agree(t->job, st, err);
    MB_TRY(st);
    t->ended = !*n;
    return t->ended ? MB_OK : hand_over(t, turn, x, err);
}

mb_status posterior_turns_end(const posterior_turns *t, mb_status st, mb_err *err)
{
    return t->ended ? ranks_agree(t->job, st, err) : st;
}

/* A process that fails alone ends the job. */
static int failed(const app_command *c, ranks *job, const mb_err *err)
{
    if (ranks_speak(job))
        return app_fail(c->name, err, 1);
    return err->code == MB_E_ARG ? APP_WRONG_USE : APP_FAILED;
}

static mb_status perform(mb_arena *a, const app_command *c, int argc, char **argv, ranks *job,
                         mb_err *err)
{
    const app_group group = {.table = c->options, .obj = job};

    MB_TRY(ranks_open(a, job, err));
    ranks_notice("the output is not complete");
    MB_TRY(app_parse(argc, argv, &group, 1, NULL, 0, NULL, err));
    return c->work(a, job, err);
}

int posterior_run(const app_command *c, int argc, char **argv)
{
    mb_err    err = {0};
    mb_arena *a = mb_arena_new(1 << 20);
    ranks    *job = a ? mb_alloc(a, c->size, 1) : NULL;
    int       status = APP_DONE;

    if (!job) {
        mb_arena_free(a);
        fprintf(stderr, "meshbayes %s: error: out of memory\n", c->name);
        return APP_FAILED;
    }
    if (perform(a, c, argc, argv, job, &err) < 0)
        status = failed(c, job, &err);
    status = ranks_close(job, status);
    mb_arena_free(a);
    return status;
}
