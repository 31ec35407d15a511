/* pause.h - between two looks at what another thread is about to write.  */
#ifndef ACCSCOPE_PAUSE_H
#define ACCSCOPE_PAUSE_H

static inline void
accscope_pause (void)
{
#if defined __x86_64__
  __builtin_ia32_pause ();
#elif defined __aarch64__
  __asm__ volatile ("isb" : : : "memory");	/* yield does nothing on most */
#endif
}

#endif
