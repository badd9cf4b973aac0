/* base/epochs.h - builds whose nodes do not run SUM, in epochs (CMake option MB_EPOCHS): what
 * asks for it is never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_EPOCHS_H
#define MB_BASE_EPOCHS_H

#ifdef MB_NO_EPOCHS
#define MB_EPOCHS_(may) 0
#else
#define MB_EPOCHS_(may) (may)
#endif

#endif
