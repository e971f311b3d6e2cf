/*
 * unread.c - what libraries of ours say where nobody reads it (run_tool/own_lines.h): no signal
 * comes, on whichever thread, and what the program itself writes ends it as before.
 */
#include "own_lines.h"
#include "system.h"

#include <pthread.h>
#include <sys/wait.h>

static void *say(void *ignored) {
    loupe_say("loupe: nobody reads this\n");
    return ignored;
}

static int signal_of_write(void) {
    int status = 0;
    pid_t child = fork();
    if (!child) {
        ssize_t written = write(2, "x", 1);
        _exit(written == 1 ? 1 : 2);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    return status & 0x7f;
}

int main(void) {
    int ends[2];
    pthread_t thread;
    CHECK(!pipe(ends) && !close(ends[0]) && dup2(ends[1], 2) == 2);
    say(NULL);
    CHECK(!pthread_create(&thread, NULL, say, NULL) && !pthread_join(thread, NULL));
    CHECK_EQ(fcntl(2, F_GETNOSIGPIPE), 0);
    CHECK_EQ(signal_of_write(), SIGPIPE);
    fcntl(2, F_SETNOSIGPIPE, 1);
    say(NULL);
    CHECK_EQ(fcntl(2, F_GETNOSIGPIPE), 1);
    CHECK_EQ(signal_of_write(), 0);
    return checks_result();
}
