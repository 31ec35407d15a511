/* Which shared objects the process holds, and what they define.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

static unsigned long long initial_objects = ~0ULL;

static int
count_initial (struct dl_phdr_info *info, size_t size, void *unused)
{
  (void) size;
  (void) unused;
  initial_objects = info->dlpi_adds - info->dlpi_subs;
  return 1;
}

void
accscope_objects_begin (void)
{
  dl_iterate_phdr (count_initial, NULL);
}

static int
add (struct dl_phdr_info *info, size_t size, void *argument)
{
  struct objects *all = argument;
  struct object *grown, *o;
  int i;

  (void) size;
  grown = realloc (all->object, (all->count + 1) * sizeof *grown);
  if (grown == NULL)
    return 1;
  all->object = grown;
  o = &grown[all->count];
  o->low = UINTPTR_MAX;
  o->high = 0;
  for (i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *p = &info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + p->p_vaddr;
      if (p->p_type != PT_LOAD)
	continue;
      if (start < o->low)
	o->low = start;
      if (start + p->p_memsz > o->high)
	o->high = start + p->p_memsz;
    }
  o->name = strdup (info->dlpi_name);
  if (o->name == NULL)
    return 1;
  all->count++;
  return 0;
}

bool
accscope_objects (struct objects *all)
{
  all->count = 0;
  all->object = NULL;
  if (dl_iterate_phdr (add, all) != 0)
    {
      accscope_objects_free (all);
      return false;
    }
  all->initial = initial_objects < all->count ? initial_objects : all->count;
  return true;
}

void
accscope_objects_free (struct objects *all)
{
  size_t i;

  for (i = 0; i < all->count; i++)
    free (all->object[i].name);
  free (all->object);
  all->object = NULL;
  all->count = 0;
}

/* What this very object defines under a name; not what it depends on.  */
void *
accscope_object_symbol (const struct object *o, const char *name)
{
  void *handle = dlopen (o->name[0] == '\0' ? NULL : o->name,
			 RTLD_LAZY | RTLD_NOLOAD);
  void *address;

  if (handle == NULL)
    {
      dlerror ();
      return NULL;
    }
  address = dlsym (handle, name);
  if (address == NULL)
    dlerror ();
  dlclose (handle);
  if ((uintptr_t) address < o->low || (uintptr_t) address >= o->high)
    return NULL;
  return address;
}

bool
accscope_is_libgomp (const struct object *o)
{
  const char *slash = strrchr (o->name, '/');

  return strncmp (slash ? slash + 1 : o->name, "libgomp", 7) == 0;
}

bool
accscope_is_self (const struct object *o)
{
  uintptr_t here = (uintptr_t) accscope_is_self;

  return here >= o->low && here < o->high;
}
