/*
 * outfile.h - a file that appears under its name when it is complete, or not at all.
 *
 * Until then it has no name (O_TMPFILE), or where the file system cannot do that, the name
 * .multiway-PID-N.tmp beside the target. Its maker holds a lock on it, so that the next
 * one can tell and remove what a killed process has left. Standard output, devices and
 * pipes are written directly.
 */
#ifndef MW_FILE_OUTFILE_H
#define MW_FILE_OUTFILE_H

#include "disk.h"

#include <sys/stat.h>

struct outfile {
    struct disk *disk;
    struct disk_file file;
    int is_pipe;  /* written in one direction */
    char *target; /* with links followed; NULL: written directly */
    char *folder; /* of the target */
    char *name;   /* the present name, or NULL */
    int replaces; /* the target exists, ... */
    struct stat target_is;
};

/* Refuse what cannot work, then make the file. outfile_close in any case. */
mw_status outfile_open(struct outfile *output, struct disk *disk, const char *path);

/* Refuse early if the disk has no room for `bytes` bytes. */
mw_status outfile_room(const struct outfile *output, uint64_t bytes);

/* Sync the file and give it its name. */
mw_status outfile_finish(struct outfile *output);

/* Close the file; it is gone unless it was finished. */
void outfile_close(struct outfile *output);

#endif
