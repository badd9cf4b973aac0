/* file_data.c - a data set read from a file as a table of rows. */
#include "data/table.h"

mb_table mb_table_of(const mb_data *data, const char *name)
{
    return (mb_table){.rows = {.x = data->x,
                               .w = data->w,
                               .n = data->n,
                               .d = data->d,
                               .ld = (size_t)data->d,
                               .first = data->group,
                               .ngroup = data->ngroup,
                               .gaps = data->gaps > 0,
                               .stored = data->stored},
                      .column = data->name,
                      .kinds = data->columns,
                      .name = name,
                      .N = data->N,
                      .id = data->node_id,
                      .first = data->first,
                      .row = data->file_row,
                      .from = data->from,
                      .place = mb_row_place};
}
