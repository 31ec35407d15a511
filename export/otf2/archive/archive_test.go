package archive

import (
	"bytes"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// library is the archive that the format's library wrote (testdata/library.c), by the
// names of its files.
func library(t *testing.T) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/library.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, name := map[string][]byte{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		digits, indented := strings.CutPrefix(line, "  ")
		if !indented {
			name = line
			continue
		}
		data, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = append(files[name], data...)
	}
	return files
}

// What is written is what the format's library writes of the same, byte by byte.
func TestBytesAreTheLibrarys(t *testing.T) {
	folder := t.TempDir()
	a, err := Create(folder)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a.Paradigm(OpenACC, "OpenACC", Accelerators, true)
	size := a.Attribute("bytes", "size", Uint64)
	delta := a.Attribute("delta", "", Int64)
	source := a.Attribute("source", "", Location)
	label := a.Attribute("label", "", Text)
	root := a.Node("job", "machine", Machine, None)
	node := a.Node("node1", "node", SharedMemory, root)
	gpu := a.Node("GPU 0", "GPU", Device, node)
	process := a.Group("process", Process, node, None)
	a.GroupProperty(process, "PID", "size")
	device := a.Group("device", Accelerator, node, process)
	main := a.Location("main", Thread, process)
	queue := a.Location("queue", Queue, device)
	memory := a.Location("memory", Metric, device)
	at := a.Source("a.c", 300)
	compute := a.Region(Region{Name: "compute", Canonical: "canonical", Description: "in main", Role: RoleCode, Paradigm: OpenACC, File: "a.c", Begin: 10, End: 65536})
	upload := a.Region(Region{Name: "upload", Role: RoleTransfer, Paradigm: OpenACC})
	alloc := a.Parameter("alloc")
	a.Members("all", OpenACC, []uint64{0, 1})
	window := a.Window("window", a.Communicator("some", OpenACC, []uint64{0, 1}))
	used := a.Instance("used", "B", memory, ScopeGroup, device)
	a.Instance("used", "B", memory, ScopeNode, gpu)
	a.Region(Region{Name: strings.Repeat("z", 300), Role: RoleBarrier, Paradigm: OpenACC})

	const begin = 0x1122334455667788
	check(main.ProgramBegin(begin, a.String("process"), []Ref{a.String("PID")}))
	var list Attributes
	list.Uint64(size, 4096)
	list.Int64(delta, -5)
	list.Text(source, Location, at)
	list.Text(label, Text, a.String("process"))
	check(main.Enter(begin+1, compute, &list))
	check(main.Enter(begin+1, upload, nil))
	list.Reset()
	list.Uint64(size, 0)
	check(main.Parameter(begin+2, alloc, a.String("process"), &list))
	check(main.Leave(begin+2, upload))
	check(main.Leave(begin+1000, compute))
	check(main.ProgramEnd(begin+1000, NoStatus))
	for _, transfer := range []struct {
		from, to        uint64
		get             bool
		bytes, matching uint64
	}{{begin + 5, begin + 9, true, 1 << 33, 1}, {begin + 10, begin + 10, false, 255, 256}} {
		check(queue.Enter(transfer.from, upload, nil))
		check(queue.Transfer(transfer.from, transfer.get, window, 0, transfer.bytes, transfer.matching))
		check(queue.Complete(transfer.to, window, transfer.matching))
		check(queue.Leave(transfer.to, upload))
	}
	check(memory.Metric(begin+3, used, -1))
	check(memory.Metric(begin+4, used, 65536))

	want := library(t)
	// The library makes up the archive's number, which stands before two counts and the end.
	const behindNumber = 4 + 4 + 3
	anchor := want[Anchor]
	number := anchor[len(anchor)-behindNumber-8:][:8]
	info := Info{Machine: "node1, node2", Creator: "accscope", Description: "./heat 64", Properties: []Property{{"ACCSCOPE::LOST", "3"}},
		Trace: littleEndianNumber(number), Realtime: 1_700_000_000_000_000_000 - begin, Dated: true}
	check(a.Close(&info))
	for name, bytesOfIt := range want {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !bytes.Equal(got, bytesOfIt) {
			t.Errorf("%s, error %v:\n%s\nwant\n%s", name, err, hex.Dump(got), hex.Dump(bytesOfIt))
		}
	}
	if files, err := filepath.Glob(filepath.Join(folder, Locations, "*")); err != nil || len(files)+2 != len(want) {
		t.Errorf("%v, error %v", files, err)
	}
}

func littleEndianNumber(b []byte) (n uint64) {
	for i, digit := range b {
		n |= uint64(digit) << (8 * i)
	}
	return n
}

func TestNumbersTakeTheBytesTheyNeed(t *testing.T) {
	for _, test := range []struct {
		value uint64
		want  string
	}{
		{0, "00"}, {1, "0101"}, {0xff, "01ff"}, {0x100, "020001"}, {0xffff, "02ffff"}, {0x10000, "03000001"},
		{0xffffff, "03ffffff"}, {1 << 24, "0400000001"}, {math.MaxUint32 - 1, "04feffffff"}, {math.MaxUint32, "04ffffffff"},
		{1 << 32, "050000000001"}, {1 << 40, "06000000000001"}, {1 << 48, "0700000000000001"}, {1 << 56, "080000000000000001"},
		{math.MaxUint64 - 1, "08feffffffffffffff"}, {math.MaxUint64, "ff"},
	} {
		if got := hex.EncodeToString(appendUint64(nil, test.value)); got != test.want {
			t.Errorf("%#x: %s, want %s", test.value, got, test.want)
		}
		if test.value < math.MaxUint32 {
			if got := hex.EncodeToString(appendUint32(nil, uint32(test.value))); got != test.want {
				t.Errorf("32 bits, %#x: %s, want %s", test.value, got, test.want)
			}
		}
	}
	if got := appendUint32(nil, math.MaxUint32); !bytes.Equal(got, []byte{undefined}) {
		t.Errorf("an undefined number of 32 bits: %x", got)
	}
	for value, want := range map[int64]string{0: "00", 127: "017f", 128: "0180", -1: "08ffffffffffffffff", math.MinInt64: "080000000000000080", math.MaxInt64: "08ffffffffffffff7f"} {
		if got := hex.EncodeToString(appendInt64(nil, value)); got != want {
			t.Errorf("%d: %s, want %s", value, got, want)
		}
	}
}

func TestLengthsOfRecords(t *testing.T) {
	for size, want := range map[int]string{0: "0a00", 1: "0a01", 254: "0afe", 255: "0affff00000000000000", 256: "0aff0001000000000000", 70000: "0aff7011010000000000"} {
		payload := bytes.Repeat([]byte{7}, size)
		record := appendRecord(nil, defString, payload)
		if head, rest := record[:len(record)-size], record[len(record)-size:]; hex.EncodeToString(head) != want || !bytes.Equal(rest, payload) {
			t.Errorf("%d bytes begin with %x, want %s", size, head, want)
		}
		if got := recordSize(append(record, 1, 2, 3)); got != len(record) {
			t.Errorf("%d bytes: record of %d, want %d", size, got, len(record))
		}
	}
}

func TestTextsCanBeHeld(t *testing.T) {
	for text, want := range map[string]string{"": "", "é": "é", "a\x00b": "a\uFFFDb", "a\xffb": "a\uFFFDb",
		strings.Repeat("x", longestText) + "y":   strings.Repeat("x", longestText),
		strings.Repeat("x", longestText-1) + "é": strings.Repeat("x", longestText-1)} {
		if got := plain(text); got != want {
			t.Errorf("%.20q: %.20q of %d bytes, want %.20q of %d", text, got, len(got), want, len(want))
		}
	}
}

// A definition that no chunk can hold is refused, not written so that no reader reads on.
func TestTooLargeADefinitionIsRefused(t *testing.T) {
	folder := t.TempDir()
	a, err := Create(folder)
	if err != nil {
		t.Fatal(err)
	}
	a.Members("all", OpenACC, make([]uint64, definitionChunk))
	if err := a.Close(&Info{}); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("error %v", err)
	}
}

func TestCreateRefusesAFolderThatHoldsAnArchive(t *testing.T) {
	folder := t.TempDir()
	if _, err := Create(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(folder); !os.IsExist(err) {
		t.Errorf("error %v", err)
	}
}
