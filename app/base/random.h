/* base/random.h - random bytes of the system. */
#ifndef MB_BASE_RANDOM_H
#define MB_BASE_RANDOM_H

#include "num/privacy.h"

/* Of getrandom(); MB_E_IO. */
extern const mb_entropy app_random;

#endif
