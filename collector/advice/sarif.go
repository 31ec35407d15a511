package advice

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/accscope/accscope/collector/check"
)

// The parts of SARIF 2.1.0 (OASIS, 27 March 2020) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool                `json:"tool"`
		Invoked    []sarifInvocation        `json:"invocations"`
		Bases      map[string]sarifLocation `json:"originalUriBaseIds,omitempty"`
		Results    []sarifResult            `json:"results"`
		ColumnKind string                   `json:"columnKind"`
	}
	sarifInvocation struct {
		Successful bool                `json:"executionSuccessful"`
		Told       []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"`
		Full    sarifMessage `json:"fullDescription"`
		HelpURI string       `json:"helpUri"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifPlace      `json:"locations,omitempty"`
		Related      []sarifPlace      `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   *Finding          `json:"properties"`
	}
	sarifPlace struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifLocation `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifLocation struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine int64 `json:"startLine"`
	}
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	home        = "https://github.com/accscope/accscope"
	base        = "SRCROOT"
)

// WriteSARIF writes findings as SARIF 2.1.0, with paths relative to the source root:
// the folder with the files' version control, else the one that holds them all. What was judged
// is a notification of its invocation.
func WriteSARIF(w io.Writer, findings []*Finding, judged *Judged, version string) error {
	return writeSARIF(w, findings, judged.Told(len(findings) == 0), version)
}

// WriteChecked is WriteSARIF for findings of accscope check.
func WriteChecked(w io.Writer, found []*check.Finding, checked *check.Checked, version string) error {
	var findings []*Finding
	for _, f := range found {
		findings = append(findings, ofCheck(f))
	}
	return writeSARIF(w, findings, checked.Told(), version)
}

func writeSARIF(w io.Writer, findings []*Finding, told []string, version string) error {
	root := SourceRoot(findings)
	// SARIF's rule 2005 asks for a version that begins with a number.
	if version = strings.TrimPrefix(version, "v"); version == "" || version[0] < '0' || version[0] > '9' {
		version = "0.0.0-" + version
	}
	run := sarifRun{Results: []sarifResult{}, ColumnKind: "utf16CodeUnits",
		Tool: sarifTool{sarifDriver{Name: "accscope", Version: version, InformationURI: home}}}
	invoked := sarifInvocation{Successful: true}
	for _, line := range told {
		invoked.Told = append(invoked.Told, sarifNotification{"note", sarifMessage{capital(line) + "."}})
	}
	run.Invoked = []sarifInvocation{invoked}
	if root != "" {
		run.Bases = map[string]sarifLocation{base: {URI: "file://" + escapedPath(root) + "/"}}
	}
	index := map[string]int{}
	for i, r := range rules {
		index[r.name] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: r.name, Short: sarifMessage{r.about},
			Full: sarifMessage{r.about}, HelpURI: home + "/blob/main/docs/advice/" + r.name + ".md"})
	}
	for _, k := range check.Kinds {
		if _, known := index[k.Name]; !known {
			index[k.Name] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: k.Name, Short: sarifMessage{k.About},
				Full: sarifMessage{k.About}, HelpURI: home + "/blob/main/docs/check.md#" + k.Name})
		}
	}
	for _, f := range findings {
		level := "warning"
		switch {
		case f.Confidence == Possible:
			level = "note"
		case f.wrong:
			level = "error"
		}
		sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.Subject + "\x00" + f.Function + "\x00" + filepath.Base(f.File)))
		result := sarifResult{RuleID: f.Rule, RuleIndex: index[f.Rule], Level: level, Properties: f,
			Message:      sarifMessage{message(f)},
			Fingerprints: map[string]string{"accscope/v1": hex.EncodeToString(sum[:8])}}
		if f.File != "" {
			result.Locations = []sarifPlace{placeIn(root, f.File, f.Line)}
		}
		for _, p := range f.Places {
			if p.File != "" && (p.File != f.File || p.Line != f.Line) {
				result.Related = append(result.Related, placeIn(root, p.File, p.Line))
			}
		}
		run.Results = append(run.Results, result)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// placeIn is a line of a file, relative to the source root where it lies below it.
func placeIn(root, file string, line int64) sarifPlace {
	at := sarifPhysical{Artifact: sarifLocation{URI: escapedPath(file)}}
	if relative, err := filepath.Rel(root, file); root != "" && err == nil && filepath.IsLocal(relative) {
		at.Artifact = sarifLocation{URI: escapedPath(relative), Base: base}
	}
	if line > 0 {
		at.Region = &sarifRegion{line}
	}
	return sarifPlace{at}
}

// message is a finding in sentences; a variable that it begins with is written as in the
// program. Behind a directive there is no full stop, which would look like a part of it.
func message(f *Finding) string {
	what := f.What
	if behind, is := strings.CutPrefix(what, f.Variable); f.Variable == "" || !is || !strings.ContainsAny(behind[:min(len(behind), 1)], " :") {
		what = capital(what)
	}
	text := what + ". " + capital(f.Why) + ". Instead: " + f.Instead
	if last := text[strings.LastIndexByte(text, '\n')+1:]; !strings.Contains(strings.ToLower(last), "acc ") {
		text += "."
	}
	return strings.TrimSpace(text)
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func escapedPath(path string) string { return (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() }

// SourceRoot is the folder that paths are to be relative to: the one under version control, else
// the deepest that holds all files; "" where no finding has a whole path.
func SourceRoot(findings []*Finding) string {
	root := ""
	for _, f := range findings {
		if !filepath.IsAbs(f.File) {
			continue
		}
		folder := filepath.Dir(f.File)
		if root == "" {
			root = folder
		}
		for root != "/" && folder != root && !strings.HasPrefix(folder, root+"/") {
			root = filepath.Dir(root)
		}
	}
	for above := root; len(above) > 1; above = filepath.Dir(above) {
		if _, err := os.Stat(filepath.Join(above, ".git")); err == nil {
			return above
		}
	}
	return root
}
