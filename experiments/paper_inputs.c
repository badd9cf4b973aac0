/* paper_inputs.c - the files experiments read: which are missing, and a fingerprint of what is in the
 * others, so that results made of other contents are not used again. */
#include "paper.h"

mb_status paper_print_file(const char *file, uint64_t *print, mb_err *err)
{
    mb_arena *a = mb_arena_new(1 << 16);
    char     *bytes;
    size_t    n;
    mb_status st;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its contents", file);
    st = mb_file_read(a, file, &bytes, &n, err);
    if (st >= 0) {
        const uint64_t two[] = {*print, mb_bytes_hash(bytes, n)};

        *print = mb_bytes_hash(two, sizeof two);
    }
    mb_arena_free(a);
    return st;
}

mb_status paper_inputs(mb_arena *a, paper_set *set, const paper_row *row, const char **how,
                       mb_err *err)
{
    const char *file[PAPER_FILES] = {NULL};
    uint64_t   *print = &set->data_print[paper_row_place(row)];

    *how = NULL;
    if (row->files)
        MB_TRY(row->files(a, set, file, how, err));
    for (int k = 0; k < PAPER_FILES && file[k] && !*how; k++)
        MB_TRY(paper_print_file(file[k], print, err));
    return MB_OK;
}
