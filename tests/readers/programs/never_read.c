/* Preloaded: memory of another process never comes, as where a program that stands still would have
 * to fill it in. Says so on the standard error. */
#include <sys/types.h>
#include <unistd.h>

struct iovec;

__attribute__((visibility("default"))) ssize_t
process_vm_readv(pid_t process, const struct iovec *to, unsigned long to_count,
                 const struct iovec *from, unsigned long from_count, unsigned long flags);

ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long to_count,
                         const struct iovec *from, unsigned long from_count, unsigned long flags) {
    (void)process, (void)to, (void)to_count, (void)from, (void)from_count, (void)flags;
    static const char line[] = "never read\n";
    ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);
    (void)written;
    for (;;)
        pause();
}
