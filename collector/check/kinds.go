package check

import "github.com/accscope/accscope/runtime/device"

// Kinds are the kinds of findings, and what each finds.
var Kinds = []struct{ Name, About string }{
	{string(device.FindingRace), "Lanes, workers or gangs of a kernel access the same memory, one of them writes, and nothing orders them."},
	{string(device.FindingQueueRace), "Operations of two queues access the same memory, one of them writes, and neither waits for the other."},
	{string(device.FindingOutOfBounds), "A kernel leaves the part of a variable that is on the device."},
	{string(device.FindingNotMapped), "A kernel uses a null pointer, or an address of the host's."},
	{string(device.FindingUninitialised), "A kernel computes with memory of the device that nothing has written, or that comes to the host."},
	{string(device.FindingStaleOnDevice), "A kernel reads what the host has changed, and nothing has sent it."},
	{string(device.FindingStaleOnHost), "What kernels have written is given up, and has never come to the host."},
	{string(device.FindingLostWrite), "An upload overwrites what a kernel has written and nobody has read."},
	{string(device.FindingMisaligned), "A kernel uses an address that is no multiple of the access's size."},
	{string(device.FindingBarrier), "Lanes of a gang wait at a barrier that others never reach, which ends the kernel."},
	{string(device.FindingTrap), "A kernel ends itself, as abort does, or calls or frees what it cannot."},
	{Differs, "On request: what a kernel leaves by its device code, and by the function that the compiler has made of it for the host, differs by more than rounding."},
	{Leak, "Data of enter data, or of a routine, that are on the device when the program ends."},
	{SwallowedError, "The runtime reported an error, and the program went on as if nothing had been."},
}

// Kinds that need no code for a GPU: they follow from what was recorded.
const (
	Leak           = "leak"
	SwallowedError = "swallowed-error"
)

// Kinds that package advice tells of, or writes changes for.
const (
	Race          = string(device.FindingRace)
	QueueRace     = string(device.FindingQueueRace)
	OutOfBounds   = string(device.FindingOutOfBounds)
	Uninitialised = string(device.FindingUninitialised)
	StaleOnDevice = string(device.FindingStaleOnDevice)
	StaleOnHost   = string(device.FindingStaleOnHost)
	LostWrite     = string(device.FindingLostWrite)
)

// Differs is looked for on request.
const Differs = string(device.FindingDiffers)

// NeedCode are the kinds that are looked for where kernels are GPU code, but for Differs.
func NeedCode() (names []string) {
	for _, k := range Kinds {
		if k.Name != Differs && k.Name != Leak && k.Name != SwallowedError && k.Name != string(device.FindingQueueRace) {
			names = append(names, k.Name)
		}
	}
	return names
}
