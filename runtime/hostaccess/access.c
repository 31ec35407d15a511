/* What GCC calls in programs compiled with -fsanitize=thread before they read or write memory:
   this library stands in place of libtsan while accscope check runs them.  It looks for no
   races of threads; of accesses to data that are on a device the runtime is told.  The names
   and their arguments are those that GCC refers to: see its documentation of -fsanitize=thread,
   and `nm -D --undefined-only` of a program.  */
#define _GNU_SOURCE
#include "seen.h"

#include <link.h>
#include <stdbool.h>

struct accscope_host_watch accscope_watched = { .version = ACCSCOPE_WATCH_VERSION };
extern EXPORT struct accscope_host_watch accscope_host_watch __attribute__ ((alias ("accscope_watched")));

/* The code of those that have called __tsan_init.  */
#define MOST_MODULES 256
static struct
{
  uintptr_t begin, end;
} modules[MOST_MODULES];
static uint32_t module_count;	/* atomic */

int
accscope_is_instrumented (uintptr_t code)
{
  const uint32_t count = __atomic_load_n (&module_count, __ATOMIC_ACQUIRE);

  for (uint32_t n = 0; n < count; n++)
    if (code - modules[n].begin < modules[n].end - modules[n].begin)
      return 1;
  return 0;
}

static int
is_of (struct dl_phdr_info *info, size_t size, void *code)
{
  const uintptr_t at = *(const uintptr_t *) code;

  (void) size;
  for (unsigned n = 0; n < info->dlpi_phnum; n++)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[n];
      const uintptr_t begin = info->dlpi_addr + p->p_vaddr;

      if (p->p_type != PT_LOAD || at - begin >= p->p_memsz)
	continue;
      const uint32_t number = __atomic_load_n (&module_count, __ATOMIC_RELAXED);
      if (number < MOST_MODULES)
	{
	  modules[number].begin = begin;
	  modules[number].end = begin + p->p_memsz;
	  __atomic_store_n (&module_count, number + 1, __ATOMIC_RELEASE);
	}
      return 1;
    }
  return 0;
}

/* Constructors of each file call it, one after the other: the loader has a lock.  */
EXPORT void __tsan_init (void);
void
__tsan_init (void)
{
  uintptr_t code = RETURNED;

  __atomic_store_n (&accscope_watched.instrumented, 1, __ATOMIC_RELAXED);
  if (!accscope_is_instrumented (code))
    dl_iterate_phdr (is_of, &code);
}

#define ACCESS(NAME, BYTES, HOW) \
  EXPORT void NAME (void *); \
  void NAME (void *place) { seen (place, BYTES, HOW, RETURNED); }
#define BOTH(BYTES) \
  ACCESS (__tsan_read##BYTES, BYTES, ACCSCOPE_HOST_READ) \
  ACCESS (__tsan_write##BYTES, BYTES, ACCSCOPE_HOST_WRITE) \
  ACCESS (__tsan_unaligned_read##BYTES, BYTES, ACCSCOPE_HOST_READ) \
  ACCESS (__tsan_unaligned_write##BYTES, BYTES, ACCSCOPE_HOST_WRITE) \
  ACCESS (__tsan_volatile_read##BYTES, BYTES, ACCSCOPE_HOST_READ) \
  ACCESS (__tsan_volatile_write##BYTES, BYTES, ACCSCOPE_HOST_WRITE) \
  ACCESS (__tsan_unaligned_volatile_read##BYTES, BYTES, ACCSCOPE_HOST_READ) \
  ACCESS (__tsan_unaligned_volatile_write##BYTES, BYTES, ACCSCOPE_HOST_WRITE)

BOTH (1)
BOTH (2)
BOTH (4)
BOTH (8)
BOTH (16)

#define RANGE(NAME, HOW) \
  EXPORT void NAME (void *, unsigned long); \
  void NAME (void *place, unsigned long bytes) { if (bytes) seen (place, bytes, HOW, RETURNED); }

RANGE (__tsan_read_range, ACCSCOPE_HOST_READ)
RANGE (__tsan_write_range, ACCSCOPE_HOST_WRITE)

/* Those of virtual tables, which are on no device; and of functions.  */
EXPORT void __tsan_vptr_update (void **, void *);
EXPORT void __tsan_vptr_read (void **);
EXPORT void __tsan_func_entry (void *);
EXPORT void __tsan_func_exit (void);
EXPORT void __tsan_ignore_thread_begin (void);
EXPORT void __tsan_ignore_thread_end (void);
EXPORT void __tsan_acquire (void *);
EXPORT void __tsan_release (void *);
void __tsan_vptr_update (void **place, void *value) { (void) place, (void) value; }
void __tsan_vptr_read (void **place) { (void) place; }
void __tsan_func_entry (void *returned) { (void) returned; }
void __tsan_func_exit (void) { }
void __tsan_ignore_thread_begin (void) { }
void __tsan_ignore_thread_end (void) { }
void __tsan_acquire (void *place) { (void) place; }
void __tsan_release (void *place) { (void) place; }

/* Atomic operations are called in place of the processor's: they are done here, in the
   strongest order, whatever was asked for.  */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define STRONGEST __ATOMIC_SEQ_CST

#define FETCH(BITS, NAME, BUILTIN) \
  EXPORT u##BITS __tsan_atomic##BITS##_##NAME (volatile u##BITS *, u##BITS, int); \
  u##BITS __tsan_atomic##BITS##_##NAME (volatile u##BITS *place, u##BITS value, int order) \
  { \
    (void) order; \
    seen (place, sizeof *place, ACCSCOPE_HOST_READ, RETURNED); \
    seen (place, sizeof *place, ACCSCOPE_HOST_WRITE, RETURNED); \
    return BUILTIN (place, value, STRONGEST); \
  }
#define EXCHANGE(BITS, NAME) \
  EXPORT int __tsan_atomic##BITS##_compare_exchange_##NAME (volatile u##BITS *, u##BITS *, u##BITS, int, int); \
  int __tsan_atomic##BITS##_compare_exchange_##NAME (volatile u##BITS *place, u##BITS *expected, u##BITS value, int order, int otherwise) \
  { \
    (void) order, (void) otherwise; \
    seen (place, sizeof *place, ACCSCOPE_HOST_READ, RETURNED); \
    bool is = __atomic_compare_exchange_n (place, expected, value, 0, STRONGEST, STRONGEST); \
    if (is) \
      seen (place, sizeof *place, ACCSCOPE_HOST_WRITE, RETURNED); \
    return is; \
  }
#define ATOMICS(BITS) \
  EXPORT u##BITS __tsan_atomic##BITS##_load (const volatile u##BITS *, int); \
  u##BITS __tsan_atomic##BITS##_load (const volatile u##BITS *place, int order) \
  { \
    (void) order; \
    seen (place, sizeof *place, ACCSCOPE_HOST_READ, RETURNED); \
    return __atomic_load_n (place, STRONGEST); \
  } \
  EXPORT void __tsan_atomic##BITS##_store (volatile u##BITS *, u##BITS, int); \
  void __tsan_atomic##BITS##_store (volatile u##BITS *place, u##BITS value, int order) \
  { \
    (void) order; \
    seen (place, sizeof *place, ACCSCOPE_HOST_WRITE, RETURNED); \
    __atomic_store_n (place, value, STRONGEST); \
  } \
  FETCH (BITS, exchange, __atomic_exchange_n) \
  FETCH (BITS, fetch_add, __atomic_fetch_add) \
  FETCH (BITS, fetch_sub, __atomic_fetch_sub) \
  FETCH (BITS, fetch_and, __atomic_fetch_and) \
  FETCH (BITS, fetch_or, __atomic_fetch_or) \
  FETCH (BITS, fetch_xor, __atomic_fetch_xor) \
  FETCH (BITS, fetch_nand, __atomic_fetch_nand) \
  EXCHANGE (BITS, strong) \
  EXCHANGE (BITS, weak) \
  EXPORT u##BITS __tsan_atomic##BITS##_compare_exchange_val (volatile u##BITS *, u##BITS, u##BITS, int, int); \
  u##BITS __tsan_atomic##BITS##_compare_exchange_val (volatile u##BITS *place, u##BITS expected, u##BITS value, int order, int otherwise) \
  { \
    (void) order, (void) otherwise; \
    seen (place, sizeof *place, ACCSCOPE_HOST_READ, RETURNED); \
    if (__atomic_compare_exchange_n (place, &expected, value, 0, STRONGEST, STRONGEST)) \
      seen (place, sizeof *place, ACCSCOPE_HOST_WRITE, RETURNED); \
    return expected; \
  }

ATOMICS (8)
ATOMICS (16)
ATOMICS (32)
ATOMICS (64)

EXPORT void __tsan_atomic_thread_fence (int);
EXPORT void __tsan_atomic_signal_fence (int);
void __tsan_atomic_thread_fence (int order) { (void) order; __atomic_thread_fence (STRONGEST); }
void __tsan_atomic_signal_fence (int order) { (void) order; __atomic_signal_fence (STRONGEST); }
