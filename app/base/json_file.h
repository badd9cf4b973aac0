/* json_file.h - JSON files of the program: written whole, read with errors that name file and
 * field. */
#ifndef MB_JSON_FILE_H
#define MB_JSON_FILE_H

#include "meshbayes/meshbayes.h"

#include <jansson.h>

/* json_out.c: numbers keep all their digits; those that are not finite are null. */
json_t *app_json_number(double x);
json_t *app_json_vector(const double *x, int32_t n);
/* Lower triangle by rows -> n x n, divided by `by`. */
json_t *app_json_triangle(const double *tril, int32_t n, double by);
json_t *app_json_texts(const char *const *text, int32_t n);
/* Atomic; indented, with a newline at the end. */
mb_status app_json_write(mb_arena *a, const char *path, const json_t *value,
                         mb_err *err) MB_CHECKED;

/* json_in.c: an object; the caller json_decrefs it. */
mb_status app_json_load(mb_arena *a, const char *path, json_t **out, mb_err *err) MB_CHECKED;
/* Getters that keep the first error, so that a reader is a flat list of lines. */
typedef struct app_json {
    const char *file, *where; /* where: "algorithms[2]." */
    mb_err     *err;
    mb_status   status;
} app_json;
const char   *app_json_text(app_json *j, const json_t *o, const char *key);  /* NULL: absent */
double        app_json_real(app_json *j, const json_t *o, const char *key);  /* NaN: absent  */
int64_t       app_json_count(app_json *j, const json_t *o, const char *key); /* -1: absent   */
const json_t *app_json_get(app_json *j, const json_t *o, const char *key, json_type type);
/* A list (of lists) of finite numbers with this shape, 0 to 3 dimensions, row-major into x;
 * NULL: only checked, before memory for so many is asked for. */
void app_json_numbers(app_json *j, const json_t *o, const char *key, int ndim, const int32_t *shape,
                      double *x);
/* The lower triangle by rows of a matrix (n x n) read by app_json_numbers, which must be symmetric up
 * to the rounding of numbers written as text. k: its index in a list of matrices, -1 when alone. */
void app_json_lower(app_json *j, const char *key, int32_t k, int32_t n, const double *full,
                    double *tril);
/* "FILE: field "WHERE KEY INDEX": ..., accepted: ..." unless there was an error before; index may
 * be "". */
void app_json_refuse(app_json *j, const char *key, const char *index, const char *accepted);

/* json_memory.c. Before the first JSON value of the program: */
void app_json_begin(void);
/* MB_E_NOMEM when memory was short for a JSON value: what was built since lacks parts. To be asked
 * before anything made of JSON is written. */
mb_status app_json_whole(mb_err *err) MB_CHECKED;
/* MB_E_FORMAT unless every text can stand in JSON: UTF-8. `what`: "column". */
mb_status app_json_texts_check(const char *file, const char *what, const char *const *text,
                               int32_t n, mb_err *err) MB_CHECKED;
/* On standard output, whole or not at all. */
mb_status app_json_print(const json_t *value, mb_err *err) MB_CHECKED;

#endif
