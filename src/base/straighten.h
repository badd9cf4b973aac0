/* base/straighten.h - builds whose models have no mb_model_ops::straighten (CMake option
 * MB_STRAIGHTEN): what asks for it is never 1, so that the compiler leaves out what follows. */
#ifndef MB_BASE_STRAIGHTEN_H
#define MB_BASE_STRAIGHTEN_H

#ifdef MB_NO_STRAIGHTEN
#define MB_STRAIGHTEN_(may) 0
#else
#define MB_STRAIGHTEN_(may) (may)
#endif

#endif
