/* The host's side of transfers that go by way of pinned memory: what is copied between that
   and the places of a transfer's parts.  */
#ifndef ACCSCOPE_CUDA_PIECES_H
#define ACCSCOPE_CUDA_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "../device/operation.h"

/* A copy by the host, as is left to do when a download has come as far as pinned
   memory.  */
struct accscope_cuda_copy
{
  void *to;
  const void *from;
  size_t bytes;
};

/* What of a transfer is in memory: its bytes from offset on.  */
struct accscope_cuda_piece
{
  char *memory;
  size_t offset, bytes;
  bool upload;
};

/* The copy of what lies in a piece of a part, between memory and the part's place.  */
static inline struct accscope_cuda_copy
accscope_cuda_within (const struct accscope_part *part, struct accscope_cuda_piece piece)
{
  size_t low = part->offset > piece.offset ? part->offset : piece.offset;
  size_t end = part->offset + part->bytes;
  size_t high = end < piece.offset + piece.bytes ? end : piece.offset + piece.bytes;
  char *host = (char *) part->host + (low - part->offset);
  char *memory = piece.memory + (low - piece.offset);
  size_t bytes = low < high ? high - low : 0;

  return piece.upload ? (struct accscope_cuda_copy) { memory, host, bytes }
	 : (struct accscope_cuda_copy) { host, memory, bytes };
}

#endif
