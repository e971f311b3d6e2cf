/* loupe doctor: whether a process can be read from here, and if not, what is missing. Nothing is
 * stopped and nothing changed. */
#define _GNU_SOURCE /* process_vm_readv() */

#include "line/verb_commands.h"
#include "shared/cli.h"
#include "verbs/code.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TEXT_SIZE = 1 << 13, PATH_SIZE = 80, CAP_PTRACE = 19 };

struct patient {
    int process;
    char status[TEXT_SIZE];
};

static bool read_text(const char *path, char text[TEXT_SIZE]) {
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, TEXT_SIZE - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    return length;
}

/* What stands behind a name at the beginning of a line; "" where it is not there. */
static const char *field_of(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0)
            return line + length + strspn(line + length, " \t");
    }
    return "";
}

static struct loupe_span line_at(const char *text) {
    return (struct loupe_span){text, strcspn(text, "\n")};
}

static bool has_own_right(void) {
    char text[TEXT_SIZE];
    read_text("/proc/self/status", text);
    return strtoull(field_of(text, "CapEff:"), NULL, 16) >> CAP_PTRACE & 1;
}

/* "1" of "NSpid: 4711 1": what it is called where it runs; "" where it is called so here too. */
static struct loupe_span inner_number(const struct patient *patient) {
    struct loupe_span numbers = line_at(field_of(patient->status, "NSpid:"));
    size_t at = numbers.length;
    while (at && numbers.bytes[at - 1] >= '0' && numbers.bytes[at - 1] <= '9')
        at--;
    return at ? (struct loupe_span){numbers.bytes + at, numbers.length - at}
              : (struct loupe_span){NULL, 0};
}

/* Its folder / as this process sees it; false: the same as ours, or not to be seen. */
static bool find_root(const struct patient *patient, char ret[PATH_MAX]) {
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "/proc/%d/root", patient->process);
    ssize_t length = readlink(path, ret, PATH_MAX - 1);
    ret[length > 0 ? length : 0] = '\0';
    return length > 0 && strcmp(ret, "/") != 0;
}

/* As far as that may be seen. */
static bool is_same_mount(const struct patient *patient) {
    char path[PATH_SIZE], ours[PATH_SIZE], its[PATH_SIZE];
    snprintf(path, sizeof(path), "/proc/%d/ns/mnt", patient->process);
    ssize_t a = readlink("/proc/self/ns/mnt", ours, sizeof(ours));
    ssize_t b = readlink(path, its, sizeof(its));
    return a <= 0 || b <= 0 || (a == b && !memcmp(ours, its, (size_t)a));
}

static void say_place(const struct patient *patient) {
    char root[PATH_MAX];
    struct loupe_span inner = inner_number(patient);
    if (inner.length)
        printf("  PID namespace: another one, where it is process %s\n", cli_printable(inner));
    if (find_root(patient, root))
        printf("  files: below %s\n", cli_printable(loupe_span_of(root)));
    else if (!is_same_mount(patient))
        printf("  files: of another mount namespace, read below /proc/%d/root\n", patient->process);
}

/* What the kernel says to whoever reads its memory: at an address where there is none. 0: nothing
 * against it. */
static int refused_by_kernel(const struct patient *patient) {
#ifdef __linux__
    char byte;
    struct iovec here = {&byte, 1}, there = {NULL, 1};
    ssize_t got = process_vm_readv(patient->process, &here, 1, &there, 1, 0);
    return got < 0 && errno != EFAULT ? errno : 0;
#else
    (void)patient;
    return ENOSYS;
#endif
}

/* Why it may not be read; NULL: it may. */
static const char *find_obstacle(const struct patient *patient, char room[TEXT_SIZE]) {
    char scope[TEXT_SIZE];
    unsigned long user = strtoul(field_of(patient->status, "Uid:"), NULL, 10);
    unsigned long tracer = strtoul(field_of(patient->status, "TracerPid:"), NULL, 10);
    int problem = refused_by_kernel(patient);
    if (!problem && !tracer)
        return NULL;
    if (tracer)
        snprintf(room, TEXT_SIZE, "process %lu traces it, as a debugger does: end that first",
                 tracer);
    else if (problem != EACCES && problem != EPERM)
        snprintf(room, TEXT_SIZE, "%s", strerror(problem));
    else if (has_own_right())
        snprintf(room, TEXT_SIZE, "this system forbids it, although CAP_SYS_PTRACE is there");
    else if (user != geteuid())
        snprintf(room, TEXT_SIZE,
                 "it belongs to user %lu: ask as that user, or with CAP_SYS_PTRACE (root has it; "
                 "docker run --cap-add SYS_PTRACE)",
                 user);
    else if (read_text("/proc/sys/kernel/yama/ptrace_scope", scope) && *scope != '0')
        snprintf(room, TEXT_SIZE,
                 "/proc/sys/kernel/yama/ptrace_scope is %c: ask with CAP_SYS_PTRACE (root has it)",
                 *scope);
    else
        snprintf(room, TEXT_SIZE, "it forbids it: ask with CAP_SYS_PTRACE (root has it)");
    return room;
}

static int examine(const struct patient *patient) {
    char room[TEXT_SIZE];
    const char *obstacle = find_obstacle(patient, room);
    printf("process %d (%s)\n", patient->process,
           cli_printable(line_at(field_of(patient->status, "Name:"))));
    say_place(patient);
    printf("  can be read: %s\n", obstacle ? "no" : "yes");
    if (obstacle)
        printf("  %s\n", obstacle);
    return obstacle ? CLI_INCOMPLETE : CLI_OK;
}

int cli_doctor(const char **words, unsigned count) {
    struct verb_line line = {.word_count = 0};
    struct patient patient;
    char path[PATH_SIZE];
    uint64_t number;
    int status = verb_take_line(&verb_doctor, words, count, 1, &line);
    if (!status && line.values.help)
        verb_print_help(&verb_doctor);
    if (status || line.values.help)
        return status;
    if (!line.word_count)
        return verb_fail_missing(&verb_doctor, 0);
    if (!cli_parse_number(line.words[0], INT_MAX, &number) || !number)
        return cli_fail(CLI_NONSENSE, "doctor", "'%s' is not the number of a process",
                        cli_printable(loupe_span_of(line.words[0])));
    if (access("/proc/self/status", R_OK))
        return cli_fail(CLI_NONSENSE, "doctor",
                        "/proc cannot be read, which tells of processes; on other systems ask in "
                        "LLDB");
    patient.process = (int)number;
    snprintf(path, sizeof(path), "/proc/%d/status", patient.process);
    if (!read_text(path, patient.status))
        return cli_fail(CLI_NONSENSE, "doctor", "there is no process %d here", patient.process);
    return examine(&patient);
}
