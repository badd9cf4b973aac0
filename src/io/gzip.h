/* gzip.h - gzip data (RFC 1952) as it is read and written; without zlib every use is an error. */
#ifndef MB_IO_GZIP_H
#define MB_IO_GZIP_H

#include "io/source.h"

/* 1 when the name ends in ".gz". */
int mb_is_gzip_(const char *path);

/* Unpacks what mb_source_packed_ gives, one member behind the other. */
typedef struct mb_gunzip_ mb_gunzip_;
mb_status mb_gunzip_open_(const char *path, mb_gunzip_ **out, mb_err *err) MB_CHECKED;
/* Fewer than n bytes only at the end of the data. */
mb_status mb_gunzip_read_(mb_gunzip_ *g, mb_source_ *from, char *bytes, size_t n, size_t *got,
                          mb_err *err) MB_CHECKED;
/* Safe on NULL. */
void mb_gunzip_close_(mb_gunzip_ *g);

/* Packs bytes into an open stream (FILE *); the same bytes give the same file: no name, no time. */
typedef struct mb_gzip_ mb_gzip_;
mb_status               mb_gzip_open_(const char *path, mb_gzip_ **out, mb_err *err) MB_CHECKED;
mb_status               mb_gzip_write_(mb_gzip_ *g, void *fp, const void *bytes, size_t n,
                                       mb_err *err) MB_CHECKED;
mb_status               mb_gzip_end_(mb_gzip_ *g, void *fp, mb_err *err) MB_CHECKED;
/* Safe on NULL. */
void mb_gzip_close_(mb_gzip_ *g);

#endif
