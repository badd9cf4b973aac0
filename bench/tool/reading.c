/* reading.c - from a file of rows to a case that is ready for its first step: read or mapped, hashed,
 * checked, its columns' moments agreed on.
 * Use: tool_reading FILE [THREADS]
 * Prints seconds of processor time, of all threads. */
#include "clock.h"

#include "base/pool.h"
#include "data/file.h"
#include "data/table.h"
#include "fit/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of NPY stay in the file. */
static mb_status table_of(mb_arena *a, const char *file, mb_pool *pool, mb_npy_rows *mapped,
                          mb_table *out, mb_err *err)
{
    const mb_data_opt opt = {.pool = pool};
    mb_data           data;
    uint64_t          hash;

    if (mb_path_ends(file, ".npy")) {
        MB_TRY(mb_npy_map(file, mapped, err));
        *out = (mb_table){.rows = mb_npy_view(mapped), .name = file};
        MB_TRY(mb_table_look(a, mapped, 1, pool, out, NULL, &hash, err));
        printf("{\"hash\": \"%016llx\", ", (unsigned long long)hash);
        return MB_OK;
    }
    MB_TRY(mb_data_read(a, file, &opt, &data, err));
    printf("{\"hash\": \"%016llx\", ", (unsigned long long)data.hash);
    *out = mb_table_of(&data, file);
    return MB_OK;
}

static mb_status measure(mb_arena *a, const char *file, int32_t threads, mb_npy_rows *mapped,
                         mb_err *err)
{
    const double  began = bench_now();
    mb_network    net;
    mb_local_part place;
    mb_table      table;
    mb_case       c;
    mb_pool      *pool;
    mb_status     st;

    MB_TRY(mb_pool_open(a, threads, &pool, err));
    st = table_of(a, file, pool, mapped, &table, err);
    mb_pool_close(pool);
    MB_TRY(st);
    MB_TRY(mb_network_from(a, 1, NULL, 0, NULL, NULL, &net, err));
    MB_TRY(mb_place_make(a, &net, NULL, &place, err));
    st = mb_case_make(a, &place, &table, &mb_kind_gmm, NULL, NULL, &c, err);
    if (st >= 0)
        printf("\"rows\": %lld, \"columns\": %d, \"cpu\": %.6g}\n", (long long)table.rows.n,
               table.rows.d, bench_now() - began);
    mb_place_close(&place);
    return st;
}

int main(int argc, char **argv)
{
    mb_arena   *a = mb_arena_new(1 << 20);
    mb_npy_rows mapped = {.n = 0};
    mb_err      err = {.code = MB_E_ARG, .msg = "use: tool_reading FILE [THREADS]"};
    mb_status   st = MB_E_ARG;

    if (a && (argc == 2 || argc == 3))
        st = measure(a, argv[1], argc > 2 ? atoi(argv[2]) : 1, &mapped, &err);
    if (st < 0)
        fprintf(stderr, "%s\n", err.msg);
    mb_npy_unmap(&mapped);
    mb_arena_free(a);
    return st < 0;
}
