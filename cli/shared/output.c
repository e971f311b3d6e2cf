/* Standard output, or a file or memory in its stead. */
#define _POSIX_C_SOURCE 200809L /* strdup(), open_memstream() */

#include "shared/output.h"

#include "shared/new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static FILE *file; /* NULL: standard output */
static char *place, *beside, *kept;
static size_t kept_length;
static bool is_dropped;

FILE *cli_output(void) {
    return file ? file : stdout;
}

static void forget(void) {
    free(place);
    free(beside);
    place = beside = NULL;
    file = NULL;
    is_dropped = false;
}

/* What cannot have a file beside it. */
static bool is_written_in_place(int problem) {
    return problem == EINVAL || problem == ENAMETOOLONG;
}

bool cli_output_begin(const char *path) {
    if (file) { /* begun anew, by who ends in another way */
        cli_output_drop();
        cli_output_end();
    }
    place = strdup(path);
    beside = malloc(strlen(path) + NEW_FILE_ENDING);
    if (place && beside)
        file = new_file_beside(path, beside);
    if (!file && place && beside && is_written_in_place(errno)) {
        file = new_file(path);
        *beside = '\0';
    }
    int problem = errno;
    if (!file)
        forget();
    errno = problem;
    return file;
}

void cli_output_drop(void) {
    is_dropped = true;
}

bool cli_output_end(void) {
    if (!file)
        return !fflush(stdout) && !ferror(stdout);
    bool is_written = !ferror(file);
    is_written = !fclose(file) && is_written;
    if (beside && *beside && is_written && !is_dropped)
        is_written = !rename(beside, place);
    if (beside && *beside && (!is_written || is_dropped))
        remove(beside);
    forget();
    return is_written;
}

bool cli_output_keep(void) {
    kept = NULL;
    file = open_memstream(&kept, &kept_length);
    return file;
}

char *cli_output_kept(size_t *length_ret) {
    bool is_written = file && !ferror(file);
    is_written = file && !fclose(file) && is_written;
    char *text = kept;
    *length_ret = kept_length;
    kept = NULL;
    forget();
    if (is_written)
        return text;
    free(text);
    return NULL;
}
