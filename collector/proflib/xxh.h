/* xxh.h - a hash of bytes (xxh.c).  */
#ifndef ACCSCOPE_XXH_H
#define ACCSCOPE_XXH_H

#include <stddef.h>
#include <stdint.h>

/* 64 bits by which bytes are told from others: two that differ have the same with a
   probability of 2^-64, as far as they were not made to.  XXH64 of up to 240 bytes,
   XXH3's of more, both without a seed.  */
uint64_t xxh (const void *bytes, size_t size);

#endif
