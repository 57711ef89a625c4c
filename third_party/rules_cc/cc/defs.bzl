"""Bazel's built-in C++ rules under the names of rules_cc.

BUILD files load their rules from here, as a current Bazel requires, and so do the tools that are
embedded in Bazel.
"""

cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
cc_host_toolchain_alias = native.cc_host_toolchain_alias
cc_toolchain_alias = native.cc_toolchain_alias
cc_libc_top_alias = native.cc_libc_top_alias
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_import = native.objc_import
objc_library = native.objc_library

# Named by files that load this one, used by none of our targets.
cc_flags_supplier = None
compiler_flag = None
