package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerfile/shell"
)

// maker makes images of stages. A layer that several images have is made once.
type maker struct {
	stages, images, arguments pairs
	taken                     map[string]bool // arguments that a Dockerfile declares
	temporary                 string
	layers                    map[string]v1.Layer
}

// image makes the image of a stage, given by its name or number.
func (m *maker) image(dockerfile, name string) (v1.Image, error) {
	file, err := os.Open(dockerfile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	parsed, err := parser.Parse(file)
	if err != nil {
		return nil, err
	}
	stages, global, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		return nil, err
	}
	outside := variables{}
	for _, command := range global {
		if err := m.declare(&command, outside, nil); err != nil {
			return nil, err
		}
	}
	at, found := instructions.HasStage(stages, name)
	if !found {
		number, err := strconv.Atoi(name)
		if err != nil || number >= len(stages) {
			return nil, errors.New("there is no such stage")
		}
		at = number
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	config := v1.Config{}
	if image, err = m.apply(image, &config, variables{}, outside, stages, at); err != nil {
		return nil, err
	}
	content, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	content = content.DeepCopy()
	content.OS, content.Architecture = "linux", runtime.GOARCH
	content.Created = v1.Time{Time: created}
	content.Config = config
	return mutate.ConfigFile(image, content)
}

// apply carries out a stage and those that it begins with. Variables are those of the stage, which has those of the stages
// before it, and those outside of all stages, by which images are named.
func (m *maker) apply(image v1.Image, config *v1.Config, inside, outside variables, stages []instructions.Stage, at int) (v1.Image, error) {
	stage := stages[at]
	name, err := outside.expand(stage.BaseName)
	if err != nil {
		return nil, err
	}
	base, isStage := instructions.HasStage(stages[:at], name)
	folder, isImage := m.images[name]
	switch {
	case isStage:
		image, err = m.apply(image, config, inside, outside, stages, base)
	case isImage:
		image, err = m.add(image, folder, "/")
	case name != "scratch":
		err = fmt.Errorf("no folder is given for image %s", name)
	}
	for _, command := range stage.Commands {
		if err != nil {
			break
		}
		if declared, isArgument := command.(*instructions.ArgCommand); isArgument {
			err = m.declare(declared, inside, outside)
			continue
		}
		if expanded, can := command.(instructions.SupportsSingleWordExpansion); can {
			if err = expanded.Expand(inside.expand); err != nil {
				break
			}
		}
		image, err = m.carryOut(image, config, command)
	}
	return image, err
}

// variables are those of ARG instructions.
type variables map[string]string

// expand replaces variables as BuildKit does; one that is not declared is a mistake.
func (v variables) expand(word string) (string, error) {
	var known []string
	for name, value := range v {
		known = append(known, name+"="+value)
	}
	expanded, unknown, err := shell.NewLex('\\').ProcessWord(word, shell.EnvsFromSlice(known))
	if err != nil {
		return "", err
	}
	for name := range unknown {
		return "", fmt.Errorf("%s: no ARG before it declares %s", word, name)
	}
	return expanded, nil
}

// declare gives a variable the value of a build argument, its default, or what it is outside of the stage.
func (m *maker) declare(command *instructions.ArgCommand, inside, outside variables) error {
	if err := command.Expand(inside.expand); err != nil {
		return err
	}
	for _, argument := range command.Args {
		value, given := m.arguments[argument.Key]
		above, isAbove := outside[argument.Key]
		m.taken[argument.Key] = true
		switch {
		case given:
			inside[argument.Key] = value
		case argument.Value != nil:
			inside[argument.Key] = *argument.Value
		case isAbove:
			inside[argument.Key] = above
		default:
			return fmt.Errorf("ARG %s has no default and is not given; say --build-arg %s=VALUE", argument.Key, argument.Key)
		}
	}
	return nil
}

// carryOut knows the instructions that need nothing to be run.
func (m *maker) carryOut(image v1.Image, config *v1.Config, command instructions.Command) (v1.Image, error) {
	switch command := command.(type) {
	case *instructions.CopyCommand:
		root, known := m.stages[command.From]
		if !known {
			return nil, fmt.Errorf("COPY: no folder is given for stage %q", command.From)
		}
		if command.Chown != "" || command.Chmod != "" || len(command.SourcePaths) != 1 || len(command.ExcludePatterns) > 0 {
			return nil, errors.New("COPY of one source without options is all that is known here")
		}
		return m.add(image, filepath.Join(root, command.SourcePaths[0]), command.DestPath)
	case *instructions.EntrypointCommand:
		if command.PrependShell {
			return nil, errors.New("ENTRYPOINT needs to be a list: there is no shell")
		}
		config.Entrypoint = command.CmdLine
	case *instructions.EnvCommand:
		for _, variable := range command.Env {
			config.Env = append(config.Env, variable.Key+"="+variable.Value)
		}
	case *instructions.ExposeCommand:
		if config.ExposedPorts == nil {
			config.ExposedPorts = map[string]struct{}{}
		}
		for _, port := range command.Ports {
			config.ExposedPorts[port+"/tcp"] = struct{}{}
		}
	case *instructions.LabelCommand:
		if config.Labels == nil {
			config.Labels = map[string]string{}
		}
		for _, label := range command.Labels {
			config.Labels[label.Key] = label.Value
		}
	case *instructions.UserCommand:
		config.User = command.User
	case *instructions.WorkdirCommand:
		config.WorkingDir = command.Path
	default:
		return nil, fmt.Errorf("%s is not known here", command.Name())
	}
	return image, nil
}

func (m *maker) add(image v1.Image, source, destination string) (v1.Image, error) {
	key := source + " " + destination
	layer, made := m.layers[key]
	if !made {
		file := filepath.Join(m.temporary, fmt.Sprintf("layer-%d.tar", len(m.layers)))
		if err := writeLayer(file, source, destination); err != nil {
			return nil, err
		}
		var err error
		layer, err = tarball.LayerFromFile(file, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
		if err != nil {
			return nil, err
		}
		m.layers[key] = layer
	}
	return mutate.AppendLayers(image, layer)
}
