/* sim_facts.c - what two sessions of one run must have in common: options, and each node's rows and
 * links. */
#include "sim/sim_facts.h"

#include <string.h>

/* Options that change neither the iterates nor what is kept of them; files of data and network are
 * compared by what they hold. */
static const char *const free_options[] = {
    "data",   "network",   "positions",  "threads", "out",       "json",
    "trace",  "metrics",   "dump-phi",   "dump-at", "phi-order", "node",
    "rounds", "algorithm", "checkpoint", "every",   "resume",    NULL};

static int is_free(const char *name)
{
    for (int k = 0; free_options[k]; k++)
        if (!strcmp(free_options[k], name))
            return 1;
    return 0;
}

static mb_status add(sim *s, const char *name, const char *value, mb_fact *to, mb_err *err)
{
    char *copy;

    MB_NEW(copy, s->a, strlen(value) + 1, err);
    memcpy(copy, value, strlen(value));
    *to = (mb_fact){name, copy};
    return MB_OK;
}

static mb_status add_options(sim *s, const mb_opt *table, const void *obj, mb_fact *fact,
                             int32_t *n, mb_err *err)
{
    for (; table && table->name; table++) {
        char        text[64] = "";
        const char *given = NULL;

        if (is_free(table->name))
            continue;
        if (mb_opt_is_text(table))
            given = *(const char *const *)(const void *)((const char *)obj + table->at);
        else
            mb_opt_text(table, obj, text, sizeof text);
        MB_TRY(add(s, table->name, given ? given : text, &fact[(*n)++], err));
    }
    return MB_OK;
}

static int32_t count(const mb_opt *table)
{
    int32_t n = 0;

    while (table && table[n].name)
        n++;
    return n;
}

/* The metrics that are traced, and whether lines name the algorithm. */
static mb_status add_trace(sim *s, int traced, mb_fact *fact, mb_err *err)
{
    const mb_metric_info *info = mb_metric_table();
    char                  text[512] = "off";
    size_t                at = 0;

    for (int m = 0; traced && m < MB_M_COUNT; m++)
        if (s->asked.metrics & 1u << m)
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? "," : "", info[m].name);
    if (traced && s->asked.nchoice > 1)
        snprintf(text + at, sizeof text - at, " of several algorithms");
    return add(s, "metrics traced", text, fact, err);
}

mb_status sim_facts(sim *s, const sim_choice *c, int traced, mb_fact **out, int32_t *n, mb_err *err)
{
    const mb_opt *own = c->cvb ? NULL : c->algo->opts;
    const char   *dumps = s->opt.dump_phi && s->opt.dump_at ? s->opt.dump_at : "";
    mb_fact      *fact;

    MB_NEW(fact, s->a, count(s->asked.table) + count(s->asked.kind->opts) + count(own) + 3, err);
    *out = fact;
    *n = 0;
    MB_TRY(add(s, "meshbayes", MB_VERSION, &fact[(*n)++], err));
    MB_TRY(add_options(s, s->asked.table, &s->opt, fact, n, err));
    MB_TRY(add_options(s, s->asked.kind->opts, s->asked.model_opt, fact, n, err));
    MB_TRY(add_options(s, own, c->opt, fact, n, err));
    MB_TRY(add(s, "dump-at", dumps, &fact[(*n)++], err));
    return add_trace(s, traced, &fact[(*n)++], err);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;

    for (size_t k = 0; k + 8 <= n; k += 8) {
        uint64_t word;

        memcpy(&word, from + k, 8);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    for (size_t k = n / 8 * 8; k < n; k++)
        hash = (hash ^ from[k]) * UINT64_C(0x100000001b3);
    return hash;
}

static const uint64_t BASIS = UINT64_C(0xcbf29ce484222325);

uint64_t sim_rows_hash(const mb_rows *rows)
{
    uint64_t hash = mix(BASIS, &rows->n, sizeof rows->n);

    for (int64_t j = 0; rows->x32 && j < rows->n; j++)
        hash = mix(hash, rows->x32 + (size_t)j * rows->ld, (size_t)rows->d * sizeof *rows->x32);
    for (int64_t j = 0; !rows->x32 && j < rows->n; j++)
        hash = mix(hash, rows->x + (size_t)j * rows->ld, (size_t)rows->d * sizeof *rows->x);
    return rows->w ? mix(hash, rows->w, (size_t)rows->n * sizeof *rows->w) : hash;
}

uint64_t sim_links_hash(const mb_part *part, int32_t i)
{
    uint64_t hash = mix(BASIS, &part->w.self[i], sizeof *part->w.self);

    for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++) {
        hash = mix(hash, &part->gid[part->g.adj[e]], sizeof *part->gid);
        hash = mix(hash, &part->w.edge[e], sizeof *part->w.edge);
    }
    return hash;
}
