/* Gives a program that GCC linked without device code an image that the stand-in
   driver understands: preloaded, it registers the outlined functions of the
   program's own table, which GCC writes in any case, as kernels.  The image is of
   the version $ACCSCOPE_STANDIN_IMAGE, as of GCC 12 (1, the default), 13 (2) or 14
   (3); $ACCSCOPE_STANDIN_OPENMP gives it OpenMP's marks, and
   $ACCSCOPE_STANDIN_DIMENSIONS, "gangs:workers:vector", what a compiler has fixed of each
   kernel's geometry, 0: left open.  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct descriptor
{
  const char *name;
  unsigned short dim[3];
};

static struct
{
  struct { const char *code; size_t size; } object;
  struct descriptor *functions;
  uintptr_t *host;
  size_t count;
  const void *table[6];
  struct
  {
    uintptr_t requires;		/* from version 2 on */
    const void *objects;
    unsigned object_count;
    const void *variables;
    unsigned variable_count;
    const void *functions;
    unsigned function_count;
    unsigned indirect_count;	/* from version 3 on */
  } data;
} image;

static int
base_of_program (struct dl_phdr_info *info, size_t size, void *base)
{
  (void) size;
  *(uintptr_t *) base = info->dlpi_addr;
  return 1;
}

/* Finds the section with the host addresses of the outlined functions, which the
   loader has relocated.  */
static void
find_functions (void)
{
  FILE *file = fopen ("/proc/self/exe", "rb");
  uintptr_t base = 0;
  Elf64_Ehdr header;
  Elf64_Shdr *sections;
  char *names;
  int i;

  if (file == NULL || fread (&header, sizeof header, 1, file) != 1
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shnum == 0)
    return;
  dl_iterate_phdr (base_of_program, &base);
  sections = calloc (header.e_shnum, sizeof *sections);
  fseek (file, header.e_shoff, SEEK_SET);
  if (sections == NULL
      || fread (sections, sizeof *sections, header.e_shnum, file) != header.e_shnum)
    abort ();
  names = malloc (sections[header.e_shstrndx].sh_size);
  fseek (file, sections[header.e_shstrndx].sh_offset, SEEK_SET);
  if (names == NULL
      || fread (names, sections[header.e_shstrndx].sh_size, 1, file) != 1)
    abort ();
  for (i = 0; i < header.e_shnum; i++)
    if (strcmp (names + sections[i].sh_name, ".gnu.offload_funcs") == 0)
      {
	image.host = (uintptr_t *) (base + sections[i].sh_addr);
	image.count = sections[i].sh_size / sizeof *image.host;
      }
  fclose (file);
  free (names);
  free (sections);
}

static void __attribute__ ((constructor))
register_program (void)
{
  void (*enter) (unsigned, const void *, int, const void *)
    = (void (*) (unsigned, const void *, int, const void *))
      dlsym (RTLD_DEFAULT, "GOMP_offload_register_ver");
  char *text = NULL;
  size_t size = 0, i;
  unsigned version = 1;
  const char *code = "", *dimensions = getenv ("ACCSCOPE_STANDIN_DIMENSIONS");
  FILE *stream;

  find_functions ();
  if (enter == NULL || image.count == 0)
    return;
  stream = open_memstream (&text, &size);
  /* Code that only reads its arguments, or that lets them out of sight.  */
  if (getenv ("ACCSCOPE_STANDIN_WRITES") != NULL)
    code = "\tld.param.u64 %r1,[%in_ar0];\n\tst.u64 [%stack],%r1;\n";
  fprintf (stream, ".version 6.0\n.target sm_80\n.address_size 64\n");
  image.functions = calloc (image.count, sizeof *image.functions);
  for (i = 0; i < image.count; i++)
    {
      char *name;
      if (asprintf (&name, "f%zu", i) < 0)
	abort ();
      image.functions[i].name = name;
      if (dimensions != NULL
	  && sscanf (dimensions, "%hu:%hu:%hu", &image.functions[i].dim[0],
		     &image.functions[i].dim[1], &image.functions[i].dim[2]) != 3)
	abort ();
      fprintf (stream, "// function %s %#lx 1024\n.entry %s (.param.u64 %%in_ar0)\n{\n%s\tret;\n}\n",
	       name, (unsigned long) image.host[i], name, code);
    }
  fclose (stream);
  image.object.code = text;
  image.object.size = size + 1;
  image.table[0] = image.host;
  image.table[1] = image.host + image.count;
  image.data.objects = &image.object;
  image.data.object_count = 1;
  image.data.functions = image.functions;
  image.data.function_count = image.count;
  if (getenv ("ACCSCOPE_STANDIN_IMAGE") != NULL)
    version = atoi (getenv ("ACCSCOPE_STANDIN_IMAGE"));
  if (getenv ("ACCSCOPE_STANDIN_OPENMP") != NULL)
    {
      /* As of a reverse offload, and of an indirect function.  */
      image.data.requires = version == 2 ? 640 : 0;
      image.data.indirect_count = 1;
    }
  enter (version << 16 | 1, image.table, 5,
	 version == 1 ? (void *) &image.data.objects : &image.data);
}
