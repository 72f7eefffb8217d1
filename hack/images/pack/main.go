// Command pack makes images of Dockerfiles whose stages only copy and configure, with no container engine and no
// registry. What other stages would have built, and the images that stages begin with, are folders of this machine.
// The same input makes the same bytes.
package main

import (
	"archive/tar"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

const usage = `usage: pack --output FILE [--stage NAME=DIR]... [--image NAME=DIR]... [--build-arg NAME=VALUE]... DOCKERFILE#STAGE=TAG...

Writes an OCI archive with an image for each TAG. DIR stands for the files of the stage or image NAME, VALUE for what ARG NAME
has by default.
`

func main() {
	output := flag.String("output", "", "")
	stages, images, arguments := pairs{}, pairs{}, pairs{}
	flag.Var(stages, "stage", "")
	flag.Var(images, "image", "")
	flag.Var(arguments, "build-arg", "")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	if *output == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*output, stages, images, arguments, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pairs is a flag that gives names a value: a folder, or that of a build argument.
type pairs map[string]string

func (p pairs) String() string { return "" }

func (p pairs) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("%q is not NAME=VALUE", text)
	}
	p[name] = value
	return nil
}

func run(output string, stages, images, arguments pairs, wanted []string) error {
	temporary, err := os.MkdirTemp("", "pack")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	archive, err := layout.Write(filepath.Join(temporary, "layout"), empty.Index)
	if err != nil {
		return err
	}
	maker := &maker{stages, images, arguments, map[string]bool{}, temporary, map[string]v1.Layer{}}
	for _, want := range wanted {
		source, tag, tagged := strings.Cut(want, "=")
		dockerfile, stage, staged := strings.Cut(source, "#")
		if !tagged || !staged {
			return fmt.Errorf("%q is not DOCKERFILE#STAGE=TAG", want)
		}
		image, err := maker.image(dockerfile, stage)
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		names := map[string]string{
			"io.containerd.image.name":          tag,
			"org.opencontainers.image.ref.name": tag[strings.LastIndex(tag, ":")+1:],
		}
		platform := v1.Platform{OS: "linux", Architecture: runtime.GOARCH}
		if err := archive.AppendImage(image, layout.WithAnnotations(names), layout.WithPlatform(platform)); err != nil {
			return err
		}
		if err := tell(tag, image); err != nil {
			return err
		}
	}
	for name := range arguments {
		if !maker.taken[name] {
			return fmt.Errorf("no Dockerfile has ARG %s", name)
		}
	}
	return writeTar(string(archive), output)
}

// tell prints what a registry would store, and what a node does.
func tell(tag string, image v1.Image) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	var compressed, unpacked int64
	for _, layer := range layers {
		size, err := layer.Size()
		if err != nil {
			return err
		}
		compressed += size
		content, err := layer.Uncompressed()
		if err != nil {
			return err
		}
		size, err = io.Copy(io.Discard, content)
		content.Close()
		if err != nil {
			return err
		}
		unpacked += size
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("%-55s %5.1f MB, unpacked %5.1f MB, %s\n", tag, float64(compressed)/1e6, float64(unpacked)/1e6, digest)
	return nil
}

func writeTar(folder, output string) error {
	file, err := os.Create(output)
	if err != nil {
		return err
	}
	defer file.Close()
	writer := tar.NewWriter(file)
	if err := addFolder(writer, folder, ""); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return file.Close()
}
