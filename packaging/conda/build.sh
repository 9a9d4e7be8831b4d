#!/bin/bash
# Called by conda build: PREFIX, SRC_DIR, SP_DIR, CPU_COUNT and CMAKE_ARGS are its own.
set -eu
cd "$SRC_DIR/libb2"
./autogen.sh
./configure --prefix="$SRC_DIR/inside" --disable-shared --disable-native --enable-fat --with-pic
make -j "$CPU_COUNT" install

# shellcheck disable=SC2086
PKG_CONFIG_PATH="$SRC_DIR/inside/lib/pkgconfig:$PREFIX/lib/pkgconfig" \
    cmake -S "$SRC_DIR/ireneo" -B "$SRC_DIR/build" ${CMAKE_ARGS:-} -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_C_FLAGS="${CFLAGS:-} -I$SRC_DIR/random123/include" -DBLA_VENDOR=Generic -DIRENEO_TESTS=OFF -DIRENEO_BENCH=OFF
cmake --build "$SRC_DIR/build" -j "$CPU_COUNT"
cmake --install "$SRC_DIR/build"
cp -r "$SRC_DIR/ireneo/python/ireneo" "$SP_DIR"
