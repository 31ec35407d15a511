package source

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/source/elffile"
	"github.com/accscope/accscope/runtime/source/linkage"
)

// kernelTable lists every outlined function of a program as the image itself
// describes it.
func kernelTable(t testing.TB, im *Image) string {
	t.Helper()
	f, err := elf.Open(im.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range symbols {
		if !linkage.IsOutlined(s.Name) || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		k, err := im.Kernel(s.Value)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		b.WriteString(k.Name + " in " + k.Function)
		for _, v := range k.Variables {
			b.WriteString(" " + v.Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func open(t testing.TB, path string) *Image {
	t.Helper()
	im, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(im.Close)
	return im
}

// TestStorage reads the same answers out of every way to store debug
// information.
func TestStorage(t *testing.T) {
	want := kernelTable(t, open(t, compile(t, "stencil.c", "-O2")))
	if strings.Count(want, "\n") != 7 || !strings.Contains(want, "sweep:27 in sweep x window y sum alpha n table") {
		t.Fatalf("reference table:\n%s", want)
	}
	separate := func(remove ...string) func(t *testing.T, program string) {
		return func(t *testing.T, program string) {
			dir := filepath.Dir(program)
			command(t, dir, compilers.Tool("objcopy"), "--only-keep-debug", program, program+".debug")
			command(t, dir, compilers.Tool("objcopy"), "--strip-debug", "--add-gnu-debuglink="+program+".debug", program)
			for _, r := range remove {
				command(t, dir, compilers.Tool("objcopy"), "--remove-section="+r, program+".debug")
			}
		}
	}
	for _, c := range []struct {
		name   string
		flags  []string
		modify func(t *testing.T, program string)
	}{
		{name: "position-independent", flags: []string{"-fPIE", "-pie"}},
		{name: "fixed position", flags: []string{"-no-pie"}},
		{name: "DWARF 4", flags: []string{"-gdwarf-4"}},
		{name: "DWARF 5", flags: []string{"-gdwarf-5"}},
		{name: "compressed", flags: []string{"-gz"}},
		{name: "compressed the old way", flags: []string{"-gz=zlib-gnu"}},
		{name: "without index", modify: func(t *testing.T, program string) {
			command(t, filepath.Dir(program), compilers.Tool("objcopy"), "--remove-section=.debug_aranges", program)
		}},
		{name: "split", flags: []string{"-gsplit-dwarf"}},
		{name: "split, DWARF 4", flags: []string{"-gsplit-dwarf", "-gdwarf-4"}},
		{name: "split, compressed", flags: []string{"-gsplit-dwarf", "-gz"}},
		// Its addresses count from the unit's, as it is all in one section.
		{name: "split, sections", flags: []string{"-gsplit-dwarf", "-ffunction-sections"}},
		{name: "split, DWARF 4, sections", flags: []string{"-gsplit-dwarf", "-gdwarf-4", "-ffunction-sections"}},
		{name: "split, DWARF 4, package", flags: []string{"-gsplit-dwarf", "-gdwarf-4"}, modify: func(t *testing.T, program string) {
			if _, err := exec.LookPath("dwp"); err != nil {
				t.Skip("no dwp, which packs split files: apt-get install binutils, or binutils-gold where it is there")
			}
			dir := filepath.Dir(program)
			command(t, dir, "dwp", "-e", program, "-o", program+".dwp")
			files, err := filepath.Glob(filepath.Join(dir, "*.dwo"))
			if err != nil || len(files) != 1 {
				t.Fatalf("split files %q, want one (%v)", files, err)
			}
			if err := os.Remove(files[0]); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "debug link", modify: separate()},
		{name: "debug link, compressed", flags: []string{"-gz"}, modify: separate()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			program := compile(t, "stencil.c", append([]string{"-O2"}, c.flags...)...)
			if c.modify != nil {
				c.modify(t, program)
			}
			if got := kernelTable(t, open(t, program)); got != want {
				t.Errorf("differs:\n%s", difference(want, got))
			}
		})
	}
}

// TestForgetKeepsMemory gives pages back of what is mapped only: a compressed section
// that is not large lies in memory.
func TestForgetKeepsMemory(t *testing.T) {
	im := open(t, compile(t, "stencil.c", "-gz"))
	im.mu.Lock()
	defer im.mu.Unlock()
	content := bytes.Repeat([]byte("kept"), 16<<10)
	im.debugLocked().Forget(content)
	if !bytes.Equal(content, bytes.Repeat([]byte("kept"), 16<<10)) {
		t.Error("a section in memory was lost")
	}
	f := im.debugLocked()
	head := string(f.Data[:64])
	f.Forget(f.Data)
	if string(f.Data[:64]) != head {
		t.Error("the file's own bytes were lost")
	}
}

// TestBuildIDFolder finds a debug file by build-id below a root.
func TestBuildIDFolder(t *testing.T) {
	program := compile(t, "stencil.c", "-O2", "-Wl,--build-id=sha1")
	want := kernelTable(t, open(t, program))
	id := open(t, program).BuildID()
	root := t.TempDir()
	folder := filepath.Join(root, ".build-id", id[:2])
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, root, compilers.Tool("objcopy"), "--only-keep-debug", program, filepath.Join(folder, id[2:]+".debug"))
	command(t, root, compilers.Tool("objcopy"), "--strip-debug", program)
	im, err := OpenWithDebugRoots(program, []string{root})
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	if got := kernelTable(t, im); got != want {
		t.Errorf("differs:\n%s", difference(want, got))
	}
}

// TestDebugLinkChecksum refuses a debug file of another build.
func TestDebugLinkChecksum(t *testing.T) {
	program := compile(t, "stencil.c", "-O2", "-Wl,--build-id=none")
	dir := filepath.Dir(program)
	command(t, dir, compilers.Tool("objcopy"), "--only-keep-debug", program, program+".debug")
	command(t, dir, compilers.Tool("objcopy"), "--strip-debug", "--add-gnu-debuglink="+program+".debug", program)
	f, err := os.OpenFile(program+".debug", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if p := open(t, program).DebugInfo().Path; p != "" {
		t.Errorf("took %s, whose checksum differs", p)
	}
}

// TestWithoutDebug gives symbol names without -g, and module and offset when
// the symbols are gone too.
func TestWithoutDebug(t *testing.T) {
	program := compile(t, "fields.f90", "-O0", "-g0")
	im := open(t, program)
	s, ok := function(im, "__fields_MOD_smooth")
	if !ok {
		t.Fatal("no symbol")
	}
	l, err := im.Lookup(s.Address + 4)
	if err != nil || l.Function != "fields::smooth" || l.LinkageName != "__fields_MOD_smooth" || l.File != "" || l.Line != 0 {
		t.Errorf("got %+v, %v", l, err)
	}
	g, ok, err := im.Global(globalAddress(t, im, "__fields_MOD_fixed") + 40)
	if err != nil || !ok || g.Name != "fixed" || g.Size != 400 {
		t.Errorf("got %+v, %v, %v", g, ok, err)
	}
	if g, ok, err = im.Global(globalAddress(t, im, "blk_")); err != nil || !ok || g.Name != "/blk/" {
		t.Errorf("got %+v, %v, %v", g, ok, err)
	}
	command(t, filepath.Dir(program), compilers.Tool("strip"), program)
	im = open(t, program)
	l, err = im.Lookup(s.Address + 4)
	if err != nil || l.Function != "" || l.Module != program || l.Offset != s.Address+4 {
		t.Errorf("stripped: got %+v, %v", l, err)
	}
}

// function is the symbol of a name.
func function(im *Image, name string) (elffile.Symbol, bool) {
	for _, s := range im.symbolsLocked().All {
		if im.symbolsLocked().NameOf(s) == name {
			return s, true
		}
	}
	return elffile.Symbol{}, false
}

func globalAddress(t *testing.T, im *Image, name string) uint64 {
	t.Helper()
	s, ok := im.symbolsLocked().Object(name)
	if !ok {
		t.Fatalf("no symbol %s", name)
	}
	return s.Address
}

// TestModules resolves after the fact, and refuses a program that was rebuilt.
func TestModules(t *testing.T) {
	program := compile(t, "stencil.c", "-O2", "-Wl,--build-id=sha1")
	im := open(t, program)
	s, ok := function(im, "sweep._omp_fn.0")
	if !ok {
		t.Fatal("no symbol")
	}
	m := Module{Path: program, Bias: 0x555555554000, BuildID: im.BuildID()}
	p := FromModules([]Module{m})
	defer p.Close()
	k, err := p.Kernel(m.Bias + s.Address)
	if err != nil || k.Name != "sweep:27" {
		t.Errorf("got %+v, %v", k, err)
	}
	if _, err := p.Lookup(0x1000); !errors.Is(err, ErrNoModule) {
		t.Errorf("an address of no module: %v", err)
	}
	m.BuildID, m.Low, m.High = "00112233", m.Bias, m.Bias+1<<30
	p = FromModules([]Module{m})
	defer p.Close()
	l, err := p.Lookup(m.Bias + s.Address)
	if !errors.Is(err, ErrBinaryChanged) || l.Function != "" || l.Module != program || l.Offset != s.Address {
		t.Errorf("a changed binary: got %+v, %v", l, err)
	}
	if k, err := p.Kernel(m.Bias + s.Address); !errors.Is(err, ErrBinaryChanged) || k.Name != "" {
		t.Errorf("a changed binary: got %+v, %v", k, err)
	}
}

// TestRunningProcess resolves addresses of this very process.
func TestRunningProcess(t *testing.T) {
	p := NewProcess()
	defer p.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pc := uint64(thisFunction())
	l, err := p.Lookup(pc)
	if err != nil || l.Module != exe || l.Offset == 0 || l.Offset > pc {
		t.Errorf("got %+v, %v", l, err)
	}
	if _, err := p.Lookup(8); !errors.Is(err, ErrNoModule) {
		t.Errorf("an address of no module: %v", err)
	}
}
