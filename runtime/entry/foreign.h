/* The table of exported symbols (entry.c) and who binds it (foreign.c).  */
#ifndef ACCSCOPE_FOREIGN_H
#define ACCSCOPE_FOREIGN_H

struct entry
{
  const char *name;
  void **slot;			/* where the exported symbol jumps to */
  const void *function;		/* ours */
};

extern const struct entry accscope_entry[];
extern const unsigned accscope_entries;

/* Makes every slot final.  Called at the first call of any entry point.  */
void accscope_bind (void);

#endif
