// SHA256_* are deprecated since OpenSSL 3.0 for EVP digests, which allocate each time they begin.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "cshims.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

void cps_mgf1_sha256_xor(uint8_t *bytes, size_t count, const uint8_t *seed, size_t seed_count) {
    SHA256_CTX context;
    uint8_t block[SHA256_DIGEST_LENGTH];
    for (uint32_t counter = 0; count > 0; counter++) {
        const uint8_t suffix[] = {(uint8_t)(counter >> 24), (uint8_t)(counter >> 16),
                                  (uint8_t)(counter >> 8), (uint8_t)counter};
        SHA256_Init(&context);
        SHA256_Update(&context, seed, seed_count);
        SHA256_Update(&context, suffix, sizeof suffix);
        SHA256_Final(block, &context);
        const size_t part = count < sizeof block ? count : sizeof block;
        for (size_t index = 0; index < part; index++) bytes[index] ^= block[index];
        bytes += part;
        count -= part;
    }
    OPENSSL_cleanse(block, sizeof block);
    OPENSSL_cleanse(&context, sizeof context);
}
