/* Pages of a mapped file that are not there any more: SIGBUS. */
#define _XOPEN_SOURCE 700

#include "heaps/shrunk_input.h"

#include "shared/cli.h"

#include <signal.h>
#include <unistd.h>

/* What else the signal may mean ends the tool as it would without us. */
static void end(int signal_number, siginfo_t *about, void *context) {
    static const char sentence[] =
        "loupe: the file became shorter while it was read: use one that no program writes to\n";
    (void)signal_number;
    (void)context;
    if (about->si_code != BUS_ADRERR)
        return;
    ssize_t written = write(STDERR_FILENO, sentence, sizeof(sentence) - 1);
    (void)written;
    _exit(CLI_NONSENSE);
}

void cli_expect_shrunk_input(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
    action.sa_sigaction = end;
    sigaction(SIGBUS, &action, NULL);
}
