/* folder.h - an output folder: one writer at a time, and a list in summary.json of the files that
 * belong to one run. */
#ifndef MB_FOLDER_H
#define MB_FOLDER_H

#include "data/json.h"
#include "meshbayes/meshbayes.h"

#include <dirent.h>

/* Locks the folder against other writers until this process ends; MB_E_IO if another process has
 * locked it. Where files cannot be locked, `command` only prints a warning. */
typedef enum folder_kind {
    FOLDER_NEW, /* the lock file is created                                             */
    FOLDER_OLD  /* only beside a summary.json: other folders are left alone             */
} folder_kind;
mb_status folder_lock(const char *dir, const char *command, folder_kind kind,
                      mb_err *err) MB_CHECKED;
/* Removes incomplete files and figures of processes that have ended. */
void folder_sweep(const char *dir);
/* Removes the files of an open folder, closes it and removes it: `name` in the folder `at`, a
 * descriptor or AT_FDCWD. Needs no memory. */
void folder_remove(DIR *d, int at, const char *name);
/* Removes what shows that the folder holds a run: summary.json, the page and its figures.
 * The list in the summary is stored for folder_end. */
mb_status folder_begin(const char *dir, mb_err *err) MB_CHECKED;
/* Sizes and check sums of files of a folder, as a member of the object of summary.json. */
mb_status folder_list(const char *dir, const char *const *name, int32_t count, mb_json_out *out,
                      mb_err *err) MB_CHECKED;
/* MB_E_FORMAT if a file differs from its entry in summary.json; the message names the first one and
 * the difference. MB_E_IO if there is no summary. A summary without a list passes. */
mb_status folder_check(const char *dir, mb_err *err) MB_CHECKED;
/* 1 if a file of the folder is as its entry in the list says. */
int folder_is_same(const char *dir, const char *name, const mb_json *entry);
/* Once the new summary.json is there: removes the files that the earlier one lists and the new one
 * does not, unless they have been changed. */
mb_status folder_end(const char *dir, mb_err *err) MB_CHECKED;
/* 1 if a summary lists the file, or has no list. */
int folder_has(const mb_json *summary, const char *name);

#endif
