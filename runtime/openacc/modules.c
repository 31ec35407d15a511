#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include "modules.h"

static int
holds (struct dl_phdr_info *info, size_t size, void *argument)
{
  uintptr_t address = *(uintptr_t *) argument;

  (void) size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + segment->p_vaddr;
      if (segment->p_type == PT_LOAD && address >= start
	  && address - start < segment->p_memsz)
	return 1;
    }
  return 0;
}

int
accscope_in_module (uintptr_t address)
{
  return dl_iterate_phdr (holds, &address);
}
