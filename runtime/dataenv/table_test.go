package dataenv

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/accscope/accscope/runtime/dataenv/presenttest"
	"github.com/accscope/accscope/runtime/device"
)

// model is the present table as one would write it without caring for speed.
type model []*Mapping

func (l model) find(host, size uintptr) (*Mapping, Presence) {
	var point, partly *Mapping
	for _, m := range l {
		switch {
		case m.Size == 0:
			if size == 0 && m.Host == host {
				point = m
			}
		case host >= m.Host && host-m.Host < m.Size:
			if size <= m.End()-host {
				return m, Present
			}
			partly = m
		case m.Host > host && m.Host < host+size && (partly == nil || m.Host < partly.Host):
			partly = m
		}
	}
	switch {
	case partly != nil:
		return partly, Partly
	case point != nil:
		return point, Present
	}
	return nil, Absent
}

func (l model) overlapping(host, size uintptr) []*Mapping {
	var found []*Mapping
	if size == 0 {
		if m, _ := l.find(host, 0); m != nil {
			found = append(found, m)
		}
		return found
	}
	for _, m := range l {
		if m.Size > 0 && m.Host < host+size && m.End() > host {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, order)
	return found
}

func (l model) findDevice(address device.Address, size uintptr) []*Mapping {
	var found []*Mapping
	for _, m := range l {
		if m.Size > 0 && address >= m.Device && uintptr(address-m.Device) < m.Size && size <= m.Size-uintptr(address-m.Device) {
			found = append(found, m)
		}
	}
	return found
}

func order(a, b *Mapping) int {
	switch {
	case a.Host != b.Host:
		if a.Host < b.Host {
			return -1
		}
		return 1
	case a.Size == 0 && b.Size != 0:
		return -1
	case a.Size != 0 && b.Size == 0:
		return 1
	}
	return 0
}

// play runs one operation for every three bytes on a table and on the model,
// and compares all they can be asked.
func play(t *testing.T, program []byte, scale uintptr) {
	t.Helper()
	table, list := NewTable(), model(nil)
	for step := 0; step+3 <= len(program); step += 3 {
		op, host, size := program[step], 1000+uintptr(program[step+1])*scale, uintptr(program[step+2]%16)
		switch op % 4 {
		case 0, 1:
			// Every eighth device address is one that others have too.
			m := &Mapping{Host: host, Size: size, Device: device.Address(host + 1<<40)}
			if op%32 == 0 {
				m.Device = 1 << 41
			}
			free := len(list.overlapping(host, size)) == 0
			if size == 0 {
				free = !slices.ContainsFunc(list, func(o *Mapping) bool { return o.Size == 0 && o.Host == host })
			}
			if err := table.Insert(m); (err == nil) != free {
				t.Fatalf("step %d: Insert(%d+%d) = %v, overlaps %v", step/3, host, size, err, list.overlapping(host, size))
			}
			if free {
				list = append(list, m)
			}
		case 2:
			if len(list) > 0 {
				i := int(program[step+1]) % len(list)
				table.Remove(list[i])
				list = slices.Delete(list, i, i+1)
			}
		case 3:
			table.Remove(&Mapping{Host: host, Size: size}) // not in the table
		}
		if table.Len() != len(list) {
			t.Fatalf("step %d: Len() = %d, want %d", step/3, table.Len(), len(list))
		}
		for _, q := range [][2]uintptr{{host, size}, {host, 0}, {host - 1, 2}, {host + size, 0}, {host + size, 1}, {host - 20, 60}} {
			m, p := table.Find(q[0], q[1])
			wm, wp := list.find(q[0], q[1])
			if m != wm || p != wp {
				t.Fatalf("step %d: Find(%d, %d) = %v %v, want %v %v", step/3, q[0], q[1], m, p, wm, wp)
			}
			address, found := presenttest.Find(table.Published(), q[0], q[1])
			if (found == 1) != (p == Present) || found == 1 && address != m.DeviceOf(q[0]) {
				t.Fatalf("step %d: C finds (%d, %d) = %d %#x, want %v %v", step/3, q[0], q[1], found, address, wm, wp)
			}
			if got, want := table.Overlapping(q[0], q[1]), list.overlapping(q[0], q[1]); !slices.Equal(got, want) {
				t.Fatalf("step %d: Overlapping(%d, %d) = %v, want %v", step/3, q[0], q[1], got, want)
			}
			for _, address := range []device.Address{device.Address(q[0]) + 1<<40, 1<<41 + device.Address(q[1])} {
				got, want := table.FindDevice(address, q[1]), list.findDevice(address, q[1])
				if got == nil && len(want) > 0 || got != nil && !slices.Contains(want, got) {
					t.Fatalf("step %d: FindDevice(%#x, %d) = %v, want one of %v", step/3, address, q[1], got, want)
				}
				host, found := presenttest.FindHost(table.Published(), address)
				if m := table.FindDevice(address, 0); found == 1 && (m == nil || host != m.HostOf(address)) {
					t.Fatalf("step %d: C finds %#x at host address %#x, want %v", step/3, address, host, m)
				} else if found != 1 && m != nil && !slices.Contains(table.aliased, m) {
					t.Fatalf("step %d: C does not find %#x, which is in %v", step/3, address, m)
				}
			}
		}
	}
	want := slices.Clone(list)
	slices.SortFunc(want, order)
	if got := slices.Collect(table.All()); !slices.Equal(got, want) {
		t.Fatalf("All() = %v, want %v", got, want)
	}
	for m := range table.All() {
		table.Remove(m)
	}
	if table.Len() != 0 {
		t.Fatalf("after removing all: Len() = %d", table.Len())
	}
}

func FuzzAgainstModel(f *testing.F) {
	f.Add([]byte{0, 1, 8, 0, 1, 0, 2, 0, 0, 0, 2, 4})
	random := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		f.Add(randomProgram(random, 200))
	}
	f.Fuzz(func(t *testing.T, program []byte) { play(t, program[:min(len(program), 600)], 3) })
}

// TestAgainstModel runs programs long enough for a tree of several levels.
func TestAgainstModel(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 3 {
		play(t, randomProgram(random, 4000), 16)
	}
}

func randomProgram(random *rand.Rand, steps int) []byte {
	program := make([]byte, 3*steps)
	for i := range program {
		program[i] = byte(random.Uint32())
	}
	return program
}

// TestLarge fills a table of several levels in different orders and takes it
// apart again, checking every boundary against arithmetic.
func TestLarge(t *testing.T) {
	const count, stride, size = 30000, 64, 48
	orders := map[string]func([]int){
		"ascending":  func([]int) {},
		"descending": slices.Reverse[[]int],
		"random":     func(s []int) { rand.New(rand.NewPCG(3, 4)).Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] }) },
	}
	for name, arrange := range orders {
		t.Run(name, func(t *testing.T) {
			table := NewTable()
			numbers := make([]int, count)
			for i := range numbers {
				numbers[i] = i
			}
			arrange(numbers)
			mappings := make([]*Mapping, count)
			for _, i := range numbers {
				mappings[i] = &Mapping{Host: uintptr(i+1) * stride, Size: size, Device: device.Address(1<<40 - i*stride)}
				if err := table.Insert(mappings[i]); err != nil {
					t.Fatal(err)
				}
			}
			check := func(from, to int) { // mappings[from:to] in numbers' order are there, the rest is not
				for k, i := range numbers {
					here := k >= from && k < to
					host := uintptr(i+1) * stride
					for _, q := range []struct {
						host, size uintptr
						want       Presence
					}{
						{host, size, Present}, {host + size - 1, 1, Present}, {host + size - 1, 0, Present},
						{host + size, 0, Absent}, {host - 1, 0, Absent}, {host + size, stride - size, Absent},
						{host + 1, size, Partly}, {host - 1, 2, Partly}, {host - 4, 60, Partly},
					} {
						if !here {
							q.want = Absent
						}
						m, p := table.Find(q.host, q.size)
						if p != q.want || p != Absent && m != mappings[i] {
							t.Fatalf("Find(%d, %d) = %v %v, want %v", q.host, q.size, m, p, q.want)
						}
					}
					if m := table.FindDevice(mappings[i].Device+5, size-5); here && m != mappings[i] || !here && m != nil {
						t.Fatalf("FindDevice(%#x) = %v, present %v", mappings[i].Device, m, here)
					}
				}
			}
			check(0, count)
			for _, i := range numbers[:count-7] {
				table.Remove(mappings[i])
			}
			check(count-7, count)
			if got := len(slices.Collect(table.All())); got != 7 || table.Len() != 7 {
				t.Fatalf("All() yields %d, Len() = %d, want 7", got, table.Len())
			}
		})
	}
}

// TestExposed: C knows which mappings were exposed, wherever the tree's nodes go to, and
// for as long as they are there.
func TestExposed(t *testing.T) {
	const count, size = 2000, 64
	table := NewTable()
	host := func(i int) uintptr { return 0x100000 + uintptr(i)*2*size }
	var mappings [count]*Mapping
	insert := func(i int) {
		mappings[i] = &Mapping{Host: host(i), Device: device.Address(0x70000000 + i*size), Size: size}
		if err := table.Insert(mappings[i]); err != nil {
			t.Fatal(err)
		}
	}
	check := func(exposed func(i int) bool) {
		t.Helper()
		for i, m := range mappings {
			address, known, found := presenttest.FindExposed(table.Published(), host(i)+8)
			switch {
			case m == nil:
				if found != 0 || known {
					t.Fatalf("mapping %d is gone, C finds %#x, exposed %v", i, address, known)
				}
			case found != 1 || address != m.Device+8 || known != exposed(i):
				t.Fatalf("mapping %d: C finds %#x (%d), exposed %v, want %#x, %v", i, address, found, known, m.Device+8, exposed(i))
			default:
				if there, _ := table.Find(host(i), size); there != m {
					t.Fatalf("mapping %d: Go finds %+v", i, there)
				}
			}
		}
	}
	for i := 0; i < count; i += 2 {
		insert(i)
		if i%6 == 0 {
			table.Expose(mappings[i])
		}
	}
	check(func(i int) bool { return i%6 == 0 })
	for i := 1; i < count; i += 2 { // nodes are parted
		insert(i)
	}
	check(func(i int) bool { return i%6 == 0 })
	for i := range mappings { // and merged
		if i%5 != 0 {
			table.Remove(mappings[i])
			mappings[i] = nil
		}
	}
	check(func(i int) bool { return i%6 == 0 })
	for i := range mappings {
		if i%5 != 0 {
			insert(i)
		}
	}
	check(func(i int) bool { return i%30 == 0 })
	table.ExposeAll()
	check(func(int) bool { return true })
}

func TestInsertErrors(t *testing.T) {
	table := NewTable()
	for _, m := range []*Mapping{{Host: 100, Size: 50, Device: 1}, {Host: 200, Size: 50, Device: 1000}, {Host: 300, Device: 7}} {
		if err := table.Insert(m); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		host, size uintptr
		want       string
	}{
		{120, 10, "insert a mapping of 10 bytes at 0x78: it overlaps the one of 50 bytes at 0x64"},
		{199, 2, "insert a mapping of 2 bytes at 0xc7: it overlaps the one of 50 bytes at 0xc8"},
		{300, 0, "insert a mapping of 0 bytes at 0x12c: there is one already"},
		{^uintptr(0) - 3, 5, "insert a mapping of 5 bytes at 0xfffffffffffffffc: it reaches past the end of the address space"},
	} {
		if err := table.Insert(&Mapping{Host: c.host, Size: c.size}); err == nil || err.Error() != c.want {
			t.Errorf("Insert(%d+%d) = %v, want %q", c.host, c.size, err, c.want)
		}
	}
	if err := table.Insert(&Mapping{Host: ^uintptr(0) - 3, Size: 4, Device: 5000}); err != nil {
		t.Errorf("a mapping that ends with the address space: %v", err)
	}
	if table.Len() != 4 {
		t.Errorf("Len() = %d, want 4", table.Len())
	}
}

var sizes = []int{1, 1000, 20000, 100000}

func filled(b *testing.B, count int) (*Table, []*Mapping) {
	b.Helper()
	table := NewTable()
	mappings := make([]*Mapping, count)
	for _, i := range rand.New(rand.NewPCG(5, 6)).Perm(count) {
		mappings[i] = &Mapping{Host: 1<<32 + uintptr(i)*256, Size: 64, Device: device.Address(1<<44 + i*256)}
		if err := table.Insert(mappings[i]); err != nil {
			b.Fatal(err)
		}
	}
	return table, mappings
}

func BenchmarkFind(b *testing.B) {
	for _, count := range sizes {
		table, mappings := filled(b, count)
		hosts := make([]uintptr, 1<<16)
		for i := range hosts {
			hosts[i] = mappings[rand.IntN(count)].Host + 8
		}
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, p := table.Find(hosts[i&(1<<16-1)], 8); p != Present {
					b.Fatal(p)
				}
			}
		})
		b.Run(fmt.Sprint("C/", count), func(b *testing.B) { b.ReportMetric(presenttest.Time(table.Published(), hosts, b.N), "ns/op") })
		b.Run(fmt.Sprint("device/", count), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if table.FindDevice(device.Address(1<<44+(hosts[i&(1<<16-1)]-1<<32)), 8) == nil {
					b.Fatal("not found")
				}
			}
		})
	}
}

func BenchmarkInsertRemove(b *testing.B) {
	for _, count := range sizes {
		table, mappings := filled(b, count)
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				m := mappings[(i*7919)%count]
				table.Remove(m)
				if err := table.Insert(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
