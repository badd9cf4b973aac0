/* folder.h - an output folder as a whole: one writer at a time, and a list in summary.json that says
 * which files are of one run. */
#ifndef MB_FOLDER_H
#define MB_FOLDER_H

#include "base/json_file.h"

/* Nobody else writes into the folder until this process ends; MB_E_IO when somebody does. Where files
 * can not be locked there is a warning only. command: for that. */
typedef enum folder_kind {
    FOLDER_NEW, /* the lock file is made                                                 */
    FOLDER_OLD  /* only beside a summary.json: what may be no folder of ours is left alone */
} folder_kind;
mb_status folder_lock(const char *dir, const char *command, folder_kind kind,
                      mb_err *err) MB_CHECKED;
/* Removes what processes that are no more left half-written. */
void folder_sweep(const char *dir);
/* Removes a folder and the files in it; `at`: a descriptor of the folder above, or AT_FDCWD. */
void folder_remove(int at, const char *name);
/* From here on the folder is of no run: what says otherwise goes, summary.json and the page. */
mb_status folder_begin(const char *dir, mb_err *err) MB_CHECKED;
/* Sizes and check sums of files of a folder, for summary.json. */
mb_status folder_list(const char *dir, const char *const *name, int32_t count, json_t **out,
                      mb_err *err) MB_CHECKED;
/* MB_E_FORMAT when the folder does not hold what its summary.json lists: the first file that
 * differs, and how. MB_E_IO when there is no summary. A summary without a list is taken as it is. */
mb_status folder_check(const char *dir, mb_err *err) MB_CHECKED;
/* 1 when a summary lists the file, or has no list. */
int folder_has(const mb_json *summary, const char *name);

#endif
