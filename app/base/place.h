/* place.h - what is installed with the running program: the programs that extend it, and data. They
 * are found relative to the executable, so an installed folder can be moved. */
#ifndef MB_PLACE_H
#define MB_PLACE_H

enum { PLACE_PATH = 4096 /* as realpath asks for */, PLACE_NAME = 32, PLACE_MOST = 16 };

/* The programs meshbayes-NAME beside this one or in libexec/meshbayes, in alphabetical order. */
typedef struct place_programs {
    int  count;
    char name[PLACE_MOST][PLACE_NAME]; /* without "meshbayes-" */
} place_programs;
void place_programs_find(place_programs *out);
/* The path of meshbayes-NAME; 0: not found. */
int place_program(const char *name, char path[PLACE_PATH]);
/* A file beside this executable; 0: not found. */
int place_beside(const char *name, char path[PLACE_PATH]);
/* A file or folder that ships with meshbayes: in ./data, else in share/meshbayes; 0: not found. */
int place_data(const char *name, char path[PLACE_PATH]);
/* Replaces this process by that program, which is searched in PATH if it has no slash. Returns only
 * on failure: the exit status, with the error printed. */
int place_exec(const char *path, char **argv);

#endif
