#!/bin/sh
# The manual, which is made from the option tables and docs/manual: a page for every command, with every option that --help
# lists; prose about what there is not is refused; formatters have nothing to say.
. "$(dirname "$0")/../support/cli.sh"
build=$(dirname "$ireneo")
pages=$build/share/man

# names HELP...: commands in an overview of commands.
names() {
    "$ireneo" "$@" --help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p'
}

for command in $(names); do
    if "$ireneo" "$command" --help | grep -q '^usage: ireneo [a-z]* COMMAND'; then
        names "$command" >>commands
        echo "$command" >>groups
    else
        echo "$command" >>commands
    fi
done
[ "$(wc -l <commands)" -gt 15 ] && [ "$(wc -l <groups)" -ge 2 ] || fault "the commands could not be read: $(cat commands)"
cat commands groups | sed 's/ /-/g; s/^/ireneo-/; $a ireneo' | sort >expected
find "$pages" -name '*.1' | sed 's/.*\///; s/\.1$//' | sort >found
diff expected found >difference || fault "pages and commands: $(cat difference)"

# ---- every page holds the options of --help, in order; --help may hold a page's whole text or the beginning of a longer one
total=0
while read -r command; do
    page=$pages/ireneo-$(echo "$command" | sed 's/ /-/g').1
    # shellcheck disable=SC2086
    "$ireneo" $command --help | sed -n 's/^  \(--*[a-z][a-z0-9-]*\).*/\1/p' >in-help
    sed 's/\\-/-/g' "$page" | awk '/^\.TP/ { getline; sub(/^\.BI? */, ""); split($0, word, " "); print word[1] }' >in-page
    diff in-help in-page >difference || fault "$command: $(cat difference)"
    total=$((total + $(wc -l <in-help)))
    # shellcheck disable=SC2086
    usage=$("$ireneo" $command --help | sed -n "1s/^usage: ireneo $command \(.*\)\[options\]/\1/p" | sed 's/ *$//; s/-/\\\\-/g')
    [ -z "$usage" ] || grep -qF ".I \"$usage\"" "$page" || fault "$command: no '$usage' in the synopsis"
    grep -q "^\.BR ireneo (1),$" "$page" || fault "$command: no way back to ireneo(1)"
done <commands
[ "$total" -gt 200 ] || fault "only $total options were read"
grep -q '^Largest rank of the matrix (default: full)\.$' "$pages/ireneo-store.1" || fault "words of the table are missing"
grep -q 'one number above 0 per fact' "$pages/ireneo-store.1" || fault "prose beyond the table is missing"
grep -q 'standard deviation' "$pages/ireneo-attention-propagate.1" || fault "prose of the group is missing"

# ---- titles
version=$("$ireneo" --version)
for page in "$pages"/*.1; do
    name=$(basename "$page" .1 | tr a-z A-Z | sed 's/-/\\\\-/g')
    head -n 1 "$page" | grep -q "^\.TH $name 1 \"20[0-9-]*\" \"$version\"" || fault "title of $page: $(head -n 1 "$page")"
    [ "$(grep -c '^@' "$page")" -eq 0 ] || fault "a mark was left in $page"
done
for command in $(names); do
    grep -q "^\.BR ireneo\\\\-$command (1)$" "$pages/ireneo.1" || fault "ireneo(1) does not name $command"
done

# ---- prose that belongs to nothing
mkdir wrong written
try() { # try WHAT: the manual is refused, with a sentence about it
    if "$build/pages" wrong written >said 2>&1; then fault "accepted: $1"; fi
    grep -q -- "$1" said || fault "no '$1' in: $(cat said)"
}
cp "$root"/docs/manual/*.man wrong
"$build/pages" wrong written || fault "the manual could not be written again"
cmp -s written/ireneo-store.1 "$pages/ireneo-store.1" || fault "the same prose gives another page"
printf '@option --colour\nRed.\n' >>wrong/store.man
try "'option --colour'"
cp "$root/docs/manual/store.man" wrong
printf '@option --colour\nRed.\n' >>wrong/attention.man
try "'option --colour'"
cp "$root/docs/manual/attention.man" wrong
printf '@option --rank' >>wrong/capacity.man
try "has no text"
cp "$root/docs/manual/capacity.man" wrong
: >wrong/memorise.man
try "memorise.man"
rm wrong/memorise.man
"$build/pages" wrong written || fault "the manual could not be written after the faults"
if "$build/pages" wrong nowhere 2>said; then fault "pages into a folder that there is not"; fi

# ---- what formatters have to say, where there are any
for page in "$pages"/*.1; do
    if command -v mandoc >/dev/null 2>&1; then
        mandoc -T lint -W warning "$page" >lint 2>&1 || fault "mandoc: $(cat lint)"
    fi
    if command -v groff >/dev/null 2>&1; then
        groff -man -ww -z "$page" >lint 2>&1
        [ ! -s lint ] || fault "groff: $(cat lint)"
    fi
done
finish "manual: $(wc -l <found) pages, $total options"
