/* Every API routine of OpenACC 3.3 chapter 3 that raises events, one section each.  */
#include <openacc.h>
#include <stdint.h>
#include <stdlib.h>

extern void record_section_ (const char *);
extern void record_variable_ (const char *, const void *, const int64_t *);
#define SECTION(name) record_section_ (name)

#define N 100

int
main (void)
{
  float *a = malloc (N * sizeof *a), *b = malloc (N * sizeof *b);
  float *pointer = b;
  int64_t bytes = N * sizeof *a, pointer_bytes = sizeof pointer;
  size_t size = N * sizeof *a;
  for (int i = 0; i < N; i++)
    a[i] = b[i] = 1.0f;
  record_variable_ ("a", a, &bytes);
  record_variable_ ("b", b, &bytes);
  record_variable_ ("pointer", &pointer, &pointer_bytes);

  SECTION ("acc_init");
  acc_init (acc_get_device_type ());
  SECTION ("acc_copyin");
  acc_copyin (a, size);
  SECTION ("acc_copyin, present");
  acc_copyin (a, size);
  SECTION ("acc_update_device");
  acc_update_device (a, size);
  SECTION ("acc_update_self_async");
  acc_update_self_async (a, size, 1);
  SECTION ("acc_wait");
  acc_wait (1);
  SECTION ("acc_copyout, count not zero");
  acc_copyout (a, size);
  SECTION ("acc_copyout");
  acc_copyout (a, size);
  SECTION ("acc_create");
  acc_create (a, size);
  SECTION ("acc_delete");
  acc_delete (a, size);
  SECTION ("acc_create_async");
  acc_create_async (a, size, 2);
  SECTION ("acc_delete_finalize_async");
  acc_delete_finalize_async (a, size, 2);
  SECTION ("acc_wait_all");
  acc_wait_all ();
  SECTION ("acc_malloc");
  void *device = acc_malloc (size);
  SECTION ("acc_memcpy_to_device");
  acc_memcpy_to_device (device, a, size);
  SECTION ("acc_memcpy_from_device_async");
  acc_memcpy_from_device_async (a, device, size, 3);
  SECTION ("acc_wait_device");
  acc_wait_device (3, 0);
  SECTION ("acc_map_data");
  acc_map_data (a, device, size);
  SECTION ("acc_unmap_data");
  acc_unmap_data (a);
  SECTION ("acc_free");
  acc_free (device);
  SECTION ("acc_copyin of a pointer and its target");
  acc_copyin (&pointer, sizeof pointer);
  acc_copyin (b, size);
  SECTION ("acc_attach");
  acc_attach ((void **) &pointer);
  SECTION ("acc_detach");
  acc_detach ((void **) &pointer);
  SECTION ("acc_delete of a pointer and its target");
  acc_delete (b, size);
  acc_delete (&pointer, sizeof pointer);
  SECTION ("acc_wait_async");
  acc_copyin_async (a, size, 4);
  acc_wait_async (4, 5);
  SECTION ("acc_copyout_finalize");
  acc_wait_all ();
  acc_copyout_finalize (a, size);
  SECTION ("acc_init_device of a device that is initialised");
  acc_init_device (0, acc_get_device_type ());
  SECTION ("acc_copyin of two arrays");
  acc_copyin (a, size);
  acc_create (b, size);
  SECTION ("acc_memcpy_d2d");
  acc_memcpy_d2d (b, a, size, 0, 0);
  SECTION ("acc_memcpy_device_async");
  acc_memcpy_device_async (acc_deviceptr (b), acc_deviceptr (a), size, 6);
  SECTION ("acc_async_test");
  while (!acc_async_test (6))
    continue;
  SECTION ("acc_update_device_async");
  acc_update_device_async (a, size, 6);
  SECTION ("acc_wait_any");
  acc_wait_any (1, (int[]) { 6 });
  SECTION ("acc_update_self");
  acc_update_self (a, size);
  SECTION ("acc_wait_all_async");
  acc_update_device_async (a, size, 6);
  acc_wait_all_async (7);
  SECTION ("acc_set_default_async, acc_update_device_async of it");
  acc_set_default_async (8);
  acc_update_device_async (a, size, acc_async_noval);
  SECTION ("acc_wait_all_device");
  acc_wait_all_device (0);
  SECTION ("acc_copyout_async");
  acc_copyout_async (a, size, 6);
  SECTION ("acc_wait(6), then acc_delete_finalize");
  acc_wait (6);
  acc_delete_finalize (b, size);
  SECTION ("acc_shutdown_device");
  acc_shutdown_device (0, acc_get_device_type ());
  SECTION ("acc_init again");
  acc_init (acc_get_device_type ());
  SECTION ("acc_shutdown");
  acc_shutdown (acc_get_device_type ());
  SECTION ("acc_update_self of absent data");
  acc_update_self (a, size);
  return 0;
}
