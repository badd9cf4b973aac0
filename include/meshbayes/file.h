/* meshbayes/file.h - files: written whole or not at all, read, swept, checked. Errors name the file.
 *
 * Files that are gzip data are unpacked by every reader of this library, told by their first two
 * bytes; paths ending in ".gz" are packed by every writer, without a time stamp. MB_E_NOSUP without
 * zlib. */
#ifndef MESHBAYES_FILE_H
#define MESHBAYES_FILE_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 when a path ends in `ending` (".npy"), or in that and ".gz". */
MB_API int mb_path_ends(const char *path, const char *ending);

/* A file written beside its place and renamed into it: never half-written. Its temporary is called
 * FILE.tmp-PID; one that a process which is no more left of the same file is removed. */
typedef struct mb_file {
    void            *fp;   /* FILE * */
    char            *temp; /* in the arena */
    char            *path; /* in the arena: where it ends up */
    struct mb_gzip_ *gzip; /* NULL: not packed */
} mb_file;
/* Opens the temporary beside `path`. MB_E_IO names the file and the reason, here and below. */
MB_API mb_status mb_file_open(mb_arena *a, const char *path, mb_file *out, mb_err *err) MB_CHECKED;
/* n bytes more. */
MB_API mb_status mb_file_write(mb_file *f, const void *bytes, size_t n, mb_err *err) MB_CHECKED;
/* Text in the manner of printf, locale "C". */
MB_API mb_status mb_file_printf(mb_file *f, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
/* Flush, sync, rename. On failure the temporary is removed and the old file stays. */
MB_API mb_status mb_file_commit(mb_file *f, mb_err *err) MB_CHECKED;
/* Removes the temporary; safe after commit and on a zeroed struct. */
MB_API void mb_file_abort(mb_file *f);
/* Whole file as bytes with a 0 behind. MB_E_IO names the file and the reason. */
MB_API mb_status mb_file_read(mb_arena *a, const char *path, char **bytes, size_t *n,
                              mb_err *err) MB_CHECKED;
/* Removes FILE.tmp-PID of processes that are no more from a folder: of one file there, or of all
 * (NULL). Processes of other machines are not seen: nobody else may be writing there. */
MB_API void mb_dir_sweep(const char *dir, const char *file);
/* 1 when no process of this machine has this number. */
MB_API int mb_process_gone(long pid);
/* CRC-32 of zip and gzip (ISO 3309) over n bytes more; crc: so far, at first 0. */
MB_API uint32_t mb_crc32(uint32_t crc, const void *bytes, size_t n);
/* Makes DIR (and parents) if missing; MB_E_IO when it exists and is no directory. */
MB_API mb_status mb_dir_make(const char *path, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
