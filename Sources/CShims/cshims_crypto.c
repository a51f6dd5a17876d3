// SHA256_* are deprecated since OpenSSL 3.0 for EVP digests, which allocate each time they begin.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "cshims.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

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

#ifdef __x86_64__

__attribute__((target("ssse3"))) static size_t encode_front(const uint8_t *source, size_t count,
                                                            uint8_t *target) {
    // The bytes of four groups of three, each as b1 b0 b2 b1 in a 32-bit lane.
    const __m128i spread = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    // What to add to a value, by its range: 0 is a-z, 1 to 10 the digits, then + and /, 13 is A-Z.
    const __m128i offsets = _mm_setr_epi8('a' - 26, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4,
                                          '+' - 62, '/' - 63, 'A', 0, 0);
    size_t taken = 0;
    // A load takes 16 bytes, of which 12 are used.
    for (; taken + 16 <= count; taken += 12, target += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(source + taken));
        const __m128i lanes = _mm_shuffle_epi8(bytes, spread);
        // Multiplications shift the four sixes of bits to their bytes.
        const __m128i first = _mm_mulhi_epu16(_mm_and_si128(lanes, _mm_set1_epi32(0x0FC0FC00)),
                                              _mm_set1_epi32(0x04000040));
        const __m128i second = _mm_mullo_epi16(_mm_and_si128(lanes, _mm_set1_epi32(0x003F03F0)),
                                               _mm_set1_epi32(0x01000010));
        const __m128i values = _mm_or_si128(first, second);
        const __m128i above = _mm_subs_epu8(values, _mm_set1_epi8(51));
        const __m128i is_upper = _mm_cmpgt_epi8(_mm_set1_epi8(26), values);
        const __m128i range = _mm_or_si128(above, _mm_and_si128(is_upper, _mm_set1_epi8(13)));
        const __m128i text = _mm_add_epi8(values, _mm_shuffle_epi8(offsets, range));
        _mm_storeu_si128((__m128i *)target, text);
    }
    return taken;
}

size_t cps_base64_encode_front(const uint8_t *source, size_t count, uint8_t *target) {
    return __builtin_cpu_supports("ssse3") ? encode_front(source, count, target) : 0;
}

#else

size_t cps_base64_encode_front(const uint8_t *source, size_t count, uint8_t *target) {
    (void)source, (void)count, (void)target;
    return 0;
}

#endif
