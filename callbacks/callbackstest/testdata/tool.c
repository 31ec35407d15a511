/* A tool whose callbacks are functions of a test: routine N of a loaded copy
   calls tool_deliver with the copy's number and N.  */
#include <stdint.h>

typedef void routine (void *info, void *event, void *api);

void (*tool_deliver) (uintptr_t tool, int routine, void *, void *, void *);
uintptr_t tool_number;

#define SIXTEEN(EACH, h)						\
  EACH (h##0) EACH (h##1) EACH (h##2) EACH (h##3) EACH (h##4) EACH (h##5) \
  EACH (h##6) EACH (h##7) EACH (h##8) EACH (h##9) EACH (h##a) EACH (h##b) \
  EACH (h##c) EACH (h##d) EACH (h##e) EACH (h##f)
#define ALL(EACH)							\
  SIXTEEN (EACH, 0) SIXTEEN (EACH, 1) SIXTEEN (EACH, 2) SIXTEEN (EACH, 3)

#define DEFINE(n)							\
  static void								\
  routine_##n (void *info, void *event, void *api)			\
  {									\
    tool_deliver (tool_number, 0x##n, info, event, api);		\
  }
#define NAME(n) routine_##n,

ALL (DEFINE)

routine *const tool_routines[] = { ALL (NAME) };
