package goacc

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// variables makes the arrays of a call from lines "kind host size", with "zero"
// behind for the modifier.
func variables(t testing.TB, lines string) Arguments {
	t.Helper()
	var a Arguments
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		var name string
		var host, size uintptr
		text, zero := strings.CutSuffix(strings.TrimSpace(line), " zero")
		if zero {
			a.Zero = append(a.Zero, len(a.Kinds))
		}
		if _, err := fmt.Sscanf(text, "%s %v %d", &name, &host, &size); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		found := false
		for kind, known := range kindNames {
			if known == name {
				a.Kinds = append(a.Kinds, uint16(kind)|3<<8)
				found = true
			}
		}
		if !found {
			t.Fatalf("no kind %q", name)
		}
		a.Hosts, a.Sizes = append(a.Hosts, host), append(a.Sizes, size)
	}
	return a
}

var actionNames = [...]string{"none", "map", "present", "if_present", "pointer", "descriptor", "device_pointer", "struct",
	"attach", "use_device", "release", "detach", "update_device", "update_self", "update_pointer"}

// describe writes items one a line: action, host address, size and what is set.
func describe(items []Item) string {
	var text strings.Builder
	for _, i := range items {
		fmt.Fprintf(&text, "%s %#x %d", actionNames[i.Action], i.Host, i.Size)
		for _, flag := range []struct {
			set  bool
			name string
		}{{i.Copyin, "copyin"}, {i.Copyout, "copyout"}, {i.Zero, "zero"}, {i.Finalize, "finalize"}, {i.Optional, "optional"},
			{i.Cell, "cell"}, {i.Inside, "inside"}, {i.Frame, "frame"}, {i.Private, "private"}} {
			if flag.set {
				text.WriteString(" " + flag.name)
			}
		}
		if i.Bias != 0 {
			fmt.Fprintf(&text, " bias %d", i.Bias)
		}
		if i.Leader >= 0 {
			fmt.Fprintf(&text, " of %d", i.Leader)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// TestDecode: what the directives of C and Fortran programs look like, traced
// from GCC 12, and the actions they ask for.
func TestDecode(t *testing.T) {
	memory := map[uintptr]uintptr{0x100: 0x9000, 0x108: 0x1234}
	load := func(address uintptr) (uintptr, bool) { value, ok := memory[address]; return value, ok }
	region := func(a Arguments) ([]Item, error) { return Region(nil, a, true, load) }
	enter := func(a Arguments) ([]Item, error) { return EnterData(nil, a) }
	exit := func(a Arguments) ([]Item, error) { return ExitData(nil, a) }
	update := func(a Arguments) ([]Item, error) { return Update(nil, a) }
	for _, c := range []struct {
		name        string
		decode      func(Arguments) ([]Item, error)
		given, want string
	}{
		{"copy, firstprivate, copyout, create", region, `
			tofrom 0x1000 80
			to 0x2000 4
			from 0x3000 80
			alloc 0x4000 80`, `
			map 0x1000 80 copyin copyout
			map 0x2000 4 copyin private
			map 0x3000 80 copyout
			map 0x4000 80`},
		{"copyout(zero:), create, create(zero:), by callers from Go", region, `
			from 0x3000 80 zero
			alloc 0x4000 80
			alloc 0x5000 80 zero`, `
			map 0x3000 80 copyout zero
			map 0x4000 80
			map 0x5000 80 zero`},
		{"enter data copyin(s, s.a[0:10])", enter, `
			to 0x1000 24
			alloc 0x1008 8
			to 0x5000 80
			attach 0x1008 0`, `
			map 0x1000 24 copyin private
			map 0x1008 8 cell
			map 0x5000 80 copyin private
			attach 0x1008 8 of 2`},
		{"enter data copyin(s.n, s.a[0:10]) create(s.b) attach(s.c)", enter, `
			struct 0x1000 3
			to 0x1000 4
			alloc 0x1008 8
			alloc 0x1010 8
			to 0x5000 80
			attach 0x1008 0
			attach 0x1018 0`, `
			struct 0x1000 3
			map 0x1000 4 copyin private
			map 0x1008 8 cell
			map 0x1010 8
			map 0x5000 80 copyin private
			attach 0x1008 8 of 4
			attach 0x1018 8 of 5`},
		{"enter data copyin(b(i)%a) by GCC 14, members in any order", enter, `
			struct_unordered 0x1000 2
			alloc 0x1008 64
			alloc 0x1000 8
			to 0x5000 80
			to_pset 0x1008 64
			attach 0x1008 0`, `
			struct 0x1000 2
			map 0x1008 64 cell
			map 0x1000 8
			map 0x5000 80 copyin private
			descriptor 0x1008 64 copyin cell of 3
			attach 0x1008 8 of 3`},
		{"exit data delete(b(i)%a) by GCC 14", exit, `
			struct_unordered 0x1000 1
			release 0x1008 64`, `
			none 0x1000 1 optional
			release 0x1008 64 optional`},
		{"enter data copyin(s.a[0:n]) where n is zero", enter, `
			struct 0x1000 1
			alloc 0x1008 8
			zero_len_array_section 0x5000 0
			attach 0x1008 0`, `
			struct 0x1000 1
			map 0x1008 8 cell
			none 0x5000 0
			none 0x1008 8 of 2`},
		{"enter data copyin(d%a)", enter, `
			struct 0x1000 1
			alloc 0x1008 64
			to 0x5000 80
			to_pset 0x1008 64
			attach 0x1008 0`, `
			struct 0x1000 1
			map 0x1008 64 cell
			map 0x5000 80 copyin private
			descriptor 0x1008 64 copyin cell of 2
			attach 0x1008 8 of 2`},
		{"exit data copyout(d%a) finalize", exit, `
			delete 0x1008 64
			force_from 0x5000 80
			to_pset 0x1008 64
			force_detach 0x1008 0`, `
			release 0x1008 64 finalize optional cell
			release 0x5000 80 copyout finalize optional
			release 0x1008 64 optional cell
			detach 0x1008 8 finalize optional`},
		{"exit data delete(s.x) detach(s.a)", exit, `
			release 0x1000 8
			detach 0x1008 0`, `
			release 0x1000 8 optional
			detach 0x1008 8 optional`},
		{"exit data copyout(s.a[0:10]) finalize", exit, `
			delete 0x1008 8
			force_from 0x5000 80
			force_detach 0x1008 0`, `
			release 0x1008 8 finalize optional cell
			release 0x5000 80 copyout finalize optional
			detach 0x1008 8 finalize optional`},
		{"allocatable section", region, `
			tofrom 0x5008 16
			to_pset 0x200 64
			pointer 0x200 8`, `
			map 0x5008 16 copyin copyout
			descriptor 0x200 64 copyin of 0
			pointer 0x200 8 bias 8 of 0`},
		{"enter data of an unallocated array takes its descriptor along", enter, `
			to 0x0 0
			to_pset 0x200 64
			pointer 0x200 0
			to 0x1000 8`, `
			none 0x0 0 copyin private
			none 0x200 64 copyin of 0
			none 0x200 8 inside of 0
			map 0x1000 8 copyin private`},
		{"absent optional argument with a garbage size", region, `
			tofrom 0x0 987654321
			pointer 0x100 0`, `
			none 0x0 987654321 copyin copyout
			pointer 0x100 8 of 0`},
		{"Fortran deviceptr, and one whose temporary holds something else", region, `
			force_deviceptr 0x9000 400
			pointer 0x100 0
			force_deviceptr 0x8000 400
			pointer 0x108 0`, `
			none 0x0 400
			device_pointer 0x100 8
			none 0x0 400
			pointer 0x108 8 of 2`},
		{"frame of nested procedures", region, `
			tofrom 0x1000 96
			tofrom 0x1000 40
			tofrom 0x1030 40`, `
			map 0x1000 96 copyin copyout frame
			map 0x1000 40 copyin copyout
			map 0x1030 40 copyin copyout`},
		{"update of a pointer member's section", update, `
			force_to 0x5010 16
			to_pset 0x200 64
			always_pointer 0x200 16
			force_from 0x6000 8
			always_pointer 0x300 0
			to 0x7000 8`, `
			update_device 0x5010 16
			none 0x200 64 of 0
			update_pointer 0x200 8 bias 16 of 0
			update_self 0x6000 8
			none 0x300 8 of 3
			update_device 0x7000 8 optional`},
		{"exit data of an allocatable array, by GCC 12 and by 14", exit, `
			release 0x1000 8
			to_pset 0x200 64
			pointer 0x200 0
			release 0x2000 8
			release 0x300 64`, `
			release 0x1000 8 optional
			release 0x200 64 optional
			none 0x200 8 optional inside
			release 0x2000 8 optional
			release 0x300 64 optional`},
		{"an element of an array of pointers, by GCC 14", exit, `
			from 0x1000 16
			attach 0x300 0
			attach 0x200 0`, `
			release 0x1000 16 copyout optional
			detach 0x300 8 optional
			detach 0x200 8 optional`},
		{"the same in an update", update, `
			force_from 0x1000 16
			attach 0x200 0xfffffffffffffff0`, `
			update_self 0x1000 16
			none 0x200 8`},
		{"zero lengths", exit, `
			zero_len_array_section 0x1000 0
			delete_zero_len_array_section 0x1000 0
			from 0x0 8`, `
			none 0x1000 0 optional
			none 0x1000 0 optional
			none 0x0 8 copyout optional`},
	} {
		t.Run(c.name, func(t *testing.T) {
			items, err := c.decode(variables(t, c.given))
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(strings.TrimSpace(c.want), "\t", "") + "\n"
			if got := describe(items); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestUnknownKinds: a kind that does not belong there is an error that says where
// it stands.
func TestUnknownKinds(t *testing.T) {
	a := variables(t, "release 0x1000 8")
	if _, err := Region(nil, a, false, nil); err == nil || !strings.Contains(err.Error(), "variable 0 has map kind release") {
		t.Errorf("region: %v", err)
	}
	a.Kinds[0] = 0x72
	for name, decode := range map[string]func([]Item, Arguments) ([]Item, error){"enter data": EnterData, "exit data": ExitData, "update": Update} {
		if _, err := decode(nil, a); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "0x72") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode: whatever the arrays hold, decoding ends, gives one item for each
// entry (but those a Fortran deviceptr pair stands for), and refers only to
// items that exist.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x1c\x03\x00\x10\x00\x02\x50\x03\x08\x10\x00\x00"))
	f.Add([]byte("\x08\x03\x00\x10\x00\x40\x04\x03\x08\x10\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a Arguments
		for ; len(data) >= 6; data = data[6:] {
			a.Kinds = append(a.Kinds, binary.LittleEndian.Uint16(data))
			a.Hosts = append(a.Hosts, uintptr(binary.LittleEndian.Uint16(data[2:])))
			a.Sizes = append(a.Sizes, uintptr(binary.LittleEndian.Uint16(data[4:])))
		}
		load := func(address uintptr) (uintptr, bool) { return address, address%2 == 0 }
		check := func(items []Item, err error) {
			if err != nil {
				return
			}
			if len(items) != len(a.Kinds) {
				t.Errorf("%d items for %d entries", len(items), len(a.Kinds))
			}
			for i, item := range items {
				if item.Leader >= i || item.Leader < -1 || i+1+item.Members > len(items) || item.Entry < 0 || item.Entry >= len(a.Kinds) {
					t.Errorf("item %d: %+v", i, item)
				}
			}
		}
		check(Region(nil, a, true, load))
		check(EnterData(nil, a))
		check(ExitData(nil, a))
		check(Update(nil, a))
	})
}

func BenchmarkRegion(b *testing.B) {
	list := "tofrom 0x10000 80\ntofrom 0x20000 80\nzero_len_array_section 0x3000 0"
	for i := range 12 {
		list += fmt.Sprintf("\nto %#x 8", 0x2000+8*i)
	}
	a := variables(b, list)
	items, err := Region(nil, a, true, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			items, _ = Region(items, a, true, nil)
		}
	})
	b.Run("values", func(b *testing.B) {
		for b.Loop() {
			MarkValues(items, nil)
		}
	})
}
