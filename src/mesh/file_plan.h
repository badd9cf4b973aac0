/* mesh/file_plan.h - plans of nodes that make their block themselves, in files. */
#ifndef MB_MESH_FILE_PLAN_H
#define MB_MESH_FILE_PLAN_H

#include "data/json.h"
#include "meshbayes/meshbayes.h"

/* The object "model" of a configuration or a genesis file without a block: name, options that are
 * not the default, columns, their kinds, seed, where the block comes from, and bounds as a list. */
mb_status mb_plan_put_model_(mb_arena *a, const mb_plan *plan, mb_json_out *j) MB_CHECKED;
/* Reads it: all of plan but algorithm and mask. Bounds that are a text, the name of a file, are the
 * caller's; without "columns" plan->column is NULL. */
mb_status mb_plan_get_model_(mb_arena *a, mb_json_in *j, const mb_json *o,
                             mb_plan *plan) MB_CHECKED;

/* 1: the object is that of a genesis file without a block. */
int mb_genesis_lacks_block_(const mb_json *o);
/* Writes such a file, atomically: the plan and what is declared (NULL: nothing). */
mb_status mb_plan_write_(mb_arena *a, const mb_plan *plan, const mb_declared *declared,
                         const char *file, mb_err *err) MB_CHECKED;
/* Reads it, algorithm and mask apart, which *declared has (NULL: nothing is declared). *lacks: 0:
 * the file has a block, and nothing else is set. MB_E_FORMAT names file and field. */
mb_status mb_plan_read_(mb_arena *a, const char *file, mb_plan *out, const mb_declared **declared,
                        int *lacks, mb_err *err) MB_CHECKED;

#endif
