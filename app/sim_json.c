/* sim_json.c - numbers and texts as JSON. */
#include "sim_model.h"

json_t *sim_json_vector(const double *x, int32_t n)
{
    json_t *v = json_array();

    for (int32_t d = 0; d < n; d++)
        json_array_append_new(v, sim_number(x[d]));
    return v;
}

/* tril by rows -> full D x D, divided by `by`. */
json_t *sim_json_triangle(const double *tril, int32_t D, double by)
{
    json_t *m = json_array();

    for (int32_t r = 0; r < D; r++) {
        json_t *row = json_array();

        for (int32_t c = 0; c < D; c++) {
            int32_t hi = r > c ? r : c, lo = r > c ? c : r;

            json_array_append_new(row, sim_number(tril[hi * (hi + 1) / 2 + lo] / by));
        }
        json_array_append_new(m, row);
    }
    return m;
}

json_t *sim_json_texts(const char *const *name, int32_t n)
{
    json_t *list = json_array();

    for (int32_t d = 0; d < n; d++)
        json_array_append_new(list, json_string(name[d]));
    return list;
}
