package source

import (
	"github.com/accscope/accscope/runtime/source/linkage"
	"github.com/accscope/accscope/runtime/source/machine"
)

// Construct describes the compute construct whose call returns to an address in
// the terms of the file: GCC passes its outlined function to the runtime. ok is
// false where the call is none of that sort, or the function cannot be told. It
// serves where nobody noted what the call passed.
func (im *Image) Construct(returnAddress uint64) (k Kernel, ok bool, err error) {
	err = im.read(func() error {
		u, around, err := im.functionAtLocked(returnAddress - 1)
		if around == nil {
			return err
		}
		f := Frame{image: im, pc: returnAddress - 1, unit: u, function: around}
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
