package web

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

var update = flag.Bool("update", false, "write openapi.yaml anew")

// operations says of every route what it is for, what it gives, and asks it once.
var operations = map[string]struct {
	about   string
	gives   any
	example string
}{
	"/api/traces":       {"The traces that are served.", []traceInfo{}, ""},
	"/api/overview":     {"What a trace is of: processes, threads, devices, queues and the lanes of its timeline.", overviewAnswer{}, "trace=1"},
	"/api/summary":      {"Where the time went and what cost most.", summaryAnswer{}, ""},
	"/api/findings":     {"What the program could do better: what accscope advise prints. A trace of millions of events takes a while: then the answer says how far that is, and who asks again gets more.", findingsAnswer{}, ""},
	"/api/flame":        {"The window summed by what was nested in what: function, construct, operation.", flameNode{}, ""},
	"/api/frames":       {"Ranges and frames of the program's own: those that are chosen, or all.", framesAnswer{}, ""},
	"/api/durations":    {"How the device times of a kernel are distributed.", durationsAnswer{}, "kernel=main"},
	"/api/schema":       {"The views that SQL may read, with their columns.", []viewInfo{}, ""},
	"/api/timeline":     {"What to draw of lanes in a window: single spans, and groups of neighbours narrower than a pixel.", timelineAnswer{}, "from=1000000&to=2000000&pixels=500&lanes=1,2"},
	"/api/counters":     {"A device's memory and transfer rates in a window.", countersAnswer{}, "device=1&pixels=100"},
	"/api/sampled":      {"Figures of processes and GPUs in a window, which were sampled while the programs ran.", sampledAnswer{}, "pixels=100&figures=1"},
	"/api/record":       {"Everything about a record: a span of the host, or an event without duration.", detail{}, "id=2"},
	"/api/activity":     {"Everything about a device operation and the record that enqueued it.", detail{}, "id=1"},
	"/api/arrows":       {"Which device operations a record and what is nested in it caused, or what caused an activity.", []arrow{}, "record=1"},
	"/api/statistics":   {"Sums of what overlaps a range, by event and name. Of times the part in the range counts.", statisticsAnswer{}, "from=1000000&to=2000000"},
	"/api/queues":       {"How busy the queues were in a window, and what overlapped.", queuesAnswer{}, "pixels=100"},
	"/api/ranks":        {"How busy the ranks of a job were in a window; of many those that stand out, and the median.", report.RankMap{}, "pixels=100"},
	"/api/variables":    {"A device's memory by variable.", variablesAnswer{}, "device=1&pixels=100"},
	"/api/mappings":     {"The present table at a time.", mappingsAnswer{}, "at=2000000"},
	"/api/leaks":        {"What programs that ended by themselves never deleted or freed.", leaksAnswer{}, ""},
	"/api/report":       {"The tables that accscope report prints.", reportAnswer{}, "by=kernel&top=3"},
	"/api/sources":      {"The sources that the trace names, with what their lines cost.", []sourceFile{}, ""},
	"/api/source":       {"The text of a source that the trace names, where it can be read.", sourceAnswer{}, "file=jacobi.c&line=3&around=2"},
	"/api/search":       {"Events whose name, kind, function or place has a text.", searchAnswer{}, "text=WAIT"},
	"/api/next":         {"The match that starts next after a time, or last before one.", nextAnswer{}, "text=wait&before=2000000"},
	"/api/compare":      {"Two traces side by side.", compareAnswer{}, "by=variable"},
	"/api/sql":          {"Runs one SELECT on the trace, read-only, within limits.", sqlAnswer{}, "sql=SELECT+1&rows=5"},
	"/api/live":         {"Follows the running program by server-sent events: view (how far its trace is), finishing (once the program has ended: which share of what was left is taken in, events, and ns behind the end) and end, whose field then is a command that shows the trace where the server ends with the program, else empty.", store.Now{}, ""},
	"/api/openapi.yaml": {"This description.", "", ""},
}

// parameterTexts says what parameters mean.
var parameterTexts = map[string][2]string{
	"trace":    {"integer", "Number of the trace; the first is 0, the default."},
	"from":     {"integer", "Begin of the window, ns since the trace's begin; by default that of the trace."},
	"to":       {"integer", "End of the window, ns, exclusive; by default that of the trace."},
	"pixels":   {"integer", "Width that the window is shown in."},
	"lanes":    {"string", "Numbers of lanes of the ranks that are shown, separated by commas; by default all of them."},
	"ranks":    {"string", "Which ranks: numbers, and the first and last of several, separated by commas (0-15,617); by default all. The overview, the timeline and the queues show no more than 64 ranks: of more the one that did most."},
	"rank":     {"integer", "Only this MPI rank."},
	"figures":  {"string", "Numbers of sampled figures, separated by commas."},
	"tables":   {"string", "Keys of the tables that are wanted, separated by commas; all without it."},
	"kernel":   {"string", "The name of a kernel, as the report has it."},
	"device":   {"integer", "Number of the device in the trace."},
	"id":       {"integer", "Number of the record or activity."},
	"record":   {"integer", "Number of a record."},
	"activity": {"integer", "Number of an activity."},
	"at":       {"integer", "A time, ns since the trace's begin."},
	"by":       {"string", "What to group by: source, kernel, variable, queue, device, thread, rank, callstack; for compare kernel, variable, source, kind."},
	"top":      {"integer", "Rows of a table at most."},
	"file":     {"string", "The source as the trace names it."},
	"line":     {"integer", "Number of a line, from 1."},
	"around":   {"integer", "Lines before and after it; 0 is the whole file."},
	"text":     {"string", "What to look for, in small or large letters."},
	"inside":   {"string", "Only what begins in these ranges or frames of the program's own: a name, and the number of a frame or the first and last of several behind it (step 12..20)."},
	"limit":    {"integer", "Matches to list at most."},
	"after":    {"integer", "Look for what starts after this time, ns."},
	"before":   {"integer", "Look for what starts before this time, ns."},
	"sql":      {"string", "One SELECT statement on the tables and views of docs/trace-schema.md."},
	"rows":     {"integer", "Rows at most."},
	"within":   {"integer", "How long to read the trace, ms, 700 by default; the answer says by until how far that went."},
	"seconds":  {"integer", "Time limit of the statement, s."},
	"format":   {"string", "json, the default, or csv."},
}

var requiredParameters = map[string][]string{"/api/counters": {"device"}, "/api/record": {"id"}, "/api/activity": {"id"}, "/api/variables": {"device"},
	"/api/mappings": {"at"}, "/api/source": {"file"}, "/api/search": {"text"}, "/api/next": {"text"}, "/api/sql": {"sql"},
	"/api/durations": {"kernel"}}

// openapi.yaml says what the handlers do: its operations and parameters are
// those of the routes, its schemas those of the types that they give.
func TestOpenAPIDescribesTheRoutes(t *testing.T) {
	d := &describer{comments: make(map[string]string), schemas: make(map[string]string)}
	for _, folder := range []string{".", "../collector/advice", "../collector/report", "../collector/store", "../collector/model"} {
		d.read(t, folder)
	}
	var paths strings.Builder
	known := make(map[string]bool)
	for _, r := range routes() {
		known[r.path] = true
		o, ok := operations[r.path]
		if !ok {
			t.Errorf("%s is not described", r.path)
			continue
		}
		fmt.Fprintf(&paths, "  %s:\n    get:\n      summary: %s\n", r.path, quote(o.about))
		if len(r.parameters) > 0 {
			paths.WriteString("      parameters:\n")
		}
		for _, name := range r.parameters {
			text, ok := parameterTexts[name]
			if !ok {
				t.Errorf("parameter %s of %s is not described", name, r.path)
			}
			fmt.Fprintf(&paths, "        - {name: %s, in: query, required: %t, schema: {type: %s}, description: %s}\n",
				name, slices.Contains(requiredParameters[r.path], name), text[0], quote(text[1]))
		}
		media := "application/json"
		switch r.path {
		case "/api/live":
			media = "text/event-stream"
		case "/api/openapi.yaml":
			media = "application/yaml"
		}
		fmt.Fprintf(&paths, "      responses:\n        \"200\":\n          description: the answer\n          content:\n            %s:\n              schema: %s\n",
			media, d.schema(reflect.TypeOf(o.gives)))
		paths.WriteString("        default: {$ref: \"#/components/responses/Error\"}\n")
	}
	for path := range operations {
		if !known[path] {
			t.Errorf("%s is described, but no route", path)
		}
	}
	var names []string
	for name := range d.schemas {
		names = append(names, name)
	}
	slices.Sort(names)
	var schemas strings.Builder
	for _, name := range names {
		schemas.WriteString(d.schemas[name])
	}
	got := fmt.Sprintf(`# The JSON API of accscope serve. go test ./web -update writes this file from the
# routes and the types of their answers.
openapi: 3.1.0
info:
  title: accscope
  version: "1"
  description: |
    Reads OpenACC traces. Times are nanoseconds since the trace's begin, sizes
    bytes; addresses are text, because 64 bits do not fit a JSON number. Every
    operation is a GET and changes nothing. Give the token of the URL that
    accscope serve prints as a bearer token:

      curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:$PORT/api/overview
servers:
  - url: "http://127.0.0.1:{port}"
    variables: {port: {default: "8080"}}
security:
  - token: []
  - cookie: []
paths:
%scomponents:
  securitySchemes:
    token: {type: http, scheme: bearer}
    cookie: {type: apiKey, in: cookie, name: accscope-PORT}
  responses:
    Error:
      description: what went wrong and what to do about it
      content:
        application/json:
          schema: {type: object, required: [error], properties: {error: {type: string}}}
  schemas:
%s`, paths.String(), schemas.String())
	if *update {
		if err := os.WriteFile("openapi.yaml", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Error("openapi.yaml is not what the handlers do: go test ./web -update, and look at the difference")
	}
}

// Every operation answers as described, and refuses what is not described.
func TestOperations(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "jacobi.c"), []byte("1\n2\n3\n4\n5\n6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{Traces: []string{tracetest.File(t, 3000, 1), tracetest.File(t, 1000, 2)}, Sources: []string{folder}})
	for path, o := range operations {
		t.Run(path, func(t *testing.T) {
			status, body := fetch(t, s, path+"?"+o.example)
			if path == "/api/live" {
				if status != http.StatusNotFound {
					t.Errorf("status %d: nothing runs", status)
				}
				return
			}
			if status != http.StatusOK {
				t.Fatalf("status %d: %s", status, body)
			}
			if path != "/api/openapi.yaml" {
				decodeStrictly(t, body, reflect.New(reflect.TypeOf(o.gives)).Interface())
			}
			if status, body := fetch(t, s, path+"?nonsense=1"); status != http.StatusBadRequest {
				t.Errorf("an unknown parameter: status %d: %s", status, body)
			}
			if len(requiredParameters[path]) > 0 {
				if status, body := fetch(t, s, path); status != http.StatusBadRequest && status != http.StatusNotFound {
					t.Errorf("without its parameter: status %d: %s", status, body)
				}
			}
		})
	}
}

// describer makes schemas of Go types, with the comments of their fields.
type describer struct {
	comments map[string]string // by Type.Field
	schemas  map[string]string
}

func (d *describer) read(t *testing.T, folder string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			structure, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range structure.Fields.List {
				for _, fieldName := range field.Names {
					text := field.Comment.Text() + field.Doc.Text()
					d.comments[spec.Name.Name+"."+fieldName.Name] = strings.Join(strings.Fields(text), " ")
				}
			}
			return true
		})
	}
}

// schema gives a schema in one line; structs become components.
func (d *describer) schema(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "{anyOf: [" + d.schema(t.Elem()) + ", {type: \"null\"}]}"
	case reflect.Slice:
		return "{type: array, items: " + d.schema(t.Elem()) + "}"
	case reflect.Map:
		return "{type: object, additionalProperties: " + d.schema(t.Elem()) + "}"
	case reflect.Interface:
		return "{type: [string, number, boolean, \"null\"]}"
	case reflect.String:
		return "{type: string}"
	case reflect.Bool:
		return "{type: boolean}"
	case reflect.Float64:
		return "{type: number}"
	case reflect.Struct:
		name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
		if _, ok := d.schemas[name]; !ok {
			d.schemas[name] = ""
			d.schemas[name] = d.structure(name, t)
		}
		return "{$ref: \"#/components/schemas/" + name + "\"}"
	}
	return "{type: integer}"
}

func (d *describer) structure(name string, t reflect.Type) string {
	var required []string
	var properties strings.Builder
	for _, field := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || !field.IsExported() || key == "-" {
			continue
		}
		if key == "" {
			key = field.Name
		}
		required = append(required, key)
		owner := t
		if len(field.Index) > 1 {
			owner = t.FieldByIndex(field.Index[:len(field.Index)-1]).Type
		}
		schema := d.schema(field.Type)
		if text := d.comments[owner.Name()+"."+field.Name]; text != "" {
			if strings.HasPrefix(schema, "{$ref") {
				schema = "{allOf: [" + schema + "], description: " + strconv.Quote(text) + "}"
			} else {
				schema = strings.TrimSuffix(schema, "}") + ", description: " + strconv.Quote(text) + "}"
			}
		}
		fmt.Fprintf(&properties, "        %s: %s\n", key, schema)
	}
	return fmt.Sprintf("    %s:\n      type: object\n      additionalProperties: false\n      required: [%s]\n      properties:\n%s", name, strings.Join(required, ", "), properties.String())
}
