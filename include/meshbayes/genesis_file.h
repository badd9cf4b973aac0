/* meshbayes/genesis_file.h - genesis files (docs/formats.md, docs/genesis.schema.json): the block
 * that all nodes of a mesh are given, as JSON. */
#ifndef MESHBAYES_GENESIS_FILE_H
#define MESHBAYES_GENESIS_FILE_H

#include "meshbayes/genesis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a block, atomically. Read back it has the same bits and the same hash. MB_E_FORMAT for a
 * name that is not UTF-8, MB_E_IO. */
MB_API mb_status mb_genesis_write(mb_arena *a, const mb_genesis *g, const char *file,
                                  mb_err *err) MB_CHECKED;
/* Reads a block. Every field is checked, and one that is not known is refused: MB_E_FORMAT names
 * file and field and what would be accepted. A file made by hand may leave out "hash" and
 * "prior_natural", which then follows from "prior"; "hash" must be that of the block. kind: NULL
 * for those of mb_kind_list, else the only one that is accepted. MB_E_NOSUP without jansson. */
MB_API mb_status mb_genesis_read(mb_arena *a, const char *file, const mb_kind *kind,
                                 mb_genesis *out, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
