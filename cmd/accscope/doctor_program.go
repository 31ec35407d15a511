package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/runtime/source"
)

// slowDebugInfo is the size from which the first look-up is noticed where debug
// information must be decompressed or searched.
const slowDebugInfo = 8 << 20

// programFindings says what accscope will know of a program's source.
func programFindings(path string) findingGroup {
	group := findingGroup{title: "program " + path}
	image, err := source.Open(path)
	if err != nil {
		group.unfit = true
		found, remedy := err.Error(), "give an ELF program or shared library"
		if _, failed := os.Stat(path); failed != nil {
			found, remedy = plainCause(failed), "give the program's path"
			if there, missing := exec.LookPath(path); missing == nil {
				remedy = "give its path: " + shell.Path(there)
			}
		}
		group.findings = []finding{{"program", false, found, remedy}}
		return group
	}
	defer image.Close()
	group.findings = runFindings(path)
	info := image.DebugInfo()
	if info.Path == "" {
		group.findings = append(group.findings, withoutDebugInfo(info)...)
		return group
	}
	where := ""
	if filepath.Clean(info.Path) != filepath.Clean(path) {
		where = " in " + info.Path
	}
	text := report.ShowBytes(float64(info.Bytes)) + where
	group.findings = append(group.findings, finding{"debug information", true, text, ""})
	if !info.Variables {
		group.findings = append(group.findings, finding{"names of variables", false, "none: the debug information has lines alone (-g1)", "compile with -g"})
	}
	group.findings = append(group.findings, sharedFindings(info)...)
	slow := info.Bytes >= slowDebugInfo
	speed := map[bool]string{false: "takes milliseconds", true: "slow, up to a second"}[slow]
	switch {
	case info.Compressed:
		group.findings = append(group.findings, finding{"first look-up", !slow, speed + ": the sections are compressed", "link with -gz=none"})
	case !info.Indexed:
		group.findings = append(group.findings, finding{"first look-up", !slow, speed + ": there is no .debug_aranges",
			"compile with GCC, or with -gdwarf-aranges"})
	default:
		group.findings = append(group.findings, finding{"first look-up", true, "takes milliseconds", ""})
	}
	return group
}

// runFindings says what accscope run would make of a program, and what it would refuse.
func runFindings(path string) []finding {
	const subject = "accscope run"
	path, err := filepath.Abs(path)
	if err != nil {
		return []finding{{subject, false, err.Error(), "give the program's path"}}
	}
	program, err := launch.Inspect(path)
	if program.Kind == launch.Library {
		return nil // programs that load it are run
	}
	var choice launch.Choice
	if err == nil {
		choice, err = launch.Choose(program, launch.Auto, "")
	}
	switch {
	case err != nil:
		found, remedy, _ := strings.Cut(err.Error(), "; ")
		return []finding{{subject, false, strings.TrimPrefix(found, path+" "), remedy}}
	case program.Kind == launch.Plain:
		return []finding{{subject, false, choice.Reason, "compile with -fopenacc, if it has directives"}}
	}
	return []finding{{subject, true, choice.Reason, ""}}
}

// sharedFindings says where that part of the debug information is which programs share.
func sharedFindings(info source.DebugInfo) []finding {
	const subject = "shared debug file"
	switch {
	case info.Shared == "":
		return nil
	case info.SharedPath != "":
		return []finding{{subject, true, info.SharedPath, ""}}
	}
	for _, f := range info.SharedLooked {
		if f.Exists {
			return []finding{{subject, false, f.Path + " is not the one that this program's debug information was made with (dwz -m)",
				"install the debug package anew, or give the folder of the right one by ACCSCOPE_DEBUG_PATH"}}
		}
	}
	return []finding{{subject, false, info.Shared + " was not found: variables have no names",
		"install the debug package anew, or put it at " + info.SharedLooked[0].Path + ", or name its folder by ACCSCOPE_DEBUG_PATH"}}
}

// withoutDebugInfo says what is known of a program without debug information,
// and how it can get some.
func withoutDebugInfo(info source.DebugInfo) []finding {
	known := "events have functions' names and static variables, no lines"
	if !info.Symbols {
		known = "stripped: events have module and offset only"
	}
	debug := finding{"debug information", false, "none: " + known, "compile with -g, and do not strip"}
	var findings []finding
	for _, f := range info.Looked {
		if f.Exists {
			findings = append(findings, finding{"separate debug file", false, f.Path + " is not of this build",
				"make it anew from this program: objcopy --only-keep-debug"})
		}
	}
	if len(findings) == 0 && info.Linked != "" {
		findings = append(findings, finding{"separate debug file", false, info.Linked + " was not found",
			"put it at " + info.Looked[len(info.Looked)-1].Path + " or beside the program"})
	}
	if info.Linked == "" && len(info.Looked) > 0 {
		debug.remedy += "; or install its package -dbgsym or -debuginfo, or put its debug file at " + info.Looked[0].Path
	}
	return append([]finding{debug}, findings...)
}

// plainCause is why a file cannot be had, without the name of a system call.
func plainCause(err error) string {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err.Error()
	}
	return err.Error()
}
