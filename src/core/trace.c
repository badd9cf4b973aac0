/* trace.c - a CSV line for every metric that is on, in every observed round. */
#include "base/format.h"
#include "core/observe.h"

#include <math.h>

typedef struct trace {
    mb_metrics    *m;
    const char    *algorithm; /* borrowed; NULL: no such column */
    mb_line_writer put;
    void          *to;
} trace;

const char *mb_trace_header(int with_algorithm)
{
    return with_algorithm ? "algorithm,t,metric,unit,mean,sd,min,max,outside,total\n"
                          : "t,metric,unit,mean,sd,min,max,outside,total\n";
}

enum { CELL = 32 };
/* 17 digits identify the double; the cell of a number that is not finite is empty. */
static const char *cell(double x, char buf[CELL])
{
    buf[0] = 0;
    if (isfinite(x))
        mb_format_(buf, CELL, "%.17g", x);
    return buf;
}

static mb_status write_line(const mb_metrics *m, int64_t t, mb_metric metric, const trace *to,
                            mb_err *err)
{
    const mb_metric_info *info = &mb_metric_table()[metric];
    const mb_stat        *v = &m->value[metric];
    char                  mean[CELL], sd[CELL], min[CELL], max[CELL], total[CELL], line[512];
    int                   len;

    len = mb_format_(line, sizeof line, "%s%s%lld,%s,%s,%s,%s,%s,%s,%d,%s\n",
                     to->algorithm ? to->algorithm : "", to->algorithm ? "," : "", (long long)t,
                     info->name, info->unit, cell(v->mean, mean), cell(v->sd, sd),
                     cell(v->min, min), cell(v->max, max), v->outside, cell(v->total, total));
    if (len < 0 || (size_t)len >= sizeof line)
        MB_FAIL(err, MB_E_ARG, "algorithm name too long for a trace line: %.60s...", to->algorithm);
    return to->put(to->to, line, (size_t)len, err);
}

mb_status mb_trace_lines(const mb_metrics *m, uint32_t which, int64_t t, const char *algorithm,
                         mb_line_writer put, void *to, mb_err *err)
{
    const trace tr = {.algorithm = algorithm, .put = put, .to = to};

    for (int metric = 0; metric < MB_M_COUNT; metric++)
        if (which & 1u << metric)
            MB_TRY(write_line(m, t, (mb_metric)metric, &tr, err));
    return MB_OK;
}

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const trace   *tr = self;
    const uint32_t on = tr->m->on, due = mb_metrics_due(tr->m, s->t);
    mb_status      st;

    if (!due)
        return MB_OK;
    tr->m->on = due;
    st = mb_metrics_see(tr->m, p, s, err);
    tr->m->on = on;
    MB_TRY(st);
    return mb_trace_lines(tr->m, due, s->t, tr->algorithm, tr->put, tr->to, err);
}

mb_status mb_trace_new(mb_arena *a, mb_metrics *m, const char *algorithm, mb_line_writer put,
                       void *to, mb_observer *out, mb_err *err)
{
    trace *tr;
    MB_NEW(tr, a, 1, err);
    *tr = (trace){.m = m, .algorithm = algorithm, .put = put, .to = to};
    *out = (mb_observer){.self = tr, .every = 1, .see = see};
    out->wants_bound = (m->on & (1u << MB_M_BOUND | 1u << MB_M_BOUND_SKLEARN)) != 0;
    return MB_OK;
}
