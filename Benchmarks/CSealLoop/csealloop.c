#include "csealloop.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

enum { SLAB_BYTES = 1 << 18, POOL_BYTES = 4096, WRAPPED_BYTES = 256, SECRET_BYTES = 32 };

struct sl_loop {
    EVP_PKEY **keys;
    EVP_PKEY_CTX **contexts;
    size_t count;
    size_t next;
    EVP_CIPHER_CTX *cipher;
    unsigned char pool[POOL_BYTES];
    size_t pool_used;
    unsigned char slab[SLAB_BYTES];
};

static EVP_PKEY *make_key(const uint8_t *modulus) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    BIGNUM *n = BN_bin2bn(modulus, WRAPPED_BYTES, NULL);
    BIGNUM *e = BN_new();
    if (builder && context && n && e && BN_set_word(e, 65537) &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) &&
        (params = OSSL_PARAM_BLD_to_param(builder)) != NULL &&
        EVP_PKEY_fromdata_init(context) == 1) {
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params);
    }
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    BN_free(n);
    BN_free(e);
    return key;
}

static EVP_PKEY_CTX *make_context(EVP_PKEY *key, bool is_pkcs1) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    if (!context || EVP_PKEY_encrypt_init(context) != 1) return NULL;
    if (is_pkcs1) {
        return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 ? context : NULL;
    }
    bool is_set = EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1 &&
                  EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1 &&
                  EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1;
    return is_set ? context : NULL;
}

struct sl_loop *sl_loop_new(const uint8_t *moduli, size_t count, unsigned pkcs1_percent) {
    struct sl_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->count = count;
    loop->pool_used = POOL_BYTES;
    loop->keys = calloc(count, sizeof *loop->keys);
    loop->contexts = calloc(count, sizeof *loop->contexts);
    loop->cipher = EVP_CIPHER_CTX_new();
    bool is_good = loop->keys && loop->contexts && loop->cipher &&
                   EVP_EncryptInit_ex(loop->cipher, EVP_aes_128_cbc(), NULL, NULL, NULL) == 1;
    for (size_t index = 0; is_good && index < count; index++) {
        loop->keys[index] = make_key(moduli + index * WRAPPED_BYTES);
        if (loop->keys[index]) {
            loop->contexts[index] = make_context(loop->keys[index], index % 100 < pkcs1_percent);
        }
        is_good = loop->contexts[index] != NULL;
    }
    if (is_good) return loop;
    sl_loop_free(loop);
    return NULL;
}

void sl_loop_free(struct sl_loop *loop) {
    if (!loop) return;
    for (size_t index = 0; index < loop->count; index++) {
        if (loop->contexts) EVP_PKEY_CTX_free(loop->contexts[index]);
        if (loop->keys) EVP_PKEY_free(loop->keys[index]);
    }
    free(loop->contexts);
    free(loop->keys);
    EVP_CIPHER_CTX_free(loop->cipher);
    free(loop);
}

uint64_t sl_loop_run(struct sl_loop *loop, size_t pushes, const char *head, const char *separator,
                     const char *tail, const uint8_t *content, size_t content_count) {
    const size_t head_count = strlen(head);
    const size_t separator_count = strlen(separator);
    const size_t tail_count = strlen(tail);
    uint64_t total = 0;
    unsigned char *cursor = loop->slab;
    for (size_t push = 0; push < pushes; push++) {
        if (cursor + 8192 > loop->slab + SLAB_BYTES) cursor = loop->slab;
        unsigned char *start = cursor;
        if (loop->pool_used + SECRET_BYTES > POOL_BYTES) {
            if (RAND_bytes(loop->pool, POOL_BYTES) != 1) return 0;
            loop->pool_used = 0;
        }
        const unsigned char *secret = loop->pool + loop->pool_used;
        loop->pool_used += SECRET_BYTES;

        unsigned char wrapped[WRAPPED_BYTES];
        size_t wrapped_count = sizeof wrapped;
        if (EVP_PKEY_encrypt(loop->contexts[loop->next], wrapped, &wrapped_count, secret,
                             SECRET_BYTES) != 1) {
            return 0;
        }
        loop->next = loop->next + 1 == loop->count ? 0 : loop->next + 1;

        memcpy(cursor, head, head_count);
        cursor += head_count;
        cursor += EVP_EncodeBlock(cursor, wrapped, (int)wrapped_count);
        memcpy(cursor, separator, separator_count);
        cursor += separator_count;

        unsigned char sealed[4096];
        int written = 0;
        int last = 0;
        if (content_count + 16 > sizeof sealed ||
            EVP_EncryptInit_ex(loop->cipher, NULL, NULL, secret, secret + 16) != 1 ||
            EVP_EncryptUpdate(loop->cipher, sealed, &written, content, (int)content_count) != 1 ||
            EVP_EncryptFinal_ex(loop->cipher, sealed + written, &last) != 1) {
            return 0;
        }
        cursor += EVP_EncodeBlock(cursor, sealed, written + last);
        memcpy(cursor, tail, tail_count);
        cursor += tail_count;
        total += (uint64_t)(cursor - start);
    }
    return total;
}
