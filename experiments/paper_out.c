/* paper_out.c - data.csv and result.json of an experiment. */
#include "base/text.h"
#include "paper.h"
#include "report/page.h"

#include <string.h>

static void write_csv(FILE *out, const void *table)
{
    const paper_table *t = table;

    fputs("protocol,algorithm,quantity,part,x,mean,sd,median,quartile1,quartile3,runs,failed\n",
          out);
    for (const paper_group *g = t->group; g < t->group + t->count; g++) {
        const paper_stat *s = &g->stat;
        const double      x[] = {g->key.x, s->mean, s->sd, s->median, s->low, s->high};

        fprintf(out, "%s,%s,%s,%s", paper_protocol_name[g->protocol], g->key.algorithm,
                g->key.quantity, g->key.part);
        for (size_t c = 0; c < sizeof x / sizeof *x; c++)
            paper_csv_number(out, isfinite(x[c]) ? x[c] : PAPER_NAN);
        fprintf(out, ",%lld,%lld\n", (long long)s->runs, (long long)s->failed);
    }
}

static mb_status put_rows(const paper_table *t, mb_json_out *j, mb_err *err)
{
    mb_json_list(j, "rows");
    for (const paper_group *g = t->group; g < t->group + t->count; g++) {
        const paper_number *n = &g->key;
        const char         *quantity;

        if (!isnan(n->x) || !strcmp(n->quantity, "fingerprint"))
            continue;
        quantity = mb_text(t->a, err, "%s%s%s", n->quantity, *n->part ? " " : "", n->part);
        if (!quantity)
            return MB_E_NOMEM;
        mb_json_object(j, NULL);
        mb_json_text(j, "protocol", paper_protocol_name[g->protocol]);
        mb_json_text(j, "algorithm", n->algorithm);
        mb_json_text(j, "quantity", quantity);
        mb_json_number(j, "mean", g->stat.mean);
        mb_json_number(j, "sd", g->stat.sd);
        mb_json_number(j, "median", g->stat.median);
        mb_json_integer(j, "runs", g->stat.runs);
        mb_json_integer(j, "failed", g->stat.failed);
        mb_json_close(j);
    }
    mb_json_close(j);
    return MB_OK;
}

static void put_claims(const paper_claims *c, mb_json_out *j)
{
    mb_json_list(j, "claims");
    for (int k = 0; k < c->count; k++) {
        mb_json_object(j, NULL);
        mb_json_text(j, "claim", c->claim[k].says);
        mb_json_text(j, "holds", paper_holds(&c->claim[k], "not decided", "yes", "no"));
        mb_json_text(j, "measured", c->claim[k].measured);
        mb_json_close(j);
    }
    mb_json_close(j);
}

mb_status paper_files(const paper_table *t, mb_err *err)
{
    const char *csv = mb_text(t->a, err, "%s/%s/data.csv", t->set->out, t->row->name);
    const char *json = mb_text(t->a, err, "%s/%s/result.json", t->set->out, t->row->name);
    mb_json_out j;

    if (!csv || !json)
        return MB_E_NOMEM;
    mb_json_begin(&j, t->a, err);
    mb_json_object(&j, NULL);
    mb_json_text(&j, "name", t->row->name);
    mb_json_text(&j, "paper", t->row->place);
    MB_TRY(put_rows(t, &j, err));
    mb_json_integer(&j, "seed", t->set->seed);
    mb_json_text(&j, "version", MB_VERSION);
    mb_json_bool(&j, "quick", t->set->quick);
    put_claims(&t->claims, &j);
    mb_json_close(&j);
    MB_TRY(mb_json_write(&j, json));
    return page_write(t->a, csv, write_csv, t, err);
}
