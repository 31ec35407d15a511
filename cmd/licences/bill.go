package main

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"time"
)

// bill is an SPDX 2.3 document (https://spdx.github.io/spdx-spec/v2.3).
type bill struct {
	Version   string     `json:"spdxVersion"`
	Licence   string     `json:"dataLicense"`
	ID        string     `json:"SPDXID"`
	Name      string     `json:"name"`
	Namespace string     `json:"documentNamespace"`
	Created   creation   `json:"creationInfo"`
	Packages  []entry    `json:"packages"`
	Relations []relation `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type entry struct {
	Name       string      `json:"name"`
	ID         string      `json:"SPDXID"`
	Version    string      `json:"versionInfo,omitempty"`
	Location   string      `json:"downloadLocation"`
	Analyzed   bool        `json:"filesAnalyzed"`
	Concluded  string      `json:"licenseConcluded"`
	Declared   string      `json:"licenseDeclared"`
	Copyright  string      `json:"copyrightText"`
	References []reference `json:"externalRefs,omitempty"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relation struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

const noAssertion = "NOASSERTION"

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// billOf lists accscope and what is linked into it.
func billOf(list []component, version string, created time.Time) *bill {
	const own, document = "SPDXRef-accscope", "SPDXRef-DOCUMENT"
	b := &bill{Version: "SPDX-2.3", Licence: "CC0-1.0", ID: document, Name: "accscope-" + version,
		Created:   creation{created.Format(time.RFC3339), []string{"Organization: accscope maintainers"}},
		Packages:  []entry{{Name: "accscope", ID: own, Version: version, Location: "https://github.com/accscope/accscope", Concluded: "Apache-2.0", Declared: "Apache-2.0", Copyright: noAssertion}},
		Relations: []relation{{document, "DESCRIBES", own}}}
	sum := sha256.New()
	for _, c := range list {
		e := entry{Name: c.name, ID: "SPDXRef-" + notInID.ReplaceAllString(c.name, "-"), Version: c.version, Location: c.home, Concluded: c.licence, Declared: c.licence, Copyright: noAssertion}
		if c.purl != "" {
			e.References = []reference{{"PACKAGE-MANAGER", "purl", c.purl}}
		}
		fmt.Fprintln(sum, c.name, c.version, c.licence)
		b.Packages = append(b.Packages, e)
		b.Relations = append(b.Relations, relation{own, "CONTAINS", e.ID})
	}
	b.Namespace = fmt.Sprintf("https://github.com/accscope/accscope/spdx/%s-%x", version, sum.Sum(nil)[:8])
	return b
}
