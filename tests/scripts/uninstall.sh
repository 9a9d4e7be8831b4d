#!/bin/sh
# make install into a folder of its own and make uninstall: what was there before stays, all else goes.
. "$(dirname "$0")/../support/cli.sh"
build=$(dirname "$ireneo")
mkdir -p stage/usr/share/man/man1 stage/usr/bin stage/usr/share/ireneo
: >stage/usr/bin/other
: >stage/usr/share/man/man1/other.1
find stage | sort >before

mkdir copy # what `make install` leaves, of a build folder that other tests use, too
DESTDIR=$folder/stage cmake --install "$build" --prefix /usr >log 2>&1 || fault "cmake --install: $(cat log)"
cp "$build/install_manifest.txt" copy/installed.txt
echo >>copy/installed.txt
[ -x stage/usr/bin/ireneo ] && [ -s stage/usr/include/ireneo.h ] || fault "DESTDIR: nothing was installed"
[ "$(find stage -name '*.1' | wc -l)" -gt 20 ] || fault "manual pages"
[ "$(find stage -type f -o -type l | wc -l)" -eq "$(($(grep -c . copy/installed.txt) + 2))" ] || fault "the list is not whole"
: >stage/usr/share/ireneo/own # of somebody else

DESTDIR=$folder/stage "$root/scripts/uninstall" copy || fault "uninstall ended with $?"
[ -f stage/usr/share/ireneo/own ] || fault "another's file is gone"
rm stage/usr/share/ireneo/own
find stage -type f -o -type l | sort >left
[ "$(tr '\n' ' ' <left)" = "stage/usr/bin/other stage/usr/share/man/man1/other.1 " ] || fault "left, or gone: $(cat left)"
find stage -type d -path '*ireneo*' >left
[ "$(cat left)" = "stage/usr/share/ireneo" ] || fault "folders that are left: $(cat left)"
if "$root/scripts/uninstall" copy 2>said; then fault "a second uninstall"; fi
grep -q "nothing was installed" said || fault "a second uninstall says: $(cat said)"
finish "uninstall: all gone"
