/* pages.h - files of 8-byte words in pages with a checksum each: a flipped byte or a cut is found
 * by whoever reads the page, and reading starts at any word. Layout in docs/formats.md. */
#ifndef MB_CHECKPOINT_PAGES_H
#define MB_CHECKPOINT_PAGES_H

#include "meshbayes/file.h"

enum {
    MB_PAGES_VERSION_ = 2,
    MB_PAGE_WORDS_ = 8192, /* of a page, with its checksum */
    MB_PAGES_HEAD_ = 3     /* words: magic, version and byte order, kind */
};

/* A running checksum of words: a change within one word always changes it. */
uint64_t mb_words_hash_(uint64_t hash, const void *words, size_t n);

/* A file that is being written. */
typedef struct mb_pages_out_ {
    mb_file  f;
    uint64_t page[MB_PAGE_WORDS_];
    size_t   used;   /* words of the page          */
    int64_t  number; /* of the page, from 0        */
} mb_pages_out_;
/* kind: what the file is, found again by mb_pages_open_. */
mb_status mb_pages_begin_(mb_arena *a, const char *path, uint64_t kind, mb_pages_out_ *out,
                          mb_err *err) MB_CHECKED;
mb_status mb_pages_put_(mb_pages_out_ *w, const void *words, size_t n, mb_err *err) MB_CHECKED;
mb_status mb_pages_put_number_(mb_pages_out_ *w, int64_t x, mb_err *err) MB_CHECKED;
/* Length and bytes, filled up with zeros. */
mb_status mb_pages_put_text_(mb_pages_out_ *w, const char *bytes, size_t n, mb_err *err) MB_CHECKED;
/* Words so far: where the next one goes, for mb_pages_seek_. */
int64_t   mb_pages_at_(const mb_pages_out_ *w);
mb_status mb_pages_commit_(mb_pages_out_ *w, mb_err *err) MB_CHECKED;
/* Safe after commit and on a zeroed struct. */
void mb_pages_abort_(mb_pages_out_ *w);

/* A file that is being read. */
typedef struct mb_pages_in_ {
    void       *fp;    /* FILE *                                 */
    const char *path;  /* the caller's                           */
    int64_t     size;  /* bytes                                  */
    int64_t     words; /* without checksums                      */
    int64_t     at;    /* word that is read next                 */
    int64_t     held;  /* number of the page in `page`, -1: none */
    uint64_t    page[MB_PAGE_WORDS_];
} mb_pages_in_;
/* MB_E_FORMAT names the file, the page and what is wrong, here and below. Ready behind the head. */
mb_status mb_pages_open_(const char *path, uint64_t kind, mb_pages_in_ *out,
                         mb_err *err) MB_CHECKED;
mb_status mb_pages_get_(mb_pages_in_ *r, void *words, size_t n, mb_err *err) MB_CHECKED;
mb_status mb_pages_get_number_(mb_pages_in_ *r, int64_t lo, int64_t hi, int64_t *x,
                               mb_err *err) MB_CHECKED;
/* In the arena, a 0 behind the n bytes. */
mb_status mb_pages_get_text_(mb_arena *a, mb_pages_in_ *r, char **bytes, size_t *n,
                             mb_err *err) MB_CHECKED;
/* MB_E_FORMAT when the file has no such word. */
mb_status mb_pages_seek_(mb_pages_in_ *r, int64_t word, mb_err *err) MB_CHECKED;
/* Safe on a zeroed struct. */
void mb_pages_close_(mb_pages_in_ *r);

#endif
