/* clock.c - ticks, and their relation to CLOCK_MONOTONIC and CLOCK_REALTIME.

   The time-stamp counter is used where the processor calls it invariant and
   the kernel itself keeps time by it (so it found the processors' counters
   equal); the 64-bit Arm architecture has one counter for all processors.  Readings of all three clocks are taken at distances that double
   from 1 ms to 1 s; the reader interpolates between them.  */
#define _GNU_SOURCE
#include "proflib.h"
#include "system.h"
#include <string.h>
#include <sys/prctl.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

uint32_t clock_kind = CAPTURE_CLOCK_MONOTONIC;
uint64_t clock_next;
uint64_t clock_millisecond = 1000000;

static uint64_t clock_distance;	/* ticks between readings */
static uint32_t clock_taken;	/* a thread takes a reading */

static int64_t
system_clock (clockid_t id)
{
  struct timespec time = { 0, 0 };
  clock_gettime (id, &time);
  return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

uint64_t
clock_monotonic (void)
{
  return (uint64_t) system_clock (CLOCK_MONOTONIC);
}

#if defined __x86_64__
static int
counter_usable (void)
{
  unsigned a, b, c, d;
  if (!__get_cpuid (0x80000007, &a, &b, &c, &d) || !(d & (1u << 8)))
    return 0;
  int mode = 0;	/* a sandbox may have forbidden the instruction */
  if (prctl (PR_GET_TSC, &mode) == 0 && mode != PR_TSC_ENABLE)
    return 0;
  char name[8] = "";
  int file = system_open ("/sys/devices/system/clocksource/clocksource0/"
			  "current_clocksource", O_RDONLY, 0);
  if (file < 0)
    return 0;
  long length = system_read (file, name, sizeof name - 1);
  system_close (file);
  return length >= 4 && memcmp (name, "tsc\n", 4) == 0;
}
#elif defined __aarch64__
static int
counter_usable (void)
{
  int mode = 0;	/* a sandbox may have forbidden the instruction */
  return prctl (PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
}
#else
static int
counter_usable (void)
{
  return 0;
}
#endif

/* Ticks of a second, where the processor tells; else 0.  */
static uint64_t
counter_frequency (void)
{
  uint64_t frequency = 0;
#if defined __aarch64__
  if (clock_kind == CAPTURE_CLOCK_COUNTER)
    __asm__ ("mrs %0, cntfrq_el0" : "=r" (frequency));
#endif
  return frequency;
}

void
clock_read (struct capture_clock *reading)
{
  reading->uncertainty = UINT64_MAX;
  for (int i = 0; i < 4; i++)
    {
      uint64_t before = ticks_now ();
      int64_t monotonic = system_clock (CLOCK_MONOTONIC);
      uint64_t after = ticks_now ();
      if (after - before >= reading->uncertainty)
	continue;
      reading->uncertainty = after - before;
      reading->ticks = clock_kind == CAPTURE_CLOCK_COUNTER
	? before + (after - before) / 2 : (uint64_t) monotonic;
      reading->monotonic = monotonic;
      reading->realtime = system_clock (CLOCK_REALTIME);
    }
}

void
clock_prepare (void)
{
  if (counter_usable ())
    clock_kind = CAPTURE_CLOCK_COUNTER;
}

/* Called when the control page of a process is new.  */
void
clock_restart (void)
{
  struct capture_clock first, second;
  clock_read (&first);
  do
    clock_read (&second);
  while (second.monotonic - first.monotonic < 20000);
  uint64_t span = (uint64_t) (second.monotonic - first.monotonic);
  clock_millisecond = (second.ticks - first.ticks) * 1000000 / span;
  uint64_t told = counter_frequency () / 1000;
  /* Firmware may tell a wrong one.  */
  if (told > clock_millisecond - clock_millisecond / 8
      && told < clock_millisecond + clock_millisecond / 8)
    clock_millisecond = told;
  if (clock_millisecond == 0)
    clock_millisecond = 1;
  clock_distance = clock_millisecond;
  __atomic_store_n (&clock_taken, 0, __ATOMIC_RELAXED);
}

/* One thread at a time; others, and handlers that interrupt it, go on.  */
void
clock_record (void)
{
  if (__atomic_exchange_n (&clock_taken, 1, __ATOMIC_ACQUIRE))
    return;
  struct capture_process *process = &control.process;
  uint64_t count = process->clock_readings;
  uint64_t place = count < CAPTURE_CLOCK_FIRST ? count
    : CAPTURE_CLOCK_FIRST + (count - CAPTURE_CLOCK_FIRST) % CAPTURE_CLOCK_LATER;
  struct capture_clock *slot
    = (struct capture_clock *) (control.bytes + CAPTURE_CLOCK_OFFSET) + place;
  struct capture_clock reading;
  clock_read (&reading);
  /* Each store releases, so that who sees it sees that the number is not its.  */
  __atomic_store_n (&slot->number, 0, __ATOMIC_RELAXED);
  __atomic_store_n (&slot->ticks, reading.ticks, __ATOMIC_RELEASE);
  __atomic_store_n (&slot->monotonic, reading.monotonic, __ATOMIC_RELEASE);
  __atomic_store_n (&slot->realtime, reading.realtime, __ATOMIC_RELEASE);
  __atomic_store_n (&slot->uncertainty, reading.uncertainty, __ATOMIC_RELEASE);
  __atomic_store_n (&slot->number, count + 1, __ATOMIC_RELEASE);
  __atomic_store_n (&process->clock_readings, count + 1, __ATOMIC_RELEASE);
  __atomic_store_n (&clock_next, reading.ticks + clock_distance, __ATOMIC_RELAXED);
  if (clock_distance < 1000 * clock_millisecond)
    clock_distance *= 2;
  __atomic_store_n (&clock_taken, 0, __ATOMIC_RELEASE);
}
