package docs

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"testing"
)

const (
	devices   = "runtime/device"
	contracts = "runtime/device/devicetest"
)

// interfaces are the interface types that files declare, by name, with their files.
func interfaces(files []goFile) map[string]string {
	found := map[string]string{}
	for _, g := range files {
		ast.Inspect(g.syntax, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				if _, is := spec.Type.(*ast.InterfaceType); is {
					found[spec.Name.Name] = g.name
				}
			}
			return true
		})
	}
	return found
}

// asserted are the types that a file asks values for.
func asserted(syntax *ast.File) []ast.Expr {
	var found []ast.Expr
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			if n.Type != nil { // else a switch's
				found = append(found, n.Type)
			}
		case *ast.TypeSwitchStmt:
			for _, clause := range n.Body.List {
				found = append(found, clause.(*ast.CaseClause).List...)
			}
		}
		return true
	})
	return found
}

// TestCapabilitiesHaveOneHome: what a backend, a device or a queue may have beside what
// all have is declared in runtime/device/capability.go, and devicetest holds whoever has
// it to that. So no package that knows devices asks a value for an interface of its own.
func TestCapabilitiesHaveOneHome(t *testing.T) {
	folders := map[string][]goFile{}
	for _, g := range goFiles(t) {
		if !g.test {
			folders[g.folder] = append(folders[g.folder], g)
		}
	}
	declared := interfaces(folders[devices])
	var capabilities []string
	for name, file := range declared {
		if filepath.Base(file) == "capability.go" {
			capabilities = append(capabilities, name)
		}
	}
	tested := map[string]bool{}
	for _, g := range folders[contracts] {
		for _, e := range asserted(g.syntax) {
			tested[types.ExprString(e)] = true
		}
	}
	slices.Sort(capabilities)
	for _, name := range capabilities {
		if !tested["device."+name] {
			t.Errorf("%s asks no device whether it is a device.%s", contracts, name)
		}
	}
	if len(capabilities) < 5 {
		t.Errorf("%d capabilities found: %q", len(capabilities), capabilities)
	}
	for folder, files := range folders {
		if !slices.ContainsFunc(files, func(g goFile) bool { return slices.Contains(g.imports(), module+devices) }) {
			continue
		}
		own := interfaces(files)
		for _, g := range files {
			for _, e := range asserted(g.syntax) {
				_, literal := e.(*ast.InterfaceType)
				if name := types.ExprString(e); literal || own[name] != "" {
					t.Errorf("%s asks for %s, an interface of %s: capabilities of devices belong into %s/capability.go", g.name, name, folder, devices)
				}
			}
		}
	}
}
