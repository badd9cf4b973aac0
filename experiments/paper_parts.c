/* paper_parts.c - the units of an experiment, and the file of each: its numbers with all digits, so
 * that a unit read back is the unit computed. */
#include "page/page.h"
#include "paper.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EDITION = 3 }; /* of the experiments: another one makes earlier files void */

int64_t paper_runs_of(const paper_set *set, const paper_row *row)
{
    const int64_t kind[][2] = {{row->runs, 30}, {row->runs_quick, 2}, {row->runs_paper, 1}};
    const int     k = set->runs < 0 ? 2 : set->quick ? 1 : 0;

    return set->runs > 0 ? set->runs : kind[k][0] ? kind[k][0] : kind[k][1];
}

unsigned paper_protocols_of(const paper_set *set, const paper_row *row)
{
    return row->protocols ? set->protocols & row->protocols : set->protocols;
}

int32_t paper_parts_of(const paper_row *row)
{
    int32_t count = row->part == NULL;

    while (row->part && row->part[count])
        count++;
    return count;
}

int32_t paper_place(const paper_set *set, const paper_row *row)
{
    int32_t k = 0;

    while (set->rows[k] != row)
        k++;
    return k;
}

int64_t paper_units(const paper_set *set, const paper_row *row)
{
    int64_t protocols = 0;

    for (int p = 0; p < PAPER_PROTOCOLS; p++)
        protocols += paper_protocols_of(set, row) >> p & 1;
    return protocols * paper_parts_of(row) * paper_runs_of(set, row);
}

void paper_unit_at(mb_arena *a, const paper_set *set, const paper_row *row, int64_t index,
                   paper_unit *u)
{
    const int64_t runs = paper_runs_of(set, row), parts = paper_parts_of(row);
    int64_t       nth = index / (runs * parts);
    int           p = 0;

    while (!(paper_protocols_of(set, row) >> p & 1) || nth-- > 0)
        p++;
    *u = (paper_unit){.a = a, .set = set, .row = row, .protocol = (paper_protocol)p, .label = ""};
    u->run = index / parts % runs;
    u->part = (int32_t)(parts - 1 - index % parts); /* the last parts are the longest */
    u->seed = set->seed + u->run;
    if (row->part)
        u->label = row->part[u->part];
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

/* What a file must have been made with to be used again. */
static const char *settings(paper_unit *u, mb_err *err)
{
    return mb_text(u->a, err,
                   "meshbayes " MB_VERSION " edition %d seed %lld%s%s data %016" PRIx64
                   " networks %016" PRIx64,
                   (int)EDITION, (long long)u->seed, u->set->quick ? " quick" : "",
                   u->set->shuffle ? " shuffled" : "",
                   u->set->data_print[paper_place(u->set, u->row)], u->set->network_print);
}

void paper_csv_number(FILE *out, double x)
{
    fprintf(out, isnan(x) ? "," : ",%.17g", x);
}

mb_status paper_part_write(paper_unit *u, mb_err *err)
{
    const char *path = file_of(u->a, u, err), *made = settings(u, err);
    char       *text = NULL;
    size_t      len = 0;
    FILE       *out;

    if (!path || !made)
        return MB_E_NOMEM;
    out = open_memstream(&text, &len);
    if (out)
        fprintf(out, "algorithm,quantity,part,x,value\nsettings,%s,,,\n", made);
    for (const paper_number *n = u->number; out && n < u->number + u->count; n++) {
        fprintf(out, "%s,%s,%s", n->algorithm, n->quantity, n->part);
        paper_csv_number(out, n->x);
        paper_csv_number(out, n->value);
        fputc('\n', out);
    }
    return page_save(u->a, path, out, &text, &len, err);
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
