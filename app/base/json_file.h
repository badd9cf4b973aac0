/* json_file.h - JSON files of the program, written whole; mb_json_read reads them. */
#ifndef MB_JSON_FILE_H
#define MB_JSON_FILE_H

#include "meshbayes/meshbayes.h"

#include <jansson.h>

/* json_out.c: numbers keep all their digits; those that are not finite are null. */
json_t *app_json_number(double x);
/* Atomic; indented, with a newline at the end. */
mb_status app_json_write(mb_arena *a, const char *path, const json_t *value,
                         mb_err *err) MB_CHECKED;

/* json_memory.c. Before the first JSON value of the program: */
void app_json_begin(void);
/* MB_E_NOMEM when memory was short for a JSON value: what was built since lacks parts. To be asked
 * before anything made of JSON is written. */
mb_status app_json_whole(mb_err *err) MB_CHECKED;
/* On standard output, whole or not at all. */
mb_status app_json_print(const json_t *value, mb_err *err) MB_CHECKED;

#endif
