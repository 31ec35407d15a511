// Package sim is a discrete-memory accelerator in software: a device whose
// memory is an arena of its own, whose queues are threads, and whose kernels are
// the host-compiled functions, called with device addresses. It makes every
// event of OpenACC 3.3 chapter 5 happen on a machine without an accelerator,
// reproducibly, and errors on demand.
//
// With Code at CodeGPU kernels are the program's code for NVIDIA GPUs instead, executed by
// runtime/simt; the devices then answer as such GPUs do.
//
// Fresh and freed memory is filled with patterns that make NaN of a float, so a
// program that forgets a transfer computes nonsense, as on a real device. A kernel
// that follows a host pointer finds the host's memory there for it; the runtime
// warns of the pointers that it can see.
//
// With the model on, an operation takes the time that the bandwidths and
// latencies say; transfers in one direction follow each other on one link. The
// device's clock, nanoseconds since it was opened, then gives the modelled
// times, and waiting for a queue takes as long as they say. Off, operations
// take what the machine needs. With the name of a GPU, or a file that describes one
// (package card), kernels that are executed as GPU code take the time that they would there.
//
// The knobs, by environment variable; Options has a field for each, and
// docs/sim.md says what values are allowed:
//
//	ACCSCOPE_SIM_DEVICES         1             how many devices there are
//	ACCSCOPE_SIM_MEMORY          16GiB         memory of each device; reserved, not committed
//	ACCSCOPE_SIM_H2D_BANDWIDTH   25GB/s        model: bandwidth of transfers to the device
//	ACCSCOPE_SIM_D2H_BANDWIDTH   25GB/s        model: bandwidth of transfers from the device
//	ACCSCOPE_SIM_H2D_LATENCY     5us           model: added to each transfer to the device
//	ACCSCOPE_SIM_D2H_LATENCY     5us           model: added to each transfer from the device
//	ACCSCOPE_SIM_LAUNCH_LATENCY  5us           model: added to each kernel
//	ACCSCOPE_SIM_QUEUES          32            hardware queues of each device, shared by its activity queues
//	ACCSCOPE_SIM_NAME            accscope sim  name of the devices (acc_property_name)
//	ACCSCOPE_SIM_POISON          on            fill fresh and freed memory with patterns that are no numbers
//	ACCSCOPE_SIM_MODEL           off           operations take the time that the bandwidths and latencies say; GPU code: that they would on that GPU
//	ACCSCOPE_SIM_FAULT           none          faults to inject
//	ACCSCOPE_SIM_AS              sim           the device type that the devices answer to
//	ACCSCOPE_SIM_STRICT          off           a kernel that is given a pointer of the host's, and whose code follows it whichever way it goes, is an error, not a warning
//	ACCSCOPE_SIM_CODE            host          kernels run the program's host code, or its code for NVIDIA GPUs; the devices then answer to nvidia
//	ACCSCOPE_SIM_THREADS         0             GPU code: threads of the host that run the gangs of a kernel; 0 is one for each processor
//	ACCSCOPE_SIM_SEED            0             GPU code: other than 0, gangs and warps run on one thread in an order that follows from the number
//	ACCSCOPE_SIM_KERNEL_TIMEOUT  0s            GPU code: a kernel that takes longer fails; 0s is none
//	ACCSCOPE_SIM_STACK           64KiB         GPU code: the stack of each lane
//	ACCSCOPE_SIM_HEAP            8MiB          GPU code: memory that its malloc can give
//	ACCSCOPE_SIM_CHECK           off           GPU code: the accesses of kernels and transfers to memory are checked, as accscope check has it
//	ACCSCOPE_SIM_COMPARE_HOST    off           GPU code that is checked: what each kernel leaves is compared with what its host code does; floating-point numbers may differ by that part of the larger one, on: as rounding and the order of sums have it
//	ACCSCOPE_SIM_COUNTERS        off           GPU code: what kernels do is counted, by kernel and source line, as accscope run --counters has it
package sim
