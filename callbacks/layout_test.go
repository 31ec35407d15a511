package callbacks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unsafe"

	"github.com/accscope/accscope/runtime/compilers"
)

// structs pairs the Go types with the C types whose layout they have.
var structs = map[string]reflect.Type{
	"acc_callback_info":                   reflect.TypeFor[Info](),
	"acc_prof_info":                       reflect.TypeFor[Info](),
	"acc_event_info":                      reflect.TypeFor[EventInfo](),
	"acc_data_event_info":                 reflect.TypeFor[DataEvent](),
	"acc_launch_event_info":               reflect.TypeFor[LaunchEvent](),
	"acc_error_event_info":                reflect.TypeFor[ErrorEvent](),
	"acc_other_event_info":                reflect.TypeFor[OtherEvent](),
	"acc_api_info":                        reflect.TypeFor[APIInfo](),
	"struct acc_dispatch_thread":          reflect.TypeFor[Thread](),
	"struct acc_dispatch_step":            reflect.TypeFor[Step](),
	"struct acc_dispatch_plan":            reflect.TypeFor[Plan](),
	"struct acc_dispatch_pair":            reflect.TypeFor[Pair](),
	"struct accscope_activity_record":     reflect.TypeFor[ActivityRecord](),
	"struct accscope_activity_subscriber": reflect.TypeFor[ActivitySubscriber](),
	"struct accscope_activity_clock":      reflect.TypeFor[ActivityClock](),
	"struct accscope_activity_mapping":    reflect.TypeFor[ActivityMapping](),
	"struct accscope_activity_device":     reflect.TypeFor[ActivityDevice](),
	"struct accscope_activity_queue":      reflect.TypeFor[ActivityQueue](),
}

// enumerators collects what the Go enumerations say of the C names.
func enumerators() map[string]int32 {
	all := map[string]int32{}
	collect(all, eventNames)
	collect(all, constructNames)
	collect(all, errorCodeNames)
	collect(all, apiNames)
	collect(all, registerModeNames)
	collect(all, activityKindNames)
	collect(all, activityGiverNames)
	collect(all, deviceTypeNames)
	collect(all, asyncNames)
	return all
}

func collect[T ~int32](all map[string]int32, names map[T]string) {
	for value, name := range names {
		all[name] = int32(value)
	}
}

// TestLayoutEqualsC compares sizes, offsets and enumeration values with what a
// C compiler makes of the headers.
func TestLayoutEqualsC(t *testing.T) {
	var program strings.Builder
	want := map[string]int{}
	program.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include \"openacc.h\"\n#include \"acc_prof.h\"\n" +
		"#include \"accscope_activity.h\"\n#include \"dispatch.h\"\nint main (void) {\n")
	number := func(expression string, value int) {
		want[expression] = value
		fmt.Fprintf(&program, "printf (\"%%s=%%d\\n\", %q, (int) (%s));\n", expression, expression)
	}
	for ctype, gotype := range structs {
		number("sizeof ("+ctype+")", int(gotype.Size()))
		for i := range gotype.NumField() {
			f := gotype.Field(i)
			if f.Name == "_" || f.Name == "rest" {
				continue
			}
			field := snakeCase(f.Name)
			if ctype == "acc_event_info" && field != "event_type" {
				field = "other_event." + field
			}
			if ctype == "struct acc_dispatch_step" && f.Offset < unsafe.Offsetof(Step{}.Pair) {
				field = "event." + field
			}
			number(fmt.Sprintf("offsetof (%s, %s)", ctype, field), int(f.Offset))
			number(fmt.Sprintf("sizeof (((%s *) 0)->%s)", ctype, field), int(f.Type.Size()))
		}
	}
	for name, value := range enumerators() {
		number(name, int(value))
	}
	number("offsetof (struct acc_dispatch, wanted)", 0)
	number("ACC_DISPATCH_EVENTS", eventLists)
	number("ACC_DISPATCH_VERSION", Version)
	number("ACC_DISPATCH_VENDOR", Vendor)
	number("_ACC_PROF_INFO_VERSION", Version)
	number("_ACC_PROF_INFO_VALID_BYTES", int(unsafe.Sizeof(Info{})))
	number("_ACC_DATA_EVENT_INFO_VALID_BYTES", int(unsafe.Sizeof(DataEvent{})))
	number("_ACC_LAUNCH_EVENT_INFO_VALID_BYTES", int(unsafe.Sizeof(LaunchEvent{})))
	number("_ACC_OTHER_EVENT_INFO_VALID_BYTES", int(unsafe.Sizeof(OtherEvent{})))
	number("_ACC_API_INFO_VALID_BYTES", int(unsafe.Sizeof(APIInfo{})))
	for _, e := range append(Events(), None, Last, -1, 26) {
		list := 0
		if e.Valid() {
			list = listNumber(e)
		}
		number(fmt.Sprintf("acc_dispatch_index (%d)", e), list)
	}
	program.WriteString("return 0;\n}\n")

	binary := compile(t, "layout.c", program.String(), "dispatch.c")
	out, err := exec.Command(binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		expression, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if got := fmt.Sprint(want[expression]); got != value {
			t.Errorf("%s is %s in C, %s in Go", expression, value, got)
		}
		delete(want, expression)
	}
	for expression := range want {
		t.Errorf("C printed nothing for %s", expression)
	}
}

// TestNoEnumeratorIsMissing finds enumerators of the header that Go lacks.
func TestNoEnumeratorIsMissing(t *testing.T) {
	inGo := enumerators()
	for _, header := range []string{"acc_callback.h", "accscope_activity.h", "openacc.h"} {
		text, err := os.ReadFile(filepath.Join(includes, header))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^  (acc\w+) = -?\w+`).FindAllStringSubmatch(string(text), -1) {
			if _, ok := inGo[m[1]]; !ok && m[1] != "acc_device_api_coi" && !strings.HasPrefix(m[1], "acc_property_") {
				t.Errorf("%s: Go has no %s", header, m[1])
			}
		}
	}
}

// TestHeadersCompile includes each header by itself in the dialects it promises.
func TestHeadersCompile(t *testing.T) {
	compilers := [][]string{
		{compilers.C(), "-xc", "-std=c89"}, {compilers.C(), "-xc", "-std=c99"}, {compilers.C(), "-xc", "-std=gnu11"},
		{compilers.CXX(), "-xc++", "-std=c++98"}, {compilers.CXX(), "-xc++", "-std=c++20"},
	}
	if _, err := exec.LookPath("clang"); err == nil {
		compilers = append(compilers, [][]string{
			{"clang", "-xc", "-std=c89"}, {"clang", "-xc", "-std=c99"}, {"clang", "-xc", "-std=c17"}, {"clang", "-xc", "-std=c2x"},
			{"clang++", "-xc++", "-std=c++98"}, {"clang++", "-xc++", "-std=c++20"},
		}...)
	} else {
		t.Log("not tried with Clang, which is not installed: apt-get install clang")
	}
	headers := []string{"openacc.h", "acc_callback.h", "acc_prof.h", "accel.h", "accscope_activity.h", "accscope_annotation.h",
		"accscope_caller.h", "accscope_events.h", "accscope_names.h"}
	for _, header := range headers {
		for _, compiler := range compilers {
			if old := compiler[2]; header == "accscope_annotation.h" && (old == "-std=c89" || old == "-std=c++98") {
				continue // it is for C99 and C++11
			}
			flags := []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"}
			if compiler[1] == "-xc" {
				flags = append(flags, "-Wstrict-prototypes")
			}
			syntaxOf(t, "#include \""+header+"\"\n", append(compiler, flags...)...)
		}
	}
}

// syntaxOf has a compiler look at a text that uses our headers.
func syntaxOf(t *testing.T, text string, compiler ...string) {
	t.Helper()
	command := exec.Command(compiler[0], append(compiler[1:], "-I"+includes, "-")...)
	command.Stdin = strings.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s with %s: %v\n%s", text, compiler, err, out)
	}
}

// TestExampleCompiles compiles the example of a tool with our header, also as it takes that of
// NVHPC, and with the compiler's.
func TestExampleCompiles(t *testing.T) {
	text, err := os.ReadFile("../examples/kerneltime/kerneltime.c")
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{compilers.C(), "-xc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"}
	syntaxOf(t, string(text), flags...)
	syntaxOf(t, string(text), append(flags, "-DACCSCOPE_LOOKUP_TYPE", "-D__NVCOMPILER")...)
	theirs := exec.Command(flags[0], append(flags[1:], "-fopenacc", "-foffload=disable", "../examples/kerneltime/kerneltime.c")...)
	if out, err := theirs.CombinedOutput(); err != nil {
		t.Errorf("with the compiler's header: %v\n%s", err, out)
	}
}

// TestToolsOfOthersCompile has the forms in which tools are written for the headers of
// others: of GCC, and with the macro for that, of NVHPC.
func TestToolsOfOthersCompile(t *testing.T) {
	const beginning = "#include <openacc.h>\n#include <acc_prof.h>\n" +
		"static void cb (acc_prof_info *p, acc_event_info *e, acc_api_info *a) { (void) p; (void) e; (void) a; }\n"
	const body = "{ (void) u; (void) l; r (acc_ev_wait_end, cb, acc_reg); }\n"
	for _, c := range []struct {
		text string
		c    bool // not C++
		flag string
	}{
		{"void acc_register_library (acc_prof_reg r, acc_prof_reg u, acc_prof_lookup_func l) " + body, false, ""},
		{"void acc_register_library (acc_prof_reg r, acc_prof_reg u, acc_prof_lookup_func l) " + body, false, "-DACCSCOPE_LOOKUP_TYPE"},
		{"void acc_register_library (acc_prof_reg r, acc_prof_reg u, acc_prof_lookup l) " + body, false, "-DACCSCOPE_LOOKUP_TYPE"},
		{"void acc_register_library (acc_prof_reg r, acc_prof_reg u, void *(*l) (const char *)) " + body, true, "-DACCSCOPE_LOOKUP_TYPE"},
		{"void acc_register_library (void *r, void *u, void *l) { (void) r; (void) u; (void) l; cb (0, 0, 0); }\n", true, "-DACCSCOPE_LOOKUP_TYPE"},
		{"void acc_register_library (acc_prof_reg r, acc_prof_reg u, void (*(*l) (const char *)) ()) " + body, false, ""},
		{"acc_prof_callback_t f = cb;\n", false, ""},
		{"_acc_prof_int_t a; _acc_prof_size_t b; _acc_prof_ssize_t c;\nacc_prof_callback g = cb;\n", false, ""},
	} {
		flags := []string{"-Wall", "-Wextra", "-Werror", "-fsyntax-only"}
		if c.flag != "" {
			flags = append(flags, c.flag)
		}
		syntaxOf(t, beginning+c.text, append([]string{compilers.C(), "-xc", "-std=gnu11"}, flags...)...)
		if !c.c {
			syntaxOf(t, beginning+c.text, append([]string{compilers.CXX(), "-xc++"}, flags...)...)
		}
	}
}

// TestEventHalvesFollowTheirNames checks Half and Kind's size table against the
// names and the structs.
func TestEventHalvesFollowTheirNames(t *testing.T) {
	for _, e := range Events() {
		want := Single
		if strings.HasSuffix(e.String(), "_start") {
			want = Start
			if end := strings.TrimSuffix(e.String(), "_start") + "_end"; (e + 1).String() != end {
				t.Errorf("the event after %v is %v, not %s", e, e+1, end)
			}
		} else if strings.HasSuffix(e.String(), "_end") {
			want = End
		}
		if got := e.Half(); got != want {
			t.Errorf("%v: half %d, want %d", e, got, want)
		}
	}
	if got := Event(77).String(); got != "acc_event_t(77)" {
		t.Errorf("unknown event is written %q", got)
	}
}

// TestValidBytes raises every event and checks the three valid_bytes fields.
func TestValidBytes(t *testing.T) {
	size := map[Kind]uintptr{
		OtherKind: unsafe.Sizeof(OtherEvent{}), DataKind: unsafe.Sizeof(DataEvent{}),
		LaunchKind: unsafe.Sizeof(LaunchEvent{}), ErrorKind: unsafe.Sizeof(ErrorEvent{}),
	}
	for _, e := range Events() {
		h := newHarness(t)
		called := 0
		h.register(e, "A", func(info *Info, event *EventInfo, api *APIInfo) {
			called++
			want := Info{EventType: e, ValidBytes: 72, Version: Version, ThreadID: 3}
			if *info != want {
				t.Errorf("%v: info %+v, want %+v", e, *info, want)
			}
			if event.EventType != e || event.ValidBytes != int32(size[e.Kind()]) {
				t.Errorf("%v: event info says %v with %d valid bytes, want %d", e, event.EventType, event.ValidBytes, size[e.Kind()])
			}
			if api.ValidBytes != 40 {
				t.Errorf("%v: %d valid bytes of API info, want 40", e, api.ValidBytes)
			}
		})
		h.thread.ThreadID = 3
		h.raise(e)
		if called != 1 {
			t.Errorf("%v: %d calls", e, called)
		}
	}
}

const includes = "../runtime/include"

// compile builds a C program from source text and files of this folder.
func compile(t testing.TB, name, source string, files ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	return compileFiles(t, append([]string{path}, files...)...)
}

// compileFiles builds a C program; arguments may be files and options.
func compileFiles(t testing.TB, arguments ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	command := exec.Command(compilers.C(), append([]string{"-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror",
		"-I.", "-I" + includes, "-o", binary}, append(arguments, "-ldl", "-lpthread")...)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return binary
}

// snakeCase turns a Go field name into the C one: DeviceAPI, device_api.
func snakeCase(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) {
			if i > 0 && unicode.IsLower(runes[i-1]) {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
