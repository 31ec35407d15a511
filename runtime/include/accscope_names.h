/* accscope_names.h - places and names of events that come later: an inquiry function
   of accscope's OpenACC runtime (OpenACC 3.3, 5.3.1).

   What an event's src_file, func_name, line numbers, var_name and kernel_name say is
   read from the program's debug information, for which the program has to wait.  A
   tool that can read it itself, afterwards and in another process, has this function
   called once for each place instead:

	accscope_names_function later
	  = (accscope_names_function) lookup (ACCSCOPE_NAMES_NAME);
	if (later)
	  later (site);

   From then on, while no other tool has a callback registered, events carry references
   in place of texts, and line numbers of -1: src_file and kernel_name the character 1
   and the number of a site; var_name one or more of them, each followed by the number of
   an entry of that site and the number of its snapshots, of which the first that has a
   name for the entry counts.  Full stops stand between the numbers, which are decimal.
   The first of the references that has a name gives the variable's; of those behind it,
   which say what the data were called when they were mapped, only a name that the text of
   the first one's directive lists.  parent_construct is
   acc_construct_parallel for every compute construct but those that are known to be
   another one without the directive's text; implicit is ACCSCOPE_IMPLIED_BY_TEXT where
   it is 0 if a data clause of the directive lists the variable that var_name refers to,
   else 1.  A transfer that carries several variables, whose var_name is null for other
   tools, has for each of them the character 2 and then its references, if there are any.
   Other runtimes answer the look-up with a null pointer.  */
#ifndef ACCSCOPE_NAMES_H
#define ACCSCOPE_NAMES_H 1

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCSCOPE_NAMES_NAME "accscope_names_v2"
#define ACCSCOPE_IMPLIED_BY_TEXT 2

/* A place of the program that calls the runtime, or more about one: comes on the
   calling thread before the first event that refers to it.  The struct is valid during
   the call.  */
struct accscope_site
{
  uint32_t size;		/* of the struct */
  uint32_t number;		/* from 1 */
  uint32_t first;		/* the entry that the snapshot's first one is */
  uint32_t reserved;
  uint64_t return_address;
  uint64_t function;		/* outlined function of a compute construct, or 0 */
  /* What the names of its entries are found from, as runtime/source of accscope reads
     it; or null.  */
  const void *snapshot;
  uint64_t bytes;
};

typedef void (*accscope_site_function) (const struct accscope_site *);

/* What acc_prof_lookup (ACCSCOPE_NAMES_NAME) answers, cast to acc_query_fn.  Returns 0,
   or EBUSY if another tool has asked.  The function must not call the OpenACC API.  */
typedef int (*accscope_names_function) (accscope_site_function);

#ifdef __cplusplus
}
#endif

#endif
