#define _GNU_SOURCE
#include "cshims.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: - BIO over a cps_socket

// OpenSSL's own socket BIO calls write(), which raises SIGPIPE, and reads once more after every
// short read only to learn EAGAIN.

static int bio_read(BIO *bio, char *bytes, size_t count, size_t *done) {
    struct cps_socket *socket = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t received = cps_socket_receive(socket, bytes, count);
    if (received > 0) {
        *done = (size_t)received;
        return 1;
    }
    *done = 0;
    if (received < 0 && socket->error == EAGAIN) BIO_set_retry_read(bio);
    return 0;
}

static int bio_write(BIO *bio, const char *bytes, size_t count, size_t *done) {
    struct cps_socket *socket = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t sent = cps_socket_send(socket, bytes, count);
    if (sent >= 0) {
        *done = (size_t)sent;
        return 1;
    }
    *done = 0;
    if (socket->error == EAGAIN) BIO_set_retry_write(bio);
    return 0;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
    (void)number;
    (void)pointer;
    struct cps_socket *socket = BIO_get_data(bio);
    switch (command) {
    case BIO_CTRL_EOF: return socket != NULL && socket->is_at_end;
    case BIO_CTRL_FLUSH: return 1;
    default: return 0;
    }
}

static BIO_METHOD *socket_method;

static void make_socket_method(void) {
    int type = BIO_get_new_index();
    if (type == -1) return;
    BIO_METHOD *method = BIO_meth_new(type | BIO_TYPE_SOURCE_SINK, "pushbench socket");
    if (method == NULL) return;
    if (BIO_meth_set_read_ex(method, bio_read) && BIO_meth_set_write_ex(method, bio_write) &&
        BIO_meth_set_ctrl(method, bio_control)) {
        socket_method = method;
    } else {
        BIO_meth_free(method);
    }
}

bool cps_ssl_attach(SSL *ssl, struct cps_socket *socket) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_socket_method);
    if (socket_method == NULL) return false;
    BIO *bio = BIO_new(socket_method);
    if (bio == NULL) return false;
    BIO_set_data(bio, socket);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    return true;
}

// MARK: - Contexts

bool cps_ssl_ctx_apply_policy(SSL_CTX *context, bool is_server, bool releases_buffers) {
    // HTTP/2 over TLS 1.2 forbids everything but ephemeral key exchange with AEAD ciphers
    // (RFC 9113 9.2.2) and renegotiation (9.2.1).
    if (!SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)) return false;
    if (!SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20")) return false;
    uint64_t options = SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION;
    // HTTP/2 has its own framing and its own goodbye, so a missing close_notify tells nothing
    // that an open stream does not tell, and many servers leave it out.
    options |= SSL_OP_IGNORE_UNEXPECTED_EOF;
    if (is_server) {
        // No tickets and no session store: every connection costs a whole handshake, as with a
        // new client of APNs, and after the handshake the server's bytes are HTTP/2's alone, so
        // bytes per push count plainly.
        options |= SSL_OP_NO_TICKET;
        if (!SSL_CTX_set_num_tickets(context, 0)) return false;
    }
    SSL_CTX_set_options(context, options);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // A record is written in part rather than not at all, and the rest from wherever the output
    // buffer has moved it.
    long mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER;
    if (releases_buffers) mode |= SSL_MODE_RELEASE_BUFFERS;
    SSL_CTX_set_mode(context, mode);
    // One system call takes whatever the buffer holds instead of a header, then a body.
    SSL_CTX_set_read_ahead(context, 1);
    return true;
}

static const unsigned char h2_list[] = {2, 'h', '2'};

static int select_h2(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                     const unsigned char *in, unsigned int in_length, void *argument) {
    (void)ssl;
    (void)argument;
    unsigned char *selected = NULL;
    int result = SSL_select_next_proto(&selected, out_length, h2_list, sizeof h2_list, in, in_length);
    if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = selected;
    return SSL_TLSEXT_ERR_OK;
}

bool cps_ssl_ctx_require_h2(SSL_CTX *context, bool is_server) {
    if (is_server) {
        SSL_CTX_set_alpn_select_cb(context, select_h2, NULL);
        return true;
    }
    return SSL_CTX_set_alpn_protos(context, h2_list, sizeof h2_list) == 0;
}

bool cps_ssl_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}

bool cps_ssl_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name) == 1;
}

int cps_x509_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }

X509 *cps_x509_stack_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

void cps_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

#define MOST_IN_MEMORY ((size_t)64 << 20)

/// All that a descriptor gives, in memory; resetting the BIO begins anew.
static BIO *read_whole(int descriptor, size_t most, int *error) {
    BIO *bio = BIO_new(BIO_s_mem());
    char chunk[4096];
    size_t length = 0;
    *error = bio == NULL ? ENOMEM : 0;
    while (*error == 0) {
        ssize_t count = read(descriptor, chunk, sizeof chunk);
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) break;
        length += count > 0 ? (size_t)count : 0;
        if (count < 0) {
            *error = errno;
        } else if (length > most) {
            *error = EFBIG;
        } else if (BIO_write(bio, chunk, (int)count) != count) {
            *error = ENOMEM;
        }
    }
    if (*error == 0) {
        BIO_set_flags(bio, BIO_FLAGS_NONCLEAR_RST);
        BIO_set_mem_eof_return(bio, 0);
        return bio;
    }
    BIO_free(bio);
    return NULL;
}

BIO *cps_bio_open_file(const char *path, size_t most, int *error) {
    // A blocking open would wait for another writer of a pipe though one has been and gone.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    BIO *bio = NULL;
    *error = 0;
    if (descriptor < 0 || fcntl(descriptor, F_SETFL, 0) < 0 || fstat(descriptor, &status) < 0) {
        *error = errno;
    } else if (!S_ISREG(status.st_mode)) {
        // In memory, where a regular file is not.
        bio = read_whole(descriptor, most < MOST_IN_MEMORY ? most : MOST_IN_MEMORY, error);
    } else if ((size_t)status.st_size > most) {
        *error = EFBIG;
    } else {
        FILE *file = fdopen(descriptor, "r");
        bio = file == NULL ? NULL : BIO_new_fp(file, BIO_CLOSE);
        if (bio == NULL) *error = ENOMEM;
        if (file != NULL) {
            if (bio == NULL) fclose(file);
            return bio;
        }
    }
    if (descriptor >= 0) close(descriptor);
    return bio;
}

size_t cps_bio_memory(BIO *bio, const char **bytes) {
    char *start = NULL;
    long count = BIO_get_mem_data(bio, &start);
    *bytes = start;
    return count > 0 ? (size_t)count : 0;
}

bool cps_x509_name_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0;
}

EVP_PKEY *cps_make_p256_key(void) { return EVP_EC_gen("P-256"); }

// MARK: - Errors

unsigned long cps_take_openssl_errors(char *text, size_t capacity) {
    unsigned long first = 0;
    size_t length = 0;
    if (capacity > 0) text[0] = 0;
    for (;;) {
        const char *data = NULL;
        int flags = 0;
        unsigned long code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
        if (code == 0) return first;
        const char *reason = ERR_SYSTEM_ERROR(code) ? strerrordesc_np(ERR_GET_REASON(code))
                                                    : ERR_reason_error_string(code);
        const char *library = ERR_lib_error_string(code);
        bool has_data = (flags & ERR_TXT_STRING) != 0 && data != NULL && data[0] != 0;
        if (length < capacity) {
            int written = snprintf(text + length, capacity - length, "%s%s: %s%s%s%s",
                                   first == 0 ? "" : "; ", library ? library : "unknown library",
                                   reason ? reason : "unknown reason", has_data ? " (" : "",
                                   has_data ? data : "", has_data ? ")" : "");
            if (written > 0) length += (size_t)written;
        }
        if (first == 0) first = code;
    }
}

int cps_openssl_reason(unsigned long code) { return ERR_GET_REASON(code); }
