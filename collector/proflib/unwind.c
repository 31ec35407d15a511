/* unwind.c - return addresses of the program for an event.

   A frame is left by the call frame information that compilers write for every
   function (.eh_frame; the ABI of the processor, and DWARF 4 section 6.4), because runtimes are compiled without frame pointers.  What it says of
   one return address is worked out once and kept, so that later events take a
   few loads for each frame.  Nothing here locks or allocates.  */
#define _GNU_SOURCE
#include "unwind.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include "accscope_caller.h"
#include "cfi.h"
#include "proflib.h"

/* Our own runtime: part of it is in Go, whose frames nobody else can leave.  */
static accscope_caller_function runtime_caller;

void
unwind_prepare (acc_prof_lookup_func lookup)
{
  accscope_caller_function caller
    = (accscope_caller_function) (void *) lookup (ACCSCOPE_CALLER_NAME);

  if (caller)
    __atomic_store_n (&runtime_caller, caller, __ATOMIC_RELEASE);
}

#if defined __x86_64__ || defined __aarch64__

/* -- which file an address lies in */

enum owner { OWNER_PROGRAM, OWNER_RUNTIME, OWNER_SELF };

struct object
{
  const void *header;		/* .eh_frame_hdr */
  const char *name;
};

struct search
{
  uintptr_t address;
  struct object found;
};

static int
visit (struct dl_phdr_info *info, size_t size, void *argument)
{
  struct search *search = argument;
  const void *header = NULL;
  int inside = 0;

  (void) size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      uintptr_t low = info->dlpi_addr + segment->p_vaddr;
      if (segment->p_type == PT_LOAD && search->address >= low
	  && search->address - low < segment->p_memsz)
	inside = 1;
      else if (segment->p_type == PT_GNU_EH_FRAME)
	header = (const void *) low;
    }
  if (!inside)
    return 0;
  search->found = (struct object) { header, info->dlpi_name };
  return 1;
}

/* glibc 2.35 answers without a lock.  */
#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern __typeof (_dl_find_object) _dl_find_object __attribute__ ((weak));
#endif

static struct object
object_of (uintptr_t address)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  if (_dl_find_object)
    {
      struct dl_find_object found;
      if (_dl_find_object ((void *) address, &found) != 0)
	return (struct object) { NULL, "" };
      return (struct object) { found.dlfo_eh_frame,
			       found.dlfo_link_map->l_name };
    }
#endif
  struct search search = { address, { NULL, "" } };
  dl_iterate_phdr (visit, &search);
  return search.found;
}

/* Runtimes by the names of their libraries: GCC's, ours, NVIDIA's.  */
static enum owner
owner_of (const struct object *object)
{
  static const char *const prefixes[] = { "libgomp", "libopenacc", "libacc" };
  const char *name = strrchr (object->name, '/');

  name = name ? name + 1 : object->name;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp (name, prefixes[i], strlen (prefixes[i])) == 0)
      return i == 2 && strncmp (name, "libaccprof", 10) == 0
	     ? OWNER_SELF : OWNER_RUNTIME;
  return OWNER_PROGRAM;
}

/* -- what is known of return addresses */

struct step
{
  uint64_t address;		/* 0 free, 1 being written */
  struct cfi_rule rule;
  uint8_t owner;
} __attribute__ ((aligned (32)));	/* none lies in two cache lines */

#define STEPS 8192
#define PROBES 16
#define WRITING 1

static struct step steps[STEPS];

static void
work_out (struct step *step, uint64_t address)
{
  struct object object = object_of (address);

  step->owner = owner_of (&object);
  if (!object.header || cfi_rule_at (&step->rule, object.header, address) < 0)
    step->rule.base = CFI_NONE;
}

static inline uint64_t
home_of (uint64_t address)
{
  return (address * 0x9e3779b97f4a7c15u) >> 51;
}

_Static_assert (STEPS == 1 << (64 - 51), "a hash is the number of a step");

static __attribute__ ((noinline)) const struct step *
step_elsewhere (uint64_t address, struct step *made)
{
  for (unsigned i = 0; i < PROBES; i++)
    {
      struct step *step = &steps[(home_of (address) + i) % STEPS];
      uint64_t known = __atomic_load_n (&step->address, __ATOMIC_ACQUIRE);
      if (known == address)
	return step;
      if (known != 0)
	continue;
      work_out (made, address);
      if (!__atomic_compare_exchange_n (&step->address, &known, WRITING, 0,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
	return made;
      step->rule = made->rule;
      step->owner = made->owner;
      __atomic_store_n (&step->address, address, __ATOMIC_RELEASE);
      return step;
    }
  work_out (made, address);	/* its places are taken */
  return made;
}

/* The step of an address: in the table, or MADE if it has no room.  */
static inline const struct step *
step_at (uint64_t address, struct step *made)
{
  const struct step *step = &steps[home_of (address)];

  if (LIKELY (__atomic_load_n (&step->address, __ATOMIC_ACQUIRE) == address))
    return step;
  return step_elsewhere (address, made);
}

/* -- the walk */

#define FRAME_LIMIT (64u << 20)	/* bytes that one frame may have */
#define WALK_LIMIT 512

static uint64_t
word_at (uint64_t address)
{
  return *(const uint64_t *) (uintptr_t) address;
}

struct frame
{
  uint64_t pc, sp, bp;
  int called;			/* pc is a return address */
};

/* Here, or where our runtime was called.  Inlined: the stack pointer is the
   caller's, and at each call as far below its frame.  */
#if defined __x86_64__
#define FRAME_HERE(frame) \
  __asm__ volatile ("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2" \
		    : "=&r" ((frame).pc), "=&r" ((frame).sp), "=&r" ((frame).bp))
#define RETURN_ADDRESS_AT(rule) (-8)
#else
/* The link register is in the frame by then, as what follows is said to change it.  */
#define FRAME_HERE(frame) \
  __asm__ volatile ("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" \
		    : "=&r" ((frame).pc), "=&r" ((frame).sp), "=&r" ((frame).bp) \
		    : : "x30")
#define RETURN_ADDRESS_AT(rule) ((int64_t) (rule).saved_ra)
#endif

/* A word of the stack that may be a return address: where a program signs these, without
   the signature (xpaclri, nothing on processors that know none).  */
static ALWAYS_INLINE uint64_t
return_address_at (uint64_t address)
{
#if defined __aarch64__
  register uint64_t value __asm__ ("x30") = word_at (address);
  __asm__ ("hint 7" : "+r" (value));
  return value;
#else
  return word_at (address);
#endif
}

static int
frame_told (struct frame *frame)
{
  accscope_caller_function ask = __atomic_load_n (&runtime_caller,
						  __ATOMIC_ACQUIRE);
  struct accscope_caller caller;

  if (LIKELY (!ask) || ask (&caller) != 0)
    return 0;
  *frame = (struct frame) { caller.return_address, caller.stack_pointer,
			    caller.frame_pointer, 1 };
  return 1;
}

/* The words of a walk while it is gone.  */
struct way
{
  struct walk *walk;		/* null: not wanted, or too long */
  uint64_t sp;			/* where it began */
};

static ALWAYS_INLINE void
pass (struct way *way, uint64_t at, uint64_t value, int relative)
{
  struct walk *walk = way->walk;
  if (!walk)
    return;
  if (walk->words == WALK_WORDS || (at && at - way->sp >= WALK_REGISTER))
    {
      walk->words = 0;
      way->walk = NULL;
      return;
    }
  unsigned i = walk->words++;
  walk->offset[i] = at ? (uint32_t) (at - way->sp) : WALK_REGISTER;
  walk->value[i] = relative ? value - way->sp : value;
  walk->relative |= (uint64_t) (relative != 0) << i;
}

/* The return addresses from FROM on, of the frames that end above BEYOND; WALK, if not
   null, gets the way.  */
static ALWAYS_INLINE unsigned
climb (struct frame from, uint64_t beyond, uint64_t *stack, unsigned limit,
       struct walk *walk)
{
  uint64_t pc = from.pc, sp = from.sp, bp = from.bp;
  unsigned depth = 0;
  int outside = 0, called = from.called;
  struct step made;
  uint64_t bp_at = 0;		/* where it has been read */
  struct way way = { walk, from.sp };

  if (walk)
    walk->words = 0, walk->relative = 0;

  for (unsigned i = 0; i < WALK_LIMIT; i++)
    {
      /* A return address may be that of the next function.  */
      const struct step *step = step_at (called ? pc - 1 : pc, &made);
      if (called && (outside || (step->owner == OWNER_PROGRAM && sp > beyond)))
	{
	  outside = 1;
	  stack[depth++] = pc;
	  if (depth >= limit)
	    break;
	}
      if (step->rule.base == CFI_NONE)
	break;
      uint64_t base = step->rule.base == CFI_BP ? bp : sp;
      uint64_t frame = base + (int64_t) step->rule.offset;
      if (frame <= sp || frame - sp > FRAME_LIMIT || frame % 8 != 0)
	break;
      if (step->rule.base == CFI_BP)
	pass (&way, bp_at, bp, 1);
      uint64_t back = frame + RETURN_ADDRESS_AT (step->rule);
      pc = return_address_at (back);
      pass (&way, back, pc, 0);
      if (step->rule.saved_bp != 0)
	{
	  bp_at = frame + (int64_t) step->rule.saved_bp;
	  bp = word_at (bp_at);
	}
      sp = frame;
      called = 1;
      if (pc < PAGE)
	break;
    }
  if (way.walk && !depth)
    walk->words = 0;
  return depth;
}

__attribute__ ((noinline)) unsigned
unwind_stack (uint64_t *stack, unsigned limit)
{
  struct frame from = { 0, 0, 0, 0 };

  if (!frame_told (&from))
    FRAME_HERE (from);
  return climb (from, 0, stack, limit, NULL);
}

/* Whether the walk is the same again.  Each return address that is the same tells
   its frame's size, and so that the next word is there.  */
static ALWAYS_INLINE int
same_walk (const struct walk *walk, const struct frame *from)
{
  for (unsigned i = 0; i < walk->words; i++)
    {
      uint64_t value = LIKELY (walk->offset[i] != WALK_REGISTER)
	? return_address_at (from->sp + walk->offset[i]) : from->bp;
      if (value - (walk->relative >> i & 1 ? from->sp : 0) != walk->value[i])
	return 0;
    }
  return walk->words > 0;
}

__attribute__ ((noinline)) uint64_t
unwind_caller (struct walk *walk)
{
  struct frame from = { 0, 0, 0, 0 };
  uint64_t address;

  FRAME_HERE (from);
  if (LIKELY (!__atomic_load_n (&runtime_caller, __ATOMIC_RELAXED)
	      && same_walk (walk, &from)))
    return walk->value[walk->words - 1];
  walk->words = 0;
  if (frame_told (&from))
    return climb (from, 0, &address, 1, NULL) ? address : 0;
  return climb (from, 0, &address, 1, walk) ? address : 0;
}

__attribute__ ((noinline)) uint64_t
unwind_caller_of (uint64_t address)
{
  struct frame from = { 0, 0, 0, 0 };
  uint64_t caller;

  FRAME_HERE (from);
  return climb (from, address, &caller, 1, NULL) ? caller : 0;
}

#else

unsigned
unwind_stack (uint64_t *stack, unsigned limit)
{
  (void) stack;
  (void) limit;
  return 0;			/* events have no call stack on this processor */
}

uint64_t
unwind_caller (struct walk *walk)
{
  (void) walk;
  return 0;
}

uint64_t
unwind_caller_of (uint64_t address)
{
  (void) address;
  return 0;
}

#endif
