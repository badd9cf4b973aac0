/* CSV as text cells, as a matrix, and in batches: all three agree. */
#include "data/table.h"
#include "fuzz.h"

#include <string.h>

/* The rows of mb_matrix_read again, in batches of three. */
static void expect_same(mb_arena *a, const char *file, const mb_matrix *m)
{
    mb_reader *r = NULL;
    mb_err     err = {0};
    double    *x = mb_alloc(a, 3 * (size_t)m->d, sizeof *x);
    int64_t    n = 1;

    if (!x || mb_reader_open(a, file, NULL, &r, &err) < 0)
        abort();
    for (int64_t row = 0; n; row += n) {
        if (mb_reader_next(r, 3, x, &n, &err) < 0 || row + n > m->n)
            abort();
        if (memcmp(x, m->x + row * m->d, (size_t)(n * m->d) * sizeof *x) != 0)
            abort();
        if (!n && row != m->n)
            abort();
    }
    mb_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *file = fuzz_file(data, size, ".csv");
    mb_arena   *a = mb_arena_new(1 << 16);
    mb_err      err = {0};
    mb_csv      csv;
    mb_matrix   m;
    mb_status   st = mb_csv_read(a, file, &csv, &err);

    fuzz_check(st, &err);
    for (int64_t k = 0; st >= 0 && k < csv.rows * csv.cols; k++) {
        double  x;
        int64_t i;

        fuzz_check(mb_csv_number(&csv, k / csv.cols, (int32_t)(k % csv.cols), &x, &err), &err);
        fuzz_check(mb_csv_integer(&csv, k / csv.cols, (int32_t)(k % csv.cols), -5, 5, &i, &err),
                   &err);
    }
    st = mb_matrix_read(a, file, &m, &err);
    fuzz_check(st, &err);
    if (st >= 0)
        expect_same(a, file, &m);
    mb_arena_free(a);
    return 0;
}
