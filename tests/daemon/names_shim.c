/* names_shim.c - LD_PRELOAD: a name server for names that end in .test. The file that NAMES names has
 * lines "NAME ADDRESS"; the address - is that of a name without one, and a name that is not in it has no
 * answer until it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find(const char *name, char address[64])
{
    char  one[128];
    int   found = 0;
    FILE *f = fopen(getenv("NAMES"), "r");

    while (f && !found && fscanf(f, "%127s %63s", one, address) == 2)
        found = !strcmp(one, name);
    if (f)
        fclose(f);
    return found;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    const size_t n = name ? strlen(name) : 0;
    char         address[64];

    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
    if (n < 5 || strcmp(name + n - 5, ".test") != 0 || (hints && hints->ai_flags & AI_NUMERICHOST))
        return next(name, service, hints, out);
    while (!find(name, address))
        usleep(50000);
    return *address == '-' ? EAI_NONAME : next(address, service, hints, out);
}
