#!/bin/sh
# What can be held of the packages without building them: one version everywhere, no promised function gone, files that their
# tools can read, and every library that the build asks for named by every recipe.
. "$(dirname "$0")/../support/cli.sh"
cd "$root" || exit 4
version=$("$ireneo" --version | cut -d' ' -f2)
[ "$(sed -n '1s/^ireneo (\([0-9.]*\)-.*/\1/p' debian/changelog)" = "$version" ] || fault "debian/changelog is not of $version"
packaging/deb/symbols --kept || fault "functions that were promised are gone"

# recipes have the libraries of CMakeLists.txt
modules=$(sed -n 's/^set(dependency_modules \(.*\))/\1/p' CMakeLists.txt)
[ -n "$modules" ] || fault "the libraries could not be read"
for module in $modules openblas lapack sqlite edit random123; do
    name=$(echo "$module" | sed 's/^lib//')
    for recipe in debian/control packaging/conda/meta.yaml packaging/spack/packages/ireneo/package.py packaging/homebrew/ireneo.rb \
        packaging/Containerfile; do
        case $recipe:$name in
        packaging/Containerfile:random123 | packaging/homebrew/*:lapack | packaging/conda/*:openblas | packaging/spack/*:openblas) continue ;;
        esac
        grep -qi -- "$name" "$recipe" || fault "$recipe does not name $name"
    done
done
for package in libireneo0 libireneo-dev ireneo python3-ireneo ireneo-doc; do
    grep -q "^Package: $package$" debian/control || fault "no package $package"
done
for data in $(cd data && ls ./*.npy ./*.safetensors ./genesis.txt ./stories.txt); do
    grep -q "$(basename "$data")" debian/copyright || fault "no licence of $data"
done

for script in debian/tests/program debian/tests/library debian/tests/module packaging/deb/build packaging/deb/try scripts/uninstall; do
    [ -x "$script" ] && sh -n "$script" || fault "$script"
done
bash -n packaging/conda/build.sh || fault "the script of conda"
for package in packaging/spack/packages/*/package.py; do
    "$python" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$package" || fault "$package"
done
if command -v ruby >/dev/null 2>&1; then ruby -c packaging/homebrew/ireneo.rb >/dev/null || fault "the formula"; fi
cd "$folder" || exit 4
finish "packaging: as far as can be seen without building"
