/* data/json.h - JSON written and read. */
#ifndef MB_DATA_JSON_H
#define MB_DATA_JSON_H

#include "meshbayes/meshbayes.h"

enum { MB_JSON_DEPTH = 32 /* objects and lists that may be open in a writer */ };
/* Collects a JSON text in memory, indented by two blanks. The first failure is stored and reported
 * by mb_json_end; until then calls do nothing. */
typedef struct mb_json_out {
    mb_arena *a;                    /* where the bytes are                    */
    char     *bytes;                /* the text so far                        */
    size_t    len;                  /* bytes written                          */
    size_t    cap;                  /* bytes there is room for                */
    int32_t   depth;                /* objects and lists that are open        */
    char      close[MB_JSON_DEPTH]; /* what closes each: '}' or ']'           */
    int32_t   count;                /* members so far of the innermost one    */
    int       one_line;             /* a long list of numbers is open         */
    mb_status status;               /* first failure                          */
    mb_err   *err;                  /* its record; may be NULL                */
} mb_json_out;
/* An empty text; the value that comes first is the whole. */
void mb_json_begin(mb_json_out *j, mb_arena *a, mb_err *err);
/* Opens an object. key, here and below: NULL inside a list and for the whole. */
void mb_json_object(mb_json_out *j, const char *key);
/* Opens a list. */
void mb_json_list(mb_json_out *j, const char *key);
/* Closes the innermost object or list. */
void mb_json_close(mb_json_out *j);
/* A text; NULL becomes null. MB_E_FORMAT when it is not UTF-8. */
void mb_json_text(mb_json_out *j, const char *key, const char *text);
/* A number with the digits to read the same back; one that is not finite becomes null. */
void mb_json_number(mb_json_out *j, const char *key, double x);
/* A whole number. */
void mb_json_integer(mb_json_out *j, const char *key, int64_t x);
/* null. */
void mb_json_null(mb_json_out *j, const char *key);
/* true if is != 0, else false. */
void mb_json_bool(mb_json_out *j, const char *key, int is);
/* Nested lists of an array, row-major; ndim 0: one number. */
void mb_json_numbers(mb_json_out *j, const char *key, int32_t ndim, const int64_t *shape,
                     const double *x);
/* A list of n texts. */
void mb_json_texts(mb_json_out *j, const char *key, int32_t n, const char *const *text);
/* A value as it was read, under its own key. */
void mb_json_copy(mb_json_out *j, const struct mb_json *v);
/* Ends the text with a new line: the bytes with a 0 behind, in the arena. Returns the first
 * failure. bytes, n may be NULL. */
mb_status mb_json_end(mb_json_out *j, char **bytes, size_t *n) MB_CHECKED;
/* Ends the text and writes it to a file, atomically. */
mb_status mb_json_write(mb_json_out *j, const char *file) MB_CHECKED;

/* The type of a value that was read. */
typedef enum mb_json_type {
    MB_JSON_NONE, /* of a member that is not there */
    MB_JSON_NULL,
    MB_JSON_FALSE,
    MB_JSON_TRUE,
    MB_JSON_INTEGER,
    MB_JSON_REAL,
    MB_JSON_TEXT,
    MB_JSON_LIST,
    MB_JSON_OBJECT
} mb_json_type;
/* A value that was read; it and all it holds are in the arena. */
typedef struct mb_json {
    mb_json_type          type;    /* of the value                            */
    const char           *key;     /* in an object; NULL in a list            */
    const char           *text;    /* of a text, else NULL                    */
    double                number;  /* of an integer or real number, else 0    */
    int64_t               integer; /* of an integer, else 0                   */
    const struct mb_json *item;    /* n: members of an object, items of a list */
    size_t                n;       /* of an object or list, else 0            */
    int32_t               line;    /* in an object: where its key is, from 1  */
    int32_t               column;  /* bytes, from 1                           */
} mb_json;
/* Reads a file of one JSON object. MB_E_FORMAT names file and line; MB_E_NOSUP: no jansson. */
mb_status mb_json_read(mb_arena *a, const char *file, const mb_json **out, mb_err *err) MB_CHECKED;
/* The same for n bytes of text, which are not trusted. file: what messages call it. O(n). */
mb_status mb_json_parse(mb_arena *a, const char *file, const char *bytes, size_t n,
                        const mb_json **out, mb_err *err) MB_CHECKED;
/* A member of an object, never NULL: of type MB_JSON_NONE when it or the object is not there. */
const mb_json *mb_json_at(const mb_json *o, const char *key);

/* Checks the fields of an object: getters that keep the first error, so that a reader is a flat
 * list of lines. A field that is null counts as absent. */
typedef struct mb_json_in {
    const char *file;   /* starts the message                         */
    const char *where;  /* path of the object: "algorithms[2]." or "" */
    mb_err     *err;    /* may be NULL                                */
    mb_status   status; /* first error                                */
} mb_json_in;
/* "FILE: field "WHERE KEY INDEX" is wrong or missing; expected ..." unless there was an error
 * before; index may be "". */
void mb_json_refuse(mb_json_in *j, const char *key, const char *index, const char *accepted);
/* "FILE:LINE:COLUMN: got field "WHERE KEY"; expected ..." likewise, of a member too many. */
void mb_json_refuse_member(mb_json_in *j, const mb_json *member, const char *accepted);
/* Refuses the members of o that are not in `known`, which ends with NULL. */
void mb_json_only(mb_json_in *j, const mb_json *o, const char *const *known);
/* A text; NULL: absent. */
const char *mb_json_get_text(mb_json_in *j, const mb_json *o, const char *key);
/* A number; NaN: absent. */
double mb_json_get_real(mb_json_in *j, const mb_json *o, const char *key);
/* An integer from 0 up; -1: absent. */
int64_t mb_json_get_count(mb_json_in *j, const mb_json *o, const char *key);
/* A list or an object, which must be there; MB_JSON_NONE on error. */
const mb_json *mb_json_get(mb_json_in *j, const mb_json *o, const char *key, mb_json_type type);
/* A list (of lists) of finite numbers with this shape, 0 to 3 dimensions, row-major into x; NULL:
 * it is only checked, so that memory for it can be allocated afterwards. */
void mb_json_get_numbers(mb_json_in *j, const mb_json *o, const char *key, int32_t ndim,
                         const int32_t *shape, double *x);

#endif
