/* names.c - the file "sites": the places that events refer to, with what their names
   are found from, where the runtime has names found later (accscope_names.h).

   It is called on the program's threads when they come to a place for the first time,
   never in a signal handler.  */
#define _GNU_SOURCE
#include "accscope_names.h"
#include "proflib.h"
#include "system.h"

static uint32_t writing;	/* a thread is at it */

void
names_forked (void)
{
  __atomic_store_n (&writing, 0, __ATOMIC_RELAXED);
}

static void
append_site (const struct accscope_site *site)
{
  static const char padding[8];
  struct capture_site_call call = {
    .bytes = (uint32_t) (sizeof call + ((site->bytes + 7) & ~(uint64_t) 7)),
    .number = site->number, .first = site->first,
    .return_address = site->return_address, .function = site->function
  };
  char path[PATH_LIMIT];
  path_append (path, 0, folder, "/" CAPTURE_SITES_FILE);
  int file = system_open (path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0)
    return;
  long end = SYSTEM3 (SYS_lseek, file, 0, SEEK_END);
  struct { const void *base; size_t size; } part[]
    = { { &call, sizeof call }, { site->snapshot, site->bytes },
	{ padding, call.bytes - sizeof call - site->bytes } };
  long result = end < 0 || !system_size_allowed ((uint64_t) end + call.bytes)
    ? -EFBIG : SYSTEM3 (SYS_writev, file, part, 3);
  if (end >= 0 && result != (long) call.bytes)
    SYSTEM2 (SYS_ftruncate, file, end);	/* half of it would hide what follows */
  system_close (file);
}

/* What a site refers to is in its file, and in "modules", before the first event that
   says so.  Where that fails, the event has no place.  */
static void
note_site (const struct accscope_site *site)
{
  if (site->bytes > UINT32_MAX / 2
      || (local_generation () == 0 && process_begin () < 0))
    return;
  modules_note (&site->return_address, 1);
  if (site->function)
    modules_note (&site->function, 1);
  while (__atomic_exchange_n (&writing, 1, __ATOMIC_ACQUIRE))
    system_sleep (20000);
  append_site (site);
  __atomic_store_n (&writing, 0, __ATOMIC_RELEASE);
}

/* Who takes the capture in reads the debug information instead of the program's
   threads, beside the program or afterwards.  */
void
names_declare (acc_prof_lookup_func lookup)
{
  accscope_names_function later
    = (accscope_names_function) (void *) lookup (ACCSCOPE_NAMES_NAME);
  if (later)
    later (note_site);
}
