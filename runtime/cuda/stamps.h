/* Where a kernel writes its times: in a page of so many kernels' words, first when
   each began, then when its gangs ended, in several words for each kernel, of which
   the latest counts.  One word for all would be written by thousands of gangs at once,
   one after the other: 2 to 4 microseconds of a kernel of 10 on an H100, where words so
   far apart that they lie in different slices of the GPU's cache cost nothing.  */
#ifndef ACCSCOPE_CUDA_STAMPS_H
#define ACCSCOPE_CUDA_STAMPS_H

#define ACCSCOPE_CUDA_STAMPS 1024	/* kernels of a page */
#define ACCSCOPE_CUDA_STAMP_ENDS 8	/* a power of two */
/* Bytes from a kernel's beginning to its first end, and from one end to the next.  */
#define ACCSCOPE_CUDA_STAMP_STRIDE (ACCSCOPE_CUDA_STAMPS * 8)

#endif
