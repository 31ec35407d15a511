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
#define THREAD_AT 22		/* NUMBERS is 1 << 22 */
#define CLOCK_AT 32
#define BYTES_AT 44
#define TWO_AT 48
#define SITE_AT 50
#define LAST_CLOCK 4095u	/* of this one, and what comes behind, nothing is known */
#define WHOLE 15u		/* all bytes of a granule */
#define TWO ((uint64_t) 3 << TWO_AT)
enum shared { ALONE, BY_WARP, BY_GANG, BY_GANGS };
#define BY_TRANSFER 1023u	/* in place of a thread */

struct cell
{
  uint32_t number, thread, clock, bytes, atomic, shared, site;
};

static inline uint64_t
packed (const struct cell *c)
{
  return (uint64_t) c->number | (uint64_t) c->thread << THREAD_AT | (uint64_t) c->clock << CLOCK_AT | (uint64_t) c->bytes << BYTES_AT
	 | (uint64_t) (c->atomic | c->shared) << TWO_AT | (uint64_t) c->site << SITE_AT;
}

static inline struct cell
unpacked (uint64_t bits, int writer)
{
  uint32_t two = bits >> TWO_AT & 3;

  return (struct cell) { bits & (NUMBERS - 1), bits >> THREAD_AT & BY_TRANSFER, bits >> CLOCK_AT & LAST_CLOCK, bits >> BYTES_AT & WHOLE,
			 writer ? two : 0, writer ? 0 : two, (uint32_t) (bits >> SITE_AT) };
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
