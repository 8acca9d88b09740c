#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write the .BTF section of a BPF object as a C array: embed-btf.py OBJECT OUT.c NAME

To a file called *.btf its bytes are written as they are; NAME is not used then.
"""
import struct
import sys


def section(data, wanted):
    shoff, = struct.unpack_from("<Q", data, 40)
    entsize, num, strndx = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * entsize) for i in range(num)]
    names = data[heads[strndx][4]:heads[strndx][4] + heads[strndx][5]]
    for h in heads:
        if names[h[0]:names.index(b"\0", h[0])].decode() == wanted:
            return data[h[4]:h[4] + h[5]]
    sys.exit(f"no section {wanted}")


def main():
    obj, out, name = sys.argv[1:]
    btf = section(open(obj, "rb").read(), ".BTF")
    if out.endswith(".btf"):
        open(out, "wb").write(btf)
        return
    with open(out, "w") as f:
        f.write(f"extern const unsigned char {name}[];\nextern const unsigned int {name}_size;\n")
        f.write(f"const unsigned char {name}[] __attribute__((aligned(8))) = {{\n")
        for i in range(0, len(btf), 16):
            f.write("\t" + "".join(f"0x{b:02x}," for b in btf[i:i + 16]) + "\n")
        f.write(f"}};\nconst unsigned int {name}_size = {len(btf)};\n")


main()
