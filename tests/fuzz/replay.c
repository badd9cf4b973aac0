/* replay.c - runs a fuzz target on the files named, where there is no fuzzer to do it. */
#include "fuzz.h"

int main(int argc, char **argv)
{
    static uint8_t bytes[1 << 20];

    for (int k = 1; k < argc; k++) {
        FILE  *f = fopen(argv[k], "rb");
        size_t n;

        if (!f) {
            fprintf(stderr, "replay: %s cannot be read\n", argv[k]);
            return 1;
        }
        n = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        LLVMFuzzerTestOneInput(bytes, n);
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
