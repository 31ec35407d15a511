package source

import "errors"

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
	err = guard(im.path, func() error {
		u, err := im.unitAtLocked(returnAddress - 1)
		if errors.Is(err, errNoUnit) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := u.tree(); err != nil {
			return err
		}
		f := Frame{image: im, pc: returnAddress - 1, unit: u, function: u.functionAt(returnAddress - 1)}
		s := f.state().at
		if s == nil {
			return nil
		}
		// The second argument of GOACC_parallel_keyed.
		passed := s.registers[s.p.second]
		if passed.root != fileBased {
			return nil
		}
		outlined := u.functionAt(uint64(passed.n))
		if outlined == nil || outlined.entryAddress() != uint64(passed.n) || !isOutlined(u.linkage(outlined)) {
			return nil
		}
		ok = true
		return im.kernelLocked(uint64(passed.n), &k)
	})
	return k, ok && err == nil, err
}

// Construct describes the compute construct whose call returns to a run-time
// address.
func (p *Process) Construct(returnAddress uint64) (Kernel, bool, error) {
	im, _, at, err := p.resolve(returnAddress-1, true)
	if im == nil {
		return Kernel{}, false, err
	}
	return im.Construct(at + 1)
}
