package sim

import (
	"sync"

	"github.com/accscope/accscope/runtime/device"
)

const (
	vendor = "accscope"
	driver = "sim 1.0"
)

type backend struct {
	options Options

	mutex  sync.Mutex
	opened map[int]*simDevice

	reporting sync.Once // of crashes
}

// New makes the backend. The error says which option cannot be.
func New(o Options) (device.Backend, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	b := &backend{options: o, opened: map[int]*simDevice{}}
	if o.Code == CodeGPU {
		return codeBackend{b}, nil
	}
	return b, nil
}

func (b *backend) Name() string      { return "sim" }
func (b *backend) Type() device.Type { return b.options.As }

func (b *backend) Count() (int, error) {
	if b.options.Devices == 0 {
		return 0, device.Errorf(device.Unavailable, 0, "there is no sim device: set ACCSCOPE_SIM_DEVICES to 1 or more")
	}
	return b.options.Devices, nil
}

func (b *backend) Properties(number int) (device.Properties, error) {
	if err := b.checkNumber(number); err != nil {
		return device.Properties{}, err
	}
	b.mutex.Lock()
	d := b.opened[number]
	b.mutex.Unlock()
	if d != nil {
		return d.Properties(), nil
	}
	return b.properties(b.options.Memory), nil
}

func (b *backend) properties(free uint64) device.Properties {
	p := device.Properties{Memory: b.options.Memory, FreeMemory: free, Name: b.options.Name, Vendor: vendor, Driver: driver}
	if b.options.Code == CodeGPU {
		p.Multiprocessors = processors
	}
	if b.options.Card != nil {
		p.Name += ", modelled for " + b.options.Card.Name
	}
	return p
}

func (b *backend) checkNumber(number int) error {
	if number < 0 || number >= b.options.Devices {
		return device.Errorf(device.Unavailable, 0, "there is no sim device %d: there are %d, counted from 0; set ACCSCOPE_SIM_DEVICES higher", number, b.options.Devices)
	}
	return nil
}

func (b *backend) Open(number int, observe func(device.Activity, bool)) (device.Device, error) {
	d, err := b.open(number, observe)
	if err != nil {
		return nil, err
	}
	return hostCoded{d}, nil
}

func (b *backend) open(number int, observe func(device.Activity, bool)) (*simDevice, error) {
	if err := b.checkNumber(number); err != nil {
		return nil, err
	}
	if f := b.options.fault(FaultInit, number); f.Kind != "" {
		return nil, device.Errorf(device.DeviceInit, 0, "sim device %d cannot be initialised: ACCSCOPE_SIM_FAULT asks for it (%v)", number, f)
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.opened[number] != nil {
		return nil, device.Errorf(device.DeviceInit, 0, "sim device %d is open already", number)
	}
	d, err := open(b, number, observe)
	if err != nil {
		return nil, err
	}
	b.opened[number] = d
	if b.options.Crashed != nil {
		b.reporting.Do(b.reportCrashes)
	}
	return d, nil
}

func (b *backend) closed(number int) {
	b.mutex.Lock()
	delete(b.opened, number)
	b.mutex.Unlock()
}
