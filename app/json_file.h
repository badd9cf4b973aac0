/* json_file.h - JSON objects from files and to standard output. */
#ifndef MB_APP_JSON_FILE_H
#define MB_APP_JSON_FILE_H

#include "meshbayes/io.h"

#include <jansson.h>

/* Before the first JSON value of the program. */
void app_json_begin(void);
/* MB_E_NOMEM when memory was short for a JSON value: what was built since lacks parts. To be asked
 * before anything made of JSON is written. */
mb_status app_json_whole(mb_err *err) MB_CHECKED;
/* An object; MB_E_FORMAT names file and line. */
mb_status app_json_load(mb_arena *a, const char *path, json_t **out, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT unless every text can stand in JSON: UTF-8. `what`: "column". */
mb_status app_json_texts_check(const char *file, const char *what, const char *const *text,
                               int32_t n, mb_err *err) MB_CHECKED;
/* On standard output, whole or not at all. */
mb_status app_json_print(const json_t *value, mb_err *err) MB_CHECKED;

#endif
