/* network/file.h - steps of making a network; those that read files are refused without stdio. */
#ifndef MB_NETWORK_FILE_H
#define MB_NETWORK_FILE_H

#include "data/data.h"
#include "meshbayes/meshbayes.h"

/* Numbers for names where none are given, then the steps after the links, unless the options end
 * there. */
mb_status mb_network_finish_(mb_arena *a, const mb_network_opt *opt, mb_network *net,
                             mb_err *err) MB_CHECKED;

#ifndef MB_NO_STDIO
struct mb_edges;
/* *xy: n x 2 without a position yet. */
mb_status mb_no_positions_(mb_arena *a, int32_t n, double **xy, mb_err *err) MB_CHECKED;
/* The first node without a position, or -1. */
int32_t mb_position_missing_(const double *xy, int32_t n);
/* *xy: n x 2, of every node. */
mb_status mb_network_positions_(mb_arena *a, const char *file, const mb_network *net, double **xy,
                                mb_err *err) MB_CHECKED;
/* net->delivery, of the links list, whose ends are nodes index[2 e], index[2 e + 1]. */
mb_status mb_network_delivery_(mb_arena *a, const char *file, const struct mb_edges *list,
                               const int32_t *index, mb_network *net, mb_err *err) MB_CHECKED;
/* net->note: columns of the file that are not used. */
mb_status mb_network_note_(mb_arena *a, const char *file, const struct mb_edges *list,
                           mb_network *net, mb_err *err) MB_CHECKED;
/* MB_E_ARG when the names of the file and those of the data have no node in common: index[0..own)
 * are the nodes named in the file, index[own..n) those of the data. */
mb_status mb_network_meet_(mb_arena *a, const char *file, int64_t own, int64_t n,
                           const int32_t *index, const mb_network *net, mb_err *err) MB_CHECKED;
/* net->w and net->warning. */
mb_status mb_network_weights_(mb_arena *a, const char *file, mb_network *net,
                              mb_err *err) MB_CHECKED;
#else
static inline mb_status mb_network_no_files_(const char *file, mb_err *err)
{
    MB_FAIL(err, MB_E_NOSUP, "%.200s: this build reads no files", file);
}
#define mb_network_positions_(a, file, net, xy, err) mb_network_no_files_(file, err)
#define mb_network_weights_(a, file, net, err)       mb_network_no_files_(file, err)
#endif

#endif
