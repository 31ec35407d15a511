/* annotate.c - annotations by the header, and by NVTX's injection interface.  */
#include "accscope_annotation.h"
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>

/* What NVTX's header has in a program: tables of pointers to its functions, which an
   injection library fills in (nvtxTypes.h).  */
typedef void (*function_pointer) (void);
static function_pointer functions[2][16], *tables[2][16];

static int
module_functions (int module, function_pointer ***table, unsigned *size)
{
  int i = module == 1 ? 0 : module == 5 ? 1 : -1;
  if (i < 0)
    return 0;
  for (int k = 0; k < 16; k++)
    tables[i][k] = &functions[i][k];
  *table = tables[i];
  *size = 16;
  return 1;
}

static const struct { size_t size; int (*module_functions) (int, function_pointer ***, unsigned *); }
  callbacks = { sizeof callbacks, module_functions };

static const void *
export_table (uint32_t id)
{
  return id == 1 ? &callbacks : NULL;
}

struct attributes
{
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  int64_t payload;
  int32_t message_type;
  const void *message;
};

static int
nvtx (void)
{
  void *library = dlopen (getenv ("NVTX_INJECTION64_PATH"), RTLD_LAZY);
  union { void *data; int (*inject) (const void *(*) (uint32_t)); } as;
  as.data = library ? dlsym (library, "InitializeInjectionNvtx2") : NULL;
  if (!as.data || !as.inject (export_table))
    return 1;
  ((int (*) (const char *)) functions[0][9]) ("pushed");
  ((int (*) (const wchar_t *)) functions[0][10]) (L"weit \u00fc");
  ((int (*) (void)) functions[0][11]) ();
  void *registered = ((void *(*) (void *, const char *)) functions[1][10]) (NULL, "registered");
  struct attributes attributes = { .version = 3, .size = sizeof attributes, .payload_type = 5,
    .payload = 7, .message_type = 3, .message = registered };
  ((int (*) (void *, const struct attributes *)) functions[1][4]) (NULL, &attributes);
  ((int (*) (void *)) functions[1][5]) (NULL);
  ((int (*) (void)) functions[0][11]) ();
  ((void (*) (const char *)) functions[0][2]) ("marked");
  uint64_t first = ((uint64_t (*) (const char *)) functions[0][5]) ("first");
  uint64_t second = ((uint64_t (*) (const wchar_t *)) functions[0][6]) (L"second");
  attributes.message = "third";
  attributes.message_type = 1;
  uint64_t third = ((uint64_t (*) (void *, const struct attributes *)) functions[1][2]) (NULL, &attributes);
  uint64_t fourth = ((uint64_t (*) (const struct attributes *)) functions[0][4]) (&attributes);
  ((void (*) (uint64_t)) functions[0][7]) (first);
  ((void (*) (void *, uint64_t)) functions[1][3]) (NULL, third);
  ((void (*) (uint64_t)) functions[0][7]) (second);
  ((void (*) (uint64_t)) functions[0][7]) (fourth);
  ((void (*) (uint64_t)) functions[0][7]) (0);
  return 0;
}

int
main (int argc, char **argv)
{
  (void) argv;
  accscope_mark ("begin");
  char name[16];
  for (int n = 0; n < 3; n++)
    {
      accscope_frame_begin ("step", n);
      snprintf (name, sizeof name, "part %d", n);	/* the same address, another text */
      accscope_range_push (name);
      accscope_range_pop ();
      accscope_frame_end ();
    }
  accscope_range_push ("\001 is no reference");
  accscope_range_pop ();
  uint64_t range = accscope_range_start ("long");
  accscope_range_end (range);
  return argc > 1 ? nvtx () : 0;
}
