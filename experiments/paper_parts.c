/* paper_parts.c - the units of an experiment, and the file of each: its numbers with all digits, so
 * that a unit is the same whether computed or read. */
#include "base/text.h"
#include "data/table.h"
#include "paper.h"
#include "report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EDITION = 3 }; /* of the experiments: files of another one are not reused */

paper_table paper_table_of(mb_arena *a, const paper_set *set, const paper_row *row)
{
    const int64_t kind[][2] = {{row->runs, 30}, {row->runs_quick, 2}, {row->runs_paper, 1}};
    const int     k = set->runs < 0 ? 2 : set->quick ? 1 : 0;
    paper_table   t = {.a = a, .row = row, .set = set, .claims = {.a = a}};

    t.runs = set->runs > 0 ? set->runs : kind[k][0] ? kind[k][0] : kind[k][1];
    t.protocols = row->protocols ? set->protocols & row->protocols : set->protocols;
    t.parts = row->part == NULL;
    while (row->part && row->part[t.parts])
        t.parts++;
    return t;
}

int64_t paper_units(const paper_table *t)
{
    int64_t protocols = 0;

    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        protocols += t->protocols >> p & 1;
    return protocols * t->parts * t->runs;
}

void paper_unit_at(mb_arena *a, const paper_table *t, int64_t index, paper_unit *u)
{
    int64_t nth = index / (t->runs * t->parts);
    int     p = 0;

    while (!(t->protocols >> p & 1) || nth-- > 0)
        p++;
    *u = (paper_unit){.a = a,
                      .set = t->set,
                      .row = t->row,
                      .protocol = (paper_protocol)p,
                      .part = (int32_t)(t->parts - 1 - index % t->parts), /* the longest first */
                      .run = index / t->parts % t->runs,
                      .data_print = t->data_print};
    u->seed = t->set->seed + u->run;
    u->label = t->row->part ? t->row->part[u->part] : "";
}

void *paper_room(mb_arena *a, void *array, int64_t count, size_t size)
{
    const int64_t first = 64;
    void         *more;

    if (count & (count - 1) || (count && count < first)) /* full at 0 and powers of 2 */
        return array;
    more = mb_alloc(a, (size_t)(count ? 2 * count : first), size);
    if (more && count)
        memcpy(more, array, (size_t)count * size);
    return more;
}

mb_status paper_put(paper_unit *u, const char *algorithm, const char *quantity, double x,
                    double value, mb_err *err)
{
    u->number = paper_room(u->a, u->number, u->count, sizeof *u->number);
    if (!u->number)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the numbers of %s", algorithm);
    u->number[u->count++] = (paper_number){algorithm, quantity, u->label, x, value};
    return MB_OK;
}

mb_status paper_put_end(paper_unit *u, const char *algorithm, const paper_value *v, mb_err *err)
{
    for (; v->quantity; v++)
        MB_TRY(paper_put(u, algorithm, v->quantity, PAPER_NAN, v->value, err));
    return MB_OK;
}

static const char *file_of(mb_arena *a, const paper_unit *u, mb_err *err)
{
    return mb_text(a, err, "%s/%s/parts/%s-%d-%lld.csv", u->set->out,
                   (u->row->parts_of ? u->row->parts_of : u->row)->name,
                   paper_protocol_name[u->protocol], (int)u->part, (long long)u->run);
}

/* The settings that a file must have been made with to be reused. */
static const char *settings(paper_unit *u, mb_err *err)
{
    return mb_text(u->a, err,
                   "meshbayes " MB_VERSION " edition %d seed %lld%s%s data %016" PRIx64
                   " networks %016" PRIx64,
                   (int)EDITION, (long long)u->seed, u->set->quick ? " quick" : "",
                   u->set->shuffle ? " shuffled" : "", u->data_print, u->set->network_print);
}

void paper_csv_number(FILE *out, double x)
{
    fprintf(out, isnan(x) ? "," : ",%.17g", x);
}

typedef struct part {
    const paper_unit *u;
    const char       *made; /* its settings */
} part;

static void write_part(FILE *out, const void *what)
{
    const part *p = what;

    fprintf(out, "algorithm,quantity,part,x,value\nsettings,%s,,,\n", p->made);
    for (const paper_number *n = p->u->number; n < p->u->number + p->u->count; n++) {
        fprintf(out, "%s,%s,%s", n->algorithm, n->quantity, n->part);
        paper_csv_number(out, n->x);
        paper_csv_number(out, n->value);
        fputc('\n', out);
    }
}

mb_status paper_part_write(paper_unit *u, mb_err *err)
{
    const char *path = file_of(u->a, u, err);
    const part  p = {u, settings(u, err)};

    if (!path || !p.made)
        return MB_E_NOMEM;
    return page_write(u->a, path, write_part, &p, err);
}

static mb_status cell(const mb_csv *c, int64_t row, int32_t col, double *out, mb_err *err)
{
    const char *text = c->cell[row * c->cols + col];

    if (!*text)
        *out = PAPER_NAN;
    else if (!strcmp(text, "inf") || !strcmp(text, "-inf"))
        *out = *text == '-' ? -HUGE_VAL : HUGE_VAL;
    else
        return mb_csv_number(c, row, col, out, err);
    return MB_OK;
}

mb_status paper_part_read(paper_unit *u, int *there, mb_err *err)
{
    const char *path = file_of(u->a, u, err), *made = settings(u, err);
    mb_csv      c;

    *there = 0;
    if (!path || !made)
        return MB_E_NOMEM;
    if (access(path, R_OK))
        return MB_OK;
    MB_TRY(mb_csv_read(u->a, path, &c, err));
    if (c.cols != 5 || c.rows < 1 || strcmp(c.cell[1], made) != 0)
        return MB_OK; /* of other settings: computed again */
    for (int64_t r = 1; r < c.rows; r++) {
        const char *const *w = c.cell + r * c.cols;
        double             x, value;

        MB_TRY(cell(&c, r, 3, &x, err));
        MB_TRY(cell(&c, r, 4, &value, err));
        MB_TRY(paper_put(u, w[0], w[1], x, value, err));
    }
    *there = 1;
    return MB_OK;
}
