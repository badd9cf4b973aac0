/* disk.h - checkpoints of a node: written by a thread of their own, atomically. */
#ifndef MB_DAEMON_DISK_H
#define MB_DAEMON_DISK_H

#include "config.h"

/* What a checkpoint has besides the node. Plain numbers. */
typedef struct disk_head {
    uint64_t magic, version;
    uint64_t hash;  /* FNV-1a of what follows                                       */
    int64_t  rows;  /* rows of the data that the node has been given                */
    int64_t  at;    /* bytes of a file that grows which have been read              */
    uint64_t data;  /* hash of a data file that does not grow: another one is blank */
    uint64_t bytes; /* of the node                                                 */
} disk_head;

typedef struct disk disk;
/* The folder is made if it is missing. bytes: of a checkpoint of the node. MB_E_IO. */
mb_status disk_open(const char *folder, size_t bytes, disk **out, mb_err *err) MB_CHECKED;
/* Waits for what is being written. NULL is allowed. */
void disk_close(disk *d);
/* Where the next checkpoint goes; NULL: the one before is still being written. wait: never. */
void *disk_room(disk *d, int wait);
/* Completes what disk_room gave; the hash that tells it from others. */
uint64_t disk_seal(disk *d, const disk_head *head);
/* Writes it. wait: returns when it is on the disk. */
void disk_write(disk *d, int wait);
/* It is not written after all, for this reason. */
void disk_refuse(disk *d, const mb_err *why);
/* Has what was written to a descriptor so far synced, after what is being written. */
void disk_sync(disk *d, int fd);
/* Checkpoints written, and what went wrong the last time ("": nothing), into text. */
int64_t disk_state(disk *d, char *text, size_t cap);
/* Reads the checkpoint; *bytes NULL: there is none. MB_E_FORMAT: it is damaged. */
mb_status disk_read(mb_arena *a, const char *folder, disk_head *head, const void **bytes,
                    mb_err *err) MB_CHECKED;
/* The number of this life, above those of all lives before: a counter in the folder, and the clock
 * (eighths of a second since 2026) where the folder is empty or NULL. */
mb_status disk_incarnation(const char *folder, uint32_t *out, mb_err *err) MB_CHECKED;
/* This life has taken a later number: the next one begins above it. folder: NULL for none. */
mb_status disk_count_from(const char *folder, uint32_t n, mb_err *err) MB_CHECKED;

#endif
