package capture

import (
	"os"
	"os/exec"
	"testing"
)

// A library that is opened and used after the capture has begun is a known
// module, whether it is closed again, or the program killed at once.
func TestOpenedModules(t *testing.T) {
	plugin := compile(t, "plugin.so", "-O1", "-fopenacc", "-fPIC", "-shared", "-DPLUGIN", "-Wl,--build-id", "testdata/opens.c")
	program := compile(t, "opens", "-O1", "-fopenacc", "testdata/opens.c", "-ldl")
	for _, then := range []string{"close", "keep"} {
		t.Run(then, func(t *testing.T) {
			session := t.TempDir()
			command := exec.Command(program, plugin, then)
			command.Env = append(os.Environ(), "ACC_DEVICE_TYPE=host", "ACC_PROFLIB="+library(t), "ACCSCOPE_SESSION="+session)
			output, err := command.CombinedOutput()
			if err == nil || err.Error() != "signal: killed" || len(output) > 0 {
				t.Fatalf("%v\n%s", err, output)
			}
			p := openOne(t, session)
			modules, err := p.Modules()
			if err != nil {
				t.Fatal(err)
			}
			var known []Module
			for _, m := range modules {
				if m.Path == plugin {
					known = append(known, m)
				}
			}
			if len(known) != 1 || len(known[0].BuildID) != 40 {
				t.Fatalf("the opened library is known as %+v", known)
			}
			inside := 0
			for _, item := range events(t, p) {
				for _, address := range item.Event.CallStack {
					if address >= known[0].Start && address < known[0].End {
						inside++
					}
				}
			}
			if inside == 0 {
				t.Error("no event was raised from the opened library")
			}
		})
	}
}
