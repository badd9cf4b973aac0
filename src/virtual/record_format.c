/* record_format.c - head, lines and options of a record as bytes. */
#include "virtual/record_format.h"

#include "base/bytes.h"
#include "data/file.h"

void mb_record_put_head_(const mb_record_head_ *h, unsigned char *out)
{
    out = mb_put_u32_(mb_put_u32_(out, h->magic), h->texts);
    out = mb_put_u64_(mb_put_u64_(out, h->plan), h->seed);
    (void)mb_put_u32_(mb_put_u32_(mb_put_u32_(out, h->from), h->columns), h->segment);
}

void mb_record_get_head_(const unsigned char *in, mb_record_head_ *h)
{
    in = mb_get_u32_(mb_get_u32_(in, &h->magic), &h->texts);
    in = mb_get_u64_(mb_get_u64_(in, &h->plan), &h->seed);
    (void)mb_get_u32_(mb_get_u32_(mb_get_u32_(in, &h->from), &h->columns), &h->segment);
}

void mb_record_put_line_(const mb_record_line_ *l, unsigned char *out)
{
    unsigned char *at = mb_put_u32_(mb_put_u32_(out, l->n), l->call);

    at = mb_put_u64_(at, (uint64_t)l->now);
    at = mb_put_u32_(mb_put_u32_(at, (uint32_t)l->id), (uint32_t)l->answer);
    (void)mb_put_u32_(at, mb_crc32(0, out, MB_RECORD_LINE_ - MB_RECORD_CRC_));
}

int mb_record_get_line_(const unsigned char *in, mb_record_line_ *l)
{
    const uint32_t       is = mb_crc32(0, in, MB_RECORD_LINE_ - MB_RECORD_CRC_);
    const unsigned char *at = mb_get_u32_(mb_get_u32_(in, &l->n), &l->call);
    uint64_t             now;
    uint32_t             id, answer, crc;

    at = mb_get_u64_(at, &now);
    (void)mb_get_u32_(mb_get_u32_(mb_get_u32_(at, &id), &answer), &crc);
    l->now = (int64_t)now;
    l->id = (int32_t)id;
    l->answer = (int32_t)answer;
    return crc == is;
}

enum { WHOLE = 10, REAL = 4 };

/* hops in the lower half of its field; min_nodes in the upper one, where records had 0. */
void mb_record_put_opt_(const mb_peer_opt *o, unsigned char *out)
{
    const int64_t hops = (int64_t)o->min_nodes << 32 | o->hops;
    const int64_t whole[WHOLE] = {o->id,          o->incarnation, o->neighbours, o->rows,
                                  o->window_rows, o->window_ms,   o->tick_ms,    o->rest_ms,
                                  hops,           o->wire};
    const double  real[REAL] = {o->n_nodes, o->kappa, o->eta, o->tol};

    for (int k = 0; k < WHOLE; k++)
        out = mb_put_u64_(out, (uint64_t)whole[k]);
    for (int k = 0; k < REAL; k++)
        out = mb_put_f64_(out, real[k]);
}

int mb_record_get_opt_(const unsigned char *in, mb_peer_opt *o)
{
    int64_t whole[WHOLE];
    double  real[REAL];

    for (int k = 0; k < WHOLE; k++) {
        uint64_t x;

        in = mb_get_u64_(in, &x);
        whole[k] = (int64_t)x;
    }
    for (int k = 0; k < REAL; k++)
        in = mb_get_f64_(in, &real[k]);
    *o = (mb_peer_opt){.id = (int32_t)whole[0],
                       .incarnation = (uint32_t)whole[1],
                       .neighbours = (int32_t)whole[2],
                       .rows = whole[3],
                       .window_rows = whole[4],
                       .window_ms = whole[5],
                       .tick_ms = whole[6],
                       .rest_ms = whole[7],
                       .hops = (int32_t)(whole[8] & 0x7fffffff),
                       .min_nodes = (int32_t)(whole[8] >> 32),
                       .wire = (mb_wire)whole[9],
                       .n_nodes = real[0],
                       .kappa = real[1],
                       .eta = real[2],
                       .tol = real[3]};
    return o->id == whole[0] && o->incarnation == whole[1] && o->neighbours == whole[2] &&
           whole[8] >= 0 && !(whole[8] >> 31 & 1) && whole[9] >= MB_WIRE_FLOAT64 &&
           whole[9] <= MB_WIRE_CHANGES;
}

double mb_record_number_(const mb_rows *x, size_t l)
{
    const size_t n = (size_t)x->n, d = (size_t)x->d;
    int32_t      from = 0, to = x->ngroup;

    if (l < n * d)
        return mb_rows_at(x, (int64_t)(l / d), (int32_t)(l % d));
    l -= n * d;
    if (x->w && l < n)
        return x->w[l];
    l -= x->w ? n : 0;
    while (from < to) { /* the first group that begins at row l or after it */
        const int32_t middle = from + (to - from) / 2;

        if (x->first[middle] < (int64_t)l)
            from = middle + 1;
        else
            to = middle;
    }
    return from < x->ngroup && x->first[from] == (int64_t)l;
}
