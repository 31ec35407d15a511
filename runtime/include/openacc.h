/* openacc.h - the types that acc_callback.h needs.  */
#ifndef _OPENACC_H
#define _OPENACC_H 1

typedef enum acc_device_t
{
  acc_device_current = -1,
  acc_device_none = 0,
  acc_device_default = 1,
  acc_device_host = 2,
  acc_device_not_host = 4,
  acc_device_nvidia = 5,
  acc_device_radeon = 8,
  acc_device_sim = 100,
  acc_device_opencl = 101
} acc_device_t;

#endif
