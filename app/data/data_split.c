/* data_split.c - `meshbayes data split`: rows over nodes. */
#include "base/rows_opt.h"
#include "data/data_cmd.h"

#include <string.h>

#define AT(field) offsetof(data_split_opt, field)
static const mb_opt options[] = {
    {"data", MB_OPT_INPUT, AT(data), .choices = "FILE|FILE,FILE,..|DIR",
     .help = "the rows to split: CSV, NPY or NPZ (FILE.npz:ARRAY), - for standard input; several "
             "files, or a folder, for all their rows"},
    {"nodes", MB_OPT_INT, AT(nodes), "0", 0, 10000000, .unit = "nodes",
     .help = "number of nodes; 0: as many as --by column has values or --proportions counts"},
    {"by", MB_OPT_TEXT, AT(by), "random", .choices = "random|column:NAME|label:NAME",
     .help = "at random, by the value of a column, or by proportions of a class column"},
    {"proportions", MB_OPT_TEXT, AT(proportions), .choices = "[COUNTx]P,P,..;[COUNTx]P,P,..",
     .eq = "section V-A",
     .help = "with --by label: a list for each group of nodes, with an entry for each class in "
             "sorted order"},
    {"sizes", MB_OPT_TEXT, AT(sizes), .choices = "LO..HI", .eq = "section V-C.1",
     .help = "sizes of the nodes in proportion to uniform random numbers from LO..HI; default: "
             "equal sizes"},
    {"take", MB_OPT_INT, AT(take), "0", 0, 9007199254740992.0, .unit = "rows", .eq = "section V-D",
     .help = "use only this many rows, chosen at random; 0: all"},
    {"name", MB_OPT_TEXT, AT(name), "node", .choices = "NAME",
     .help = "name of the node column, which is added in front"},
    {"seed", MB_OPT_INT, AT(seed), "0", 0, 9007199254740992.0, .help = "same seed, same split"},
    ROWS_TEXT_OPTIONS(data_split_opt, read, "a column that is written after those of --columns",
                      "the same", "the same"),
    {"out", MB_OPT_OUTPUT, AT(out), .choices = "FILE.csv", .help = "the file to write"},
    {.name = NULL}};

/* --take: which rows of the file are used, in the file's order. */
static mb_status take(data_cut *c, mb_err *err)
{
    const int64_t all = c->csv.rows;
    mb_rng        rng = mb_rng_at((uint64_t)c->opt.seed, MB_STREAM_DEAL, 0, 1);
    int64_t      *order;
    uint8_t      *used;

    if (c->opt.take > all)
        MB_FAIL(err, MB_E_ARG, "--take: got %lld of the %lld rows of %s; expected up to %lld",
                (long long)c->opt.take, (long long)all, c->csv.file, (long long)all);
    MB_NEW(order, c->a, all, err);
    MB_NEW(used, c->a, all, err);
    MB_NEW(c->row, c->a, all, err);
    mb_random_order(&rng, all, order);
    for (int64_t k = 0; k < (c->opt.take ? c->opt.take : all); k++)
        used[order[k]] = 1;
    for (int64_t r = 0; r < all; r++)
        if (used[r])
            c->row[c->n++] = r;
    MB_NEW(c->node, c->a, c->n, err);
    return MB_OK;
}

static mb_status deal(data_cut *c, mb_err *err)
{
    const char *by = c->opt.by;

    if (c->opt.proportions && strncmp(by, "label:", 6) != 0)
        MB_FAIL(err, MB_E_ARG, "--proportions goes with --by label:NAME, not with --by %s", by);
    if (!strcmp(by, "random"))
        return data_deal_random(c, err);
    if (!strncmp(by, "column:", 7) && by[7])
        return data_deal_column(c, by + 7, err);
    if (!strncmp(by, "label:", 6) && by[6])
        return data_deal_label(c, by + 6, err);
    MB_FAIL(err, MB_E_ARG,
            "--by: got \"%s\", which is not known; expected random, column:NAME or label:NAME", by);
}

/* The first cell, then the file's cells but the one that became the node. */
static mb_status put_line(const data_cut *c, mb_file *f, const char *first, const char *const *cell,
                          mb_err *err)
{
    MB_TRY(mb_csv_put(f, first, err));
    for (int32_t k = 0; k < c->csv.cols; k++) {
        if (k == c->gone)
            continue;
        MB_TRY(mb_file_write(f, ",", 1, err));
        MB_TRY(mb_csv_put(f, cell[k], err));
    }
    return mb_file_write(f, "\n", 1, err);
}

/* Rows by node, in the file's order within a node; *used counts them. */
static mb_status put_all(const data_cut *c, mb_file *f, int64_t *used, mb_err *err)
{
    int64_t *first, *order;

    MB_NEW(first, c->a, (size_t)c->N + 1, err);
    MB_NEW(order, c->a, c->n, err);
    for (int64_t k = 0; k < c->n; k++)
        if (c->node[k] >= 0)
            first[c->node[k] + 1]++;
    for (int32_t i = 0; i < c->N; i++)
        first[i + 1] += first[i];
    *used = first[c->N];
    for (int64_t k = 0; k < c->n; k++)
        if (c->node[k] >= 0)
            order[first[c->node[k]]++] = k;
    MB_TRY(put_line(c, f, c->opt.name, c->csv.name, err));
    for (int64_t k = 0; k < *used; k++) {
        const int32_t node = c->node[order[k]];
        char          number[16];

        snprintf(number, sizeof number, "%d", node + 1);
        MB_TRY(put_line(c, f, c->id ? c->id[node] : number,
                        c->csv.cell + c->row[order[k]] * c->csv.cols, err));
    }
    return MB_OK;
}

static mb_status check(const data_cut *c, mb_err *err)
{
    int32_t there = mb_csv_find(&c->csv, c->opt.name);

    if (there >= 0 && there != c->gone)
        MB_FAIL(err, MB_E_ARG, "%s has a column \"%s\" already; expected another --name",
                c->csv.file, c->opt.name);
    return MB_OK;
}

static mb_status work(mb_arena *a, void *opt, mb_err *err)
{
    data_cut c = {.a = a, .opt = *(data_split_opt *)opt, .gone = -1};
    mb_file  f;
    int64_t  used = 0;
    char     rest[48] = "";

    if (!c.opt.data || !c.opt.out)
        MB_FAIL(err, MB_E_ARG, "--%s is missing: the CSV file to %s", c.opt.data ? "out" : "data",
                c.opt.data ? "write" : "read");
    MB_TRY(data_cells(a, c.opt.data, &c.opt.read, &c.cells, err));
    c.csv = c.cells.csv;
    MB_TRY(take(&c, err));
    MB_TRY(deal(&c, err));
    MB_TRY(check(&c, err));
    MB_TRY(mb_file_open(a, c.opt.out, &f, err));
    MB_TRY(mb_file_close(&f, put_all(&c, &f, &used, err), err));
    if (used < c.n)
        snprintf(rest, sizeof rest, ", %lld row%s left out", (long long)(c.n - used),
                 app_plural(c.n - used));
    data_tell(c.opt.out, "%lld row%s at %d node%s%s", (long long)used, app_plural(used), c.N,
              app_plural(c.N), rest);
    return MB_OK;
}

const app_command data_split = {
    .name = "split",
    .summary = "rows over nodes",
    .options = options,
    .size = sizeof(data_split_opt),
    .work = work,
    .text =
        "Writes the file's columns after a column with the node of each row, sorted by node. Cells "
        "are copied as they are, text too; numbers with decimal commas (--separator) get points.\n"
        "  --by random        every node gets the same number of rows (or as --sizes says); the "
        "split is the one that `meshbayes sim` makes with the same seed\n"
        "  --by column:NAME   one node for each value of the column, which becomes the node "
        "column; with --nodes N the rows are sorted by the column (numbers) and cut into N parts\n"
        "  --by label:NAME    each node has the given proportions of the classes exactly (up to "
        "rounding); as many rows as that allows are used, the others are left out\n"
        "  meshbayes data split --data rows.csv --nodes 20 --take 340 --out split.csv\n"
        "  meshbayes data split --data rows.csv --by label:class --out split.csv \\\n"
        "      --proportions \"6x0.8,0.1,0.1; 8x0.05,0.9,0.05; 6x0.2,0.2,0.6\"\n"};
