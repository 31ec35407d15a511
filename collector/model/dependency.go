package model

import "github.com/accscope/accscope/collector/capture"

// Dependency is a queue that was made to wait for another one, in its place in
// the trace: Time and Recorded are nanoseconds on the trace's clock, SourceFile
// is one of its Names.
type Dependency struct {
	capture.Dependency
	Process ProcessID
}

// ApplyDependency gives the queues of a wait between two.
func (m *Model) ApplyDependency(d *Dependency) (queue, awaited QueueID) {
	device := m.directory.Device(d.Process, d.DeviceType, d.DeviceNumber)
	return m.directory.Queue(device, d.Queue), m.directory.Queue(device, d.Awaited)
}
