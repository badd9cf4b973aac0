/* place.h - what lies around the running program: the programs that extend it and the data that
 * ship. Found from where the executable is, so an installed folder can be moved. */
#ifndef MB_PLACE_H
#define MB_PLACE_H

enum { PLACE_PATH = 4096 /* as realpath asks for */, PLACE_NAME = 32, PLACE_MOST = 16 };

/* The programs meshbayes-NAME beside this one or in libexec/meshbayes, in alphabetical order. */
typedef struct place_programs {
    int  count;
    char name[PLACE_MOST][PLACE_NAME]; /* without "meshbayes-" */
} place_programs;
void place_programs_find(place_programs *out);
/* Where meshbayes-NAME is; 0: nowhere. */
int place_program(const char *name, char path[PLACE_PATH]);
/* A file beside this executable; 0: there is none. */
int place_beside(const char *name, char path[PLACE_PATH]);
/* A file or folder that ships with meshbayes: in ./data, else in share/meshbayes; 0: in neither. */
int place_data(const char *name, char path[PLACE_PATH]);
/* Becomes that program, searched in PATH when it has no slash; argv[0] is its name to itself.
 * Returns only after a failure: the exit status, with the error printed. */
int place_exec(const char *path, char **argv);

#endif
