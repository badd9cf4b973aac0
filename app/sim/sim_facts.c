/* sim_facts.c - what two sessions of one run must have in common: options, and each node's rows and
 * links. */
#include "sim/sim_facts.h"

#include <string.h>

/* Files of data and network are compared by what they hold. */
static int is_free(const char *name)
{
    return sim_option_is_output(name) || !strcmp(name, "network") || !strcmp(name, "rounds") ||
           !strcmp(name, "algorithm");
}

static mb_status add(sim *s, const char *name, const char *value, mb_fact *fact, int32_t *n,
                     mb_err *err)
{
    const char *copy = mb_text(s->a, err, "%s", value);

    if (!copy)
        return MB_E_NOMEM;
    fact[(*n)++] = (mb_fact){name, copy};
    return MB_OK;
}

static mb_status add_options(sim *s, const mb_opt *table, const void *obj, mb_fact *fact,
                             int32_t *n, mb_err *err)
{
    char number[64];

    for (; table && table->name; table++)
        if (!is_free(table->name))
            MB_TRY(add(s, table->name, sim_option_text(table, obj, number), fact, n, err));
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
static mb_status add_trace(sim *s, int traced, mb_fact *fact, int32_t *n, mb_err *err)
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
    return add(s, "metrics traced", text, fact, n, err);
}

mb_status sim_facts(sim *s, const sim_choice *c, int traced, mb_fact **out, int32_t *n, mb_err *err)
{
    const mb_opt *own = c->cvb ? NULL : c->algo->opts;
    const char   *dumps = s->opt.dump_phi && s->opt.dump_at ? s->opt.dump_at : "";
    mb_fact      *fact;

    MB_NEW(fact, s->a, count(s->asked.table) + count(s->asked.kind->opts) + count(own) + 3, err);
    *out = fact;
    *n = 0;
    MB_TRY(add(s, "meshbayes", MB_VERSION, fact, n, err));
    MB_TRY(add_options(s, s->asked.table, &s->opt, fact, n, err));
    MB_TRY(add_options(s, s->asked.kind->opts, s->asked.model_opt, fact, n, err));
    MB_TRY(add_options(s, own, c->opt, fact, n, err));
    MB_TRY(add(s, "dump-at", dumps, fact, n, err));
    return add_trace(s, traced, fact, n, err);
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
