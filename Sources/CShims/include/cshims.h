// What Swift's Glibc overlay and the importer cannot see: Linux calls, macros, fork and exec.
//
// Functions that can fail return 0 or an errno value unless they say otherwise.
#ifndef PUSHBENCH_CSHIMS_H
#define PUSHBENCH_CSHIMS_H

#include <openssl/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

// MARK: - Sockets

/// A non-blocking stream socket's state; owned by one connection, touched by one thread.
struct cps_socket {
    int descriptor;
    /// errno of the last failed call; EAGAIN where it would have blocked.
    int error;
    /// A short read emptied the socket: until this is cleared, reads answer EAGAIN without a call.
    bool is_drained;
    /// The peer closed its end.
    bool is_at_end;
    /// Another write follows at once: the system may hold back a segment that is not full.
    bool has_more;
    uint64_t bytes_received;
    uint64_t bytes_sent;
};

/// Reads at most `count` bytes: their number, 0 at the end of the stream, -1 with `error` set.
ssize_t cps_socket_receive(struct cps_socket *socket, void *bytes, size_t count);

/// Writes at most `count` bytes, never raising SIGPIPE: their number, or -1 with `error` set.
ssize_t cps_socket_send(struct cps_socket *socket, const void *bytes, size_t count);

/// Opens a close-on-exec, non-blocking TCP socket; -1 with errno set where that fails.
int cps_socket_open(int family);

/// Takes a waiting connection as a close-on-exec, non-blocking socket; -1 with errno set.
int cps_socket_accept(int listener);

// MARK: - TLS

struct stack_st_X509;

/// Makes `ssl` read and write through `socket`, which must outlive it; false without memory.
bool cps_ssl_attach(SSL *ssl, struct cps_socket *socket);

/// Applies what every context of this program has in common; false where OpenSSL refuses.
bool cps_ssl_ctx_apply_policy(SSL_CTX *context, bool is_server, bool releases_buffers);

/// Makes a client offer, or a server demand, the ALPN protocol `h2`; false without memory.
bool cps_ssl_ctx_require_h2(SSL_CTX *context, bool is_server);

/// Adds a copy of the reference to `certificate` to the chain that is sent; false on failure.
bool cps_ssl_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate);

/// Sets the name for the Server Name Indication; false on failure.
bool cps_ssl_set_server_name(SSL *ssl, const char *name);

/// A certificate stack's element count and members; the members stay the stack's.
int cps_x509_stack_count(const STACK_OF(X509) *stack);
X509 *cps_x509_stack_value(const STACK_OF(X509) *stack, int index);
/// Frees a certificate stack and its members.
void cps_x509_stack_free(STACK_OF(X509) *stack);

/// Opens a file of at most `most` bytes for reading, one that is no regular file by reading it whole;
/// NULL with an errno in `error` where that fails. A pipe is not waited for until it has a writer.
BIO *cps_bio_open_file(const char *path, size_t most, int *error);

/// The memory of a memory BIO, which stays the BIO's.
size_t cps_bio_memory(BIO *bio, const char **bytes);

/// Moves OpenSSL's whole error stack of this thread into `text` as one line, oldest first, and
/// returns the first error's code; 0 with empty text where there is none.
unsigned long cps_take_openssl_errors(char *text, size_t capacity);

/// The reason number in an OpenSSL error code.
int cps_openssl_reason(unsigned long code);

/// Writes `name` to `bio` as RFC 2253 has it, in UTF-8; false on failure.
bool cps_x509_name_print(BIO *bio, const X509_NAME *name);

/// A new P-256 key pair, which the caller owns; NULL where OpenSSL refuses.
EVP_PKEY *cps_make_p256_key(void);

// MARK: - Encryption

/// Adds the mask that MGF1 with SHA-256 makes of a seed to `count` bytes (RFC 8017 appendix B.2.1).
void cps_mgf1_sha256_xor(uint8_t *bytes, size_t count, const uint8_t *seed, size_t seed_count);

/// Encodes the front of `source` in base64, 12 bytes at a time by vector instructions, and returns
/// how many bytes it took: a multiple of 12, and 0 on a processor without them. Never reads past
/// `count`.
size_t cps_base64_encode_front(const uint8_t *source, size_t count, uint8_t *target);

// MARK: - Threads and processes

/// Names the calling thread; Linux keeps 15 bytes.
void cps_thread_set_name(const char *name);

/// Lets timed waits of the calling thread end this close to their time, in nanoseconds.
void cps_thread_set_timer_slack(unsigned long nanoseconds);

/// Binds the calling thread to one CPU.
int cps_thread_pin(int cpu);

/// Fills `cpus` with the numbers of the CPUs that the calling thread may run on, at most
/// `capacity`; returns how many there are, or -1 with errno set.
int cps_thread_allowed_cpus(int *cpus, int capacity);

/// What a child finds when it starts, where that is not the usual.
struct cps_surroundings {
    /// Descriptor for its standard input, above 2; -1 gives it /dev/null.
    int input;
    /// Descriptor for its standard output, above 2; -1 gives it this process's.
    int output;
    /// Descriptor for its standard error, above 2; -1 gives it this process's.
    int errors;
    /// NAME=VALUE strings, ended by NULL; NULL gives it this process's.
    char *const *environment;
    /// Its working directory; NULL gives it this process's.
    const char *folder;
};

/// Starts `path` with `arguments` (ended by NULL) as a child in a process group of its own.
///
/// It gets no other descriptor than the standard ones, its signals are reset, and it gets SIGTERM
/// when the calling *thread* ends. With `captures_output` its standard output is a pipe whose
/// non-blocking reading end goes to `output`. Returns after the exec happened: 0, or the errno of
/// the call that failed.
int cps_spawn(const char *path, char *const arguments[], const struct cps_surroundings *around,
              bool captures_output, pid_t *process, int *output);

/// Waits for `process` (at once, with `is_blocking` false): 1 if it ended, 0 if not, -1 with errno.
int cps_wait(pid_t process, bool is_blocking, int *exit_code, int *signal, struct rusage *usage);

#endif
