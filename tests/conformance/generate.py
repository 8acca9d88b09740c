#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Instruction-set vectors with results from a model of RFC 9669, written independently of the engines.

usage: generate.py DIRECTORY     writes DIRECTORY/*.vec

A line is: name, instructions (hex, 8 bytes each as in memory), memory (hex or -), r0 (hex).
The program starts with r1 = address of the memory and r2 = its length in bytes.
"""
import os
import random
import struct
import sys

M64, M32 = (1 << 64) - 1, (1 << 32) - 1
LD, LDX, ST, STX, ALU, JMP, JMP32, ALU64 = range(8)
K, X = 0, 8
W, H, B, DW = 0, 8, 0x10, 0x18
BYTES = {W: 4, H: 2, B: 1, DW: 8}
IMM, MEM, MEMSX, ATOMIC = 0, 0x60, 0x80, 0xc0
ADD, SUB, MUL, DIV, OR, AND, LSH, RSH, NEG, MOD, XOR, MOV, ARSH, END = (i << 4 for i in range(14))
JA, JEQ, JGT, JGE, JSET, JNE, JSGT, JSGE, CALL, EXIT, JLT, JLE, JSLT, JSLE, JCOND = (
    i << 4 for i in range(15))
FETCH, XCHG, CMPXCHG, LOAD_ACQ, STORE_REL = 1, 0xe1, 0xf1, 0x100, 0x110


def s64(v):
    v &= M64
    return v - (1 << 64) if v >> 63 else v


def s32(v):
    v &= M32
    return v - (1 << 32) if v >> 31 else v


def sx(v, bits):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def ins(code, dst=0, src=0, off=0, imm=0):
    return (code, dst, src, sx(off, 16), sx(imm, 32))


def encode(prog):
    return b''.join(struct.pack('<BBhi', c, d | s << 4, o, i) for c, d, s, o, i in prog)


# ---- the model -------------------------------------------------------------------------------

STACK_TOP, MEM_BASE = 0x7000_0000_0000, 0x5000_0000_0000


def trunc_div(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


class Model:
    def __init__(self, prog, mem):
        self.prog = prog
        self.bytes = {MEM_BASE + i: b for i, b in enumerate(mem)}
        self.steps = 0

    def load(self, addr, n):
        return int.from_bytes(bytes(self.bytes[addr + i] for i in range(n)), 'little')

    def store(self, addr, v, n):
        for i, b in enumerate((v & ((1 << 8 * n) - 1)).to_bytes(n, 'little')):
            self.bytes[addr + i] = b

    def alu(self, op, a, b, off, bits):
        mask = (1 << bits) - 1
        a, b = a & mask, b & mask
        sa, sb = sx(a, bits), sx(b, bits)
        if op == ADD: r = a + b
        elif op == SUB: r = a - b
        elif op == MUL: r = a * b
        elif op == DIV: r = 0 if b == 0 else trunc_div(sa, sb) if off == 1 else a // b
        elif op == MOD:
            r = a if b == 0 else sa - sb * trunc_div(sa, sb) if off == 1 else a % b
        elif op == OR: r = a | b
        elif op == AND: r = a & b
        elif op == XOR: r = a ^ b
        elif op == LSH: r = a << (b & (bits - 1))
        elif op == RSH: r = a >> (b & (bits - 1))
        elif op == ARSH: r = sa >> (b & (bits - 1))
        elif op == NEG: r = -a
        elif op == MOV: r = sx(b, off) if off else b
        else: raise ValueError(op)
        return r & mask

    def jump(self, op, a, b, bits):
        mask = (1 << bits) - 1
        a, b = a & mask, b & mask
        sa, sb = sx(a, bits), sx(b, bits)
        return {JEQ: a == b, JNE: a != b, JGT: a > b, JGE: a >= b, JLT: a < b, JLE: a <= b,
                JSET: a & b != 0, JSGT: sa > sb, JSGE: sa >= sb, JSLT: sa < sb, JSLE: sa <= sb}[op]

    def atomic(self, r, dst, src, addr, size, imm):
        n = BYTES[size]
        mask = (1 << 8 * n) - 1
        old, v = self.load(addr, n), r[src] & mask
        if imm == CMPXCHG:
            if old == r[0] & mask:
                self.store(addr, v, n)
            r[0] = old
            return
        new = {ADD: old + v, OR: old | v, AND: old & v, XOR: old ^ v, XCHG & ~1: v}[imm & ~FETCH]
        self.store(addr, new, n)
        if imm & FETCH:
            r[src] = old

    def run(self, pc, r, depth):
        r[10] = STACK_TOP - 512 * depth
        budget = 1 << 23
        while True:
            self.steps += 1
            assert self.steps < 1000000
            code, dst, src, off, imm = self.prog[pc]
            cls, op = code & 7, code & 0xf0
            v = r[src] if code & 8 else imm
            pc += 1
            if cls in (ALU, ALU64):
                if op == END:
                    data = (r[dst] & ((1 << imm) - 1)).to_bytes(imm // 8, 'little')
                    swap = cls == ALU64 or code & 8
                    r[dst] = int.from_bytes(data, 'big' if swap else 'little')
                else:
                    r[dst] = self.alu(op, r[dst], v, off, 64 if cls == ALU64 else 32)
            elif cls == LD:
                r[dst] = imm & M32 | (self.prog[pc][4] & M32) << 32
                pc += 1
            elif cls == LDX:
                n = BYTES[code & 0x18]
                x = self.load(r[src] + off, n)
                r[dst] = (sx(x, 8 * n) if code & 0xe0 == MEMSX else x) & M64
            elif cls == ST:
                self.store(r[dst] + off, imm, BYTES[code & 0x18])
            elif cls == STX:
                n = BYTES[code & 0x18]
                if code & 0xe0 == MEM: self.store(r[dst] + off, r[src], n)
                elif imm == LOAD_ACQ: r[dst] = self.load(r[src] + off, n)
                elif imm == STORE_REL: self.store(r[dst] + off, r[src], n)
                else: self.atomic(r, dst, src, r[dst] + off, code & 0x18, imm)
            elif op == CALL:
                assert src == 1
                r[0] = self.run(pc + imm, [0] + r[1:6] + [0] * 5, depth + 1)
            elif op == EXIT:
                return r[0]
            elif op == JA:
                pc += imm if cls == JMP32 else off
            elif op == JCOND:
                if budget: budget -= 1
                else: pc += off
            elif self.jump(op, r[dst], v, 64 if cls == JMP else 32):
                pc += off


def result(prog, mem):
    return Model(prog, mem).run(0, [0, MEM_BASE, len(mem)] + [0] * 8, 0)


# ---- the vectors -----------------------------------------------------------------------------

rng = random.Random(9669)
files = {}
V64 = [0, 1, 2, 3, 7, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff,
       0x100000000, 0x123456789abcdef0, 0x7fffffffffffffff, 0x8000000000000000,
       0xffffffff80000000, 0xfffffffffffffffe, 0xffffffffffffffff]
IMMS = [0, 1, 2, 3, 7, 10, 100, 127, 128, 255, 641, 65535, 65536, 1000003, 0x7fffffff, -1, -2, -3,
        -128, -129, -32768, -0x80000000]


def add(name_of_file, name, prog, mem=b''):
    lines = files.setdefault(name_of_file, [])
    lines.append('%s\t%s\t%s\t%x' % (name, encode(prog).hex(), mem.hex() or '-', result(prog, mem)))


def operands(*values):
    return b''.join(struct.pack('<Q', v & M64) for v in values)


def with_operands(regs, body, keep_check):
    """Load regs from memory, run body, fold every register into r0 so that clobbers show."""
    prog = []
    order = sorted(set(regs), key=lambda r: r == 1)  # r1, the base, last
    others = [r for r in range(10) if r not in regs]
    where = {r: 8 * regs.index(r) for r in regs}
    if keep_check:
        prog += [ins(ALU64 | MOV | K, r, 0, 0, 0x1234567 * (r + 3)) for r in others if r != 1]
    prog += [ins(LDX | MEM | DW, r, 1, where[r]) for r in order]
    if keep_check and 1 in others:
        prog.append(ins(ALU64 | MOV | K, 1, 0, 0, 0x7654321))
    prog += body
    if keep_check:
        for r in range(1, 10):
            prog.append(ins(ALU64 | MUL | K, 0, 0, 0, 31))
            prog.append(ins(ALU64 | ADD | X, 0, r))
    elif regs[0]:
        prog.append(ins(ALU64 | MOV | X, 0, regs[0]))
    return prog + [ins(JMP | EXIT)]


def two_regs():
    return rng.sample(range(10), 2)


def alu():
    names = {ADD: 'add', SUB: 'sub', MUL: 'mul', DIV: 'div', OR: 'or', AND: 'and', LSH: 'lsh',
             RSH: 'rsh', MOD: 'mod', XOR: 'xor', MOV: 'mov', ARSH: 'arsh'}
    for cls, suffix in ((ALU64, '64'), (ALU, '32')):
        bits = 64 if cls == ALU64 else 32
        for op, text in names.items():
            for off in ((0, 1) if op in (DIV, MOD) else (0,)):
                name = ('s' if off else '') + text + suffix
                hard = op in (DIV, MOD, LSH, RSH, ARSH)
                edge = [(1 << bits - 1, M64), (1 << bits - 1, 1), (5, 0), (M64, 0), (M64 - 6, 3)] \
                    if op in (DIV, MOD) else [(M64, bits - 1), (1, bits), (M64, 0)] if hard else []
                for n in range(10 if hard else 5):
                    a, b = rng.choice(V64), rng.choice(V64)
                    if n < len(edge):
                        a, b = edge[n]
                    d, s = two_regs()
                    if hard and n < 6:
                        d, s = [(0, 3), (3, 0), (4, 2), (2, 4), (3, 4), (1, 3)][n]
                    prog = with_operands([d, s], [ins(cls | op | X, d, s, off)], n % 2 or hard)
                    add('alu', '%s-reg-%d' % (name, n), prog, operands(a, b))
                d = rng.randrange(10)  # one register as both operands
                prog = with_operands([d], [ins(cls | op | X, d, d, off)], True)
                add('alu', '%s-same' % name, prog, operands(rng.choice(V64[2:])))
                for n in range(14 if op in (DIV, MOD) else 6):
                    imm = IMMS[(n + 1) % len(IMMS)] if op in (DIV, MOD) else rng.choice(IMMS)
                    if op in (DIV, MOD):
                        imm = [1, 2, 3, 7, 10, 100, 641, 65536, 1000003, 0x7fffffff, -1, -3, -128,
                               -0x80000000][n]
                    elif hard:
                        imm = [0, 1, 7, 8, bits // 2, bits - 1][n]
                    d = [0, 3][n % 2] if op in (DIV, MOD) and n < 8 else rng.randrange(10)
                    prog = with_operands([d], [ins(cls | op | K, d, 0, off, imm)], n % 2 or hard)
                    add('alu', '%s-imm-%d' % (name, n), prog, operands(rng.choice(V64[4:])))
        for n, v in enumerate((0, 1, M64, 1 << 63, 1 << 31, 0x123456789)):
            d = rng.randrange(10)
            add('alu', 'neg%s-%d' % (suffix, n),
                with_operands([d], [ins(cls | NEG | K, d)], n % 2), operands(v))
        for off in ((8, 16, 32) if cls == ALU64 else (8, 16)):
            for n, v in enumerate((0x7f, 0x80, 0x8000, 0x7fff, 0x80000000, 0xdeadbeefcafef00d)):
                d, s = two_regs()
                prog = with_operands([s], [ins(cls | MOV | X, d, s, off)] +
                                     ([ins(ALU64 | MOV | X, s, d)] if d != s else []), False)
                add('alu', 'movsx%s-%d-%d' % (suffix, off, n), prog, operands(v))
    for code, text in ((ALU | END | K, 'le'), (ALU | END | X, 'be'), (ALU64 | END | K, 'bswap')):
        for bits in (16, 32, 64):
            for n, v in enumerate((0x0123456789abcdef, M64, 0x80, 0xff00ff00ff00ff00)):
                d = rng.randrange(10)
                prog = with_operands([d], [ins(code, d, 0, 0, bits)], n % 2)
                add('alu', '%s%d-%d' % (text, bits, n), prog, operands(v))
    for n, v in enumerate(V64):
        d = rng.randrange(10)
        add('alu', 'lddw-%d' % n,
            [ins(LD | IMM | DW, d, 0, 0, v & M32), ins(0, 0, 0, 0, v >> 32),
             ins(ALU64 | MOV | X, 0, d), ins(JMP | EXIT)])
    # pairs that a compiler of bytecode may want to merge
    for n in range(24):
        d, s = two_regs()
        t = rng.choice([r for r in range(10) if r not in (d, s)])
        c = rng.choice((ALU, ALU64))
        pairs = [[ins(c | MOV | X, d, s), ins(c | ADD | K, d, 0, 0, rng.choice(IMMS))],
                 [ins(c | MOV | X, d, s), ins(c | ADD | X, d, t)],
                 [ins(c | MOV | X, d, s), ins(c | ADD | X, d, d)],
                 [ins(ALU64 | LSH | K, d, 0, 0, 32), ins(ALU64 | RSH | K, d, 0, 0, 32)],
                 [ins(ALU64 | LSH | K, d, 0, 0, 32), ins(ALU64 | ARSH | K, d, 0, 0, 32)],
                 [ins(ALU64 | MOV | X, d, s), ins(ALU | ADD | K, d, 0, 0, 5)]]
        prog = with_operands([d, s, t], pairs[n % len(pairs)], True)
        add('alu', 'pair-%d' % n, prog, operands(*(rng.choice(V64) for _ in range(3))))


def jumps():
    names = {JEQ: 'jeq', JNE: 'jne', JGT: 'jgt', JGE: 'jge', JLT: 'jlt', JLE: 'jle', JSET: 'jset',
             JSGT: 'jsgt', JSGE: 'jsge', JSLT: 'jslt', JSLE: 'jsle'}
    pairs = [(0, 0), (1, 0), (0, 1), (M64, 1), (1, M64), (1 << 63, M64), (1 << 31, 1), (M32, M64),
             (0x100000001, 1), (0x80000000, 0x7fffffff)]
    for cls, suffix in ((JMP, ''), (JMP32, '32')):
        for op, text in names.items():
            for n, (a, b) in enumerate(pairs):
                d, s = two_regs()
                prog = with_operands([d, s], [], False)[:2] + [
                    ins(cls | op | X, d, s, 2), ins(ALU64 | MOV | K, 0, 0, 0, 1), ins(JMP | EXIT),
                    ins(ALU64 | MOV | K, 0, 0, 0, 2), ins(JMP | EXIT)]
                add('jmp', '%s%s-reg-%d' % (text, suffix, n), prog, operands(a, b))
            for n, (a, b) in enumerate([(0, 0), (5, 5), (M64, -1), (M64, 1), (1, -1), (1 << 63, 0),
                                        (0x80000000, -0x80000000), (0x180, 0x80), (1 << 40, 127),
                                        (0xffffffff, -1)]):
                d = rng.randrange(10)
                prog = with_operands([d], [], False)[:1] + [
                    ins(cls | op | K, d, 0, 2, b), ins(ALU64 | MOV | K, 0, 0, 0, 1),
                    ins(JMP | EXIT), ins(ALU64 | MOV | K, 0, 0, 0, 2), ins(JMP | EXIT)]
                add('jmp', '%s%s-imm-%d' % (text, suffix, n), prog, operands(a))
    one = ins(ALU64 | ADD | K, 0, 0, 0, 1)
    mov0 = ins(ALU64 | MOV | K, 0, 0, 0, 0)
    ex = ins(JMP | EXIT)
    add('jmp', 'ja-0', [mov0, ins(JMP | JA, 0, 0, 0), one, ex])
    for name, skip in (('ja', ins(JMP | JA, 0, 0, 1)), ('gotol', ins(JMP32 | JA, 0, 0, 0, 1))):
        for v in (0, 1):
            add('jmp', '%s-over-%d' % (name, v),
                [mov0, ins(LDX | MEM | DW, 3, 1, 0), ins(JMP | JEQ | K, 3, 0, 1, 0), skip, one, one,
                 ex], operands(v))
    for kind in (ins(JMP | JA, 0, 0, -4), ins(JMP32 | JA, 0, 0, 0, -4)):
        add('jmp', 'loop-back-%02x' % kind[0],
            [mov0, ins(ALU64 | MOV | K, 3, 0, 0, 9), ins(JMP | JEQ | K, 3, 0, 3, 0), one,
             ins(ALU64 | SUB | K, 3, 0, 0, 1), kind, ex])
    for n in (3, 30, 100, 200, 1000):  # distances around the short form's reach
        body = [ins(ALU64 | XOR | K, 0, 0, 0, i * 77) for i in range(n)]
        add('jmp', 'far-forward-%d' % n,
            [mov0, ins(LDX | MEM | DW, 3, 1, 0), ins(JMP | JNE | K, 3, 0, n, 1)] + body + [one, ex],
            operands(1))
        add('jmp', 'far-backward-%d' % n,
            [mov0, ins(ALU64 | MOV | K, 3, 0, 0, 3)] + body +
            [ins(ALU64 | SUB | K, 3, 0, 0, 1), ins(JMP | JNE | K, 3, 0, -n - 2, 0), ex])
    add('jmp', 'may_goto', [mov0, ins(JMP | JCOND, 0, 0, 2), one, ins(JMP | JSGT | K, 0, 0, 0, 9), ex])


def memory():
    data = bytes(rng.randrange(256) for _ in range(64))
    for size, text in ((B, 'b'), (H, 'h'), (W, 'w'), (DW, 'dw')):
        n = BYTES[size]
        for mode, kind in ((MEM, 'ldx'), (MEMSX, 'ldxs')):
            if mode == MEMSX and size == DW:
                continue
            for i in range(8):
                d = rng.randrange(10)
                off = n * rng.randrange(64 // n)
                add('mem', '%s%s-%d' % (kind, text, i),
                    [ins(LDX | mode | size, d, 1, off), ins(ALU64 | MOV | X, 0, d), ins(JMP | EXIT)],
                    data)
            for i in range(4):  # other base registers
                b, d = rng.sample(range(2, 10), 2)
                add('mem', '%s%s-base-%d' % (kind, text, i),
                    [ins(ALU64 | MOV | X, b, 1), ins(LDX | mode | size, d, b, n * i),
                     ins(ALU64 | MOV | X, 0, d), ins(JMP | EXIT)], data)
        read = [ins(LDX | MEM | DW, 0, 10, -8), ins(LDX | MEM | DW, 1, 10, -16),
                ins(ALU64 | XOR | X, 0, 1), ins(JMP | EXIT)]
        fill = [ins(ST | MEM | DW, 10, 0, -8, -1), ins(ST | MEM | DW, 10, 0, -16, 0x5a5a5a5a)]
        for i in range(8):
            off = -16 + n * rng.randrange(16 // n)
            add('mem', 'st%s-%d' % (text, i),
                fill + [ins(ST | MEM | size, 10, 0, off, rng.choice(IMMS))] + read)
            s = rng.randrange(10)
            add('mem', 'stx%s-%d' % (text, i),
                fill + [ins(LDX | MEM | DW, s, 1, 8 * i), ins(STX | MEM | size, 10, s, off)] + read,
                data)
            s, b = two_regs()
            if b == 1:
                s, b = b, s
            add('mem', 'stx%s-base-%d' % (text, i),
                fill + [ins(ALU64 | MOV | X, b, 10), ins(ALU64 | ADD | K, b, 0, 0, -16),
                        ins(LDX | MEM | DW, s, 1, 8 * i), ins(STX | MEM | size, b, s, off + 16)] +
                read, data)
        for i in range(6):
            s, b = rng.sample(range(2, 10), 2)
            off = -16 + n * rng.randrange(16 // n)
            base = [ins(ALU64 | MOV | X, b, 10), ins(LDX | MEM | DW, s, 1, 8 * i)]
            add('atomic', 'store_release%s-%d' % (text, i),
                fill + base + [ins(STX | ATOMIC | size, b, s, off, STORE_REL)] + read, data)
            add('atomic', 'load_acquire%s-%d' % (text, i),
                fill + base + [ins(STX | MEM | DW, b, s, -8),
                               ins(STX | ATOMIC | size, s, b, off, LOAD_ACQ),
                               ins(ALU64 | MOV | X, 0, s), ins(JMP | EXIT)], data)
    add('mem', 'stack-far', [ins(ST | MEM | DW, 10, 0, -512, 77), ins(LDX | MEM | DW, 0, 10, -512),
                             ins(JMP | EXIT)])


def atomics():
    names = {ADD: 'add', OR: 'or', AND: 'and', XOR: 'xor', ADD | FETCH: 'fetch_add',
             OR | FETCH: 'fetch_or', AND | FETCH: 'fetch_and', XOR | FETCH: 'fetch_xor',
             XCHG: 'xchg', CMPXCHG: 'cmpxchg'}
    for size, suffix in ((W, '32'), (DW, '64')):
        for imm, text in names.items():
            for n in range(9):
                b, s = [(10, 0), (10, 3), (0, 3), (3, 0), (4, 2)][n] if n < 5 else two_regs()
                if s == 1:
                    s = 2 if b != 2 else 3
                if b == 1:
                    b = 6 if s != 6 else 7
                if imm == CMPXCHG and b == 0:
                    b = 5 if s != 5 else 6
                init = [ins(ALU64 | MOV | K, r, 0, 0, 0x11111 * (r + 1)) for r in range(2, 10)]
                prog = init + [ins(LDX | MEM | DW, 0, 1, 0), ins(STX | MEM | DW, 10, 0, -8),
                               ins(ST | MEM | DW, 10, 0, -16, 0x77), ins(LDX | MEM | DW, 0, 1, 16)]
                if b != 10:
                    prog.append(ins(ALU64 | MOV | X, b, 10))
                if not (imm == CMPXCHG and s == 0):
                    prog.append(ins(LDX | MEM | DW, s, 1, 8))
                prog += [ins(ALU64 | MOV | K, 1, 0, 0, 99), ins(STX | ATOMIC | size, b, s, -8, imm)]
                if b != 10:
                    prog.append(ins(ALU64 | MOV | K, b, 0, 0, 5))
                for r in range(1, 10):
                    prog += [ins(ALU64 | MUL | K, 0, 0, 0, 31), ins(ALU64 | ADD | X, 0, r)]
                prog += [ins(LDX | MEM | DW, 1, 10, -8), ins(ALU64 | ADD | X, 0, 1),
                         ins(LDX | MEM | DW, 1, 10, -16), ins(ALU64 | XOR | X, 0, 1), ins(JMP | EXIT)]
                a, v = rng.choice(V64), rng.choice(V64)
                cmp = a if n % 2 else rng.choice(V64)
                if n % 4 == 3:
                    cmp ^= 1 << 40  # equal in the low word only
                add('atomic', '%s%s-%d' % (text, suffix, n), prog, operands(a, v, cmp))


def calls():
    ex = ins(JMP | EXIT)

    def call(to, at):
        return ins(JMP | CALL, 0, 1, 0, to - at - 1)
    add('call', 'args', [ins(ALU64 | MOV | K, r, 0, 0, r * 3) for r in range(1, 6)] +
        [call(7, 5), ex, ins(ALU64 | MOV | X, 0, 1)] +
        sum(([ins(ALU64 | MUL | K, 0, 0, 0, 10), ins(ALU64 | ADD | X, 0, r)] for r in range(2, 6)), []) +
        [ex])
    keep = [ins(ALU64 | MOV | K, r, 0, 0, r * 1000) for r in range(6, 10)]
    body = [ins(ALU64 | MOV | K, r, 0, 0, -r) for r in range(6, 10)]
    fold = sum(([ins(ALU64 | MUL | K, 0, 0, 0, 7), ins(ALU64 | ADD | X, 0, r)] for r in range(6, 10)), [])
    add('call', 'callee-saved', keep + [call(4 + 1 + len(fold) + 1, 4)] + fold + [ex] + body +
        [ins(ALU64 | MOV | K, 0, 0, 0, 3), ex])
    add('call', 'own-stack', [ins(ST | MEM | DW, 10, 0, -8, 5), call(5, 1),
                              ins(LDX | MEM | DW, 1, 10, -8), ins(ALU64 | ADD | X, 0, 1), ex,
                              ins(ST | MEM | DW, 10, 0, -8, 70), ins(LDX | MEM | DW, 0, 10, -8), ex])
    add('call', 'stack-pointer', [ins(ALU64 | MOV | X, 1, 10), ins(ALU64 | ADD | K, 1, 0, 0, -8),
                                  ins(ST | MEM | DW, 10, 0, -8, 5), call(6, 3),
                                  ins(LDX | MEM | DW, 0, 10, -8), ex,
                                  ins(LDX | MEM | DW, 2, 1, 0), ins(ALU64 | ADD | K, 2, 0, 0, 37),
                                  ins(STX | MEM | DW, 1, 2, 0), ins(ALU64 | MOV | K, 0, 0, 0, 0), ex])
    for depth in range(1, 7):  # main and up to six frames below it
        prog = [ins(ALU64 | MOV | K, 1, 0, 0, 1)]
        for _ in range(depth):
            prog += [ins(ALU64 | MUL | K, 1, 0, 0, 3), ins(ALU64 | ADD | K, 1, 0, 0, 1),
                     ins(ALU64 | MOV | X, 6, 1), call(3, 0), ins(ALU64 | ADD | X, 0, 6), ex]
        prog += [ins(ALU64 | MOV | X, 0, 1), ex]
        add('call', 'depth-%d' % depth, prog)
    add('call', 'twice', [ins(ALU64 | MOV | K, 1, 0, 0, 4), call(7, 1), ins(ALU64 | MOV | X, 6, 0),
                          ins(ALU64 | MOV | K, 1, 0, 0, 5), call(7, 4), ins(ALU64 | ADD | X, 0, 6),
                          ex, ins(ALU64 | MOV | X, 0, 1), ins(ALU64 | MUL | X, 0, 0), ex])


def main():
    out = sys.argv[1]
    for part in (alu, jumps, memory, atomics, calls):
        part()
    for name, lines in files.items():
        with open(os.path.join(out, name + '.vec'), 'w') as f:
            f.write('# Generated by generate.py: name, instructions, memory, r0.\n')
            f.write('\n'.join(lines) + '\n')
    print(sum(map(len, files.values())), 'vectors')


main()
