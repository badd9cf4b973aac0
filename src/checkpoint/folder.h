/* folder.h - folders of files: what is in one, moved and removed as a whole. */
#ifndef MB_CHECKPOINT_FOLDER_H
#define MB_CHECKPOINT_FOLDER_H

#include "meshbayes/file.h"

/* Names in a folder, in no order; none when it is missing. */
mb_status mb_folder_list_(mb_arena *a, const char *path, const char ***name, int32_t *count,
                          mb_err *err) MB_CHECKED;
/* What was renamed in a folder survives a crash of the machine from here on. */
mb_status mb_folder_sync_(const char *path, mb_err *err) MB_CHECKED;
mb_status mb_folder_rename_(const char *from, const char *to, mb_err *err) MB_CHECKED;
/* A folder and the files in it; one that is missing is fine. Goes as far as it can. */
void mb_folder_remove_(const char *path);

#endif
