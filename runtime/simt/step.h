/* Runs instructions for a group: included once for each kind of processor, with the
   name of the function as STEP.  In a switch of this size GCC's passes over all of a
   function's expressions (-fgcse) find nothing and take as long as all the others.
   With COUNTING, what is run is counted (counters.h).  */
#include <math.h>
#include <string.h>
#include <time.h>

/* Where an operand's lanes are.  */
#define AT(N) ((void *) (base[in->operand[N] >> 30] + (in->operand[N] & 0x3fffffff)))
#define FIRST ((unsigned) __builtin_ctz (mask))
/* What may leave, or tell a fault, first notes the place; the number of instructions is
   that of all since the last jump.  */
#define HERE (g->pc = (uint32_t) (in - code))
#define RUN (run + (uint64_t) (in - since))
#define NEXT break
#define LEAVE goto over

/* Counts the instruction, its request, and that it has parted lanes.  */
#ifdef COUNTING
#define ISSUED (block.tally[in - code].issued++, block.tally[in - code].lanes += width)
#define REQUEST(PLACE, SPREAD, STORE)						\
  do										\
    if (in->meet)								\
      accscope_simt_count (w, &block.requests[in->target], PLACE, SPREAD, mask, in->meet, STORE); \
  while (0)
#define PARTED (block.tally[in - code].parted++)
#define ENTERED									\
  width = (uint32_t) __builtin_popcount (whole);				\
  block = accscope_simt_block_of (w, g->frame->function);			\
  if (!block.tally) LEAVE;
#else
#define ISSUED
#define REQUEST(PLACE, SPREAD, STORE)
#define PARTED
#define ENTERED
#endif

/* All lanes, or those of the mask.  Operands are the same array or have nothing in common.  */
#define LOOP(...)								\
  do										\
    if (mask == EVERY)								\
      {										\
	_Pragma ("GCC ivdep")							\
	for (unsigned i = 0; i < LANES; i++)					\
	  { __VA_ARGS__ }							\
      }										\
    else									\
      for (uint32_t rest = mask; rest; rest &= rest - 1)			\
	{									\
	  unsigned i = (unsigned) __builtin_ctz (rest);				\
	  __VA_ARGS__								\
	}									\
  while (0);

#define UNARY_(D, R, S, T, EXPR)						\
  { D *d = AT (0); const S *a = AT (1); LOOP (T x = (T) a[i]; d[i] = (D) (R) (EXPR);); }
#define BINARY_(D, R, S, T, EXPR)						\
  { D *d = AT (0); const S *a = AT (1), *b = AT (2); LOOP (T x = (T) a[i]; T y = (T) b[i]; d[i] = (D) (R) (EXPR);); }
#define TERNARY_(D, R, S, T, EXPR)						\
  { D *d = AT (0); const S *a = AT (1), *b = AT (2), *c = AT (3);		\
    LOOP (T x = (T) a[i]; T y = (T) b[i]; T z = (T) c[i]; d[i] = (D) (R) (EXPR);); }
#define SHIFT_(S, R, T, EXPR)							\
  { S *d = AT (0); const S *a = AT (1); const uint32_t *b = AT (2); LOOP (T x = (T) a[i]; uint32_t y = b[i]; d[i] = (S) (R) (EXPR);); }
#define COMPARE_(S, T, EXPR)							\
  { uint32_t *d = AT (0); const S *a = AT (1), *b = AT (2); LOOP (T x = (T) a[i]; T y = (T) b[i]; d[i] = (EXPR) ? UINT32_MAX : 0;); }

/* Integers of up to 31 bits divide as numbers of floating point: that has no error, and is
   done for many lanes at once.  */
#define QUOTIENT(X, Y) ((int32_t) ((double) (X) / (double) (Y)))
#define REMAINDER(X, Y) ((X) - (Y) * QUOTIENT (X, Y))
#define DIVIDE_16(T, EXPR, FAST) BINARY_ (uint32_t, uint16_t, uint32_t, T, EXPR)
#define DIVIDE_32(T, EXPR, FAST) DIVIDE_ (uint32_t, T, EXPR, FAST)
#define DIVIDE_64(T, EXPR, FAST) DIVIDE_ (uint64_t, T, EXPR, FAST)
#define DIVIDE_(W, T, EXPR, FAST)						\
  { W *d = AT (0); const W *a = AT (1), *b = AT (2);				\
    W all = 0, zero = 0;							\
    if (mask == EVERY)								\
      for (unsigned i = 0; i < LANES; i++)					\
	all |= a[i] | b[i], zero |= b[i] == 0;					\
    else									\
      zero = 1;									\
    if (!zero && all <= INT32_MAX)						\
      {										\
	_Pragma ("GCC ivdep")							\
	for (unsigned i = 0; i < LANES; i++)					\
	  { int32_t x = (int32_t) a[i], y = (int32_t) b[i]; d[i] = (W) (FAST); } \
      }										\
    else									\
      LOOP (T x = (T) a[i]; T y = (T) b[i]; d[i] = (W) (T) (EXPR);) }

/* Of 64 bits a NaN is made by a rule that no vector instruction has: it is looked for when
   all lanes are done.  */
#define FLOAT2_32(E, NAN_) BINARY_ (float, float, float, float, NAN_##_32 (E))
#define FLOAT3_32(E, NAN_) TERNARY_ (float, float, float, float, NAN_##_32 (E))
#define WITHOUT_NAN(E)								\
  if (mask == EVERY)								\
    {										\
      double r[LANES];								\
      int64_t nans = 0;								\
      for (unsigned i = 0; i < LANES; i++)					\
	{ r[i] = (E); nans |= -(int64_t) (r[i] != r[i]); }			\
      if (!nans) { memcpy (d, r, sizeof r); NEXT; }				\
    }
#define FLOAT2_64(E, NAN_)							\
  { double *d = AT (0); const double *a = AT (1), *b = AT (2);			\
    WITHOUT_NAN (({ double x = a[i], y = b[i]; E; }))				\
    LOOP (double x = a[i]; double y = b[i]; d[i] = NAN_##_64 (E);); }
#define FLOAT3_64(E, NAN_)							\
  { double *d = AT (0); const double *a = AT (1), *b = AT (2), *c = AT (3);	\
    WITHOUT_NAN (({ double x = a[i], y = b[i], z = c[i]; E; }))			\
    LOOP (double x = a[i]; double y = b[i]; double z = c[i]; d[i] = NAN_##_64 (E);); }

/* Lanes that have values behind each other, or all the same one, are done at once.  */
#define LOAD_(W, T)								\
  { W *d = AT (0);								\
    const uint64_t *address = AT (1);						\
    const T *from = (const T *) (address[0] + (uint64_t) in->displacement);	\
    const enum spread spread = mask == EVERY ? spread_of (address, sizeof (T)) : APART; \
    if (spread != APART && known (w, in, from, spread, sizeof (T)))		\
      {										\
	REQUEST (&(uint64_t) { (uintptr_t) from }, spread, 0);			\
	if (spread == BEHIND)							\
	  for (unsigned i = 0; i < LANES; i++) d[i] = (W) from[i];		\
	else									\
	  for (unsigned i = 0; i < LANES; i++) d[i] = (W) *from;		\
	NEXT;									\
      }										\
    HERE;									\
    if (!accscope_simt_places (w, g, address, in, mask, sizeof (T), 0, place)) LEAVE; \
    REQUEST (place, APART, 0);							\
    LOOP (d[i] = (W) *(const T *) place[i];); }
#define STORE_(W, T)								\
  { const W *a = AT (1);							\
    const uint64_t *address = AT (0);						\
    T *to = (T *) (address[0] + (uint64_t) in->displacement);			\
    if (mask == EVERY && spread_of (address, sizeof (T)) == BEHIND && known (w, in, to, BEHIND, sizeof (T))) \
      {										\
	REQUEST (&(uint64_t) { (uintptr_t) to }, BEHIND, 1);			\
	for (unsigned i = 0; i < LANES; i++) to[i] = (T) a[i];			\
	NEXT;									\
      }										\
    HERE;									\
    if (!accscope_simt_places (w, g, address, in, mask, sizeof (T), 1, place)) LEAVE; \
    REQUEST (place, APART, 1);							\
    LOOP (*(T *) place[i] = (T) a[i];); }
#define ATOMIC_(W, T, EXPR)							\
  { T *d = AT (0); const T *bs = AT (2), *cs = AT (3);				\
    HERE;									\
    if (!accscope_simt_places (w, g, AT (1), in, mask, sizeof (T), ATOMICALLY, place)) LEAVE; \
    REQUEST (place, APART, ATOMICALLY);						\
    for (uint32_t rest = mask; rest; rest &= rest - 1)				\
      {										\
	unsigned i = (unsigned) __builtin_ctz (rest);				\
	W *at = (W *) place[i], was = __atomic_load_n (at, __ATOMIC_SEQ_CST), is; \
	T b = bs[i], c = cs[i], old, new;					\
	(void) c;								\
	do									\
	  {									\
	    memcpy (&old, &was, sizeof old);					\
	    new = (EXPR);							\
	    memcpy (&is, &new, sizeof is);					\
	  }									\
	while (!__atomic_compare_exchange_n (at, &was, is, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
	memcpy (&d[i], &was, sizeof was);					\
      }										\
  }

/* All lanes that an operation names come to it, and it is done for them at once.  */
#define TOGETHER(MEMBERS)							\
  uint32_t all = MEMBERS, own = mask;						\
  w->clock++;									\
  if (all & w->live & ~mask)							\
    {										\
      HERE;									\
      if (!(mask = accscope_simt_sync (w, g, all))) LEAVE;			\
    }										\
  all = mask;
#define SHUFFLE_(SOURCE, VALID, WHOLE)							\
  { const uint32_t *member = AT (4);						\
    TOGETHER (in->together ? member[FIRST] : mask)					\
    uint32_t *d = AT (0); const uint32_t *a = AT (1), *b = AT (2), *c = AT (3);	\
    uint32_t *valid = in->displacement ? (uint32_t *) (base[IN_FRAME] + in->displacement) : NULL; \
    uint32_t given[2 * LANES];							\
    memcpy (given, a, LANES * sizeof *given);					\
    if (in->together == SIMT_WHOLE_SEGMENT && mask == EVERY && !valid)			\
      {										\
	const uint32_t by = b[0] & 31;						\
	for (unsigned i = 0; i < LANES; i++)					\
	  d[i] = (WHOLE);							\
      }										\
    else for (uint32_t rest = mask; rest; rest &= rest - 1)				\
      {										\
	unsigned i = (unsigned) __builtin_ctz (rest), segment = c[i] >> 8 & 31, by = b[i]; \
	int least = (int) (i & segment), most = (int) ((i & segment) | (c[i] & 31 & ~segment)), source = (int) (SOURCE); \
	int is = (VALID);							\
	(void) least;								\
	if (valid) valid[i] = is ? UINT32_MAX : 0;				\
	d[i] = given[is ? source & 31 : (int) i];				\
      }										\
    mask = own; }
#define VOTE_(D)								\
  { const uint32_t *member = AT (2);						\
    TOGETHER (in->together ? member[FIRST] : mask)					\
    const uint32_t *p = AT (1); uint32_t *d = AT (0);				\
    uint32_t yes = bits (p) & mask;						\
    if (in->displacement) yes = ~yes & mask;					\
    LOOP (d[i] = (D););								\
    mask = own; }

/* Another group has its turn when this one has branched back often.  */
#define SPEND if (--budget == 0) { HERE; LEAVE; }
#define RELOAD									\
  { run += (uint64_t) (in - since); whole = g->mask;				\
    code = g->frame->function->code; since = in = code + g->pc - 1;		\
    base[IN_FRAME] = g->frame->registers; base[IN_CONSTANTS] = g->frame->function->constants; \
    ENTERED }
#define BRANCH_									\
  { const struct accscope_simt_instruction *to = code + in->target;		\
    if (to <= in) SPEND								\
    if (mask == whole) { run += (uint64_t) (in - since); since = in = to - 1; NEXT; } \
    PARTED;									\
    HERE;									\
    if (!accscope_simt_part (w, g, mask, in->target, in->meet)) LEAVE;		\
    RELOAD }

#ifndef __AVX2__
static const uint32_t lane_bit[LANES] = {
  1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10,
  1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
  1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31
};
#endif

/* The mask of the lanes where a predicate is true.  */
static inline uint32_t
bits (const uint32_t *predicate)
{
  uint32_t m = 0;

#ifdef __AVX2__
  for (unsigned i = 0; i < LANES; i += 8)
    m |= (uint32_t) _mm256_movemask_ps (_mm256_load_ps ((const float *) predicate + i)) << i;
#else
  for (unsigned i = 0; i < LANES; i++)
    m |= predicate[i] & lane_bit[i];
#endif
  return m;
}

static inline enum spread
spread_of (const uint64_t *address, uint64_t size)
{
  const uint64_t first = address[0];
  uint64_t behind = 0, same = 0;

  for (uint64_t i = 0; i < LANES; i++)
    {
      uint64_t by = address[i] - first;

      same |= by;
      behind |= by ^ i * size;
    }
  return behind == 0 ? BEHIND : same == 0 ? SAME : APART;
}

/* Whether the lanes' values lie in the range that the instruction has found last.  */
static inline int
known (const struct warp *w, const struct accscope_simt_instruction *in, const void *first, enum spread spread, uint64_t size)
{
  const struct accscope_simt_range *range = &w->ranges[in->found];
  const uint64_t bytes = spread == BEHIND ? LANES * size : size, at = (uintptr_t) first;

  return (at & (size - 1)) == 0 && at >= range->begin && at < range->end && bytes <= range->end - at;
}

static inline uint64_t
reversed (uint64_t x)
{
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  return __builtin_bswap64 (x);
}

static inline uint64_t
nanoseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

/* NaN as NVIDIA's devices make it (seen on an H200).  */
static inline float
nan_32 (void)
{
  union { uint32_t bits; float value; } u = { 0x7fffffff };
  return u.value;
}

static inline double
quiet (double x)
{
  union { double value; uint64_t bits; } u = { x };
  u.bits |= (uint64_t) 1 << 51;
  return u.value;
}

#define NAN1_32(E) ({ float r_ = (E); r_ == r_ ? r_ : nan_32 (); })
#define NAN2_32(E) NAN1_32 (E)
#define NAN3_32(E) NAN1_32 (E)
#define NAN1_64(E) ({ double r_ = (E); r_ == r_ ? r_ : x != x ? quiet (x) : r_; })
#define NAN2_64(E) ({ double r_ = (E); r_ == r_ ? r_ : y != y ? quiet (y) : x != x ? quiet (x) : r_; })
#define NAND_32(E) NAN1_32 (E)
#define NAND_64(E) ({ double r_ = (E); r_ == r_ ? r_ : x != x ? quiet (x) : y != y ? quiet (y) : r_; })
#define NAN3_64(E) ({ double r_ = (E); r_ == r_ ? r_ : y != y ? quiet (y) : z != z ? quiet (z) : x != x ? quiet (x) : r_; })
#define FMA_32(X, Y, Z) __builtin_fmaf (X, Y, Z)
#define FMA_64(X, Y, Z) __builtin_fma (X, Y, Z)
#define SQRT_32(X) __builtin_sqrtf (X)
#define SQRT_64(X) __builtin_sqrt (X)
#define ABS_32(X) __builtin_fabsf (X)
#define ABS_64(X) __builtin_fabs (X)
#define ROUND_32(X) __builtin_rintf (X)
#define ROUND_64(X) __builtin_rint (X)
#define TRUNC_32(X) __builtin_truncf (X)
#define TRUNC_64(X) __builtin_trunc (X)
#define FLOOR_32(X) __builtin_floorf (X)
#define FLOOR_64(X) __builtin_floor (X)
#define CEIL_32(X) __builtin_ceilf (X)
#define CEIL_64(X) __builtin_ceil (X)
#define rzi_32(X) TRUNC_32 (X)
#define rzi_64(X) TRUNC_64 (X)
#define rni_32(X) ROUND_32 (X)
#define rni_64(X) ROUND_64 (X)
#define rmi_32(X) FLOOR_32 (X)
#define rmi_64(X) FLOOR_64 (X)
#define rpi_32(X) CEIL_32 (X)
#define rpi_64(X) CEIL_64 (X)
#define SIGN_32 ((uint32_t) 1 << 31)
#define SIGN_64 ((uint64_t) 1 << 63)
#define MOST_32 __FLT_MAX__
#define MOST_64 __DBL_MAX__
#define LEAST_32 __FLT_MIN__
#define LEAST_64 __DBL_MIN__

/* A number rather than a NaN; -0 is less than 0.  */
#define CHOSEN(BITS, FIRST_IF, EQUAL)						\
  uint##BITS##_t a, b, r;							\
  memcpy (&a, &x, sizeof a);							\
  memcpy (&b, &y, sizeof b);							\
  r = x FIRST_IF y ? a : y FIRST_IF x ? b : EQUAL;				\
  r = x != x ? b : r;								\
  r = y != y ? (x != x ? NAN_OF_##BITS (b) : a) : r;				\
  memcpy (&x, &r, sizeof x);							\
  return x;
#define NAN_OF_32(BITS) 0x7fffffff
#define NAN_OF_64(BITS) ((BITS) | (uint64_t) 1 << 51)
#define LEAST_AND_MOST(BITS, F)							\
  static inline F least_##BITS (F x, F y) { CHOSEN (BITS, <, a | b) }		\
  static inline F most_##BITS (F x, F y) { CHOSEN (BITS, >, a & b) }
LEAST_AND_MOST (32, float)
LEAST_AND_MOST (64, double)

static inline float sum_32 (float x, float y) { return NAN2_32 (x + y); }
static inline double sum_64 (double x, double y) { return NAN2_64 (x + y); }

void
STEP (struct warp *w, struct group *g)
{
  const char *base[ARRAYS] = { NULL, NULL, (const char *) w->specials };
  const struct accscope_simt_instruction *code, *in = NULL, *since = NULL;
  uint32_t whole, mask, budget = SLICE;
  uint64_t place[LANES], run = 0;
#ifdef COUNTING
  struct accscope_simt_block block;
  uint32_t width;
#endif

  RELOAD
  for (;;)
    {
      in++;
      ISSUED;
      mask = whole;
      if (in->guarded)
	{
	  uint32_t is = bits ((const uint32_t *) (base[in->guard >> 30] + (in->guard & 0x3fffffff)));

	  mask &= in->guarded == 1 ? is : ~is;
	  if (mask == 0)
	    continue;
	}
      switch (in->operation)
	{
#define OPERATION(NAME, TEXT, ...) case NAME: { __VA_ARGS__ } break;
#include "operations.h"
#undef OPERATION
	}
    }
over:
  w->gang->instructions += RUN;
}
