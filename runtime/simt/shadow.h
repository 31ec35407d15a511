/* What shadow.c and stale.c know of an allocation.  */
#ifndef ACCSCOPE_SIMT_SHADOW_H
#define ACCSCOPE_SIMT_SHADOW_H

#include "checker.h"

#define GRANULE 4

struct accscope_simt_shadow
{
  struct accscope_simt_shadow *next, **at;	/* of the checker's list */
  struct accscope_simt_checker *checker;
  uintptr_t begin;
  size_t bytes;
  uint64_t *written, *read;	/* cells, atomic, by granule */
  uint8_t *defined;		/* a bit a byte, atomic */
  int given_out;		/* others may use it unseen */
  uintptr_t host;		/* where its first byte is on the host; 0: that is not known */
  uint32_t *agreed;		/* by block: the hash of what both sides had last; 0: not known */
  uint8_t *changed;		/* by block, atomic: since then, by whom */
};

#define BLOCK 64
enum { BY_DEVICE = 1, BY_HOST = 2 };

/* A cell, from its lowest bit: the operation's number, 0 for none, the thread in the gang,
   the warp's clock, the bytes of the granule, and then of a writer whether it was atomic,
   of a reader who shares it, and the site.  */
#define NUMBER_BITS 22
#define THREAD_BITS 10
#define CLOCK_BITS 12
#define LAST_CLOCK ((1u << CLOCK_BITS) - 1)	/* of this one nothing is known */
enum shared { ALONE, BY_WARP, BY_GANG, BY_GANGS };
#define BY_TRANSFER ((1u << THREAD_BITS) - 1)

struct cell
{
  uint32_t number, thread, clock, bytes, atomic, shared, site;
};

static inline uint64_t
packed (const struct cell *c)
{
  return (uint64_t) c->number | (uint64_t) c->thread << 22 | (uint64_t) c->clock << 32 | (uint64_t) c->bytes << 44
	 | (uint64_t) (c->atomic | c->shared) << 48 | (uint64_t) c->site << 50;
}

static inline struct cell
unpacked (uint64_t bits, int writer)
{
  uint32_t two = bits >> 48 & 3;

  return (struct cell) { bits & (NUMBERS - 1), bits >> 22 & 1023, bits >> 32 & LAST_CLOCK, bits >> 44 & 15,
			 writer ? two : 0, writer ? 0 : two, (uint32_t) (bits >> 50) };
}

#define RELAXED_LOAD(PLACE) __atomic_load_n (PLACE, __ATOMIC_RELAXED)
#define RELAXED_STORE(PLACE, WHAT) __atomic_store_n (PLACE, WHAT, __ATOMIC_RELAXED)


/* A mistake that is not one of a lane, with what wrote a byte last as its place.  */
void accscope_simt_blame (struct accscope_simt_shadow *s, enum accscope_simt_found kind, size_t at, size_t bytes);
/* An upload comes over what kernels have written.  */
void accscope_simt_overwrite (struct accscope_simt_shadow *s, size_t at, size_t bytes);
/* Reads memory of the host that may not exist; 0: it cannot be read.  */
int accscope_simt_host_memory (uintptr_t at, void *to, size_t bytes);
/* Tells what kernels have written of an allocation, and nobody has brought to the host.  */
void accscope_simt_discard (struct accscope_simt_shadow *s);

#endif
