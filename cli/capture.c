#define _DEFAULT_SOURCE /* dup2, fileno */

#include "capture.h"

#include <stdlib.h>
#include <unistd.h>

bool capture_begin(struct capture *capture) {
    fflush(stdout);
    capture->stdout_copy = -1;
    capture->file = tmpfile();
    if (capture->file)
        capture->stdout_copy = dup(STDOUT_FILENO);
    if (capture->stdout_copy >= 0 && dup2(fileno(capture->file), STDOUT_FILENO) >= 0)
        return true;
    if (capture->stdout_copy >= 0)
        close(capture->stdout_copy);
    if (capture->file)
        fclose(capture->file);
    return false;
}

static char *read_back(FILE *file, size_t *length_ret) {
    long end = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    char *text = end < 0 ? NULL : malloc((size_t)end + 1);
    rewind(file);
    if (text && fread(text, 1, (size_t)end, file) != (size_t)end) {
        free(text);
        text = NULL;
    }
    *length_ret = text ? (size_t)end : 0;
    return text;
}

char *capture_end(struct capture *capture, size_t *length_ret) {
    bool is_whole = fflush(stdout) == 0 && !ferror(stdout);
    dup2(capture->stdout_copy, STDOUT_FILENO);
    close(capture->stdout_copy);
    clearerr(stdout);
    char *text = is_whole ? read_back(capture->file, length_ret) : NULL;
    fclose(capture->file);
    return text;
}
