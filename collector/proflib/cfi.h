/* cfi.h - how to leave a frame, from the call frame information in memory.  */
#ifndef ACCSCOPE_CFI_H
#define ACCSCOPE_CFI_H

#include <stdint.h>

enum cfi_base
{
  CFI_NONE,			/* the frame cannot be left, or is the last */
  CFI_SP,
  CFI_BP
};

/* The caller's stack pointer is base + offset, and the return address lies at
   the caller's stack pointer + saved_ra: on x86-64 always just below it.  The
   caller's frame pointer (%rbp, x29) lies at the caller's stack pointer +
   saved_bp, or is unchanged where that is 0.  */
struct cfi_rule
{
  int32_t offset;
  int32_t saved_bp;
  int32_t saved_ra;
  uint8_t base;
};

/* The rule for an address in the file whose .eh_frame_hdr is at HEADER.  0, or
   -1: there is none, or it is of a kind that no compiler gives a call.  */
int cfi_rule_at (struct cfi_rule *rule, const void *header, uint64_t address);

#endif
