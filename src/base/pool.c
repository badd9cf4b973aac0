/* pool.c - threads that take the parts of a job in turn and sleep when there is none. */
#ifdef MB_THREADS
#define _GNU_SOURCE 1 /* sched_getaffinity */
#endif
#include "base/pool.h"

#ifdef MB_THREADS
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#endif

static void do_alone(int64_t parts, mb_do_part do_part, void *arg)
{
    for (int64_t part = 0; part < parts; part++)
        do_part(arg, 0, part);
}

#ifdef MB_THREADS
/* SPINS: polls of the gate before a thread sleeps, with a pause in between. A pause takes 10 to 60 ns
 * on known processors, so this is 3 to 20 us: the time that a round computes on one thread between
 * two jobs. Polling longer would take the processor from threads that have work. */
enum { MOST = 4096, LINE = 64, SPINS = 320 };

typedef struct worker {
    struct mb_pool *pool;
    int32_t         thread; /* 1 to threads - 1 */
    uint32_t        turn;   /* of the last job it took part in */
    pthread_t       id;
} worker;

/* The consecutive parts of one thread, whose data its processor may still have cached from the
 * previous job. */
typedef struct queue {
    _Alignas(LINE) _Atomic int64_t next; /* first part that is not taken */
    int64_t end;
} queue;

/* The gate is one word, turn << 32 | threads << 16 | inside: the number of jobs so far, of threads that
 * may take part in this one (0: closed), and of workers that do. A worker that is late finds the gate
 * closed, and the caller does not wait for it; the others are counted until they leave. */
struct mb_pool {
    int32_t         threads;
    worker         *worker; /* threads - 1 */
    mb_do_part      do_part;
    void           *arg;
    queue          *queue; /* threads; `use` of them in this job */
    int32_t         use;
    pthread_mutex_t sleep, lock;
    pthread_cond_t  begin, end;
    _Alignas(LINE) _Atomic uint64_t gate;
    _Alignas(LINE) _Atomic int32_t busy; /* 1: a job is running            */
    _Atomic int32_t sleepers;            /* workers that sleep             */
    _Atomic int32_t waits;               /* 1: the caller sleeps           */
    _Atomic int32_t over;                /* 1: the pool is being closed    */
};

static const uint64_t INSIDE = 0xffff, THREADS = 0xffff0000;

static int32_t threads_of(uint64_t gate)
{
    return (int32_t)((gate & THREADS) >> 16);
}

static uint32_t turn_of(uint64_t gate)
{
    return (uint32_t)(gate >> 32);
}

static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static int is_open(const worker *w, uint64_t gate)
{
    return threads_of(gate) > w->thread && turn_of(gate) != w->turn;
}

static int is_wanted(const worker *w)
{
    return is_open(w, atomic_load(&w->pool->gate)) || atomic_load(&w->pool->over);
}

static void await_work(worker *w)
{
    mb_pool *p = w->pool;

    for (int k = 0; k < SPINS; k++) {
        if (is_wanted(w))
            return;
        breathe();
    }
    pthread_mutex_lock(&p->sleep);
    atomic_fetch_add(&p->sleepers,
                     1); /* before is_wanted; open_gate checks in the opposite order */
    while (!is_wanted(w))
        pthread_cond_wait(&p->begin, &p->sleep);
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->sleep);
}

/* 1: the worker is counted and may read the job. */
static int enter(worker *w)
{
    uint64_t gate = atomic_load(&w->pool->gate);

    while (is_open(w, gate))
        if (atomic_compare_exchange_weak(&w->pool->gate, &gate, gate + 1)) {
            w->turn = turn_of(gate);
            return 1;
        }
    return 0;
}

static void leave(mb_pool *p)
{
    const uint64_t others = (atomic_fetch_sub(&p->gate, 1) - 1) & INSIDE;

    if (others || !atomic_load(&p->waits))
        return;
    pthread_mutex_lock(&p->sleep);
    pthread_cond_signal(&p->end);
    pthread_mutex_unlock(&p->sleep);
}

static int take(queue *q, int64_t *part)
{
    if (atomic_load(&q->next) >= q->end)
        return 0;
    *part = atomic_fetch_add(&q->next, 1);
    return *part < q->end;
}

/* The thread's own parts, then those that others have not started. */
static void take_parts(mb_pool *p, int32_t thread)
{
    int64_t part;

    for (int32_t k = 0; k < p->use; k++)
        while (take(&p->queue[(thread + k) % p->use], &part))
            p->do_part(p->arg, thread, part);
}

static void *work(void *arg)
{
    worker *w = arg;

    for (;;) {
        await_work(w);
        if (atomic_load(&w->pool->over))
            return NULL;
        if (!enter(w))
            continue;
        take_parts(w->pool, w->thread);
        leave(w->pool);
    }
}

static void wake(mb_pool *p)
{
    pthread_mutex_lock(&p->sleep);
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->sleep);
}

/* The gate is closed and no worker is inside, so the pool may be changed. */
static void open_gate(mb_pool *p, int32_t threads, int64_t parts)
{
    const uint64_t turn = (uint64_t)turn_of(atomic_load(&p->gate)) + 1;

    p->use = threads;
    for (int32_t k = 0; k < threads; k++) {
        atomic_store(&p->queue[k].next, parts * k / threads);
        p->queue[k].end = parts * (k + 1) / threads;
    }
    atomic_store(&p->gate, turn << 32 | (uint64_t)threads << 16);
    if (atomic_load(&p->sleepers))
        wake(p);
}

static int is_empty(mb_pool *p)
{
    return !(atomic_load(&p->gate) & INSIDE);
}

/* No part is left; waits for workers that have not finished theirs. */
static void close_gate(mb_pool *p)
{
    atomic_fetch_and(&p->gate, ~THREADS);
    for (int k = 0; k < SPINS; k++) {
        if (is_empty(p))
            return;
        breathe();
    }
    pthread_mutex_lock(&p->sleep);
    atomic_store(&p->waits, 1); /* before is_empty, as above */
    while (!is_empty(p))
        pthread_cond_wait(&p->end, &p->sleep);
    atomic_store(&p->waits, 0);
    pthread_mutex_unlock(&p->sleep);
}

void mb_pool_run(mb_pool *p, int32_t threads, int64_t parts, mb_do_part do_part, void *arg)
{
    const int32_t most = mb_pool_threads(p) < threads ? mb_pool_threads(p) : threads;
    const int32_t use = most < parts ? most : (int32_t)parts;

    if (use < 2 || atomic_exchange(&p->busy, 1)) {
        do_alone(parts, do_part, arg);
        return;
    }
    p->do_part = do_part;
    p->arg = arg;
    open_gate(p, use, parts);
    take_parts(p, 0);
    close_gate(p);
    atomic_store(&p->busy, 0);
}

static int32_t processors(void)
{
    long here = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        here = CPU_COUNT(&set);
#endif
    return here < 1 ? 1 : (int32_t)here;
}

/* Starts threads until the system refuses one. */
static void start(mb_pool *p, int32_t threads)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; p->threads < threads; p->threads++) {
        worker *w = &p->worker[p->threads - 1];

        *w = (worker){.pool = p, .thread = p->threads};
        if (pthread_create(&w->id, NULL, work, w) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static mb_status prepare(mb_arena *a, mb_pool *p, int32_t threads, mb_err *err)
{
    if (threads > MOST)
        threads = MOST;
    MB_NEW(p->worker, a, threads, err);
    MB_NEW(p->queue, a, threads, err);
    pthread_mutex_init(&p->sleep, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begin, NULL);
    pthread_cond_init(&p->end, NULL);
    start(p, threads);
    return MB_OK;
}

void mb_pool_close(mb_pool *p)
{
    if (!p)
        return;
    atomic_store(&p->over, 1);
    wake(p);
    for (int32_t k = 1; k < p->threads; k++)
        pthread_join(p->worker[k - 1].id, NULL);
    pthread_cond_destroy(&p->end);
    pthread_cond_destroy(&p->begin);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->sleep);
}

void mb_pool_lock(mb_pool *p)
{
    if (p)
        pthread_mutex_lock(&p->lock);
}

void mb_pool_unlock(mb_pool *p)
{
    if (p)
        pthread_mutex_unlock(&p->lock);
}
#else
struct mb_pool {
    int32_t threads; /* 1 */
};

void mb_pool_run(mb_pool *p, int32_t threads, int64_t parts, mb_do_part do_part, void *arg)
{
    (void)p, (void)threads;
    do_alone(parts, do_part, arg);
}

void mb_pool_close(mb_pool *p)
{
    (void)p;
}

void mb_pool_lock(mb_pool *p)
{
    (void)p;
}

void mb_pool_unlock(mb_pool *p)
{
    (void)p;
}
#endif

int32_t mb_pool_threads(const mb_pool *p)
{
    return p ? p->threads : 1;
}

mb_status mb_pool_open(mb_arena *a, int32_t threads, mb_pool **out, mb_err *err)
{
    mb_pool *p;

    *out = NULL;
    if (threads < 0)
        MB_FAIL(err, MB_E_ARG, "threads: got %d; expected 0 (one per processor) or more", threads);
    MB_NEW(p, a, 1, err);
    p->threads = 1;
#ifdef MB_THREADS
    MB_TRY(prepare(a, p, threads ? threads : processors(), err));
#endif
    *out = p;
    return MB_OK;
}
