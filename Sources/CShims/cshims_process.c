#define _GNU_SOURCE
#include "cshims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: - Threads

void cps_thread_set_name(const char *name) {
    char short_name[16];
    strncpy(short_name, name, sizeof short_name - 1);
    short_name[sizeof short_name - 1] = 0;
    pthread_setname_np(pthread_self(), short_name);
}

void cps_thread_set_timer_slack(unsigned long nanoseconds) {
    prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
}

int cps_thread_pin(int cpu) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) return EINVAL;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

int cps_thread_allowed_cpus(int *cpus, int capacity) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
    int count = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &set)) continue;
        if (count < capacity) cpus[count] = cpu;
        count++;
    }
    return count;
}

// MARK: - Child processes

static void close_quietly(int descriptor) {
    if (descriptor >= 0) close(descriptor);
}

// Runs between fork and exec, where only async-signal-safe calls are allowed.
_Noreturn static void run_child(const char *path, char *const arguments[],
                                const struct cps_surroundings *around, pid_t parent, int output,
                                int report) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    // The parent may have died before prctl: then no signal will come.
    if (getppid() != parent) _exit(127);

    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    int input = around->input >= 0 ? around->input : open("/dev/null", O_RDONLY);
    if (input < 0 || dup2(input, STDIN_FILENO) < 0) goto failed;
    if (output >= 0 && dup2(output, STDOUT_FILENO) < 0) goto failed;
    if (around->errors >= 0 && dup2(around->errors, STDERR_FILENO) < 0) goto failed;
    if (around->folder != NULL && chdir(around->folder) != 0) goto failed;
    // Whatever else is open, and whoever opened it, goes away with exec. By syscall(), as glibc
    // has the wrapper only since 2.34; an old kernel without it leaves O_CLOEXEC to do the work.
#ifdef SYS_close_range
    syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
#endif
    execve(path, arguments, around->environment != NULL ? around->environment : environ);
failed:;
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    (void)written;
    _exit(127);
}

int cps_spawn(const char *path, char *const arguments[], const struct cps_surroundings *around,
              bool captures_output, pid_t *process, int *output) {
    int report[2] = {-1, -1};
    int pipe_ends[2] = {-1, -1};
    int error = 0;
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    if (captures_output && pipe2(pipe_ends, O_CLOEXEC) != 0) {
        error = errno;
        goto done;
    }
    pid_t parent = getpid();
    // All signals stay blocked over fork: a handler of this process must not run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    int child_output = captures_output ? pipe_ends[1] : around->output;
    if (child == 0) run_child(path, arguments, around, parent, child_output, report[1]);
    error = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) goto done;

    close_quietly(report[1]);
    report[1] = -1;
    int child_error = 0;
    ssize_t count;
    do {
        count = read(report[0], &child_error, sizeof child_error);
    } while (count < 0 && errno == EINTR);
    if (count == (ssize_t)sizeof child_error) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
        error = child_error;
        goto done;
    }
    if (captures_output) {
        fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
        *output = pipe_ends[0];
        pipe_ends[0] = -1;
    }
    *process = child;
done:
    close_quietly(report[0]);
    close_quietly(report[1]);
    close_quietly(pipe_ends[0]);
    close_quietly(pipe_ends[1]);
    return error;
}

int cps_wait(pid_t process, bool is_blocking, int *exit_code, int *signal, struct rusage *usage) {
    int status = 0;
    pid_t ended;
    do {
        ended = wait4(process, &status, is_blocking ? 0 : WNOHANG, usage);
    } while (ended < 0 && errno == EINTR);
    if (ended < 0) return -1;
    if (ended == 0) return 0;
    *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return 1;
}
