// Command health says what tools for GitOps make of an object: it asks kstatus, which Flux and Helm go by, or runs a
// health check in Lua as Argo CD does.
//
//	health kstatus < OBJECT.json
//	health argocd CHECK.lua < OBJECT.json
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	health, err := judge(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "health:", err)
		os.Exit(2)
	}
	fmt.Println(health)
}

func judge(arguments []string) (string, error) {
	tool := ""
	if len(arguments) > 0 {
		tool = arguments[0]
	}
	if !(tool == "kstatus" && len(arguments) == 1 || tool == "argocd" && len(arguments) == 2) {
		return "", errors.New("usage: health kstatus | health argocd CHECK.lua, with the object on standard input")
	}
	object := &unstructured.Unstructured{}
	if err := json.NewDecoder(os.Stdin).Decode(&object); err != nil {
		return "", err
	}
	if tool == "kstatus" {
		return kstatus(object)
	}
	check, err := os.ReadFile(arguments[1])
	if err != nil {
		return "", err
	}
	return argocd(string(check), object)
}

func kstatus(object *unstructured.Unstructured) (string, error) {
	result, err := status.Compute(object)
	if err != nil {
		return "", err
	}
	return result.Status.String() + ": " + result.Message, nil
}

// The check sees the object as obj and returns a table of status and message. Argo CD gives it these libraries.
func argocd(check string, object *unstructured.Unstructured) (string, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable, lua.StringLibName: lua.OpenString, lua.MathLibName: lua.OpenMath,
	} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return "", err
		}
	}
	state.SetGlobal("obj", value(state, object.Object))
	if err := state.DoString(check); err != nil {
		return "", err
	}
	health, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return "", errors.New("the check returns no table")
	}
	status := health.RawGetString("status").String()
	switch status {
	case "Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown":
		return status + ": " + health.RawGetString("message").String(), nil
	}
	return "", fmt.Errorf("%s is no health of Argo CD", status)
}

func value(state *lua.LState, of any) lua.LValue {
	switch of := of.(type) {
	case nil:
		return lua.LNil
	case bool:
		return lua.LBool(of)
	case string:
		return lua.LString(of)
	case int64:
		return lua.LNumber(of)
	case float64:
		return lua.LNumber(of)
	case []any:
		table := state.NewTable()
		for _, each := range of {
			table.Append(value(state, each))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for key, each := range of {
			table.RawSetString(key, value(state, each))
		}
		return table
	}
	panic(fmt.Sprintf("no JSON: %T", of))
}
