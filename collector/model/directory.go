package model

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/accscope/accscope/callbacks"
)

// ProcessInfo describes a process of the trace.
type ProcessInfo struct {
	ID        ProcessID `json:"id"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	ParentPID int       `json:"parent_pid"`
	Program   string    `json:"program"`
	Arguments []string  `json:"arguments"`
	Rank      int       `json:"rank"`  // MPI rank, -1 if none
	Ranks     int       `json:"ranks"` // size of MPI_COMM_WORLD, 0 if unknown
	Start     int64     `json:"start"` // first event or start of capture, ns since the trace's origin
	End       int64     `json:"end"`   // ns; 0 while it runs
	Ended     string    `json:"ended"` // "" while it runs, "exited", "quick_exit", "_exit", "exec", "killed", "unknown"
	Exit      string    `json:"exit"`  // exit status or signal, of one that accscope run started and that has ended, else ""
	Runtime   string    `json:"runtime"`
	// SinceAttach is set where capture began in the middle of the program and no
	// snapshot told what existed before.
	SinceAttach bool `json:"since_attach"`
}

// ThreadInfo describes a thread of the trace.
type ThreadInfo struct {
	ID      ThreadID  `json:"id"`
	Process ProcessID `json:"process"`
	TID     int       `json:"tid"`    // the kernel's thread number; 0: none, a lane of ranges
	Number  uint64    `json:"number"` // of the thread in its capture
	Name    string    `json:"name"`
}

// Title is the thread's name and the kernel's number of it, as lists show it.
func (t *ThreadInfo) Title() string {
	name := cmp.Or(t.Name, "thread")
	if t.TID == 0 {
		return name
	}
	return fmt.Sprintf("%s %d", name, t.TID)
}

// DeviceInfo describes a device as one process sees it.
type DeviceInfo struct {
	ID       DeviceID  `json:"id"`
	Process  ProcessID `json:"process"`
	Type     int32     `json:"type"` // acc_device_t
	Number   int32     `json:"number"`
	Name     string    `json:"name"`
	Vendor   string    `json:"vendor"`
	Capacity int64     `json:"capacity"` // bytes, 0 if unknown
}

// Requested is true where an event names what the program asked for before the
// runtime chose a device: views show no such device.
func (d *DeviceInfo) Requested() bool {
	return d.Type == int32(callbacks.DeviceDefault) || d.Type == int32(callbacks.DeviceCurrent)
}

// Simulated is true of the simulated device, whatever type it answers to
// (ACCSCOPE_SIM_AS).
func (d *DeviceInfo) Simulated() bool {
	return d.Type == int32(callbacks.DeviceSim) || d.answersAsGPU()
}

// answersAsGPU is true of the simulated device where it answers to a GPU's type: no GPU
// has its vendor.
func (d *DeviceInfo) answersAsGPU() bool {
	return d.Type == int32(callbacks.DeviceNVIDIA) && d.Vendor == "accscope"
}

// Title is type and number, and that it is simulated where the type does not say so.
func (d *DeviceInfo) Title() string {
	name, known := callbacks.DeviceType(d.Type).Short()
	if !known {
		name = fmt.Sprintf("device type %d", d.Type)
	}
	title := fmt.Sprintf("%s %d", name, d.Number)
	if d.answersAsGPU() {
		if card := d.Modelled(); card != "" {
			return title + ", modelled for " + card
		}
		title += ", simulated"
	}
	return title
}

// Modelled is the GPU whose times the simulated device gives its operations, "" where they are
// others (ACCSCOPE_SIM_MODEL).
func (d *DeviceInfo) Modelled() string {
	if !d.Simulated() {
		return ""
	}
	_, card, _ := strings.Cut(d.Name, ", modelled for ")
	return card
}

// QueueInfo describes an async queue of a device.
type QueueInfo struct {
	ID     QueueID  `json:"id"`
	Device DeviceID `json:"device"`
	// Number is async_queue as the runtime reports it; AsyncSync is the
	// synchronous queue.
	Number int64 `json:"number"`
}

type deviceKey struct {
	process ProcessID
	kind    int32
	number  int32
}

type queueKey struct {
	device DeviceID
	number int64
}

// Directory numbers the devices and queues that events speak of.
type Directory struct {
	Devices []DeviceInfo // [i] has ID i+1
	Queues  []QueueInfo  // [i] has ID i+1
	devices map[deviceKey]DeviceID
	queues  map[queueKey]QueueID
}

// NewDirectory gives a directory that already knows devices and queues (both
// may be nil).
func NewDirectory(devices []DeviceInfo, queues []QueueInfo) *Directory {
	d := &Directory{Devices: devices, Queues: queues,
		devices: make(map[deviceKey]DeviceID), queues: make(map[queueKey]QueueID)}
	for _, device := range devices {
		d.devices[deviceKey{device.Process, device.Type, device.Number}] = device.ID
	}
	for _, queue := range queues {
		d.queues[queueKey{queue.Device, queue.Number}] = queue.ID
	}
	return d
}

// Device gives the number of a process's device, a new one at its first use.
func (d *Directory) Device(process ProcessID, kind, number int32) DeviceID {
	key := deviceKey{process, kind, number}
	id, ok := d.devices[key]
	if !ok {
		id = DeviceID(len(d.Devices) + 1)
		d.devices[key] = id
		d.Devices = append(d.Devices, DeviceInfo{ID: id, Process: process, Type: kind, Number: number})
	}
	return id
}

// Queue gives the number of a device's queue, a new one at its first use.
func (d *Directory) Queue(device DeviceID, number int64) QueueID {
	key := queueKey{device, number}
	id, ok := d.queues[key]
	if !ok {
		id = QueueID(len(d.Queues) + 1)
		d.queues[key] = id
		d.Queues = append(d.Queues, QueueInfo{ID: id, Device: device, Number: number})
	}
	return id
}
