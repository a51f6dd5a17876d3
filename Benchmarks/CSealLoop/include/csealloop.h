// The yardstick of SealBenchmarks: what a plain C loop over OpenSSL's EVP functions can do.
#ifndef PUSHBENCH_CSEALLOOP_H
#define PUSHBENCH_CSEALLOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One thread's share: its keys, parsed, each with a context that is kept.
struct sl_loop;

/// Makes a loop over `count` keys: moduli of 256 bytes, back to back, exponent 65537. The first
/// `pkcs1_percent` of every hundred keys are used with PKCS#1 v1.5, the others with OAEP-SHA-256.
struct sl_loop *sl_loop_new(const uint8_t *moduli, size_t count, unsigned pkcs1_percent);
void sl_loop_free(struct sl_loop *loop);

/// Encrypts `pushes` bodies, the keys in turn, each with a fresh AES key and IV, into a buffer of
/// its own: constant bytes, secret and content in base64. Returns the bytes written; 0 on failure.
uint64_t sl_loop_run(struct sl_loop *loop, size_t pushes, const char *head, const char *separator,
                     const char *tail, const uint8_t *content, size_t content_count);

#endif
