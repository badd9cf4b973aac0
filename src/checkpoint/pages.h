/* pages.h - files of 8-byte words in pages with a checksum each: a flipped byte or a cut is found
 * when the page is read, and reading starts at any word. Layout in docs/formats.md. */
#ifndef MB_CHECKPOINT_PAGES_H
#define MB_CHECKPOINT_PAGES_H

#include "data/file.h"
#include "meshbayes/meshbayes.h"

enum {
    MB_PAGES_VERSION_ = 4,
    MB_PAGE_WORDS_ = 8192, /* of a page, with its checksum */
    MB_PAGES_HEAD_ = 3,    /* words: magic, version and byte order, kind */
    MB_STAMP_ = 4          /* words of a stamp, at most */
};

/* A running checksum of words: a change within one word always changes it. */
uint64_t mb_words_hash_(uint64_t hash, const void *words, size_t n);

/* A file that is being written or read. */
typedef struct mb_pages_ {
    int         reading;
    mb_file     f;     /* written                                   */
    void       *fp;    /* FILE *, read                              */
    const char *path;  /* the caller's                              */
    int64_t     size;  /* bytes of a file that is read              */
    int64_t     words; /* of a file that is read, without checksums */
    int64_t     at;    /* word that is put or got next              */
    int64_t     held;  /* number of the page in `page`, -1: none    */
    uint64_t    page[MB_PAGE_WORDS_];
} mb_pages_;
/* Starts a file with its head. kind: what the file is, checked by mb_pages_open_. */
mb_status mb_pages_begin_(mb_arena *a, const char *path, uint64_t kind, mb_pages_ *out,
                          mb_err *err) MB_CHECKED;
/* Opens a file and reads its head. MB_E_FORMAT names the file, the page and what is wrong, here and
 * below. */
mb_status mb_pages_open_(const char *path, uint64_t kind, mb_pages_ *out, mb_err *err) MB_CHECKED;
/* Puts or gets n words, here and below, as the file is written or read: one list of fields serves
 * both. */
mb_status mb_pages_move_(mb_pages_ *p, void *words, size_t n, mb_err *err) MB_CHECKED;
/* The same for a file that is written. */
mb_status mb_pages_put_(mb_pages_ *p, const void *words, size_t n, mb_err *err) MB_CHECKED;
/* A number that must be in lo..hi when it is read. */
mb_status mb_pages_number_(mb_pages_ *p, int64_t lo, int64_t hi, int64_t *x,
                           mb_err *err) MB_CHECKED;
/* Length and bytes, padded with zeros. One that is read is in the arena, with a 0 after it. */
mb_status mb_pages_text_(mb_arena *a, mb_pages_ *p, const char **bytes, size_t *n,
                         mb_err *err) MB_CHECKED;
/* Words that tell which checkpoint the file is part of. */
mb_status mb_pages_stamp_(mb_pages_ *p, const int64_t *words, size_t n, mb_err *err) MB_CHECKED;
/* Reads from this word on; MB_E_FORMAT when the file has no such word. */
mb_status mb_pages_seek_(mb_pages_ *p, int64_t word, mb_err *err) MB_CHECKED;
mb_status mb_pages_commit_(mb_pages_ *p, mb_err *err) MB_CHECKED;
/* Removes what is not committed. Safe after commit and on a zeroed struct. */
void mb_pages_close_(mb_pages_ *p);

#endif
