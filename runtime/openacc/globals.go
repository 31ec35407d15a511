package openacc

import (
	"encoding/binary"
	"slices"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// linked is a declare link variable: when it is mapped, its address goes into a
// pointer on the device.
type linked struct {
	host, size uintptr
	pointer    device.Address
}

// RegisterImage notes an image of device code (GOMP_offload_register_ver). It is
// called from constructors, possibly before anything else.
func (rt *Runtime) RegisterImage(image goacc.Image) {
	rt.mu.Lock()
	rt.images = append(rt.images, image)
	var open []*Device
	for _, d := range rt.devices {
		if d.isOpen() {
			open = append(open, d)
		}
	}
	rt.mu.Unlock()
	for _, d := range open {
		if err := d.enterGlobals(image); err != nil {
			d.refuse(image, err)
		}
	}
}

// A refusal is an image that a device did not take while it was open. The
// program may never use it there: whoever does is told why.
type refusal struct {
	image goacc.Image
	err   error
}

func (d *Device) refuse(image goacc.Image, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	refused := append(slices.Clone(*d.refused.Load()), refusal{image, err})
	d.refused.Store(&refused)
}

// refusedKernel is why an image with the code of an outlined function was
// refused, nil if none was.
func (d *Device) refusedKernel(function uintptr) error {
	for _, r := range *d.refused.Load() {
		if slices.Contains(r.image.Functions, function) {
			return r.err
		}
	}
	return nil
}

// refusedVariable is the same for a variable that host lies in.
func (d *Device) refusedVariable(host uintptr) error {
	for _, r := range *d.refused.Load() {
		for _, v := range r.image.Variables {
			if host-v.Host < v.Size {
				return r.err
			}
		}
	}
	return nil
}

// UnregisterImage forgets an image, when its object is unloaded.
func (rt *Runtime) UnregisterImage(image goacc.Image) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.images = slices.DeleteFunc(rt.images, func(i goacc.Image) bool {
		return i.Table == image.Table && i.Data == image.Data
	})
	for _, d := range rt.devices {
		if d.isOpen() {
			d.removeGlobals(image)
		}
	}
}

// enterImages loads all images on a device being opened and enters their
// variables.
func (rt *Runtime) enterImages(d *Device) error {
	rt.mu.Lock()
	images := slices.Clone(rt.images)
	rt.mu.Unlock()
	for _, image := range images {
		if err := d.enterGlobals(image); err != nil {
			return err
		}
	}
	if _, ok := d.driver.(device.ImageDevice); !ok {
		// Programs linked without device code register no image.
		return d.enterGlobals(goacc.Image{Variables: declaredVariables()})
	}
	return nil
}

// enterGlobals maps the globals named in declare directives for as long as the
// device is open. A device that runs host code shares them with the host: they
// map to themselves.
func (d *Device) enterGlobals(image goacc.Image) error {
	if d.Shared {
		return nil
	}
	var addresses []device.Address
	if loader, ok := d.driver.(device.ImageDevice); ok {
		if device.Type(image.Type) != d.Type {
			return nil // another device's
		}
		var err error
		if addresses, err = loader.LoadImage(image); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, v := range image.Variables {
		if v.Link && i < len(addresses) && addresses[i] != 0 {
			d.links = append(d.links, linked{v.Host, v.Size, addresses[i]})
		}
		if v.Link || v.Size == 0 {
			continue
		}
		b := &block{address: device.Address(v.Host), size: v.Size, host: v.Host, identity: true}
		if i < len(addresses) && addresses[i] != 0 {
			b.address, b.identity = addresses[i], false
		}
		b.members.Store(1)
		m := &dataenv.Mapping{Host: v.Host, Size: v.Size, Device: b.address, Structured: 1,
			Infinite: true, Declared: true, Block: b, Created: monotonic()}
		if d.table.Insert(m) != nil {
			continue // two images with the same variable
		}
		if !b.identity {
			d.checkMapping(m, true)
		}
	}
	return nil
}

func (d *Device) removeGlobals(image goacc.Image) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.links = slices.DeleteFunc(d.links, func(l linked) bool {
		return slices.ContainsFunc(image.Variables, func(v goacc.Variable) bool { return v.Link && v.Host == l.host })
	})
	for _, v := range image.Variables {
		if m, presence := d.table.Find(v.Host, v.Size); presence == dataenv.Present && m.Declared {
			d.table.Remove(m)
		}
	}
	refused := slices.DeleteFunc(slices.Clone(*d.refused.Load()), func(r refusal) bool { return r.image.Data == image.Data })
	d.refused.Store(&refused)
	if loader, ok := d.driver.(device.ImageDevice); ok {
		d.keep(loader.UnloadImage(image))
		empty := map[uintptr]*kernelCode{}
		d.kernels.Store(&empty)
	}
}

// storeLinks notes the stores of the addresses of declare link variables that a
// new mapping holds (OpenACC 3.3 §2.13.3). d.mu is held.
func (t *lifetimes) storeLinks(d *Device, m *dataenv.Mapping) {
	for _, l := range d.links {
		if l.host < m.Host || l.host+l.size > m.Host+m.Size {
			continue
		}
		m.Used = true
		buffer := t.staging(8)
		binary.LittleEndian.PutUint64(buffer, uint64(m.DeviceOf(l.host)))
		t.scratch.stores = append(t.scratch.stores, transfer{host: l.host, device: l.pointer, size: 8, staged: buffer})
	}
}

// global says whether an absent range is a global named in a declare directive
// which kernels of d use directly. Programs linked without device code register
// no image, so such variables are looked up in the program's own table.
func (d *Device) global(address uintptr) bool {
	if _, ok := d.driver.(device.ImageDevice); ok {
		return false
	}
	return declaredGlobal(address)
}
