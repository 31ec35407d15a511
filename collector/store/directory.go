package store

import "github.com/accscope/accscope/collector/model"

// Directory is who and what a trace tells of.
type Directory struct {
	Processes []Process
	Threads   []model.ThreadInfo
	Devices   []model.DeviceInfo
	Queues    []model.QueueInfo
}

// Directory reads it.
func (t *Trace) Directory() (d Directory, err error) {
	if d.Processes, err = t.Processes(); err != nil {
		return d, err
	}
	if d.Threads, err = t.Threads(); err != nil {
		return d, err
	}
	if d.Devices, err = t.Devices(); err != nil {
		return d, err
	}
	d.Queues, err = t.Queues()
	return d, err
}
