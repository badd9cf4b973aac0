/* base/ranges.h - least and most of what a fit is asked for, for the tables of options and for
 * callers of the library alike. */
#ifndef MB_BASE_RANGES_H
#define MB_BASE_RANGES_H

#define MB_RANGE_N_INIT_  1, 10000
#define MB_RANGE_ROUNDS_  1, 1e9
#define MB_RANGE_TOL_     0, 1
#define MB_RANGE_THREADS_ 0, 4096

#endif
