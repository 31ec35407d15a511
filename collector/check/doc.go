// Package check tells what is wrong with the accesses of a program's kernels and transfers to
// a device's memory, from what a device that checks them has told (callbacks.Finding) and from
// what the trace knows of the program: whose memory it is, where it was mapped, and what the
// source says there (OpenACC 3.3 §2.6, §2.7, §2.9, §2.16).
package check
