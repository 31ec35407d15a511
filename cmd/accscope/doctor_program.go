package main

import (
	"path/filepath"

	"github.com/accscope/accscope/collector/report"
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
		group.needed = true
		group.findings = []finding{{"debug information", false, err.Error(), "give an ELF program or shared library"}}
		return group
	}
	defer image.Close()
	info := image.DebugInfo()
	if info.Path == "" {
		group.findings = withoutDebugInfo(info)
		return group
	}
	where := ""
	if filepath.Clean(info.Path) != filepath.Clean(path) {
		where = " in " + info.Path
	}
	text := report.ShowBytes(float64(info.Bytes)) + where
	group.findings = append(group.findings, finding{"debug information", true, text, ""})
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
		debug.remedy += "; or put its debug file at " + info.Looked[0].Path
	}
	return append([]finding{debug}, findings...)
}
