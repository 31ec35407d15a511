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

// operations says of every route what it gives, and asks it once.
var operations = map[string]struct {
	gives   any
	example string
}{
	"/api/traces":       {[]traceInfo{}, ""},
	"/api/overview":     {overviewAnswer{}, "trace=1"},
	"/api/summary":      {summaryAnswer{}, ""},
	"/api/findings":     {findingsAnswer{}, ""},
	"/api/flame":        {flameNode{}, ""},
	"/api/frames":       {framesAnswer{}, ""},
	"/api/durations":    {durationsAnswer{}, "kernel=main"},
	"/api/schema":       {[]viewInfo{}, ""},
	"/api/timeline":     {timelineAnswer{}, "from=1000000&to=2000000&pixels=500&lanes=1,2"},
	"/api/counters":     {countersAnswer{}, "device=1&pixels=100"},
	"/api/sampled":      {sampledAnswer{}, "pixels=100&figures=1"},
	"/api/samples":      {samplesAnswer{}, "pixels=100&tracks=1,-1"},
	"/api/record":       {detail{}, "id=2"},
	"/api/activity":     {detail{}, "id=1"},
	"/api/arrows":       {[]arrow{}, "record=1"},
	"/api/statistics":   {statisticsAnswer{}, "from=1000000&to=2000000"},
	"/api/queues":       {queuesAnswer{}, "pixels=100"},
	"/api/ranks":        {report.RankMap{}, "pixels=100"},
	"/api/variables":    {variablesAnswer{}, "device=1&pixels=100"},
	"/api/mappings":     {mappingsAnswer{}, "at=2000000"},
	"/api/leaks":        {leaksAnswer{}, ""},
	"/api/report":       {reportAnswer{}, "by=kernel&top=3"},
	"/api/kernels":      {kernelsAnswer{}, ""},
	"/api/lines":        {linesAnswer{}, "symbol=step2$_omp_fn$0"},
	"/api/sources":      {[]sourceFile{}, ""},
	"/api/source":       {sourceAnswer{}, "file=jacobi.c&line=3&around=2"},
	"/api/search":       {searchAnswer{}, "text=WAIT"},
	"/api/next":         {nextAnswer{}, "text=wait&before=2000000"},
	"/api/compare":      {compareAnswer{}, "by=variable"},
	"/api/sql":          {sqlAnswer{}, "sql=SELECT+1&rows=5"},
	"/api/live":         {store.Now{}, ""},
	"/api/openapi.yaml": {"", ""},
}

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
		fmt.Fprintf(&paths, "  %s:\n    get:\n      summary: %s\n", r.path, quote(abouts[r.path]))
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
	s := serve(t, Options{Traces: []string{tracetest.Counted(t, 3000), tracetest.File(t, 1000, 2)}, Sources: []string{folder}})
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
