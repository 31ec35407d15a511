package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// device is the package that declares what backends offer, and drivers are those that call
// it, or a driver.
const device = "runtime/device"

var drivers = []string{"runtime/openacc", "runtime/cuda", "runtime/sim", "runtime/host", "cmd/libopenacc/engine"}

// namesakes are calls of other methods with such names, by the function that they are in.
var namesakes = []string{"readDeclared: Close", "KernelCrashed: Close", "end: Close", "release: Close", "alloc: Done", "free: Done",
	"accscope_engine_wait: Wait", "accscope_engine_free: Free"}

// notFailures are methods whose error is an answer: Count's says why there are no devices.
var notFailures = []string{"Count"}

// TestErrorsOfDevices: no error that a device, a queue or a driver gives is dropped. Each
// goes on, to a caller, to a function or into a variable that does; to be compared with nil
// is not enough.
func TestErrorsOfDevices(t *testing.T) {
	failing := failingMethods(t)
	if len(failing) < 20 {
		t.Fatalf("%s has only %d methods that give errors", device, len(failing))
	}
	for _, folder := range drivers {
		for name, f := range sources(t, folder) {
			for _, d := range f.Decls {
				function, ok := d.(*ast.FuncDecl)
				if !ok || function.Body == nil {
					continue
				}
				for _, call := range droppedErrors(function.Body, failing) {
					if in := function.Name.Name; !slices.Contains(namesakes, in+": "+call) {
						t.Errorf("%s: %s drops the error of %s", name, in, call)
					}
				}
			}
		}
	}
}

// TestDroppedErrors tries the rule on what it is to find.
func TestDroppedErrors(t *testing.T) {
	for body, want := range map[string]int{
		`err := q.Synchronize(); return err`:                                             0,
		`if err := q.Synchronize(); err != nil { t.fail(err) }`:                          0,
		`var idle bool; idle, err = q.Idle(); if err != nil { return err }; return idle`: 0,
		`return q.Synchronize()`:                                                         0,
		`note(q.Synchronize())`:                                                          0,
		`q.Synchronize()`:                                                                1,
		`defer q.Synchronize()`:                                                          1,
		`_ = q.Synchronize()`:                                                            1,
		`idle, _ := q.Idle(); return idle`:                                               1,
		`if q.Synchronize() != nil { return }`:                                           1,
		`if idle, err := q.Idle(); err == nil && idle { f() }`:                           1,
		`err := q.Synchronize(); if err != nil { return }`:                               1,
		`opened.Wait()`:                                                                  0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {"+body+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		failing := map[method]bool{{"Synchronize", 0}: true, {"Idle", 0}: true, {"Wait", 1}: true}
		if got := droppedErrors(f.Decls[0].(*ast.FuncDecl).Body, failing); len(got) != want {
			t.Errorf("%s: drops %q", body, got)
		}
	}
}

// A method is told by its name and the number of its parameters.
type method struct {
	name       string
	parameters int
}

// failingMethods are those of the interfaces of package device whose last result is an error.
func failingMethods(t *testing.T) map[method]bool {
	t.Helper()
	failing := map[method]bool{}
	for _, f := range sources(t, device) {
		ast.Inspect(f, func(n ast.Node) bool {
			declared, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			for _, m := range declared.Methods.List {
				signature, ok := m.Type.(*ast.FuncType)
				if !ok || signature.Results == nil || slices.Contains(notFailures, m.Names[0].Name) {
					continue
				}
				last, ok := signature.Results.List[len(signature.Results.List)-1].Type.(*ast.Ident)
				if ok && last.Name == "error" {
					failing[method{m.Names[0].Name, signature.Params.NumFields()}] = true
				}
			}
			return true
		})
	}
	return failing
}

// droppedErrors are the calls of failing methods in a function whose errors go nowhere.
func droppedErrors(body *ast.BlockStmt, failing map[method]bool) (dropped []string) {
	var parents []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			parents = parents[:len(parents)-1]
			return true
		}
		if call, ok := n.(*ast.CallExpr); ok && len(parents) > 0 {
			if name, ok := call.Fun.(*ast.SelectorExpr); ok && failing[method{name.Sel.Name, len(call.Args)}] &&
				!goesOn(body, call, parents[len(parents)-1]) {
				dropped = append(dropped, name.Sel.Name)
			}
		}
		parents = append(parents, n)
		return true
	})
	return dropped
}

// goesOn says whether the error of a call goes on, by the node around the call.
func goesOn(body *ast.BlockStmt, call *ast.CallExpr, around ast.Node) bool {
	switch around := around.(type) {
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt, *ast.BinaryExpr:
		return false
	case *ast.AssignStmt:
		to := around.Lhs[len(around.Lhs)-1]
		if len(around.Rhs) > 1 {
			to = around.Lhs[slices.Index(around.Rhs, ast.Expr(call))]
		}
		variable, ok := to.(*ast.Ident)
		return !ok || variable.Name != "_" && isPassedOn(body, variable.Name, call.End())
	}
	return true
}

// isPassedOn says whether a variable is used behind a place for more than a comparison with
// nil.
func isPassedOn(body *ast.BlockStmt, variable string, behind token.Pos) (passed bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == variable {
				return false
			}
		case *ast.AssignStmt:
			for _, value := range n.Rhs {
				passed = passed || uses(value, variable) && n.Pos() > behind
			}
			return false
		case *ast.Ident:
			passed = passed || n.Name == variable && n.Pos() > behind
		}
		return true
	})
	return passed
}

// uses says whether an expression names a variable.
func uses(e ast.Expr, variable string) (used bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		used = used || ok && name.Name == variable
		return !used
	})
	return used
}

// sources are the parsed files of a package, without its tests.
func sources(t *testing.T, folder string) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no Go files: %v", folder, err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
