package goacc

import (
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// registered is what the constructors of GCC 12 to 16 hand over, in the memory of
// the test: of GCC 12 and 13 less.
type registered struct {
	table [6]unsafe.Pointer
	data  struct {
		requires uintptr
		ptxData
	}
	functions [2]uintptr
	variables [4]uintptr
	names     [2]unsafe.Pointer
	device    [2]ptxFunction
	texts     [4][8]byte
}

func register() *registered {
	r := &registered{functions: [2]uintptr{0x1000, 0x2000}, variables: [4]uintptr{0x3000, 16, 0x4000, 32 | linkBit}}
	end := func(begin unsafe.Pointer, bytes uintptr) unsafe.Pointer { return unsafe.Add(begin, bytes) }
	functions, variables := unsafe.Pointer(&r.functions), unsafe.Pointer(&r.variables)
	// Behind them stand others, so that the ends lie in the same memory.
	r.table = [6]unsafe.Pointer{functions, end(functions, unsafe.Sizeof(r.functions)), variables, end(variables, unsafe.Sizeof(r.variables))}
	for i, name := range []string{"main$0", "main$1", "a", "b$ptr"} {
		copy(r.texts[i][:], name)
	}
	r.device = [2]ptxFunction{{unsafe.Pointer(&r.texts[0]), [3]uint16{10, 4, 64}}, {unsafe.Pointer(&r.texts[1]), [3]uint16{1, 1, 32}}}
	r.names = [2]unsafe.Pointer{unsafe.Pointer(&r.texts[2]), unsafe.Pointer(&r.texts[3])}
	r.data.functions, r.data.functionCount = unsafe.Pointer(&r.device), 2
	r.data.variables, r.data.variableCount = unsafe.Pointer(&r.names), 2
	return r
}

// Each compiler's image is read by its version: GCC 12 registers 1, GCC 13 2, GCC 14
// to 16 register 3.
func TestImageOfEachCompiler(t *testing.T) {
	for name, c := range map[string]struct {
		version  uint32
		change   func(*registered)
		openMP   bool
		mistaken string
	}{
		"GCC 12":                       {version: 0x10001},
		"GCC 12, what 14 counts there": {version: 0x10001, change: func(r *registered) { r.data.indirectCount = 7 }},
		"GCC 13":                       {version: 0x20001},
		"GCC 13, what 14 counts there": {version: 0x20001, change: func(r *registered) { r.data.indirectCount = 7 }},
		"GCC 13, reverse offload":      {version: 0x20001, change: func(r *registered) { r.data.requires = 640 }, openMP: true},
		"GCC 14":                       {version: 0x30001},
		"GCC 14, indirect function":    {version: 0x30001, change: func(r *registered) { r.data.indirectCount = 1 }, openMP: true},
		"GCC 16, target regions":       {version: 0x30001, change: func(r *registered) { r.data.requires = 512 }, openMP: true},
		"another compiler's":           {version: 0x40001, mistaken: "offload image of version 4.1: this library reads versions up to 3.1; link the program with GCC 12 to 16"},
		"another device's":             {version: 0x30002, mistaken: "offload image of version 3.2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := register()
			if c.change != nil {
				c.change(r)
			}
			data := unsafe.Pointer(&r.data)
			if c.version>>16 < withRequires {
				data = unsafe.Pointer(&r.data.ptxData)
			}
			image, err := ReadImage(c.version, unsafe.Pointer(&r.table), nvidia, data)
			if c.mistaken != "" {
				if err == nil || !strings.Contains(err.Error(), c.mistaken) {
					t.Fatalf("error %v, want %s", err, c.mistaken)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if image.OpenMP() != c.openMP {
				t.Errorf("OpenMP is %v, want %v", image.OpenMP(), c.openMP)
			}
			code, err := image.PTX()
			if err != nil {
				t.Fatal(err)
			}
			wantVariables := []Variable{{Host: 0x3000, Size: 16}, {Host: 0x4000, Size: 32, Link: true}}
			wantFunctions := []PTXFunction{{"main$0", [3]uint16{10, 4, 64}}, {"main$1", [3]uint16{1, 1, 32}}}
			if !slices.Equal(image.Functions, r.functions[:]) || !slices.Equal(image.Variables, wantVariables) {
				t.Errorf("functions %#x, variables %+v", image.Functions, image.Variables)
			}
			if !slices.Equal(code.Functions, wantFunctions) || !slices.Equal(code.Variables, []string{"a", "b$ptr"}) {
				t.Errorf("on the device functions %+v, variables %q", code.Functions, code.Variables)
			}
		})
	}
}

// An image for another device has no marks that we know.
func TestImageOfAnotherDevice(t *testing.T) {
	r := register()
	r.data.requires = 512
	image, err := ReadImage(0x30001, unsafe.Pointer(&r.table), 8, unsafe.Pointer(&r.data))
	if err != nil || image.OpenMP() {
		t.Errorf("an image for another device: OpenMP is %v, error %v", image.OpenMP(), err)
	}
	r.data.functionCount = 3
	image, err = ReadImage(0x30001, unsafe.Pointer(&r.table), nvidia, unsafe.Pointer(&r.data))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := image.PTX(); err == nil || !strings.Contains(err.Error(), "2 functions and 2 variables on the host, 3 and 2 on the device") {
		t.Errorf("tables of different length: %v", err)
	}
}
