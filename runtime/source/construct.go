package source

import (
	"errors"

	"github.com/accscope/accscope/runtime/source/elffile"
	"github.com/accscope/accscope/runtime/source/linkage"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/units"
)

// Construct describes the compute construct whose call returns to an address in
// the terms of the file: GCC passes its outlined function to the runtime. ok is
// false where the call is none of that sort, or the function cannot be told. It
// serves where nobody noted what the call passed.
func (im *Image) Construct(returnAddress uint64) (k Kernel, ok bool, err error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.closed {
		return k, false, errors.New(im.path + ": closed")
	}
	err = elffile.Guard(im.path, func() error {
		u, err := im.unitAtLocked(returnAddress - 1)
		if errors.Is(err, units.ErrNoUnit) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := u.Tree(); err != nil {
			return err
		}
		f := Frame{image: im, pc: returnAddress - 1, unit: u, function: u.FunctionAt(returnAddress - 1)}
		s := f.state().at
		if s == nil {
			return nil
		}
		// The second argument of GOACC_parallel_keyed.
		passed := s.Registers[s.Processor.Second]
		if passed.Root != machine.FileBased {
			return nil
		}
		outlined := u.FunctionAt(uint64(passed.N))
		if outlined == nil || outlined.EntryAddress() != uint64(passed.N) || !linkage.IsOutlined(u.Linkage(outlined)) {
			return nil
		}
		ok = true
		return im.kernelLocked(uint64(passed.N), &k)
	})
	return k, ok && err == nil, err
}
