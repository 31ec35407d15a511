/* openacc.h - the runtime library routines of OpenACC 3.3, chapter 3 and
   Appendix A.2, and the names that older programs use.  C89, C99 and C++.

   _OPENACC is the compiler's to define (GCC 12: 201711, the version whose
   directives it compiles); the routines here are those of 202211.  */
#ifndef _OPENACC_H
#define _OPENACC_H 1

#include <stddef.h>		/* size_t */

#if defined __cplusplus && __cplusplus >= 201103L
# define __ACC_NOTHROW noexcept
#elif defined __cplusplus
# define __ACC_NOTHROW throw ()
#elif defined __GNUC__
# define __ACC_NOTHROW __attribute__ ((__nothrow__))
#else
# define __ACC_NOTHROW
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 3.1: device types.  An int in size, so that GCC-compiled code agrees.  */
typedef enum acc_device_t
{
  acc_device_current = -1,
  acc_device_none = 0,
  acc_device_default = 1,
  acc_device_host = 2,
  acc_device_not_host = 4,
  acc_device_nvidia = 5,
  acc_device_xeonphi = 6,	/* of OpenACC 2.0: there is no such device */
  acc_device_radeon = 8,
  acc_device_sim = 100,		/* a discrete-memory device in software */
  acc_device_opencl = 101
} acc_device_t;

/* 3.1: special values of an async argument.  The initial default queue, which
   acc_get_default_async returns, is 1000000000.  */
typedef enum acc_async_t
{
  acc_async_noval = -1,
  acc_async_sync = -2,
  acc_async_default = -3
} acc_async_t;

/* 3.2.6: properties; those with bit 16 are strings */
typedef enum acc_device_property_t
{
  acc_property_none = 0,
  acc_property_memory = 1,
  acc_property_free_memory = 2,
  acc_property_shared_memory_support = 3,
  acc_property_name = 0x10001,
  acc_property_vendor = 0x10002,
  acc_property_driver = 0x10003
} acc_device_property_t;

/* 3.2.1 to 3.2.8: devices */
int acc_get_num_devices (acc_device_t dev_type) __ACC_NOTHROW;
void acc_set_device_type (acc_device_t dev_type) __ACC_NOTHROW;
acc_device_t acc_get_device_type (void) __ACC_NOTHROW;
void acc_set_device_num (int dev_num, acc_device_t dev_type) __ACC_NOTHROW;
int acc_get_device_num (acc_device_t dev_type) __ACC_NOTHROW;
size_t acc_get_property (int dev_num, acc_device_t dev_type,
			 acc_device_property_t property) __ACC_NOTHROW;
const char *acc_get_property_string (int dev_num, acc_device_t dev_type,
				     acc_device_property_t property)
  __ACC_NOTHROW;
void acc_init (acc_device_t dev_type) __ACC_NOTHROW;
void acc_init_device (int dev_num, acc_device_t dev_type) __ACC_NOTHROW;
void acc_shutdown (acc_device_t dev_type) __ACC_NOTHROW;
void acc_shutdown_device (int dev_num, acc_device_t dev_type) __ACC_NOTHROW;

/* 3.2.9 to 3.2.14: async queues */
int acc_async_test (int wait_arg) __ACC_NOTHROW;
int acc_async_test_device (int wait_arg, int dev_num) __ACC_NOTHROW;
int acc_async_test_all (void) __ACC_NOTHROW;
int acc_async_test_all_device (int dev_num) __ACC_NOTHROW;
void acc_wait (int wait_arg) __ACC_NOTHROW;
void acc_wait_device (int wait_arg, int dev_num) __ACC_NOTHROW;
void acc_wait_all (void) __ACC_NOTHROW;
void acc_wait_all_device (int dev_num) __ACC_NOTHROW;
void acc_wait_async (int wait_arg, int async_arg) __ACC_NOTHROW;
void acc_wait_device_async (int wait_arg, int async_arg, int dev_num)
  __ACC_NOTHROW;
void acc_wait_all_async (int async_arg) __ACC_NOTHROW;
void acc_wait_all_device_async (int async_arg, int dev_num) __ACC_NOTHROW;
int acc_wait_any (int count, int wait_arg[]) __ACC_NOTHROW;
int acc_wait_any_device (int count, int wait_arg[], int dev_num) __ACC_NOTHROW;
int acc_get_default_async (void) __ACC_NOTHROW;
void acc_set_default_async (int async_arg) __ACC_NOTHROW;

/* 3.2.15: the compiler's built-in takes an int; C++ gets the overload below */
#ifdef __cplusplus
int acc_on_device (int dev_type) __ACC_NOTHROW;
#else
int acc_on_device (acc_device_t dev_type) __ACC_NOTHROW;
#endif

/* GCC makes "on the host" of acc_on_device in all code that it compiles for the
   host, also where that runs as the kernel of a device in software.  So there the
   library is asked; in a GPU's code the built-in's constants stand.  A program
   that needs the constant on the host too, to leave out calls of routines that are
   compiled with nohost, defines ACC_ON_DEVICE_CONSTANT.  */
#if defined _OPENACC && defined __GNUC__ && !defined __clang__ \
    && !defined ACC_ON_DEVICE_CONSTANT
# define __ACC_ASKS_ON_DEVICE 1
# pragma acc routine seq
int __acc_on_device (int dev_type) __asm__ ("acc_on_device");
#endif

/* 3.2.16 to 3.2.25: device memory */
void *acc_malloc (size_t bytes) __ACC_NOTHROW;
void acc_free (void *data_dev) __ACC_NOTHROW;
void *acc_copyin (void *data_arg, size_t bytes) __ACC_NOTHROW;
void *acc_create (void *data_arg, size_t bytes) __ACC_NOTHROW;
void acc_copyin_async (void *data_arg, size_t bytes, int async_arg)
  __ACC_NOTHROW;
void acc_create_async (void *data_arg, size_t bytes, int async_arg)
  __ACC_NOTHROW;
void acc_copyout (void *data_arg, size_t bytes) __ACC_NOTHROW;
void acc_delete (void *data_arg, size_t bytes) __ACC_NOTHROW;
void acc_copyout_finalize (void *data_arg, size_t bytes) __ACC_NOTHROW;
void acc_delete_finalize (void *data_arg, size_t bytes) __ACC_NOTHROW;
void acc_copyout_async (void *data_arg, size_t bytes, int async_arg)
  __ACC_NOTHROW;
void acc_delete_async (void *data_arg, size_t bytes, int async_arg)
  __ACC_NOTHROW;
void acc_copyout_finalize_async (void *data_arg, size_t bytes, int async_arg)
  __ACC_NOTHROW;
void acc_delete_finalize_async (void *data_arg, size_t bytes, int async_arg)
  __ACC_NOTHROW;
void acc_update_device (void *data_arg, size_t bytes) __ACC_NOTHROW;
void acc_update_self (void *data_arg, size_t bytes) __ACC_NOTHROW;
void acc_update_device_async (void *data_arg, size_t bytes, int async_arg)
  __ACC_NOTHROW;
void acc_update_self_async (void *data_arg, size_t bytes, int async_arg)
  __ACC_NOTHROW;
void acc_map_data (void *data_arg, void *data_dev, size_t bytes) __ACC_NOTHROW;
void acc_unmap_data (void *data_arg) __ACC_NOTHROW;
void *acc_deviceptr (void *data_arg) __ACC_NOTHROW;
void *acc_hostptr (void *data_dev) __ACC_NOTHROW;
int acc_is_present (void *data_arg, size_t bytes) __ACC_NOTHROW;

/* 3.2.26 to 3.2.30: copies and pointer attachment */
void acc_memcpy_to_device (void *data_dev_dest, void *data_host_src,
			   size_t bytes) __ACC_NOTHROW;
void acc_memcpy_to_device_async (void *data_dev_dest, void *data_host_src,
				 size_t bytes, int async_arg) __ACC_NOTHROW;
void acc_memcpy_from_device (void *data_host_dest, void *data_dev_src,
			     size_t bytes) __ACC_NOTHROW;
void acc_memcpy_from_device_async (void *data_host_dest, void *data_dev_src,
				   size_t bytes, int async_arg) __ACC_NOTHROW;
void acc_memcpy_device (void *data_dev_dest, void *data_dev_src, size_t bytes)
  __ACC_NOTHROW;
void acc_memcpy_device_async (void *data_dev_dest, void *data_dev_src,
			      size_t bytes, int async_arg) __ACC_NOTHROW;
void acc_attach (void **ptr_addr) __ACC_NOTHROW;
void acc_attach_async (void **ptr_addr, int async_arg) __ACC_NOTHROW;
void acc_detach (void **ptr_addr) __ACC_NOTHROW;
void acc_detach_async (void **ptr_addr, int async_arg) __ACC_NOTHROW;
void acc_detach_finalize (void **ptr_addr) __ACC_NOTHROW;
void acc_detach_finalize_async (void **ptr_addr, int async_arg) __ACC_NOTHROW;
void acc_memcpy_d2d (void *data_arg_dest, void *data_arg_src, size_t bytes,
		     int dev_num_dest, int dev_num_src) __ACC_NOTHROW;
void acc_memcpy_d2d_async (void *data_arg_dest, void *data_arg_src,
			   size_t bytes, int dev_num_dest, int dev_num_src,
			   int async_arg_src) __ACC_NOTHROW;

/* Appendix A.2.1: CUDA; null where the current device is another.
   acc_set_cuda_stream returned an int before 3.3; programs that look at it
   keep working.  */
void *acc_get_current_cuda_device (void) __ACC_NOTHROW;
void *acc_get_current_cuda_context (void) __ACC_NOTHROW;
void *acc_get_cuda_stream (int async_arg) __ACC_NOTHROW;
int acc_set_cuda_stream (int async_arg, void *stream) __ACC_NOTHROW;

/* Appendix A.2.2: OpenCL; a queue is a cl_command_queue */
void *acc_get_current_opencl_device (void) __ACC_NOTHROW;
void *acc_get_current_opencl_context (void) __ACC_NOTHROW;
void *acc_get_opencl_queue (int async_arg) __ACC_NOTHROW;
void acc_set_opencl_queue (int async_arg, void *cmdqueue) __ACC_NOTHROW;

/* Names of OpenACC 1.0 and 2.0 */
void acc_async_wait (int wait_arg) __ACC_NOTHROW;	/* acc_wait */
void acc_async_wait_all (void) __ACC_NOTHROW;		/* acc_wait_all */
void *acc_present_or_copyin (void *data_arg, size_t bytes) __ACC_NOTHROW;
void *acc_pcopyin (void *data_arg, size_t bytes) __ACC_NOTHROW;
void *acc_present_or_create (void *data_arg, size_t bytes) __ACC_NOTHROW;
void *acc_pcreate (void *data_arg, size_t bytes) __ACC_NOTHROW;

/* Names of the PGI Accelerator model 1.3 */
void acc_set_device (acc_device_t dev_type) __ACC_NOTHROW;
acc_device_t acc_get_device (void) __ACC_NOTHROW;

#ifdef __cplusplus
}

# ifdef _OPENACC
#  pragma acc routine seq
# endif
inline int
acc_on_device (acc_device_t dev_type) __ACC_NOTHROW
{
  return acc_on_device (static_cast<int> (dev_type));
}
#endif

#ifdef __ACC_ASKS_ON_DEVICE
# define acc_on_device(dev_type)						\
  (__builtin_acc_on_device (acc_device_host) ? __acc_on_device (dev_type)	\
   : __builtin_acc_on_device (dev_type))
#endif

#endif
