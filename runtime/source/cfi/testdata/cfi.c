/* Prints what collector/proflib/cfi.c says of addresses in a shared object: a line
   for each address that standard input names, relative to where the object is
   loaded: base, offset, and the places of the
   frame pointer and the return address, or "none".  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include "cfi.h"

static const struct link_map *object;
static const void *header;

static int
find (struct dl_phdr_info *info, size_t size, void *unused)
{
  (void) size;
  (void) unused;
  if (info->dlpi_addr == object->l_addr)
    for (int i = 0; i < info->dlpi_phnum; i++)
      if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
	header = (const void *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  return 0;
}

int
main (int argc, char **argv)
{
  unsigned long long address;

  if (argc != 2 || (object = dlopen (argv[1], RTLD_LAZY)) == NULL)
    return 1;
  dl_iterate_phdr (find, NULL);
  if (header == NULL)
    return 1;
  while (scanf ("%llx", &address) == 1)
    {
      struct cfi_rule rule;

      if (cfi_rule_at (&rule, header, object->l_addr + address) == 0)
	printf ("%s%+d %+d %+d\n", rule.base == CFI_SP ? "sp" : "bp", rule.offset, rule.saved_bp,
		rule.saved_ra);
      else
	puts ("none");
    }
  return 0;
}
