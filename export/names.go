package export

import (
	"fmt"
	"path/filepath"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// ProcessName is what to call a process: its rank, program and host.
func ProcessName(p *store.Process) string {
	name := filepath.Base(p.Program)
	if p.Rank >= 0 {
		name = fmt.Sprintf("rank %d: %s", p.Rank, name)
	}
	if p.On.Name != "" {
		name += " on " + p.On.Name
	}
	return name
}

// ProcessTitles are what the titles of things begin with where there are several processes.
func ProcessTitles(processes []store.Process) map[model.ProcessID]string {
	titles := map[model.ProcessID]string{}
	for i := range processes {
		if len(processes) > 1 {
			titles[processes[i].ID] = ProcessName(&processes[i]) + ", "
		}
	}
	return titles
}

// DeviceName is what to call a device: its type and number, and its own name.
func DeviceName(d *model.DeviceInfo) string {
	name := d.Title()
	if d.Name != "" {
		name += " (" + d.Name + ")"
	}
	return name
}

// DeviceType is an acc_device_t without its prefix.
func DeviceType(number int32) string {
	name, known := callbacks.DeviceType(number).Short()
	if !known {
		return fmt.Sprintf("device type %d", number)
	}
	return name
}

// QueueName is what to call an async queue.
func QueueName(number int64) string {
	switch number {
	case model.AsyncSync:
		return "synchronous queue"
	case model.AsyncNoval:
		return "async queue (no value)"
	case callbacks.DefaultQueue:
		return "default async queue"
	}
	return fmt.Sprintf("async queue %d", number)
}

// SpanName is what to call a host span or event: the kernel where it has one, the
// name of an error or of what is the program's own, the kind and the variable of others.
func SpanName(s *store.Site) string {
	switch {
	case s.Kind == "error":
		return callbacks.ErrorCode(s.ErrorCode).String()
	case s.Name == "":
		return s.Kind
	case s.Kind == "enqueue_launch", s.Own():
		return s.Name
	}
	return s.Kind + " " + s.Name
}

// WorkName is what to call device activity: the kernel, or the kind and the
// variable of others, of copies between devices also these.
func WorkName(w *store.Work) string {
	name := w.Kind
	switch {
	case w.Name == "":
	case w.Kind == "kernel":
		return w.Name
	default:
		name += " " + w.Name
	}
	if w.Peer != 0 {
		name += ", " + w.Route()
	}
	return name
}

// WorkFields are what else there is to say of device activity: who gave a kernel's geometry, of
// a copy between devices the one that it went to and where it was asked for.
func WorkFields(w *store.Work) (fields []Field) {
	for i, name := range [...]string{"gangs_by", "workers_by", "vector_by"} {
		if w.By[i] != "" {
			fields = append(fields, Field{Name: name, Value: w.By[i], Detail: true})
		}
	}
	if w.Peer == 0 {
		return fields
	}
	if w.File != "" {
		fields = append(fields, Field{Name: "source", Value: fmt.Sprintf("%s:%d", w.File, w.Line)})
	}
	return append(fields, Field{Name: "peer", Value: w.PeerTitle()})
}
