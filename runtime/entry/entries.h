/* Every name that libopenacc.so exports.  E (name) for each; the function that
   implements it is accscope_body_<name>.  entry.c makes the exported symbols,
   which jump there, or into another OpenACC runtime (foreign.c).

   Unversioned, so that the names win whether the library is preloaded or linked
   before libgomp, and complete, because a name left to libgomp would work on a
   state of its own.  */
#ifndef ACCSCOPE_ENTRIES_H
#define ACCSCOPE_ENTRIES_H

/* What compilers emit: GCC from 12 on, then what older GCCs emitted.  */
#define ACCSCOPE_ENTRIES_GOACC(E)					\
  E (GOACC_parallel_keyed)						\
  E (GOACC_data_start) E (GOACC_data_end)				\
  E (GOACC_enter_data) E (GOACC_exit_data)				\
  E (GOACC_update) E (GOACC_wait) E (GOACC_declare)			\
  E (GOMP_offload_register_ver) E (GOMP_offload_unregister_ver)		\
  E (GOACC_enter_exit_data) E (GOACC_parallel)				\
  E (GOACC_get_num_threads) E (GOACC_get_thread_num)			\
  E (GOMP_offload_register) E (GOMP_offload_unregister)

/* OpenACC 3.3, chapter 3 and Appendix A.2, chapter 5, and older names.  */
#define ACCSCOPE_ENTRIES_C(E)						\
  E (acc_get_num_devices)						\
  E (acc_set_device_type) E (acc_get_device_type)			\
  E (acc_set_device_num) E (acc_get_device_num)				\
  E (acc_get_property) E (acc_get_property_string)			\
  E (acc_init) E (acc_init_device)					\
  E (acc_shutdown) E (acc_shutdown_device)				\
  E (acc_async_test) E (acc_async_test_device)				\
  E (acc_async_test_all) E (acc_async_test_all_device)			\
  E (acc_wait) E (acc_wait_device)					\
  E (acc_wait_all) E (acc_wait_all_device)				\
  E (acc_wait_async) E (acc_wait_device_async)				\
  E (acc_wait_all_async) E (acc_wait_all_device_async)			\
  E (acc_wait_any) E (acc_wait_any_device)				\
  E (acc_get_default_async) E (acc_set_default_async)			\
  E (acc_on_device)							\
  E (acc_malloc) E (acc_free)						\
  E (acc_copyin) E (acc_copyin_async)					\
  E (acc_create) E (acc_create_async)					\
  E (acc_copyout) E (acc_copyout_async)					\
  E (acc_copyout_finalize) E (acc_copyout_finalize_async)		\
  E (acc_delete) E (acc_delete_async)					\
  E (acc_delete_finalize) E (acc_delete_finalize_async)			\
  E (acc_update_device) E (acc_update_device_async)			\
  E (acc_update_self) E (acc_update_self_async)				\
  E (acc_map_data) E (acc_unmap_data)					\
  E (acc_deviceptr) E (acc_hostptr) E (acc_is_present)			\
  E (acc_memcpy_to_device) E (acc_memcpy_to_device_async)		\
  E (acc_memcpy_from_device) E (acc_memcpy_from_device_async)		\
  E (acc_memcpy_device) E (acc_memcpy_device_async)			\
  E (acc_memcpy_d2d) E (acc_memcpy_d2d_async)				\
  E (acc_attach) E (acc_attach_async)					\
  E (acc_detach) E (acc_detach_async)					\
  E (acc_detach_finalize) E (acc_detach_finalize_async)			\
  E (acc_get_current_cuda_device) E (acc_get_current_cuda_context)	\
  E (acc_get_cuda_stream) E (acc_set_cuda_stream)			\
  E (acc_get_current_opencl_device) E (acc_get_current_opencl_context)	\
  E (acc_get_opencl_queue) E (acc_set_opencl_queue)			\
  E (acc_callback_register) E (acc_callback_unregister)			\
  E (acc_prof_register) E (acc_prof_unregister) E (acc_prof_lookup)	\
  E (acc_register_library)						\
  E (acc_async_wait) E (acc_async_wait_all)				\
  E (acc_present_or_copyin) E (acc_pcopyin)				\
  E (acc_present_or_create) E (acc_pcreate)				\
  E (acc_set_device) E (acc_get_device)

/* Fortran.  The first group takes its integers by reference, except for the
   properties; routines about data have three names each: the length as a
   default integer, as an integer(8), or taken from the array's descriptor.  */
#define ACCSCOPE_ENTRIES_FORTRAN_ROUTINES(E)				\
  E (acc_get_num_devices_h_)						\
  E (acc_set_device_type_h_) E (acc_get_device_type_h_)			\
  E (acc_set_device_num_h_) E (acc_get_device_num_h_)			\
  E (acc_get_property_h_) E (acc_get_property_string_h_)		\
  E (acc_init_h_) E (acc_init_device_h_)				\
  E (acc_shutdown_h_) E (acc_shutdown_device_h_)			\
  E (acc_async_test_h_) E (acc_async_test_device_h_)			\
  E (acc_async_test_all_h_) E (acc_async_test_all_device_h_)		\
  E (acc_wait_h_) E (acc_wait_device_h_)				\
  E (acc_wait_all_h_) E (acc_wait_all_device_h_)			\
  E (acc_wait_async_h_) E (acc_wait_device_async_h_)			\
  E (acc_wait_all_async_h_) E (acc_wait_all_device_async_h_)		\
  E (acc_wait_any_h_) E (acc_wait_any_device_h_)			\
  E (acc_get_default_async_h_) E (acc_set_default_async_h_)		\
  E (acc_on_device_h_)							\
  E (acc_memcpy_d2d_h_) E (acc_memcpy_d2d_async_h_)			\
  E (acc_attach_array_h_) E (acc_attach_async_array_h_)			\
  E (acc_detach_array_h_) E (acc_detach_async_array_h_)			\
  E (acc_detach_finalize_array_h_) E (acc_detach_finalize_async_array_h_)

#define ACCSCOPE_ENTRIES_THREE(E, name)					\
  E (name##_32_h_) E (name##_64_h_) E (name##_array_h_)

#define ACCSCOPE_ENTRIES_FORTRAN_DATA(E)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_copyin)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_present_or_copyin)			\
  ACCSCOPE_ENTRIES_THREE (E, acc_create)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_present_or_create)			\
  ACCSCOPE_ENTRIES_THREE (E, acc_copyout)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_delete)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_update_device)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_update_self)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_is_present)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_copyin_async)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_create_async)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_copyout_async)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_delete_async)				\
  ACCSCOPE_ENTRIES_THREE (E, acc_update_device_async)			\
  ACCSCOPE_ENTRIES_THREE (E, acc_update_self_async)			\
  ACCSCOPE_ENTRIES_THREE (E, acc_copyout_finalize)			\
  ACCSCOPE_ENTRIES_THREE (E, acc_delete_finalize)			\
  ACCSCOPE_ENTRIES_THREE (E, acc_copyout_finalize_async)		\
  ACCSCOPE_ENTRIES_THREE (E, acc_delete_finalize_async)

#define ACCSCOPE_ENTRIES(E)						\
  ACCSCOPE_ENTRIES_GOACC (E)						\
  ACCSCOPE_ENTRIES_C (E)						\
  ACCSCOPE_ENTRIES_FORTRAN_ROUTINES (E)					\
  ACCSCOPE_ENTRIES_FORTRAN_DATA (E)

#endif
