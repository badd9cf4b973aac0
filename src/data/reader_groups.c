/* reader_groups.c - rows in groups while they are read: the text of a column, or of a file beside
 * the rows, which is the same for the rows of a group and comes again for no other. */
#include "data/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct begin {
    int32_t file;
    int64_t line; /* CSV; NPY: row, from 1 */
} begin;

typedef struct mb_watch_ {
    mb_sheet_ beside; /* the file of the groups, when is_file is 1                */
    int       is_file;
    mb_words_ words; /* names of the groups, in their order                      */
    begin    *began; /* room: where each begins                                  */
    int32_t   room;
    int32_t   last;     /* the group of the rows before; -1: there are none         */
    int32_t   now;      /* that of the row of the sheet; -1: it has none            */
    int32_t  *of;       /* of the rows of the batch                                 */
    int64_t   least;    /* rows of a batch that ends with a group; 0: it may end anywhere */
    int       left;     /* 1: the sheet's row belongs to the next batch             */
    char      time[64]; /* of the row before, cut                                  */
} mb_watch_;

mb_status mb_sheet_beside_(mb_sheet_ *s, char number[32], const char **text, mb_err *err)
{
    mb_block_ b;
    double    x;

    *text = NULL;
    if (s->name) {
        MB_TRY(mb_sheet_row_(s, err));
        *text = s->line ? *s->cell : NULL;
        if (s->line && !**text)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: the cell is empty", s->file, (long long)s->line);
        return MB_OK;
    }
    MB_TRY(mb_sheet_block_(s, 1, &b, err));
    if (!b.n)
        return MB_OK;
    mb_npy_numbers_(&s->head, b.bytes, 1, &x);
    if (!(fabs(x) <= 9007199254740992.0) || floor(x) < x)
        MB_FAIL(err, MB_E_FORMAT, "%s: row %lld: got %.9g; expected a whole number", s->file,
                (long long)s->done, x);
    snprintf(number, 32, "%.0f", x);
    *text = number;
    return MB_OK;
}

mb_status mb_watch_open_(mb_reader *s, mb_err *err)
{
    mb_watch_ *q;

    if (s->opt && s->columns.time >= 0 && s->columns.group < 0 && !s->opt->group_file &&
        !s->opt->file_groups)
        MB_FAIL(
            err, MB_E_ARG,
            "--time-column: got \"%.60s\" of rows that are in no groups; expected --group-column "
            "beside it, or a model of sequences",
            s->opt->time_column);
    if (!s->opt || (s->columns.group < 0 && !s->opt->group_file && !s->opt->file_groups))
        return MB_OK;
    MB_NEW(q, s->a, 1, err);
    q->last = q->now = -1;
    q->words.a = s->a;
    s->groups = q;
    MB_TRY(mb_watch_room_(s, s->room, err));
    if (!s->opt->group_file)
        return MB_OK;
    MB_TRY(mb_sheet_open_(s->a, s->opt->group_file, NULL, 1, NULL, &q->beside, err));
    q->is_file = 1;
    if (q->beside.cols != 1)
        MB_FAIL(err, MB_E_SHAPE, "--group-file: %s has %d columns; expected one", q->beside.file,
                q->beside.cols);
    return MB_OK;
}

void mb_watch_close_(mb_reader *s)
{
    if (s->groups && s->groups->is_file)
        mb_sheet_close_(&s->groups->beside);
}

mb_status mb_watch_room_(mb_reader *s, int64_t rows, mb_err *err)
{
    if (s->groups)
        MB_NEW(s->groups->of, s->a, rows + 1, err);
    return MB_OK;
}

/* The text of the sheet's row; NULL: there is none. */
static mb_status read_text(mb_reader *s, char number[32], const char **text, mb_err *err)
{
    mb_watch_ *q = s->groups;

    if (q->is_file) {
        MB_TRY(mb_sheet_beside_(&q->beside, number, text, err));
        if (!*text)
            MB_FAIL(err, MB_E_SHAPE,
                    "--group-file: %s has fewer rows than %s; expected one for each",
                    q->beside.file, s->files.file[0]);
        return MB_OK;
    }
    if (s->columns.group < 0) {
        *text = s->files.name[s->at];
        return MB_OK;
    }
    *text = s->sheet.cell[s->here[s->columns.group]];
    if (**text)
        return MB_OK;
    *text = NULL;
    if (s->opt->missing != MB_MISSING_DROP)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": the cell is empty", s->sheet.file,
                (long long)s->sheet.line, s->name[s->columns.group]);
    return MB_OK;
}

static mb_status again(const mb_reader *s, int32_t group, mb_err *err)
{
    const begin  *at = &s->groups->began[group];
    const char   *in = s->name ? ":" : ": row ";
    const int64_t line = s->name ? s->sheet.line : s->sheet.done;

    MB_FAIL(err, MB_E_FORMAT,
            "%.120s%s%lld: group \"%.60s\" continues after another one; it began in %.120s%s%lld; "
            "expected the rows of a group one after the other (sort them by group)",
            s->sheet.file, in, (long long)line, s->groups->words.text[group],
            s->files.file[at->file], in, (long long)at->line);
}

/* Time does not go back within a group. */
static mb_status check_time(mb_reader *s, int begins, mb_err *err)
{
    mb_watch_  *q = s->groups;
    const char *now;
    double      a, b;
    int         back;

    if (s->columns.time < 0)
        return MB_OK;
    now = s->sheet.cell[s->here[s->columns.time]];
    if (!*now)
        MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%.60s\": the cell is empty", s->sheet.file,
                (long long)s->sheet.line, s->name[s->columns.time]);
    back = !mb_parse_double(q->time, &a) && !mb_parse_double(now, &b)
               ? b < a
               : strncmp(now, q->time, sizeof q->time - 1) < 0;
    if (!begins && back)
        MB_FAIL(
            err, MB_E_FORMAT,
            "%s:%lld: column \"%.60s\": got \"%.60s\" after \"%.60s\" in the same group; expected "
            "ascending times, each group sorted by them",
            s->sheet.file, (long long)s->sheet.line, s->name[s->columns.time], now, q->time);
    snprintf(q->time, sizeof q->time, "%s", now);
    return MB_OK;
}

mb_status mb_watch_row_(mb_reader *s, mb_err *err)
{
    mb_watch_  *q = s->groups;
    char        number[32];
    const char *text;
    int32_t     before;

    if (!q)
        return MB_OK;
    q->now = -1;
    MB_TRY(read_text(s, number, &text, err));
    if (!text)
        return MB_OK;
    before = q->words.count;
    MB_TRY(mb_words_add_(&q->words, text, &q->now, err));
    if (q->now < before && q->now != q->last)
        return again(s, q->now, err);
    MB_TRY(check_time(s, q->now == before, err));
    if (q->now < before)
        return MB_OK;
    if (before == q->room) {
        q->room = 2 * before + 64;
        q->began =
            mb_larger_(s->a, q->began, (size_t)before, (size_t)q->room, sizeof *q->began, err);
        if (!q->began)
            return MB_E_NOMEM;
    }
    q->began[q->now] = (begin){s->at, s->name ? s->sheet.line : s->sheet.done};
    q->last = q->now;
    return MB_OK;
}

mb_status mb_watch_stops_(mb_reader *s, int64_t n, int64_t max, int *stops, mb_err *err)
{
    mb_watch_ *q = s->groups;

    *stops = 0;
    if (!q)
        return MB_OK;
    *stops = q->least ? n >= q->least && q->now >= 0 && q->now != q->of[n - 1] : n == max;
    q->left = *stops;
    if (!*stops && n == max)
        MB_FAIL(err, MB_E_FORMAT,
                "%s: group \"%.60s\" has more than %lld rows, which cannot be predicted together",
                s->sheet.file, q->words.text[q->last], (long long)max);
    return MB_OK;
}

int mb_watch_left_(mb_reader *s)
{
    return s->groups && s->groups->left;
}

int mb_watch_continues_(const mb_reader *s, int64_t n, int64_t max)
{
    return s->groups && s->groups->least ? !s->groups->left : n < max;
}

int mb_watch_take_(mb_reader *s, int64_t at)
{
    mb_watch_ *q = s->groups;

    if (!q)
        return 1;
    q->of[at] = q->now;
    return q->now >= 0;
}

mb_status mb_watch_end_(mb_reader *s, mb_err *err)
{
    mb_watch_  *q = s->groups;
    char        number[32];
    const char *text;

    if (!q || !q->is_file)
        return MB_OK;
    MB_TRY(mb_sheet_beside_(&q->beside, number, &text, err));
    if (text)
        MB_FAIL(err, MB_E_SHAPE, "--group-file: %s has more rows than %s; expected one for each",
                q->beside.file, s->files.file[0]);
    return MB_OK;
}

const int32_t *mb_reader_group_(const mb_reader *s)
{
    return s->groups ? s->groups->of : NULL;
}

const char *const *mb_reader_group_names_(const mb_reader *s)
{
    return s->groups->words.text;
}

const char *mb_reader_group_name_(const mb_reader *s, int64_t j)
{
    return mb_reader_group_names_(s)[s->groups->of[j]];
}

void mb_reader_whole_groups_(mb_reader *s, int64_t rows)
{
    if (s->groups)
        s->groups->least = rows;
}
