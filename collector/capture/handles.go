package capture

import (
	"os"
	"slices"
	"sync"

	"github.com/accscope/accscope/collector/regular"
)

// A session may have thousands of processes, each with some files, and a process that reads
// them descriptors for a few: of all captures that are open, the files that were read last
// are.

// mostHandles is how many are.
const mostHandles = 32

var handles struct {
	sync.Mutex
	open []*handle // those read last at the end
}

// handle is a file of a capture, opened for reading where it is not open at the time.
type handle struct {
	path string
	file *os.File // nil: not open
}

// openHandle opens a regular file.
func openHandle(path string) (*handle, error) {
	h := &handle{path: path}
	return h, h.use(func(*os.File) error { return nil })
}

// use calls f with the open file, which is f's no longer than that.
func (h *handle) use(f func(*os.File) error) error {
	handles.Lock()
	defer handles.Unlock()
	if h.file == nil {
		if len(handles.open) >= mostHandles {
			handles.open[0].forget() //nolint:errcheck // nothing was written to it
		}
		file, err := regular.Open(h.path, os.O_RDONLY)
		if err != nil {
			return err
		}
		h.file = file
		handles.open = append(handles.open, h)
	} else if n := len(handles.open); handles.open[n-1] != h {
		i := slices.Index(handles.open, h)
		copy(handles.open[i:], handles.open[i+1:])
		handles.open[n-1] = h
	}
	return f(h.file)
}

// forget closes the file for the time being. The lock is held.
func (h *handle) forget() error {
	if h.file == nil {
		return nil
	}
	i := slices.Index(handles.open, h)
	handles.open = slices.Delete(handles.open, i, i+1)
	err := h.file.Close()
	h.file = nil
	return err
}

// Close closes the file. Reading would open it again.
func (h *handle) Close() error {
	handles.Lock()
	defer handles.Unlock()
	return h.forget()
}

// ReadAt is os.File.ReadAt.
func (h *handle) ReadAt(b []byte, offset int64) (n int, err error) {
	opened := h.use(func(file *os.File) error {
		n, err = file.ReadAt(b, offset)
		return nil
	})
	if opened != nil {
		return 0, opened
	}
	return n, err
}
