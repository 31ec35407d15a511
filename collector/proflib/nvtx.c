/* nvtx.c - ranges and marks of programs that call NVTX: the library is one of NVTX 3's
   injection libraries, which a program's first call of NVTX opens by
   NVTX_INJECTION64_PATH.  The types are those of NVTX's public nvtxTypes.h and
   nvToolsExt.h.

   Pushed ranges nest on their thread, whichever domain they are of.  Ranges that are
   started and ended by number (nvtxRangeStart) are of the process: they may overlap, and
   end on another thread.  */
#include "proflib.h"
#include "accscope_annotation.h"
#include <stdlib.h>

/* Which domain something is of does not matter.  */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define EXPORTED __attribute__ ((visibility ("default")))

enum { TABLE_CALLBACKS = 1 };				/* NvtxExportTableID */
enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };		/* NvtxCallbackModule */
enum { CORE_MARK_EX = 1, CORE_MARK_A, CORE_MARK_W,	/* NvtxCallbackIdCore */
       CORE_START_EX, CORE_START_A, CORE_START_W, CORE_END,
       CORE_PUSH_EX, CORE_PUSH_A, CORE_PUSH_W, CORE_POP };
enum { CORE2_MARK_EX = 1, CORE2_START_EX, CORE2_END,	/* NvtxCallbackIdCore2 */
       CORE2_PUSH_EX, CORE2_POP,
       CORE2_REGISTER_A = 10, CORE2_REGISTER_W };
enum { MESSAGE_ASCII = 1, MESSAGE_UNICODE, MESSAGE_REGISTERED };	/* nvtxMessageType_t */
enum { PAYLOAD_UINT64 = 1, PAYLOAD_INT64, PAYLOAD_UINT32 = 4, PAYLOAD_INT32 };
enum { NO_LEVEL = -2 };					/* NVTX_NO_PUSH_POP_TRACKING */

typedef void (*function_pointer) (void);
typedef const void *(*export_table_function) (uint32_t table);

struct callbacks_table		/* NvtxExportTableCallbacks */
{
  size_t struct_size;
  int (*module_functions) (int module, function_pointer ***table, unsigned *size);
};

struct attributes		/* nvtxEventAttributes_v2 */
{
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  union { uint64_t unsigned64; int64_t signed64; uint32_t unsigned32; int32_t signed32; } payload;
  int32_t message_type;
  const void *message;
};

/* TEXT as UTF-8, cut to the size.  */
static const char *
narrow (const wchar_t *text, char *to, size_t size)
{
  static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
  size_t at = 0;
  for (; text && *text && at + 4 < size; text++)
    {
      uint32_t c = (uint32_t) *text;
      unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
      to[at++] = (char) (lead[more] | (c >> 6 * more & (more ? 0x3f >> more : 0x7f)));
      while (more-- > 0)
	to[at++] = (char) (0x80 | (c >> 6 * more & 0x3f));
    }
  to[at] = 0;
  return to;
}

/* In NVTX's function, which the program has of its header.  */
#define CALLER ((uintptr_t) __builtin_return_address (0))

static uint64_t
send (int kind, const char *name, int64_t number, uintptr_t caller)
{
  struct accscope_annotation annotation = {
    .size = sizeof annotation, .kind = kind, .name = name, .number = number,
    .caller = caller
  };
  return accscope_annotate (&annotation);
}

static uint64_t
send_wide (int kind, const wchar_t *text, uintptr_t caller)
{
  char name[512];
  return send (kind, narrow (text, name, sizeof name), 0, caller);
}

static uint64_t
send_attributes (int kind, const struct attributes *given, uintptr_t caller)
{
  char wide[512];
  const char *name = NULL;
  int64_t number = 0;
  if (given && given->size >= sizeof *given)
    {
      if (given->message_type == MESSAGE_ASCII || given->message_type == MESSAGE_REGISTERED)
	name = given->message;
      else if (given->message_type == MESSAGE_UNICODE)
	name = narrow (given->message, wide, sizeof wide);
      switch (given->payload_type)
	{
	case PAYLOAD_UINT64: case PAYLOAD_INT64: number = given->payload.signed64; break;
	case PAYLOAD_UINT32: number = given->payload.unsigned32; break;
	case PAYLOAD_INT32: number = given->payload.signed32; break;
	}
    }
  return send (kind, name, number, caller);
}

static void mark (const char *name) { send (ACCSCOPE_MARK, name, 0, CALLER); }
static void mark_wide (const wchar_t *name) { send_wide (ACCSCOPE_MARK, name, CALLER); }
static void mark_attributes (const struct attributes *a) { send_attributes (ACCSCOPE_MARK, a, CALLER); }
static int push (const char *name) { send (ACCSCOPE_RANGE_START, name, 0, CALLER); return NO_LEVEL; }
static int push_wide (const wchar_t *name) { send_wide (ACCSCOPE_RANGE_START, name, CALLER); return NO_LEVEL; }
static int push_attributes (const struct attributes *a) { send_attributes (ACCSCOPE_RANGE_START, a, CALLER); return NO_LEVEL; }
static int pop (void) { send (ACCSCOPE_RANGE_END, NULL, 0, CALLER); return NO_LEVEL; }
/* An nvtxRangeId_t is the process range's number.  */
static uint64_t start (const char *name) { return send (ACCSCOPE_PROCESS_RANGE_START, name, 0, CALLER); }
static uint64_t start_wide (const wchar_t *name) { return send_wide (ACCSCOPE_PROCESS_RANGE_START, name, CALLER); }
static uint64_t start_attributes (const struct attributes *a) { return send_attributes (ACCSCOPE_PROCESS_RANGE_START, a, CALLER); }
static void end (uint64_t range) { send (ACCSCOPE_PROCESS_RANGE_END, NULL, (int64_t) range, CALLER); }

/* Those of a domain.  */
static void mark_domain (void *domain, const struct attributes *a) { send_attributes (ACCSCOPE_MARK, a, CALLER); }
static int push_domain (void *domain, const struct attributes *a) { send_attributes (ACCSCOPE_RANGE_START, a, CALLER); return NO_LEVEL; }
static int pop_domain (void *domain) { send (ACCSCOPE_RANGE_END, NULL, 0, CALLER); return NO_LEVEL; }
static uint64_t start_domain (void *domain, const struct attributes *a) { return send_attributes (ACCSCOPE_PROCESS_RANGE_START, a, CALLER); }
static void end_domain (void *domain, uint64_t range) { send (ACCSCOPE_PROCESS_RANGE_END, NULL, (int64_t) range, CALLER); }

/* A registered text is its own handle; it lives as long as the program.  */
static void *
register_text (void *domain, const char *text)
{
  return text ? strdup (text) : NULL;
}

static void *
register_wide (void *domain, const wchar_t *text)
{
  char name[512];
  return register_text (domain, narrow (text, name, sizeof name));
}

static void
install (const struct callbacks_table *callbacks, int module, unsigned number,
	 function_pointer function)
{
  function_pointer **table = NULL;
  unsigned size = 0;
  if (callbacks->module_functions (module, &table, &size) && table && number < size
      && table[number])
    *table[number] = function;
}

EXPORTED int InitializeInjectionNvtx2 (export_table_function);

/* Called once by NVTX; 0: not for this NVTX.  */
int
InitializeInjectionNvtx2 (export_table_function export_table)
{
  const struct callbacks_table *callbacks
    = export_table ? export_table (TABLE_CALLBACKS) : NULL;
  if (!callbacks || callbacks->struct_size < sizeof *callbacks
      || !callbacks->module_functions)
    return 0;
  static const struct { int module; unsigned number; function_pointer function; } all[] = {
    { MODULE_CORE, CORE_MARK_EX, (function_pointer) mark_attributes },
    { MODULE_CORE, CORE_MARK_A, (function_pointer) mark },
    { MODULE_CORE, CORE_MARK_W, (function_pointer) mark_wide },
    { MODULE_CORE, CORE_PUSH_EX, (function_pointer) push_attributes },
    { MODULE_CORE, CORE_PUSH_A, (function_pointer) push },
    { MODULE_CORE, CORE_PUSH_W, (function_pointer) push_wide },
    { MODULE_CORE, CORE_POP, (function_pointer) pop },
    { MODULE_CORE, CORE_START_EX, (function_pointer) start_attributes },
    { MODULE_CORE, CORE_START_A, (function_pointer) start },
    { MODULE_CORE, CORE_START_W, (function_pointer) start_wide },
    { MODULE_CORE, CORE_END, (function_pointer) end },
    { MODULE_CORE2, CORE2_START_EX, (function_pointer) start_domain },
    { MODULE_CORE2, CORE2_END, (function_pointer) end_domain },
    { MODULE_CORE2, CORE2_MARK_EX, (function_pointer) mark_domain },
    { MODULE_CORE2, CORE2_PUSH_EX, (function_pointer) push_domain },
    { MODULE_CORE2, CORE2_POP, (function_pointer) pop_domain },
    { MODULE_CORE2, CORE2_REGISTER_A, (function_pointer) register_text },
    { MODULE_CORE2, CORE2_REGISTER_W, (function_pointer) register_wide },
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    install (callbacks, all[i].module, all[i].number, all[i].function);
  return 1;
}
