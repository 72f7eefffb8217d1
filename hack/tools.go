//go:build tools

// Package hack names the program that is built as it is, so that go.mod keeps its module. One module for all programs: what
// they share, most of Kubernetes' libraries, is compiled once.
package hack

import _ "helm.sh/helm/v3/cmd/helm"
