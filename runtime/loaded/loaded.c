#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include "loaded.h"

struct search
{
  uintptr_t address;
  struct accscope_module *found;
};

static void
describe (const struct dl_phdr_info *info, struct accscope_module *module)
{
  module->base = info->dlpi_addr;
  snprintf (module->path, sizeof module->path, "%s",
	    info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
}

struct listing
{
  struct accscope_module *modules;
  int limit, count;
};

static int
list (struct dl_phdr_info *info, size_t size, void *argument)
{
  struct listing *listing = argument;

  (void) size;
  if (listing->count < listing->limit)
    describe (info, &listing->modules[listing->count]);
  listing->count++;
  return 0;
}

int
accscope_modules (struct accscope_module *modules, int limit)
{
  struct listing listing = { modules, limit, 0 };
  dl_iterate_phdr (list, &listing);
  return listing.count;
}

static int
closed (struct dl_phdr_info *info, size_t size, void *argument)
{
  if (size >= offsetof (struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    *(unsigned long long *) argument = info->dlpi_subs;
  return 1;
}

unsigned long long
accscope_closed_modules (void)
{
  unsigned long long count = 0;
  dl_iterate_phdr (closed, &count);
  return count;
}

static int
holds (struct dl_phdr_info *info, size_t size, void *argument)
{
  struct search *search = argument;

  (void) size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + segment->p_vaddr;
      if (segment->p_type == PT_LOAD && search->address >= start
	  && search->address - start < segment->p_memsz)
	{
	  describe (info, search->found);
	  return 1;
	}
    }
  return 0;
}

int
accscope_module_of (uintptr_t address, struct accscope_module *module)
{
  struct search search = { address, module };
  return dl_iterate_phdr (holds, &search);
}

/* 1: in a segment that the program cannot write, 2: in one that it can.  */
static int
protection (struct dl_phdr_info *info, size_t size, void *argument)
{
  uintptr_t address = *(uintptr_t *) argument;
  int found = 0;

  (void) size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + segment->p_vaddr;
      if (address < start || address - start >= segment->p_memsz)
	continue;
      if (segment->p_type == PT_GNU_RELRO)
	return 1;
      if (segment->p_type == PT_LOAD)
	found = segment->p_flags & PF_W ? 2 : 1;
    }
  return found;
}

int
accscope_read_only (uintptr_t address)
{
  return dl_iterate_phdr (protection, &address) == 1;
}

static int
data (struct dl_phdr_info *info, size_t size, void *argument)
{
  uintptr_t *range = argument;

  (void) size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      if (segment->p_type == PT_LOAD && segment->p_flags & PF_W)
	{
	  range[0] = info->dlpi_addr + segment->p_vaddr;
	  range[1] = range[0] + segment->p_memsz;
	}
    }
  return 1;			/* the program comes first */
}

uintptr_t
accscope_program_data (uintptr_t *start)
{
  uintptr_t range[2] = { 0, 0 };

  dl_iterate_phdr (data, range);
  *start = range[0];
  return range[1];
}

/* Kept by each thread: for the main thread, the C library reads the process's maps.  */
uintptr_t
accscope_stack_end (void)
{
  static __thread uintptr_t end;
  pthread_attr_t attributes;
  void *low;
  size_t size;

  if (end > 1)
    return end;
  end = 1;
  if (pthread_getattr_np (pthread_self (), &attributes) != 0)
    return end;
  if (pthread_attr_getstack (&attributes, &low, &size) == 0)
    end = (uintptr_t) low + size;
  pthread_attr_destroy (&attributes);
  return end;
}
