// Command health says what Argo CD and Flux make of an object: it runs a health check in Lua as Argo CD does, or
// health expressions in CEL by Flux' own evaluator.
//
//	health argocd CHECK.lua < OBJECT.json
//	health flux EXPRESSIONS.json < OBJECT.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	if len(os.Args) != 3 {
		fail(errors.New("usage: health argocd CHECK.lua | health flux EXPRESSIONS.json, with the object on standard input"))
	}
	check, err := os.ReadFile(os.Args[2])
	fail(err)
	object := &unstructured.Unstructured{}
	fail(json.NewDecoder(os.Stdin).Decode(&object))
	var health string
	switch os.Args[1] {
	case "argocd":
		health, err = argocd(string(check), object)
	case "flux":
		health, err = flux(check, object)
	default:
		err = fmt.Errorf("%s: must be argocd or flux", os.Args[1])
	}
	fail(err)
	fmt.Println(health)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "health:", err)
		os.Exit(2)
	}
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

func flux(check []byte, object *unstructured.Unstructured) (string, error) {
	var expressions kustomize.HealthCheckExpressions
	if err := json.Unmarshal(check, &expressions); err != nil {
		return "", err
	}
	evaluator, err := cel.NewStatusEvaluator(&expressions)
	if err != nil {
		return "", err
	}
	result, err := evaluator.Evaluate(context.Background(), object)
	if err != nil {
		return "", err
	}
	return result.Status.String(), nil
}
