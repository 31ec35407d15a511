/* Which operation each call of the driver was for, by the number that CUPTI gives
   the call and the records of what it enqueued.  */
#ifndef ACCSCOPE_CUDA_NOTES_H
#define ACCSCOPE_CUDA_NOTES_H

#include <stdint.h>

struct accscope_cuda_note;

/* Notes of any number of calls, NULL if there is no memory.  A note whose record
   has come gives its place to another; so does the oldest one around where all
   others wait for their records.  */
struct accscope_cuda_note *accscope_cuda_notes (void);

/* Notes what a call is for; callable from any thread.  */
void accscope_cuda_note (struct accscope_cuda_note *notes, uint32_t call,
			 uint64_t number);

/* What a call was for, whose record has come; 0 where there is no note.  */
uint64_t accscope_cuda_noted (struct accscope_cuda_note *notes, uint32_t call);

#endif
