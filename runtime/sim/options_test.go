package sim

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/device"
)

var update = flag.Bool("update", false, "write the table of knobs into docs/sim.md")

func setAll(t *testing.T, values map[string]string) {
	t.Helper()
	for _, k := range knobs {
		t.Setenv(k.variable, values[k.variable])
	}
}

func TestOptionsFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		variable, value string
		want            func(*Options)
	}{
		{"DEVICES", " 3 ", func(o *Options) { o.Devices = 3 }},
		{"DEVICES", "", func(o *Options) {}},
		{"MEMORY", "512MiB", func(o *Options) { o.Memory = 512 << 20 }},
		{"MEMORY", "1.5 gb", func(o *Options) { o.Memory = 1500000000 }},
		{"MEMORY", "2G", func(o *Options) { o.Memory = 2 << 30 }},
		{"MEMORY", "65536", func(o *Options) { o.Memory = 65536 }},
		{"H2D_BANDWIDTH", "12.5GB/s", func(o *Options) { o.H2DBandwidth = 12500000000 }},
		{"D2H_BANDWIDTH", "1GiB/s", func(o *Options) { o.D2HBandwidth = 1 << 30 }},
		{"H2D_LATENCY", "10us", func(o *Options) { o.H2DLatency = 10 * time.Microsecond }},
		{"D2H_LATENCY", "1.5 ms", func(o *Options) { o.D2HLatency = 1500 * time.Microsecond }},
		{"LAUNCH_LATENCY", "0", func(o *Options) { o.LaunchLatency = 0 }},
		{"LAUNCH_LATENCY", "250ns", func(o *Options) { o.LaunchLatency = 250 }},
		{"QUEUES", "4", func(o *Options) { o.Queues = 4 }},
		{"NAME", "my device", func(o *Options) { o.Name = "my device" }},
		{"POISON", "OFF", func(o *Options) { o.Poison = false }},
		{"MODEL", "1", func(o *Options) { o.Model = true }},
		{"AS", "Nvidia", func(o *Options) { o.As = TypeNVIDIA }},
		{"FAULT", "init@1, kernel=main._omp_fn.0,memory=1MiB,upload=3,download=1,lost=10@0", func(o *Options) {
			o.Faults = []Fault{{Kind: FaultInit, Device: 1}, {Kind: FaultKernel, Kernel: "main._omp_fn.0", Device: -1}, {Kind: FaultMemory, N: 1 << 20, Device: -1},
				{Kind: FaultUpload, N: 3, Device: -1}, {Kind: FaultDownload, N: 1, Device: -1}, {Kind: FaultLost, N: 10, Device: 0}}
		}},
	} {
		t.Run(c.variable+"="+c.value, func(t *testing.T) {
			setAll(t, map[string]string{"ACCSCOPE_SIM_" + c.variable: c.value})
			want := DefaultOptions()
			c.want(&want)
			got, err := OptionsFromEnvironment()
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		})
	}
}

func TestBadValues(t *testing.T) {
	for variable, values := range map[string][]string{
		"DEVICES":        {"-1", "65", "two", "1.5"},
		"MEMORY":         {"0", "4095", "16GiBs", "GiB", "-1", "1e30", "64TiB", "1..2"},
		"H2D_BANDWIDTH":  {"25GB", "0GB/s", "fast"},
		"D2H_BANDWIDTH":  {"25", "/s"},
		"H2D_LATENCY":    {"5", "-5us", "5 hours"},
		"D2H_LATENCY":    {"us"},
		"LAUNCH_LATENCY": {"1e9999s"},
		"QUEUES":         {"0", "4097"},
		"POISON":         {"maybe"},
		"MODEL":          {"2"},
		"FAULT":          {"upload", "upload=0", "upload=-1", "upload=x", "init=1", "memory=0", "memory", "kernel=", "kernel=-1", "kernel=0", "lost=1@64", "lost=1@x", "fire"},
		"AS":             {"radeon"},
		"CODE":           {"ptx"},
		"THREADS":        {"-1", "4097", "all"},
		"SEED":           {"-1", "x", "18446744073709551616"},
		"KERNEL_TIMEOUT": {"-1s", "30", "soon"},
		"STACK":          {"1023", "9MiB", "deep", "-1"},
		"HEAP":           {"0", "4095", "64TiB", "-1"},
	} {
		for _, value := range values {
			setAll(t, map[string]string{"ACCSCOPE_SIM_" + variable: value})
			_, err := OptionsFromEnvironment()
			prefix := fmt.Sprintf("ACCSCOPE_SIM_%s is %q: allowed is ", variable, value)
			if err == nil || !strings.HasPrefix(err.Error(), prefix) {
				t.Errorf("%s=%s: %v, want %q and more", variable, value, err, prefix)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"Devices":    func(o *Options) { o.Devices = -1 },
		"Memory":     func(o *Options) { o.Memory = 1 },
		"bandwidth":  func(o *Options) { o.D2HBandwidth = 0 },
		"latency":    func(o *Options) { o.LaunchLatency = -1 },
		"Queues":     func(o *Options) { o.Queues = 0 },
		"As":         func(o *Options) { o.As = 2 },
		"Code":       func(o *Options) { o.Code = "ptx" },
		"Threads":    func(o *Options) { o.Threads = -1 },
		"Timeout":    func(o *Options) { o.KernelTimeout = -1 },
		"Stack":      func(o *Options) { o.Stack = 0 },
		"Heap":       func(o *Options) { o.Heap = 1 << 50 },
		"KernelName": func(o *Options) { o.Faults = []Fault{{Kind: FaultKernel, Kernel: "f"}} },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTypeAndCount(t *testing.T) {
	if b := with(t, nil); b.Type() != TypeSim || b.Name() != "sim" {
		t.Errorf("type %d, name %s", b.Type(), b.Name())
	}
	b := with(t, func(o *Options) { o.As = TypeNVIDIA })
	if p, err := b.Properties(0); err != nil || b.Type() != 5 || p.Vendor != "accscope" || p.Name != "accscope sim" {
		t.Errorf("as nvidia: type %d, properties %+v, %v", b.Type(), p, err)
	}
	none := with(t, func(o *Options) { o.Devices = 0 })
	if n, err := none.Count(); n != 0 || err == nil || !strings.Contains(err.Error(), "ACCSCOPE_SIM_DEVICES") {
		t.Errorf("no devices: %d, %v", n, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"16GiB", "25GB/s", "5us", "upload=3@1,lost=2", "kernel=f,init", "µs", "1."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		parseBytes(s)
		parseBandwidth(s)
		if d, ok := parseTime(s); ok && d < 0 {
			t.Errorf("parseTime(%q) = %v", s, d)
		}
		faults, err := ParseFaults(s)
		if err != nil {
			return
		}
		var again []string
		for _, f := range faults {
			again = append(again, f.String())
		}
		if same, err := ParseFaults(strings.Join(again, ",")); err != nil || !reflect.DeepEqual(same, faults) {
			t.Errorf("%q gives %v, and that as text %v, %v", s, faults, same, err)
		}
	})
}

// TestTable holds the documents to the one table of knobs, and the table to
// Options and its defaults.
func TestTable(t *testing.T) {
	fields := reflect.VisibleFields(reflect.TypeFor[Options]())
	inTable := map[string]bool{"KernelName": true, "Call": true, "Crashed": true, // for programs, not for users
		"Card": true, "unreadable": true, // set with Model
		"Tolerance": true} // set with CompareHost
	var table strings.Builder
	table.WriteString("| variable | Go option | values | default | meaning |\n| --- | --- | --- | --- | --- |\n")
	for _, k := range knobs {
		inTable[k.field] = true
		fmt.Fprintf(&table, "| `%s` | `%s` | %s | %s | %s |\n", k.variable, k.field, k.form, k.standard, k.meaning)
		o := Options{Name: "", As: device.Type(-1)}
		if k.field == "Faults" {
			continue
		}
		if !k.set(&o, k.standard) {
			t.Errorf("%s does not allow its default %q", k.variable, k.standard)
			continue
		}
		got, want := reflect.ValueOf(o).FieldByName(k.field), reflect.ValueOf(DefaultOptions()).FieldByName(k.field)
		if !got.Equal(want) {
			t.Errorf("%s: the table says the default of %s is %v, it is %v", k.variable, k.field, got, want)
		}
	}
	for _, f := range fields {
		if !inTable[f.Name] {
			t.Errorf("Options.%s has no row in the table", f.Name)
		}
	}

	const file, begin, end = "../../docs/sim.md", "<!-- knobs -->\n", "<!-- end of knobs -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Errorf("%s: no lines %q and %q", file, begin, end)
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != table.String():
		t.Errorf("%s holds another table; go test -update writes this one:\n%s", file, &table)
	}

	parsed, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range knobs {
		row := fmt.Sprintf("\t%-28s %-13s %s\n", k.variable, k.standard, k.meaning)
		if !strings.Contains(parsed.Doc.Text(), row) {
			t.Errorf("doc.go: the package comment lacks the row\n%s", row)
		}
	}
}
