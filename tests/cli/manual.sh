#!/bin/sh
# The manual page against the program: a section for every command, in it every option that --help lists and no other.
# Options that the commands of a group share may stand once, in a section with the name of the group.
. "$(dirname "$0")/../support/cli.sh"
page=$root/docs/ireneo.1

# names HELP...: commands in an overview of commands.
names() {
    "$ireneo" "$@" --help | sed -n 's/^  \([a-z][a-z -]*[a-z]\)  .*/\1/p'
}

# Sections are told apart by the bold words at their beginning: .SS "store \fIKEYS...".
sed 's/\\-/-/g' "$page" | awk '
    /^\.SS/ { name = $0; sub(/^\.SS *"?/, "", name); sub(/ ?\\f.*/, "", name); sub(/"$/, "", name); next }
    /^\.SH/ { name = "" }
    name != "" && /^\.TP/ { getline; line = $0; sub(/^\.BI? */, "", line); split(line, word, " ");
        if (word[1] ~ /^-/) print name ":" word[1] }' | sort >in-page

: >in-help
for command in $(names); do
    if "$ireneo" "$command" --help | grep -q '^usage: ireneo [a-z]* \(SUB-\)*COMMAND'; then
        names "$command" >>commands
    else
        echo "$command" >>commands
    fi
done
[ "$(wc -l <commands)" -gt 7 ] || fault "the list of commands could not be read: $(cat commands)"
while read -r command; do
    # shellcheck disable=SC2086
    "$ireneo" $command --help | sed -n 's/^  \(--*[a-z][a-z0-9-]*\).*/\1/p' | grep -v '^--help$' |
        sed "s/^/$command:/" >>in-help
    grep -q "^\.SS \"*$command\( \\\\f.*\)*\"*$" "$page" || fault "the manual has no section '$command'"
done <commands
sort -o in-help in-help
[ "$(wc -l <in-help)" -gt 40 ] || fault "the options could not be read"
group() { # "attention layer:--beta" as "attention:--beta"
    sed 's/^\([a-z]*\) [a-z]*:/\1:/' "$@"
}
comm -23 in-help in-page | while read -r option; do
    grep -qx -- "$(echo "$option" | group)" in-page || echo "$option"
done >missing
[ ! -s missing ] || fault "not in the manual: $(tr '\n' ',' <missing)"
group in-help | sort -u - in-help | comm -13 - in-page >extra
[ ! -s extra ] || fault "in the manual, but not in --help: $(tr '\n' ' ' <extra)"

version=$("$ireneo" --version)
grep -q "^\.TH IRENEO 1 .*\"$version\"" "$page" || fault "the manual is not of $version"

# What formatters have to say, where there are any.
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning "$page" >lint 2>&1 || fault "mandoc: $(cat lint)"
fi
if command -v groff >/dev/null 2>&1; then
    groff -man -ww -z "$page" >lint 2>&1
    [ ! -s lint ] || fault "groff: $(cat lint)"
fi
finish "manual page: complete"
