package source

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/snapshot"
	"golang.org/x/sys/unix"
)

// call is one call of the stub runtime.
type call struct {
	name      string
	ret       uint64
	registers snapshot.Registers
	function  uint64
	entries   []snapshot.Entry
	kinds     []uint16
}

var stubOnce sync.Once
var stubObject string
var stubError error

// stub compiles the stand-in runtime once.
func stub(t testing.TB) string {
	t.Helper()
	stubOnce.Do(func() {
		dir, err := os.MkdirTemp("", "source-stub")
		if err != nil {
			stubError = err
			return
		}
		stubObject = filepath.Join(dir, "stub.o")
		out, err := exec.Command(compilers.C(), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O0", "-fPIC",
			"-fno-omit-frame-pointer", "-c", "testdata/stub.c", "-o", stubObject).CombinedOutput()
		if err != nil {
			stubError = fmt.Errorf("%v: %s", err, out)
		}
	})
	if stubError != nil {
		t.Fatal(stubError)
	}
	return stubObject
}

func TestMain(m *testing.M) {
	code := m.Run()
	if stubObject != "" {
		os.RemoveAll(filepath.Dir(stubObject))
	}
	os.Exit(code)
}

// compile builds a test program that calls the stub.
func compile(t testing.TB, name string, flags ...string) string {
	t.Helper()
	compiler := map[string]string{".c": compilers.C(), ".cc": compilers.CXX(), ".f90": compilers.Fortran()}[filepath.Ext(name)]
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, strings.TrimSuffix(name, filepath.Ext(name)))
	source, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-fopenacc", "-foffload=disable", "-g", "-w"}, flags...)
	args = append(args, source, stub(t), "-o", program)
	command(t, dir, compiler, args...)
	return program
}

func command(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// follow runs a program and calls see at each of its calls while the program
// waits; see gets a resolver for the program's address space.
func follow(t testing.TB, program string, see func(c call, p *Process, memory snapshot.Memory)) {
	t.Helper()
	events, theirEvents, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	theirAcks, acks, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program)
	c.Dir = filepath.Dir(program)
	c.ExtraFiles = []*os.File{theirEvents, theirAcks}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirEvents.Close()
	theirAcks.Close()
	memory := func(address uint64, to []byte) error {
		local := []unix.Iovec{{Base: &to[0]}}
		local[0].SetLen(len(to))
		n, err := snapshot.ReadMemory(c.Process.Pid, local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(to)}})
		if err == nil && n != len(to) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	p := newProcess()
	p.live = true
	p.maps = fmt.Sprintf("/proc/%d/maps", c.Process.Pid)
	defer p.Close()
	r := bufio.NewReader(events)
	for {
		next, err := readCall(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		see(next, p, memory)
		if _, err := acks.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	acks.Close()
	if err := c.Wait(); err != nil {
		t.Fatalf("%s: %v", program, err)
	}
}

// roles are those of map kinds, forced or not.
var roles = map[uint16]snapshot.Role{0x00: snapshot.Alloc, 0x01: snapshot.To, 0x02: snapshot.From, 0x03: snapshot.ToFrom,
	0x04: snapshot.Pointer, 0x05: snapshot.Pointer, 0x06: snapshot.Present, 0x07: snapshot.Release, 0x08: snapshot.DevicePointer,
	0x0b: snapshot.IfPresent, 0x0e: snapshot.UseDevice, 0x0f: snapshot.Empty, 0x10: snapshot.UseDevice, 0x17: snapshot.Release,
	0x1c: snapshot.Members, 0x1d: snapshot.Attach, 0x1f: snapshot.Empty, 0x50: snapshot.Attach, 0x51: snapshot.Attach, 0x5c: snapshot.Members}

func readCall(r *bufio.Reader) (c call, err error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return c, err
	}
	own := machine.Own()
	values := make([]uint64, len(own.Preserved))
	var sp, fp uint64
	var n int
	fields := []any{&c.name, &c.ret, &sp, &fp}
	for i := range values {
		fields = append(fields, &values[i])
	}
	if _, err := fmt.Sscanf(line, "call %s %x %x %x"+strings.Repeat(" %x", len(values)+1)+" %d", append(fields, &c.function, &n)...); err != nil {
		return c, fmt.Errorf("%q: %w", line, err)
	}
	c.registers.Set(own.StackPointer, sp)
	c.registers.Set(own.FramePointer, fp)
	for i, number := range own.Preserved {
		c.registers.Set(number, values[i])
	}
	for i := 0; i < n; i++ {
		line, err := r.ReadString('\n')
		if err != nil {
			return c, err
		}
		var e snapshot.Entry
		var kind uint16
		if _, err := fmt.Sscanf(line, "entry %x %x %x", &e.Address, &e.Size, &kind); err != nil {
			return c, fmt.Errorf("%q: %w", line, err)
		}
		// POINTER, TO_PSET, ALWAYS_POINTER, ATTACH, DETACH, FORCE_DETACH.
		switch kind & 0xff {
		case 0x04, 0x05, 0x1d, 0x50, 0x51, 0xd1:
			e.Follows = i > 0
		}
		e.Structure = kind&0xff == 0x1c || kind&0xff == 0x5c // GCC 14 and later: members in any order
		if !strings.HasPrefix(c.name, "acc_") {
			e.Role = roles[kind&0xff&^0x80]
		}
		c.entries = append(c.entries, e)
		c.kinds = append(c.kinds, kind)
	}
	_, err = r.ReadString('\n')
	return c, err
}
