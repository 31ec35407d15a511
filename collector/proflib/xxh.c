/* xxh.c - XXH64 and, for what is long, XXH3 with 64 bits, after their specification
   (xxHash fast digest algorithm, version 0.2.0).  XXH3 goes through long inputs at the
   pace of memory: with two lanes of a vector for each of its multiplications.  */
#include "xxh.h"
#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

#define PRIME32_1 0x9E3779B1u
#define PRIME32_2 0x85EBCA77u
#define PRIME32_3 0xC2B2AE3Du
#define PRIME64_1 0x9E3779B185EBCA87ull
#define PRIME64_2 0xC2B2AE3D27D4EB4Full
#define PRIME64_3 0x165667B19E3779F9ull
#define PRIME64_4 0x85EBCA77C2B2AE63ull
#define PRIME64_5 0x27D4EB2F165667C5ull

#define SHORT_LIMIT 240u	/* of what XXH64 takes */

/* Both are defined on words whose lowest byte is first.  */
_Static_assert (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a byte order of its own");

static inline uint64_t
word64 (const unsigned char *at)
{
  uint64_t value;
  memcpy (&value, at, sizeof value);
  return value;
}

static inline uint32_t
word32 (const unsigned char *at)
{
  uint32_t value;
  memcpy (&value, at, sizeof value);
  return value;
}

static inline uint64_t
rotated (uint64_t value, int bits)
{
  return value << bits | value >> (64 - bits);
}

/* -- XXH64 */

static inline uint64_t
mixed (uint64_t lane, uint64_t input)
{
  return rotated (lane + input * PRIME64_2, 31) * PRIME64_1;
}

static uint64_t
xxh64 (const unsigned char *at, size_t size)
{
  const unsigned char *end = at + size;
  uint64_t hash = PRIME64_5;
  if (size >= 32)
    {
      uint64_t lane[4] = { PRIME64_1 + PRIME64_2, PRIME64_2, 0, -PRIME64_1 };
      for (; end - at >= 32; at += 32)
	for (int i = 0; i < 4; i++)
	  lane[i] = mixed (lane[i], word64 (at + 8 * i));
      hash = rotated (lane[0], 1) + rotated (lane[1], 7) + rotated (lane[2], 12)
	+ rotated (lane[3], 18);
      for (int i = 0; i < 4; i++)
	hash = (hash ^ mixed (0, lane[i])) * PRIME64_1 + PRIME64_4;
    }
  hash += size;
  for (; end - at >= 8; at += 8)
    hash = rotated (hash ^ mixed (0, word64 (at)), 27) * PRIME64_1 + PRIME64_4;
  for (; end - at >= 4; at += 4)
    hash = rotated (hash ^ word32 (at) * PRIME64_1, 23) * PRIME64_2 + PRIME64_3;
  for (; at < end; at++)
    hash = rotated (hash ^ *at * PRIME64_5, 11) * PRIME64_1;
  hash = (hash ^ hash >> 33) * PRIME64_2;
  hash = (hash ^ hash >> 29) * PRIME64_3;
  return hash ^ hash >> 32;
}

/* -- XXH3 */

#define STRIPE 64u
#define LANES 8
#define SECRET_BYTES 192u
#define SECRET_STEP 8u		/* from stripe to stripe */
#define STRIPES ((SECRET_BYTES - STRIPE) / SECRET_STEP)	/* of a block */
#define BLOCK (STRIPES * STRIPE)

static const unsigned char secret[SECRET_BYTES] __attribute__ ((aligned (64))) = {
  0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c,
  0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb,
  0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
  0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
  0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6,
  0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
  0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97,
  0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
  0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
  0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
  0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83,
  0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
  0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26,
  0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc,
  0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
  0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e
};

/* A stripe into the lanes, with the secret from KEY on.  */
#if defined __SSE2__
typedef __m128i lanes[LANES / 2];

static inline __attribute__ ((always_inline)) void
accumulate (lanes lane, const unsigned char *at, const unsigned char *key)
{
#pragma GCC unroll 4
  for (int i = 0; i < LANES / 2; i++)
    {
      __m128i input = _mm_loadu_si128 ((const __m128i *) at + i);
      __m128i keyed = _mm_xor_si128 (input, _mm_loadu_si128 ((const __m128i *) key + i));
      __m128i product = _mm_mul_epu32 (keyed, _mm_shuffle_epi32 (keyed, 0x31));
      __m128i neighbour = _mm_shuffle_epi32 (input, 0x4e);
      lane[i] = _mm_add_epi64 (_mm_add_epi64 (lane[i], neighbour), product);
    }
}
#else
typedef uint64_t lanes[LANES];

static inline __attribute__ ((always_inline)) void
accumulate (lanes lane, const unsigned char *at, const unsigned char *key)
{
#pragma GCC unroll 8
  for (int i = 0; i < LANES; i++)
    {
      uint64_t input = word64 (at + 8 * i), keyed = input ^ word64 (key + 8 * i);
      lane[i ^ 1] += input;
      lane[i] += (uint64_t) (uint32_t) keyed * (keyed >> 32);
    }
}
#endif

static void
scramble (uint64_t lane[LANES])
{
  for (int i = 0; i < LANES; i++)
    {
      lane[i] ^= lane[i] >> 47 ^ word64 (secret + SECRET_BYTES - STRIPE + 8 * i);
      lane[i] *= PRIME32_1;
    }
}

static uint64_t
folded (uint64_t a, uint64_t b)
{
  unsigned __int128 product = (unsigned __int128) a * b;
  return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static uint64_t
xxh3 (const unsigned char *at, size_t size)
{
  uint64_t lane[LANES] = {
    PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
  };
  lanes sums;
  memcpy (&sums, lane, sizeof sums);
  const unsigned char *last = at + size - STRIPE;	/* may overlap the one before */
  size_t left = size - 1;
  for (; left >= BLOCK; left -= BLOCK)
    {
      for (unsigned i = 0; i < STRIPES; i++, at += STRIPE)
	{
	  __builtin_prefetch (at + 512);
	  accumulate (sums, at, secret + i * SECRET_STEP);
	}
      memcpy (lane, &sums, sizeof lane);
      scramble (lane);
      memcpy (&sums, lane, sizeof sums);
    }
  for (unsigned i = 0; i < left / STRIPE; i++, at += STRIPE)
    accumulate (sums, at, secret + i * SECRET_STEP);
  accumulate (sums, last, secret + SECRET_BYTES - STRIPE - 7);
  memcpy (lane, &sums, sizeof lane);
  uint64_t hash = (uint64_t) size * PRIME64_1;
  for (int i = 0; i < LANES; i += 2)
    hash += folded (lane[i] ^ word64 (secret + 11 + 8 * i),
		    lane[i + 1] ^ word64 (secret + 11 + 8 * (i + 1)));
  hash = (hash ^ hash >> 37) * 0x165667919E3779F9ull;
  return hash ^ hash >> 32;
}

uint64_t
xxh (const void *bytes, size_t size)
{
  return size > SHORT_LIMIT ? xxh3 (bytes, size) : xxh64 (bytes, size);
}
