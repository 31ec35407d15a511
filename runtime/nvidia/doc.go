// Package nvidia is what all devices share that run GCC's code for NVIDIA GPUs, the driver's
// and simulated ones: what a kernel's code tells ([FactsOf]), and the launch geometry where
// the compiler and the program leave it open (a [Launcher]; OpenACC 3.3 §2.5.10 to §2.5.12,
// §2.9).
package nvidia
