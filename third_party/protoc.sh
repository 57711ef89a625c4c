#!/bin/sh
# Debian's protoc, as a target that Bazel can depend on.
exec /usr/bin/protoc "$@"
