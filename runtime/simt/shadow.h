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
  uint64_t *written, *read;	/* cells, atomic, by granule: cell_of */
  uint64_t moved[2];		/* atomic: cells of the last transfers that read, and that wrote, all of it */
  uint32_t newest;		/* atomic: no operation of a higher number has a cell */
  uint32_t born;		/* cells of lower numbers are of what was there before */
  uint8_t *defined;		/* a bit a byte, atomic */
  int any_defined;		/* atomic: one of them has been set */
  int given_out;		/* others may use it unseen */
  uintptr_t host;		/* where its first byte is on the host; 0: that is not known */
  int mapped;			/* the runtime has said so */
  int met;			/* both sides had the same once */
  uint64_t serial;		/* no other one's */
  uint32_t *agreed;		/* by block: the hash of what both sides had last; 0: not known */
  /* Since both sides had the same, by block, a bit a byte, atomic: what kernels have written, what
     the host has changed, and of that, what it has not read.  */
  uint64_t *by_device, *by_host, *unread;
  uint32_t first_change;	/* atomic: the first operation of a kernel that has changed it since; 0: none has */
  uint32_t *since;		/* by block: how many launches there were before the host's last change of it */
  uint16_t *host_sites;		/* by granule: where the host has written it; NULL: its accesses are not seen */
  uint64_t *tainted;		/* by block, a bit a byte: an upload brought what a kernel's result never got to; NULL: none */
  struct accscope_simt_side tainted_by;	/* who has written such a result */
  int tainted_scratch;		/* which never was to come to the host */
};

#define BLOCK 64

/* The bytes of a block, of which the last one may have fewer.  */
static inline size_t
block_bytes (const struct accscope_simt_shadow *s, size_t n)
{
  return s->bytes - n * BLOCK < BLOCK ? s->bytes - n * BLOCK : BLOCK;
}

/* The bits of a block's bytes [low, high).  */
static inline uint64_t
bits_of (size_t low, size_t high)
{
  return (high - low == BLOCK ? UINT64_MAX : ((uint64_t) 1 << (high - low)) - 1) << low;
}

/* The bits of a range's bytes in block n of it.  */
static inline uint64_t
bits_in (size_t n, size_t begin, size_t end)
{
  const size_t low = n * BLOCK;

  return bits_of (begin > low ? begin - low : 0, end - low < BLOCK ? end - low : BLOCK);
}

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

/* Of a granule: who has read it, or has written it (store), last.  */
static inline uint64_t
cell_of (const struct accscope_simt_shadow *s, int store, size_t granule)
{
  const uint64_t bits = RELAXED_LOAD (store ? &s->written[granule] : &s->read[granule]), moved = RELAXED_LOAD (&s->moved[store]);

  if ((moved & (NUMBERS - 1)) > (bits & (NUMBERS - 1)))
    return moved;
  return (bits & (NUMBERS - 1)) < s->born ? 0 : bits;
}

static inline int
is_defined (const struct accscope_simt_shadow *s, size_t at)
{
  return RELAXED_LOAD (&s->defined[at / 8]) >> at % 8 & 1;
}

/* Bytes are written by something, or are as if nothing had.  */
void accscope_simt_define (struct accscope_simt_shadow *s, size_t at, size_t bytes, int is);
/* The first of the bytes that nothing has written; bytes where there is none.  */
size_t accscope_simt_undefined (const struct accscope_simt_shadow *s, size_t at, size_t bytes);
/* What a transfer does to one side of it, whose shadow it gives.  */
struct accscope_simt_shadow *accscope_simt_move (struct accscope_simt_operation *o, struct accscope_simt_memory *m, uintptr_t at, size_t bytes, int store);
/* A mistake that is not one of a lane, with what wrote a byte last as its place.  */
void accscope_simt_blame (struct accscope_simt_shadow *s, enum accscope_simt_found kind, size_t at, size_t bytes);
/* An upload comes over what kernels have written.  */
void accscope_simt_overwrite (struct accscope_simt_shadow *s, size_t at, size_t bytes);
/* Of a block, or of what there is of it; never 0.  */
uint32_t accscope_simt_hash (const void *block, size_t bytes);
/* Reads memory of the host that may not exist; 0: it cannot be read.  */
int accscope_simt_host_memory (uintptr_t at, void *to, size_t bytes);
/* Tells what kernels have written of an allocation, and nobody has brought to the host.  */
void accscope_simt_discard (struct accscope_simt_shadow *s);
/* Who has written a byte last.  */
struct accscope_simt_side accscope_simt_writer (struct accscope_simt_checker *c, uint64_t cell);

/* A download comes over what the host has changed.  */
void accscope_simt_revert (struct accscope_simt_operation *o, struct accscope_simt_memory *m, uintptr_t from, size_t bytes);

/* discarded.c: of memory that is not on the device any more, and whose changes there never came to
   the host.  */
/* The allocation goes.  */
void accscope_simt_keep_discarded (struct accscope_simt_shadow *s);
/* Its bytes are written by an upload or something else.  */
void accscope_simt_taint (struct accscope_simt_shadow *s, size_t at, size_t bytes, int uploaded);
/* The host's bytes have other values now, or are read or written by its code.  */
void accscope_simt_undiscard (uintptr_t host, size_t bytes);
void accscope_simt_read_discarded (uintptr_t host, size_t bytes, uintptr_t returned);
void accscope_simt_forget_discarded (const struct accscope_simt_checker *c);

/* host.c: the place behind an access of the host's, as a number, 0 where there are too many; and
   as a side.  */
uint16_t accscope_simt_host_site (uintptr_t returned);
struct accscope_simt_side accscope_simt_host_side (uint16_t site, int store);
/* The host's code is to be seen where it uses memory, or no more.  */
void accscope_simt_watch (uintptr_t begin, size_t bytes, int is);
/* What this thread does from now on is none of the host's accesses, or is again.  */
void accscope_simt_unseen (int is);

#endif
