/* mesh/file_declared.h - what a genesis file declares beside the block. */
#ifndef MB_MESH_FILE_DECLARED_H
#define MB_MESH_FILE_DECLARED_H

#include "data/json.h"
#include "meshbayes/meshbayes.h"

/* Names of the fields, ends with NULL. */
enum { MB_DECLARED_FIELDS_ = 10 };
extern const char *const mb_declared_fields_[MB_DECLARED_FIELDS_ + 1];
/* Writes them, if something is declared, into the object of the file. */
void mb_declared_write_(mb_json_out *j, const mb_genesis *g);
/* Reads them into g->declared; g has its columns already. NULL: the file declares nothing. */
mb_status mb_declared_read_(mb_arena *a, mb_json_in *j, const mb_json *o, mb_genesis *g) MB_CHECKED;
/* "rows_are" of an object: 1: "at most"; 0: "exactly", or not there. */
int32_t mb_declared_at_most_(mb_json_in *j, const mb_json *o);
/* The field `key`, MB_SIGNING_KEY bytes in hexadecimal digits; NULL: it is not there. */
mb_status mb_declared_signing_key_(mb_arena *a, mb_json_in *j, const mb_json *o, const char *key,
                                   const uint8_t **out) MB_CHECKED;

#endif
