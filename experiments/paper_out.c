/* paper_out.c - data.csv and result.json of an experiment. */
#include "paper.h"

#include <string.h>

static mb_status put_csv(const paper_table *t, mb_file *f, mb_err *err)
{
    MB_TRY(mb_file_printf(f, err,
                          "protocol,algorithm,quantity,part,x,mean,sd,median,quartile1,"
                          "quartile3,runs,failed\n"));
    for (int64_t k = 0; k < t->count; k++) {
        const paper_group  *g = &t->group[k];
        const paper_number *n = &g->key;
        paper_stat          s;

        MB_TRY(paper_stat_of(t, g, &s, err));
        const double x[] = {n->x, s.mean, s.sd, s.median, s.low, s.high};

        MB_TRY(mb_file_printf(f, err, "%s,%s,%s,%s", paper_protocol_name[g->protocol], n->algorithm,
                              n->quantity, n->part));
        for (size_t c = 0; c < sizeof x / sizeof *x; c++)
            if (isfinite(x[c]))
                MB_TRY(mb_file_printf(f, err, ",%.17g", x[c]));
            else
                MB_TRY(mb_file_write(f, ",", 1, err));
        MB_TRY(mb_file_printf(f, err, ",%lld,%lld\n", (long long)s.runs, (long long)s.failed));
    }
    return MB_OK;
}

static mb_status write_csv(const paper_table *t, mb_err *err)
{
    const char *path = mb_text(t->a, err, "%s/%s/data.csv", t->set->out, t->row->name);
    mb_file     f = {0};

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_file_open(t->a, path, &f, err));
    mb_status st = put_csv(t, &f, err);

    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    return st;
}

static mb_status rows_of(const paper_table *t, json_t *rows, mb_err *err)
{
    for (int64_t k = 0; k < t->count; k++) {
        const paper_group  *g = &t->group[k];
        const paper_number *n = &g->key;
        paper_stat          s;
        const char         *quantity;

        if (!isnan(n->x) || !strcmp(n->quantity, "fingerprint"))
            continue;
        quantity = mb_text(t->a, err, "%s%s%s", n->quantity, *n->part ? " " : "", n->part);
        if (!quantity)
            return MB_E_NOMEM;
        MB_TRY(paper_stat_of(t, g, &s, err));
        json_t *o = json_pack("{s:s, s:s, s:s}", "protocol", paper_protocol_name[g->protocol],
                              "algorithm", n->algorithm, "quantity", quantity);

        json_object_set_new(o, "mean", app_json_number(s.mean));
        json_object_set_new(o, "sd", app_json_number(s.sd));
        json_object_set_new(o, "median", app_json_number(s.median));
        json_object_set_new(o, "runs", json_integer(s.runs));
        json_object_set_new(o, "failed", json_integer(s.failed));
        json_array_append_new(rows, o);
    }
    return MB_OK;
}

static json_t *claims_of(const paper_claims *c)
{
    json_t *list = json_array();

    for (int k = 0; k < c->count; k++) {
        const paper_claim *one = &c->claim[k];

        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "claim", one->says, "holds",
                                              paper_holds(one, "not decided", "yes", "no"),
                                              "measured", one->measured));
    }
    return list;
}

mb_status paper_files(const paper_table *t, mb_err *err)
{
    const char *path = mb_text(t->a, err, "%s/%s/result.json", t->set->out, t->row->name);
    json_t     *rows = json_array(), *all;
    mb_status   st = path ? rows_of(t, rows, err) : MB_E_NOMEM;

    all = json_pack("{s:s, s:s, s:O, s:I, s:s, s:b}", "name", t->row->name, "paper", t->row->place,
                    "rows", rows, "seed", (json_int_t)t->set->seed, "version", MB_VERSION, "quick",
                    (int)t->set->quick);
    json_object_set_new(all, "claims", claims_of(&t->claims));
    json_decref(rows);
    if (st >= 0)
        st = app_json_write(t->a, path, all, err);
    json_decref(all);
    return st < 0 ? st : write_csv(t, err);
}
