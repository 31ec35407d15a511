package advice

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/export/npmtest"
)

// sample are findings with a file below the source root, beside it, and none.
func sample(root string) []*Finding {
	return []*Finding{
		{Rule: "swallowed-error", What: "it failed", Why: "so", Instead: "look", Confidence: Certain, File: filepath.Join(root, "a dir", "b.c"), Line: 3, wrong: true},
		{Rule: "round-trip", Gain: 5, Bytes: 8, Subject: "x", Variable: "x", What: "\x1b[31mred", Confidence: Likely, File: filepath.Join(root, "a.f90"), Line: 1},
		{Rule: "synchronous-construct", Gain: 1, Confidence: Possible, File: "relative.c"},
		{Rule: "memory-nearly-full", Bytes: 4096, Subject: "accscope sim", Confidence: Certain},
	}
}

func TestSARIFPaths(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{".git", "src/a dir"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := WriteSARIF(&out, sample(filepath.Join(root, "src")), &Judged{Launches: 3, Changed: []string{"heat.c"}}, "1.0"); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if got := run.Bases[base].URI; got != "file://"+root+"/" {
		t.Errorf("root %s", got)
	}
	var places []string
	for _, r := range run.Results {
		place := r.Level
		for _, l := range r.Locations {
			place += " " + l.Physical.Artifact.Base + " " + l.Physical.Artifact.URI
		}
		places = append(places, place)
	}
	want := "error SRCROOT src/a%20dir/b.c, warning SRCROOT src/a.f90, note  relative.c, warning"
	if got := strings.Join(places, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var told []string
	for _, n := range run.Invoked[0].Told {
		told = append(told, n.Message.Text)
	}
	want = "Judged 3 launches, 0 transfers, 0 waits, 0 mappings.|Not judged the text of heat.c (changed after the program ran)."
	if got := strings.Join(told, "|"); got != want || !run.Invoked[0].Successful {
		t.Errorf("told %s, want %s", got, want)
	}
}

func TestSARIFMessages(t *testing.T) {
	for _, test := range []struct {
		f    Finding
		want string
	}{
		{Finding{Variable: "x", What: "x was sent twice", Why: "it costs", Instead: "around it: #pragma acc data copy(x)"}, "x was sent twice. It costs. Instead: around it: #pragma acc data copy(x)"},
		{Finding{Variable: "x", What: "the device was idle", Why: "so", Instead: "!$acc wait\nor leave it out"}, "The device was idle. So. Instead: !$acc wait\nor leave it out."},
		{Finding{Variable: "t", What: "the device was idle", Why: "so", Instead: "two of t"}, "The device was idle. So. Instead: two of t."},
		{Finding{Variable: "a, b", What: "a, b: mapped again", Why: "so", Instead: "once"}, "a, b: mapped again. So. Instead: once."},
		{Finding{}, ". . Instead: ."},
	} {
		if got := message(&test.f); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestSARIFVersion(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "1.2.3": "1.2.3", "development": "0.0.0-development"} {
		var out bytes.Buffer
		if err := WriteSARIF(&out, nil, &Judged{}, version); err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		if err := json.Unmarshal(out.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		if got := log.Runs[0].Tool.Driver.Version; got != want {
			t.Errorf("%s becomes %s, want %s", version, got, want)
		}
	}
}

// Microsoft's validator of SARIF finds no error in what we write.
func TestSARIFIsValid(t *testing.T) {
	folder := npmtest.Package(t, "@microsoft/sarif-multitool-linux", "5.7.0")
	tool := filepath.Join(folder, "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool")
	if err := os.Chmod(tool, 0o755); err != nil { // what its script of installation does
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "findings.sarif")
	for _, findings := range [][]*Finding{sample(t.TempDir()), {}} {
		var out bytes.Buffer
		if err := WriteSARIF(&out, findings, &Judged{}, "1.0"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(tool, "validate", file)
		command.Env = append(os.Environ(), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1") // it asks for ICU else
		said, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(said), "Analysis completed successfully") || strings.Contains(string(said), "error") {
			t.Errorf("%v\n%s", err, said)
		}
	}
}
