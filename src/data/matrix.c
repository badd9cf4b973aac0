/* matrix.c - all rows of a file as a matrix. */
#include "data/sheet.h"

#include <string.h>

static mb_status read_all(mb_arena *a, mb_reader *r, mb_matrix *out, mb_err *err)
{
    const int32_t d = mb_reader_columns(r);
    int64_t       got;

    out->d = d;
    out->name = mb_reader_names(r);
    for (int64_t room = 64;; room *= 2) {
        out->x =
            mb_larger_(a, out->x, (size_t)(out->n * d), (size_t)(room * d), sizeof *out->x, err);
        if (!out->x)
            return MB_E_NOMEM;
        MB_TRY(mb_reader_next(r, room - out->n, out->x + out->n * d, &got, err));
        out->n += got;
        if (out->n < room)
            return MB_OK;
    }
}

mb_status mb_matrix_read(mb_arena *a, const char *file, mb_matrix *out, mb_err *err)
{
    mb_reader *r;
    mb_status  st;

    memset(out, 0, sizeof *out);
    MB_TRY(mb_reader_open(a, file, NULL, &r, err));
    st = read_all(a, r, out, err);
    mb_reader_close(r);
    return st;
}
