/* reader.h - the state of a reader, which reader_open.c makes and reader.c moves on. */
#ifndef MB_DATA_READER_H
#define MB_DATA_READER_H

#include "data/coder.h"

enum { MOST_NOTES = 4 };

struct mb_reader {
    mb_arena          *a;
    const mb_data_opt *opt; /* NULL: one file, all columns */
    mb_file_list       files;
    int32_t            at;    /* the file being read; files.n: at the end */
    mb_sheet_          sheet; /* it */
    mb_hash_          *hash;
    int32_t            cols;
    const char       **name;      /* cols; NULL for NPY                                      */
    int32_t            row_names; /* 1: the first column of the first file is MB_ROW_NAMES_    */
    mb_columns_        columns;   /* of the first file                                       */
    int32_t           *here;      /* cols: where this file has the columns of the first, or -1 */
    int32_t           *pick, d, weight; /* d columns to deliver; weight: which of them, or -1 */
    int32_t            lacks;           /* 1 + which may lack a value in any case; 0: none    */
    mb_coder_         *coder;           /* d, of columns of kinds; NULL: all are numbers    */
    int32_t           *keep, k;         /* k columns of text */
    int                as_texts;        /* 1: features and weights are among them, d = 0 */
    int64_t           *count;           /* files.n: rows delivered */
    int64_t            delivered, seen; /* rows, of all files; seen: dropped ones too */
    int64_t            gaps;            /* cells without a value in the rows delivered */
    int64_t           *number, room;    /* room: of the rows of a batch */
    int64_t           *line;            /* room: CSV: in its file */
    size_t            *begins;          /* room x k: the kept texts, in `texts` */
    char              *texts;           /* full of `large` bytes */
    size_t             full, large;
    const char        *note[MOST_NOTES];
    int32_t            notes;
    /* Lines of plain numbers, reader_plain.c. */
    int32_t *to;    /* cols of the file; NULL: not known                     */
    int      plain; /* 1: lines may be plain                                 */
    int32_t  slow;  /* lines that are left to next_csv before the next look  */
    int32_t  wait;  /* how many they are if that is in vain                  */
    /* Rows in groups, reader_groups.c. */
    struct mb_watch_ *groups; /* NULL: none are watched */
    mb_block_         block;  /* NPY: rows that are being taken */
};

/* Takes rows of the buffer, while they are plain, as rows *n .. of a batch of `max`. */
mb_status mb_plain_rows_(mb_reader *s, int64_t max, double *x, int64_t *n, mb_err *err) MB_CHECKED;

/* Opens what tells the groups of the rows. */
mb_status mb_watch_open_(mb_reader *s, mb_err *err) MB_CHECKED;
/* The sheet has become another row. MB_E_FORMAT when its group has ended before. */
mb_status mb_watch_row_(mb_reader *s, mb_err *err) MB_CHECKED;
/* 1: the sheet's row, which is of the next group, is left for the next batch, of which n are there.
 * MB_E_FORMAT when there is no room, max, for the whole group. */
mb_status mb_watch_stops_(mb_reader *s, int64_t n, int64_t max, int *stops, mb_err *err) MB_CHECKED;
/* 1: the row that was left is there already. */
int mb_watch_left_(mb_reader *s);
/* 1: at the end of a file the batch, of n rows, continues with the next. */
int mb_watch_continues_(const mb_reader *s, int64_t n, int64_t max);
/* Row `at` of the batch is of the current group; 0: it is to be dropped. */
int mb_watch_take_(mb_reader *s, int64_t at);
/* After the last row. */
mb_status mb_watch_end_(mb_reader *s, mb_err *err) MB_CHECKED;
/* Safe on a reader without groups. */
void mb_watch_close_(mb_reader *s);
/* Room for a batch. */
mb_status mb_watch_room_(mb_reader *s, int64_t rows, mb_err *err) MB_CHECKED;

/* Adds a note; MB_E_NOMEM when the text is NULL. */
mb_status mb_reader_note_(mb_reader *s, const char *text) MB_CHECKED;
/* Opens the file s->at, to be read. */
mb_status mb_reader_turn_(mb_reader *s, mb_err *err) MB_CHECKED;
/* The columns that are selected, but the weight, have kinds: of[k], or NULL for one that is to be
 * recognised. d of them. */
mb_status mb_reader_code_(mb_reader *s, const mb_column *const *of, int32_t d,
                          mb_err *err) MB_CHECKED;
/* CSV: rows are delivered as the texts of these k columns alone. */
mb_status mb_reader_texts_(mb_reader *s, const int32_t *column, int32_t k, mb_err *err) MB_CHECKED;

#endif
