#include "text_in.h"

#include "own_lines.h"

FILE *watch_open_text(const char *name, const char **problem) {
    int file = loupe_open_own(name, false, problem);
    FILE *opened = file < 0 ? NULL : fdopen(file, "r");
    if (file >= 0 && !opened) {
        *problem = strerror(errno);
        close(file);
    }
    return opened;
}
