/* data/file.h - files that are replaced whole, folders, checksums. */
#ifndef MB_DATA_FILE_H
#define MB_DATA_FILE_H

#include "meshbayes/meshbayes.h"

/* 1 if a path ends in `ending` (".npy"), optionally followed by ".gz". */
int mb_path_ends(const char *path, const char *ending);

/* A file that is written as a temporary, FILE.tmp-PID in the same folder, and renamed: readers
 * never see it incomplete. Temporaries of the file that ended processes left are removed. */
typedef struct mb_file {
    void       *fp;   /* FILE * */
    const char *temp; /* in the arena */
    const char *path; /* in the arena: its final name */
    void       *gzip; /* gzFile; NULL: not compressed */
} mb_file;
/* Opens the temporary for `path`. MB_E_IO, here and below. */
mb_status mb_file_open(mb_arena *a, const char *path, mb_file *out, mb_err *err) MB_CHECKED;
/* Appends n bytes. */
mb_status mb_file_write(mb_file *f, const void *bytes, size_t n, mb_err *err) MB_CHECKED;
/* Appends printf-style text, locale "C". */
mb_status mb_file_printf(mb_file *f, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
/* Flushes, syncs and renames. On failure the temporary is removed and the old file is unchanged. */
mb_status mb_file_commit(mb_file *f, mb_err *err) MB_CHECKED;
/* Removes the temporary; safe after commit and on a zeroed struct. */
void mb_file_abort(mb_file *f);
/* Commits if st is no error, else removes the temporary and returns st. */
mb_status mb_file_close(mb_file *f, mb_status st, mb_err *err) MB_CHECKED;
/* Reads a whole file; a 0 byte follows its n bytes. */
mb_status mb_file_read(mb_arena *a, const char *path, char **bytes, size_t *n,
                       mb_err *err) MB_CHECKED;
/* Removes FILE.tmp-PID of processes that have ended from a folder: of one file there, or of all
 * files (NULL). Processes of other machines are not recognised: none of them may be writing
 * there. */
void mb_dir_sweep(const char *dir, const char *file);
/* 1 if no process of this machine has this number. */
int mb_process_gone(long pid);
/* Updates a CRC-32 of zip and gzip (ISO 3309) with n bytes; crc: its value so far, initially 0. */
uint32_t mb_crc32(uint32_t crc, const void *bytes, size_t n);
/* Creates a folder and its parents if missing; MB_E_IO if the path exists and is no folder. */
mb_status mb_dir_make(const char *path, mb_err *err) MB_CHECKED;
/* SipHash-2-4 of the bytes of a file, as they are stored. MB_E_IO. */
mb_status mb_file_keyed_hash(const char *file, const uint64_t key[2], uint64_t *out,
                             mb_err *err) MB_CHECKED;

#endif
