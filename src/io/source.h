/* source.h - the bytes of a file, front to back, decompressed when they are gzip data. */
#ifndef MB_IO_SOURCE_H
#define MB_IO_SOURCE_H

#include "meshbayes/file.h"

typedef struct mb_source_ {
    void              *fp;      /* FILE *                                            */
    const char        *path;    /* the caller's                                      */
    int64_t            size;    /* bytes to come where that is known, else -1        */
    struct mb_gunzip_ *gzip;    /* NULL: the bytes are as they are in the file       */
    char               head[2]; /* read to recognise gzip data, and not yet returned */
    size_t             heads;
} mb_source_;
mb_status mb_source_open_(const char *path, mb_source_ *out, mb_err *err) MB_CHECKED;
/* Fewer than n bytes only at the end of the file. */
mb_status mb_source_read_(mb_source_ *s, char *bytes, size_t n, size_t *got,
                          mb_err *err) MB_CHECKED;
/* Safe on a zeroed struct. */
void mb_source_close_(mb_source_ *s);
/* "PATH: cannot WHAT: reason", as MB_E_IO. */
mb_status mb_io_failed_(const char *path, const char *doing, int reason, mb_err *err);

#endif
