/* record_part.c - reads the file of a record, whose bytes are not trusted. */
#include "virtual/record_part.h"

#include "algo/nodes.h"
#include "base/bytes.h"
#include "base/columns.h"
#include "data/file.h"
#include "data/json.h"
#include "mesh/file_declared.h"
#include "mesh/frame.h"

#include <stdlib.h>
#include <string.h>

mb_status mb_part_damaged_(const mb_part_ *p, const char *what, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s: got %s before byte %zu; expected a record of a mesh node",
            p->file, what, p->at);
}

static mb_status check_crc(mb_part_ *p, size_t from, mb_err *err)
{
    const uint32_t is = mb_crc32(0, p->bytes + from, p->at - from);
    uint32_t       crc;

    (void)mb_get_u32_((const unsigned char *)p->bytes + p->at, &crc);
    p->at += MB_RECORD_CRC_;
    return crc == is ? MB_OK : mb_part_damaged_(p, "a wrong checksum", err);
}

/* The next text of the head, which ends at `end`. */
static mb_status text(mb_part_ *p, size_t end, const char **out, mb_err *err)
{
    const char *from = p->bytes + p->at;
    const char *zero = p->at < end ? memchr(from, 0, end - p->at) : NULL;

    if (!zero)
        return mb_part_damaged_(p, "a text without its end", err);
    *out = from;
    p->at += (size_t)(zero - from) + 1;
    return MB_OK;
}

/* The bounds of one more column. */
static mb_status read_bounds(mb_arena *a, mb_part_ *p, const char *word, mb_bounds *b, mb_err *err)
{
    double *low = (double *)(uintptr_t)b->low, *high = (double *)(uintptr_t)b->high;
    char   *rest;

    if (!p->plan.bounds) {
        MB_NEW(low, a, p->head.columns, err);
        MB_NEW(high, a, p->head.columns, err);
        *b = (mb_bounds){0, low, high};
        p->plan.bounds = b;
    }
    if ((uint32_t)b->d >= p->head.columns)
        return mb_part_damaged_(p, "bounds of more columns than there are", err);
    low[b->d] = strtod(word, &rest);
    high[b->d] = *rest == ',' ? strtod(rest + 1, &rest) : low[b->d];
    b->d++;
    return MB_OK;
}

/* What masks follow from, and the members who have them. */
static mb_status read_members(mb_arena *a, mb_part_ *p, const char *word, mb_err *err)
{
    mb_genesis     g = {.columns = (int32_t)p->head.columns};
    mb_json_in     j = {.file = p->file, .err = err, .where = ""};
    const mb_json *o;

    MB_TRY(mb_json_parse(a, p->file, word, strlen(word), &o, err));
    MB_TRY(mb_declared_read_(a, &j, o, &g));
    if (!g.declared || !g.declared->members)
        return mb_part_damaged_(p, "masks without members", err);
    p->declared = g.declared;
    p->plan.mask = g.declared->hash;
    return MB_OK;
}

static void read_mask(mb_part_ *p, const char *word)
{
    static const char SIMULATED[] = "simulated,";

    p->mask.simulated = !strncmp(word, SIMULATED, sizeof SIMULATED - 1);
    p->mask.from = strtoull(word + (p->mask.simulated ? sizeof SIMULATED - 1 : 0), NULL, 16);
}

/* What follows NAME= in a word of the head; NULL: it is another one. */
static const char *after(const char *word, const char *name)
{
    const size_t n = strlen(name);

    return strncmp(word, name, n) ? NULL : word + n;
}

/* A word after the kind: one of the model's options, or of what else a plan has. */
static mb_status read_word(mb_arena *a, mb_part_ *p, const char *word, mb_bounds *bounds, char *opt,
                           mb_err *err)
{
    mb_err      why = {.msg = ""};
    const char *rest;

    if ((rest = after(word, "bounds=")))
        return read_bounds(a, p, rest, bounds, err);
    if ((rest = after(word, "members=")))
        return read_members(a, p, rest, err);
    if ((rest = after(word, "mask=")))
        return read_mask(p, rest), MB_OK;
    if (!(rest = after(word, "algorithm=")))
        return mb_opt_assign(p->plan.kind->opts, opt, word, err);
    if (mb_node_algo_find_(rest, &p->plan.algo, &why) < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: %s", p->file, why.msg);
    return MB_OK;
}

/* The kind and its options, an algorithm that is not the one by default, bounds and masks. */
static mb_status read_kind(mb_arena *a, mb_part_ *p, size_t end, mb_err *err)
{
    const char *word = "";
    mb_bounds  *bounds;
    char       *opt;

    MB_NEW(bounds, a, 1, err);
    MB_TRY(text(p, end, &word, err));
    p->plan.kind = mb_kind_find(word);
    if (!p->plan.kind)
        MB_FAIL(err, MB_E_FORMAT, "%s: got model \"%.40s\"; expected one of this library", p->file,
                word);
    MB_NEW(opt, a, p->plan.kind->opt_size + 1, err);
    MB_TRY(mb_opt_defaults(p->plan.kind->opts, opt, err));
    MB_TRY(text(p, end, &word, err));
    while (*word) {
        MB_TRY(read_word(a, p, word, bounds, opt, err));
        MB_TRY(text(p, end, &word, err));
    }
    p->plan.kind_opt = opt;
    return MB_OK;
}

/* Kinds of columns, where not all are numbers. */
static mb_status read_kinds(mb_arena *a, mb_part_ *p, size_t end, mb_err *err)
{
    mb_columns *kinds;
    const char *word = "";

    if (p->at == end)
        return MB_OK;
    MB_NEW(kinds, a, 1, err);
    MB_TRY(text(p, end, &word, err));
    MB_TRY(mb_columns_parse(a, word, strlen(word), p->plan.columns, kinds, err));
    p->plan.kinds = kinds;
    return MB_OK;
}

static mb_status read_plan(mb_arena *a, mb_part_ *p, size_t end, mb_err *err)
{
    const char **name;

    if (p->head.columns < 1 || p->head.columns > p->head.texts)
        return mb_part_damaged_(p, "a number of columns that cannot be", err);
    MB_TRY(read_kind(a, p, end, err));
    p->plan.columns = (int32_t)p->head.columns;
    MB_NEW(name, a, p->head.columns, err);
    for (uint32_t d = 0; d < p->head.columns; d++)
        MB_TRY(text(p, end, &name[d], err));
    p->plan.column = name;
    MB_TRY(text(p, end, &p->name, err));
    MB_TRY(read_kinds(a, p, end, err));
    p->plan.seed = p->head.seed;
    p->plan.from = (mb_genesis_from)p->head.from;
    if (p->at != end || p->head.from > MB_GENESIS_RANGES)
        return mb_part_damaged_(p, "a head that cannot be", err);
    if (mb_plan_hash_(&p->plan) != p->head.plan)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: got the plan %016llx; expected %016llx, which this version of meshbayes makes "
                "of its options",
                p->file, (unsigned long long)p->head.plan,
                (unsigned long long)mb_plan_hash_(&p->plan));
    return MB_OK;
}

static mb_status read_head(mb_arena *a, mb_part_ *p, int tail, mb_err *err)
{
    const size_t least = MB_RECORD_HEAD_ + MB_RECORD_CRC_;
    uint32_t     magic = MB_RECORD_MAGIC_;
    size_t       end;

    if (p->n >= 4)
        (void)mb_get_u32_((const unsigned char *)p->bytes, &magic);
    if (magic != MB_RECORD_MAGIC_ || (!tail && p->n < least))
        return mb_part_damaged_(p, "another file", err);
    if (p->n >= least)
        mb_record_get_head_((const unsigned char *)p->bytes, &p->head);
    if (p->n < least || p->n - least < p->head.texts) {
        p->cut = 1;
        p->at = p->n;
        return tail ? MB_OK : mb_part_damaged_(p, "the end of the file", err);
    }
    end = MB_RECORD_HEAD_ + p->head.texts;
    p->at = end;
    MB_TRY(check_crc(p, 0, err));
    p->at = MB_RECORD_HEAD_;
    MB_TRY(read_plan(a, p, end, err));
    p->at += MB_RECORD_CRC_;
    return MB_OK;
}

mb_status mb_part_read_(mb_arena *a, const char *file, int tail, mb_part_ *out, mb_err *err)
{
    char *bytes;

    *out = (mb_part_){.file = file};
    MB_TRY(mb_file_read(a, file, &bytes, &out->n, err));
    out->bytes = bytes;
    return read_head(a, out, tail, err);
}

/* begins: of each row, not 0 for the first of a group. */
static mb_status groups_of(mb_arena *a, const double *begins, mb_rows *rows, mb_err *err)
{
    int64_t *first;

    MB_NEW(first, a, (size_t)rows->n + 1, err);
    for (int64_t j = 0; j < rows->n; j++)
        if (!j || begins[j] > 0)
            first[rows->ngroup++] = j;
    first[rows->ngroup] = rows->n;
    rows->first = first;
    return MB_OK;
}

static mb_status read_rows(mb_arena *a, const mb_part_ *p, mb_called *c, mb_given_ *given,
                           mb_err *err)
{
    const unsigned char *at = c->bytes;
    const size_t         each = sizeof(double);
    uint64_t             number, n;
    uint32_t             d, flags, weighted, grouped;
    double              *x;
    size_t               count;

    if (c->n < MB_RECORD_ROWS_)
        return mb_part_damaged_(p, "rows that cannot be", err);
    at = mb_get_u32_(mb_get_u32_(mb_get_u64_(mb_get_u64_(at, &number), &n), &d), &flags);
    weighted = flags & 1;
    grouped = flags >> 2 & 1;
    count = (c->n - MB_RECORD_ROWS_) / each;
    if (flags > 7 || d < 1 || d > (uint32_t)p->plan.columns || n > count ||
        n * (d + weighted + grouped) != count || count * each != c->n - MB_RECORD_ROWS_)
        return mb_part_damaged_(p, "rows that cannot be", err);
    MB_NEW(x, a, count + 1, err);
    for (size_t k = 0; k < count; k++)
        at = mb_get_f64_(at, &x[k]);
    given->rows =
        (mb_rows){.x = x, .n = (int64_t)n, .d = (int32_t)d, .ld = d, .gaps = flags >> 1 & 1};
    if (weighted)
        given->rows.w = x + n * d;
    c->number = (int64_t)number;
    c->rows = &given->rows;
    return grouped ? groups_of(a, x + n * (d + weighted), &given->rows, err) : MB_OK;
}

static mb_status read_new(const mb_part_ *p, mb_called *c, mb_given_ *given, mb_err *err)
{
    if (c->n != MB_RECORD_OPTIONS_ || !mb_record_get_opt_(c->bytes, &given->opt))
        return mb_part_damaged_(p, "options that cannot be", err);
    given->opt.plan = &p->plan;
    given->opt.name = *p->name ? p->name : NULL;
    c->opt = &given->opt;
    return MB_OK;
}

/* What the call was given, from its bytes. */
static mb_status read_given(mb_arena *a, const mb_part_ *p, mb_called *c, mb_given_ *given,
                            mb_err *err)
{
    uint64_t number;

    switch (c->call) {
    case MB_CALL_NEW:
        return read_new(p, c, given, err);
    case MB_CALL_GENESIS:
        c->genesis = &given->genesis;
        return mb_genesis_decode(a, c->bytes, c->n, &given->genesis, err);
    case MB_CALL_APPEND:
    case MB_CALL_REPLACE:
        return read_rows(a, p, c, given, err);
    case MB_CALL_REMOVE:
        if (c->n != sizeof number)
            return mb_part_damaged_(p, "a row's number that cannot be", err);
        (void)mb_get_u64_(c->bytes, &number);
        c->number = (int64_t)number;
        return MB_OK;
    case MB_CALL_FRAME:
    case MB_CALL_SAVE:
        if (c->n != MB_RECORD_SUM_)
            return mb_part_damaged_(p, "a sum that cannot be", err);
        (void)mb_get_u64_(mb_get_u64_(c->bytes, &given->sum[0]), &given->sum[1]);
        return MB_OK;
    default:
        return MB_OK;
    }
}

mb_status mb_part_next_(mb_arena *a, mb_part_ *p, mb_called *c, mb_given_ *given, mb_err *err)
{
    const unsigned char *at = (const unsigned char *)p->bytes + p->at;
    const size_t         left = p->n - p->at;
    mb_record_line_      line;
    size_t               rest;

    if (left < MB_RECORD_LINE_) {
        p->cut |= left > 0;
        return MB_STOP;
    }
    if (!mb_record_get_line_(at, &line) || line.call >= MB_CALLS)
        return mb_part_damaged_(p, "a wrong line", err);
    rest = line.n ? (size_t)line.n + MB_RECORD_CRC_ : 0;
    if (rest > left - MB_RECORD_LINE_) {
        p->cut = 1;
        return MB_STOP;
    }
    *c = (mb_called){.call = (mb_call)line.call,
                     .now = line.now,
                     .id = line.id,
                     .answer = line.answer,
                     .bytes = at + MB_RECORD_LINE_,
                     .n = line.n};
    p->at += MB_RECORD_LINE_ + line.n;
    if (line.n)
        MB_TRY(check_crc(p, p->at - line.n, err));
    return read_given(a, p, c, given, err);
}
