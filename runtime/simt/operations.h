/* The operations that warps run: OPERATION (number, the opcode that it stands for, how).
   Opcodes are as decode.go's names have them: without what makes no difference here (state
   spaces, scopes, rounding to nearest), unsigned where signs make none.  How is for
   step.h.  */

#define UNARY(NAME, TEXT, D, R, S, T, EXPR) OPERATION (NAME, TEXT, UNARY_ (D, R, S, T, EXPR))
#define BINARY(NAME, TEXT, D, R, S, T, EXPR) OPERATION (NAME, TEXT, BINARY_ (D, R, S, T, EXPR))
#define TERNARY(NAME, TEXT, D, R, S, T, EXPR) OPERATION (NAME, TEXT, TERNARY_ (D, R, S, T, EXPR))

OPERATION (NOP, "nop", )
UNARY (MOV_U16, "mov.u16", uint32_t, uint32_t, uint32_t, uint32_t, x)
UNARY (MOV_U32, "mov.u32", uint32_t, uint32_t, uint32_t, uint32_t, x)
UNARY (MOV_U64, "mov.u64", uint64_t, uint64_t, uint64_t, uint64_t, x)
/* Between the widths of registers, for decode.go alone.  */
UNARY (NARROW, "narrow", uint32_t, uint32_t, uint64_t, uint64_t, x)
UNARY (WIDEN_U, "widen.u", uint64_t, uint64_t, uint32_t, uint32_t, x)
UNARY (WIDEN_S, "widen.s", uint64_t, uint64_t, uint32_t, int32_t, (int64_t) x)
UNARY (HIGH, "high", uint32_t, uint32_t, uint64_t, uint64_t, x >> 32)
/* d = {a, b} */
OPERATION (PACK_U32, "pack.u32", { uint64_t *d = AT (0); const uint32_t *a = AT (1), *b = AT (2); LOOP (d[i] = a[i] | (uint64_t) b[i] << 32;) })
OPERATION (PACK_U16, "pack.u16", { uint32_t *d = AT (0); const uint32_t *a = AT (1), *b = AT (2); LOOP (d[i] = (a[i] & 0xffff) | b[i] << 16;) })
UNARY (LOW_U16, "low.u16", uint32_t, uint32_t, uint32_t, uint32_t, x & 0xffff)
UNARY (HIGH_U16, "high.u16", uint32_t, uint32_t, uint32_t, uint32_t, x >> 16)
/* The address of a lane's stack, from where the call's part of it begins.  */
OPERATION (LOCAL, "local", { uint64_t *d = AT (0); uint64_t at = accscope_simt_window + g->frame->local + (uint64_t) in->displacement; LOOP (d[i] = at;) })

#define INTEGERS(BITS, W)							\
  BINARY (ADD_U##BITS, "add.u" #BITS, W, uint##BITS##_t, W, W, x + y)		\
  BINARY (SUB_U##BITS, "sub.u" #BITS, W, uint##BITS##_t, W, W, x - y)		\
  BINARY (MUL_U##BITS, "mul.lo.u" #BITS, W, uint##BITS##_t, W, W, x * y)	\
  TERNARY (MAD_U##BITS, "mad.lo.u" #BITS, W, uint##BITS##_t, W, W, x * y + z)	\
  BINARY (AND_U##BITS, "and.u" #BITS, W, uint##BITS##_t, W, W, x & y)		\
  BINARY (OR_U##BITS, "or.u" #BITS, W, uint##BITS##_t, W, W, x | y)		\
  BINARY (XOR_U##BITS, "xor.u" #BITS, W, uint##BITS##_t, W, W, x ^ y)		\
  UNARY (NOT_U##BITS, "not.u" #BITS, W, uint##BITS##_t, W, W, ~x)		\
  UNARY (NEG_U##BITS, "neg.u" #BITS, W, uint##BITS##_t, W, W, 0 - x)		\
  UNARY (CNOT_U##BITS, "cnot.u" #BITS, W, uint##BITS##_t, W, uint##BITS##_t, x == 0) \
  UNARY (ABS_S##BITS, "abs.s" #BITS, W, uint##BITS##_t, W, int##BITS##_t, x < 0 ? 0 - (W) x : (W) x) \
  OPERATION (DIV_U##BITS, "div.u" #BITS, DIVIDE_##BITS (uint##BITS##_t, y ? x / y : UINT##BITS##_MAX, QUOTIENT (x, y))) \
  OPERATION (REM_U##BITS, "rem.u" #BITS, DIVIDE_##BITS (uint##BITS##_t, y ? x % y : UINT##BITS##_MAX, REMAINDER (x, y))) \
  OPERATION (DIV_S##BITS, "div.s" #BITS, DIVIDE_##BITS (int##BITS##_t, y == 0 ? -1 : y == -1 ? (int##BITS##_t) (0 - (W) x) : x / y, QUOTIENT (x, y))) \
  OPERATION (REM_S##BITS, "rem.s" #BITS, DIVIDE_##BITS (int##BITS##_t, y == 0 ? -1 : y == -1 ? 0 : x % y, REMAINDER (x, y))) \
  BINARY (MIN_U##BITS, "min.u" #BITS, W, uint##BITS##_t, W, uint##BITS##_t, x < y ? x : y) \
  BINARY (MAX_U##BITS, "max.u" #BITS, W, uint##BITS##_t, W, uint##BITS##_t, x > y ? x : y) \
  BINARY (MIN_S##BITS, "min.s" #BITS, W, uint##BITS##_t, W, int##BITS##_t, x < y ? x : y) \
  BINARY (MAX_S##BITS, "max.s" #BITS, W, uint##BITS##_t, W, int##BITS##_t, x > y ? x : y) \
  OPERATION (SHL_U##BITS, "shl.u" #BITS, SHIFT_ (W, uint##BITS##_t, uint##BITS##_t, y < BITS ? (W) x << y : 0)) \
  OPERATION (SHR_U##BITS, "shr.u" #BITS, SHIFT_ (W, uint##BITS##_t, uint##BITS##_t, y < BITS ? x >> y : 0)) \
  OPERATION (SHR_S##BITS, "shr.s" #BITS, SHIFT_ (W, uint##BITS##_t, int##BITS##_t, x >> (y < BITS ? y : BITS - 1))) \
  OPERATION (SELP_U##BITS, "selp.u" #BITS, { W *d = AT (0); const W *a = AT (1), *b = AT (2); const uint32_t *p = AT (3); LOOP (d[i] = p[i] ? a[i] : b[i];) }) \
  COMPARISONS (U##BITS, "u" #BITS, W, uint##BITS##_t)				\
  ORDERS (S##BITS, "s" #BITS, W, int##BITS##_t)

#define COMPARE(NAME, TEXT, S, T, EXPR)						\
  OPERATION (SETP_##NAME, "setp." TEXT, COMPARE_ (S, T, EXPR))			\
  OPERATION (SET_##NAME, "set.u32." TEXT, COMPARE_ (S, T, EXPR))
#define ORDERS(NAME, TEXT, S, T)						\
  COMPARE (LT_##NAME, "lt." TEXT, S, T, x < y) COMPARE (LE_##NAME, "le." TEXT, S, T, x <= y) \
  COMPARE (GT_##NAME, "gt." TEXT, S, T, x > y) COMPARE (GE_##NAME, "ge." TEXT, S, T, x >= y)
#define COMPARISONS(NAME, TEXT, S, T)						\
  COMPARE (EQ_##NAME, "eq." TEXT, S, T, x == y) COMPARE (NE_##NAME, "ne." TEXT, S, T, x < y || x > y) \
  ORDERS (NAME, TEXT, S, T)

INTEGERS (16, uint32_t)
INTEGERS (32, uint32_t)
INTEGERS (64, uint64_t)

BINARY (MUL_WIDE_U16, "mul.wide.u16", uint32_t, uint32_t, uint32_t, uint16_t, (uint32_t) x * y)
BINARY (MUL_WIDE_S16, "mul.wide.s16", uint32_t, uint32_t, uint32_t, int16_t, (int32_t) x * y)
BINARY (MUL_WIDE_U32, "mul.wide.u32", uint64_t, uint64_t, uint32_t, uint32_t, (uint64_t) x * y)
BINARY (MUL_WIDE_S32, "mul.wide.s32", uint64_t, uint64_t, uint32_t, int32_t, (int64_t) x * y)
OPERATION (MAD_WIDE_U32, "mad.wide.u32", { uint64_t *d = AT (0); const uint32_t *a = AT (1), *b = AT (2); const uint64_t *c = AT (3); LOOP (d[i] = (uint64_t) a[i] * b[i] + c[i];) })
OPERATION (MAD_WIDE_S32, "mad.wide.s32", { uint64_t *d = AT (0); const int32_t *a = AT (1), *b = AT (2); const uint64_t *c = AT (3); LOOP (d[i] = (uint64_t) ((int64_t) a[i] * b[i]) + c[i];) })
BINARY (MUL_HI_U32, "mul.hi.u32", uint32_t, uint32_t, uint32_t, uint32_t, (uint64_t) x * y >> 32)
BINARY (MUL_HI_S32, "mul.hi.s32", uint32_t, uint32_t, uint32_t, int32_t, (uint64_t) ((int64_t) x * y) >> 32)
BINARY (MUL_HI_U64, "mul.hi.u64", uint64_t, uint64_t, uint64_t, uint64_t, (unsigned __int128) x * y >> 64)
BINARY (MUL_HI_S64, "mul.hi.s64", uint64_t, uint64_t, uint64_t, int64_t, (unsigned __int128) ((__int128) x * y) >> 64)
TERNARY (VADD_U32, "vadd.u32.u32.u32.add", uint32_t, uint32_t, uint32_t, uint32_t, x + y + z)
TERNARY (VSUB_U32, "vsub.u32.u32.u32.add", uint32_t, uint32_t, uint32_t, uint32_t, x - y + z)
UNARY (POPC_U32, "popc.u32", uint32_t, uint32_t, uint32_t, uint32_t, __builtin_popcount (x))
UNARY (POPC_U64, "popc.u64", uint32_t, uint32_t, uint64_t, uint64_t, __builtin_popcountll (x))
UNARY (CLZ_U32, "clz.u32", uint32_t, uint32_t, uint32_t, uint32_t, x ? __builtin_clz (x) : 32)
UNARY (CLZ_U64, "clz.u64", uint32_t, uint32_t, uint64_t, uint64_t, x ? __builtin_clzll (x) : 64)
UNARY (BREV_U32, "brev.u32", uint32_t, uint32_t, uint32_t, uint32_t, reversed (x) >> 32)
UNARY (BREV_U64, "brev.u64", uint64_t, uint64_t, uint64_t, uint64_t, reversed (x))

/* Floating point.  A NaN that f32 arithmetic makes is always the same, one of f64 keeps
   what the last operand that is one has, or in a division the first.  A comparison other
   than those with a u is false of NaN.  */
#define FLOATS(BITS, F)								\
  OPERATION (ADD_F##BITS, "add.f" #BITS, FLOAT2_##BITS (x + y, NAN2))	\
  OPERATION (SUB_F##BITS, "sub.f" #BITS, FLOAT2_##BITS (x - y, NAN2))	\
  OPERATION (MUL_F##BITS, "mul.f" #BITS, FLOAT2_##BITS (x * y, NAN2))	\
  OPERATION (DIV_F##BITS, "div.f" #BITS, FLOAT2_##BITS (x / y, NAND))	\
  OPERATION (FMA_F##BITS, "fma.f" #BITS, FLOAT3_##BITS (FMA_##BITS (x, y, z), NAN3)) \
  UNARY (RCP_F##BITS, "rcp.f" #BITS, F, F, F, F, NAN1_##BITS (1 / x))		\
  UNARY (SQRT_F##BITS, "sqrt.f" #BITS, F, F, F, F, NAN1_##BITS (SQRT_##BITS (x))) \
  UNARY (NEG_F##BITS, "neg.f" #BITS, F, F, F, F, NAN1_##BITS (-x))		\
  UNARY (ABS_F##BITS, "abs.f" #BITS, F, F, F, F, NAN1_##BITS (ABS_##BITS (x)))	\
  BINARY (MIN_F##BITS, "min.f" #BITS, F, F, F, F, least_##BITS (x, y))		\
  BINARY (MAX_F##BITS, "max.f" #BITS, F, F, F, F, most_##BITS (x, y))		\
  BINARY (COPYSIGN_F##BITS, "copysign.f" #BITS, uint##BITS##_t, uint##BITS##_t, uint##BITS##_t, uint##BITS##_t, (x & SIGN_##BITS) | (y & ~SIGN_##BITS)) \
  UNARY (RNI_F##BITS, "cvt.rni.f" #BITS ".f" #BITS, F, F, F, F, NAN1_##BITS (ROUND_##BITS (x))) \
  UNARY (RZI_F##BITS, "cvt.rzi.f" #BITS ".f" #BITS, F, F, F, F, NAN1_##BITS (TRUNC_##BITS (x))) \
  UNARY (RMI_F##BITS, "cvt.rmi.f" #BITS ".f" #BITS, F, F, F, F, NAN1_##BITS (FLOOR_##BITS (x))) \
  UNARY (RPI_F##BITS, "cvt.rpi.f" #BITS ".f" #BITS, F, F, F, F, NAN1_##BITS (CEIL_##BITS (x))) \
  COMPARISONS (F##BITS, "f" #BITS, F, F)					\
  COMPARE (EQU_F##BITS, "equ.f" #BITS, F, F, !(x < y || x > y))			\
  COMPARE (NEU_F##BITS, "neu.f" #BITS, F, F, !(x == y))				\
  COMPARE (LTU_F##BITS, "ltu.f" #BITS, F, F, !(x >= y)) COMPARE (LEU_F##BITS, "leu.f" #BITS, F, F, !(x > y)) \
  COMPARE (GTU_F##BITS, "gtu.f" #BITS, F, F, !(x <= y)) COMPARE (GEU_F##BITS, "geu.f" #BITS, F, F, !(x < y)) \
  COMPARE (NUM_F##BITS, "num.f" #BITS, F, F, x == x && y == y)			\
  COMPARE (NAN_F##BITS, "nan.f" #BITS, F, F, x != x || y != y)			\
  TEST (FINITE, "finite", BITS, F, ABS_##BITS (x) <= MOST_##BITS)		\
  TEST (INFINITE, "infinite", BITS, F, ABS_##BITS (x) > MOST_##BITS)		\
  TEST (NUMBER, "number", BITS, F, x == x)					\
  TEST (NOTANUMBER, "notanumber", BITS, F, x != x)				\
  TEST (NORMAL, "normal", BITS, F, x == 0 || (ABS_##BITS (x) >= LEAST_##BITS && ABS_##BITS (x) <= MOST_##BITS)) \
  TEST (SUBNORMAL, "subnormal", BITS, F, x != 0 && ABS_##BITS (x) < LEAST_##BITS)
#define TEST(NAME, TEXT, BITS, F, EXPR) UNARY (TESTP_##NAME##_F##BITS, "testp." TEXT ".f" #BITS, uint32_t, uint32_t, F, F, (EXPR) ? UINT32_MAX : 0)

FLOATS (32, float)
FLOATS (64, double)

/* GCC writes these with -ffast-math; a device's own are within the error that the book
   gives.  */
UNARY (SIN_F32, "sin.approx.f32", float, float, float, float, NAN1_32 (sinf (x)))
UNARY (COS_F32, "cos.approx.f32", float, float, float, float, NAN1_32 (cosf (x)))
UNARY (EX2_F32, "ex2.approx.f32", float, float, float, float, NAN1_32 (exp2f (x)))
UNARY (LG2_F32, "lg2.approx.f32", float, float, float, float, NAN1_32 (log2f (x)))
UNARY (TANH_F32, "tanh.approx.f32", float, float, float, float, NAN1_32 (tanhf (x)))
UNARY (RSQRT_F32, "rsqrt.approx.f32", float, float, float, float, NAN1_32 (1 / sqrtf (x)))
UNARY (RCPA_F32, "rcp.approx.f32", float, float, float, float, NAN1_32 (1 / x))
UNARY (SQRTA_F32, "sqrt.approx.f32", float, float, float, float, NAN1_32 (sqrtf (x)))
BINARY (DIVA_F32, "div.approx.f32", float, float, float, float, NAN2_32 (x / y))
BINARY (DIVF_F32, "div.full.f32", float, float, float, float, NAN2_32 (x / y))

/* Conversions of integers: D of S.  */
#define CVT(D, W, R, S, V, T) UNARY (CVT_##D##_##S, "cvt." #D "." #S, W, W, V, T, (R) x)
#define CVTS(D, W, R)								\
  CVT (D, W, R, u8, uint32_t, uint8_t) CVT (D, W, R, s8, uint32_t, int8_t)	\
  CVT (D, W, R, u16, uint32_t, uint16_t) CVT (D, W, R, s16, uint32_t, int16_t)	\
  CVT (D, W, R, u32, uint32_t, uint32_t) CVT (D, W, R, s32, uint32_t, int32_t)	\
  CVT (D, W, R, u64, uint64_t, uint64_t) CVT (D, W, R, s64, uint64_t, int64_t)
CVTS (u8, uint32_t, uint8_t) CVTS (s8, uint32_t, int8_t)
CVTS (u16, uint32_t, uint16_t) CVTS (s16, uint32_t, int16_t)
CVTS (u32, uint32_t, uint32_t) CVTS (s32, uint32_t, int32_t)
CVTS (u64, uint64_t, uint64_t) CVTS (s64, uint64_t, int64_t)
#define TO_FLOAT(F, R)								\
  CVT (F, R, R, u8, uint32_t, uint8_t) CVT (F, R, R, s8, uint32_t, int8_t)	\
  CVT (F, R, R, u16, uint32_t, uint16_t) CVT (F, R, R, s16, uint32_t, int16_t)	\
  CVT (F, R, R, u32, uint32_t, uint32_t) CVT (F, R, R, s32, uint32_t, int32_t)	\
  CVT (F, R, R, u64, uint64_t, uint64_t) CVT (F, R, R, s64, uint64_t, int64_t)
TO_FLOAT (f32, float) TO_FLOAT (f64, double)
UNARY (CVT_F64_F32, "cvt.f64.f32", double, double, float, float, (double) x)
UNARY (CVT_F32_F64, "cvt.f32.f64", float, float, double, double, (float) x)
/* To the nearest integer that the type has, of NaN as the device makes it.  */
#define TO_INTEGER(MODE, D, W, R, F, S, BITS, LOW, HIGH, NAN)			\
  UNARY (CVT_##MODE##_##D##_##F, "cvt." #MODE "." #D "." #F, W, W, S, S, x != x ? (W) (R) (NAN) \
	 : MODE##_##BITS (x) >= HIGH ? (W) (R) ~(LOW##_OF (R)) : MODE##_##BITS (x) <= LOW##_AS (R) ? (W) LOW##_OF (R) : (W) (R) MODE##_##BITS (x))
#define ZERO_OF(R) ((R) 0)
#define ZERO_AS(R) 0
#define LEAST_OF(R) ((R) ((uint64_t) 1 << (8 * sizeof (R) - 1)))
#define LEAST_AS(R) ((double) LEAST_OF (R))
#define TO_INTEGERS(MODE)							\
  TO_INTEGER (MODE, s32, uint32_t, int32_t, f32, float, 32, LEAST, 0x1p31f, 0)	\
  TO_INTEGER (MODE, u32, uint32_t, uint32_t, f32, float, 32, ZERO, 0x1p32f, 0)	\
  TO_INTEGER (MODE, s64, uint64_t, int64_t, f32, float, 32, LEAST, 0x1p63f, LEAST_OF (int64_t)) \
  TO_INTEGER (MODE, u64, uint64_t, uint64_t, f32, float, 32, ZERO, 0x1p64f, (uint64_t) 1 << 63) \
  TO_INTEGER (MODE, s32, uint32_t, int32_t, f64, double, 64, LEAST, 0x1p31, LEAST_OF (int32_t)) \
  TO_INTEGER (MODE, u32, uint32_t, uint32_t, f64, double, 64, ZERO, 0x1p32, (uint32_t) 1 << 31) \
  TO_INTEGER (MODE, s64, uint64_t, int64_t, f64, double, 64, LEAST, 0x1p63, LEAST_OF (int64_t)) \
  TO_INTEGER (MODE, u64, uint64_t, uint64_t, f64, double, 64, ZERO, 0x1p64, (uint64_t) 1 << 63)
TO_INTEGERS (rzi) TO_INTEGERS (rni) TO_INTEGERS (rmi) TO_INTEGERS (rpi)

/* Memory.  ldw and stw have registers of 64 bits for less.  */
#define LOAD(NAME, TEXT, W, T) OPERATION (NAME, TEXT, LOAD_ (W, T))
#define STORE(NAME, TEXT, W, T) OPERATION (NAME, TEXT, STORE_ (W, T))
LOAD (LD_U8, "ld.u8", uint32_t, uint8_t) LOAD (LD_S8, "ld.s8", uint32_t, int8_t)
LOAD (LD_U16, "ld.u16", uint32_t, uint16_t) LOAD (LD_S16, "ld.s16", uint32_t, int16_t)
LOAD (LD_U32, "ld.u32", uint32_t, uint32_t) LOAD (LD_U64, "ld.u64", uint64_t, uint64_t)
LOAD (LDW_U8, "ldw.u8", uint64_t, uint8_t) LOAD (LDW_S8, "ldw.s8", uint64_t, int8_t)
LOAD (LDW_U16, "ldw.u16", uint64_t, uint16_t) LOAD (LDW_S16, "ldw.s16", uint64_t, int16_t)
LOAD (LDW_U32, "ldw.u32", uint64_t, uint32_t) LOAD (LDW_S32, "ldw.s32", uint64_t, int32_t)
STORE (ST_U8, "st.u8", uint32_t, uint8_t) STORE (ST_U16, "st.u16", uint32_t, uint16_t)
STORE (ST_U32, "st.u32", uint32_t, uint32_t) STORE (ST_U64, "st.u64", uint64_t, uint64_t)
STORE (STW_U8, "stw.u8", uint64_t, uint8_t) STORE (STW_U16, "stw.u16", uint64_t, uint16_t)
STORE (STW_U32, "stw.u32", uint64_t, uint32_t)

/* Atomics, one lane after the other; what was there, and what is to be there instead.  */
#define ATOMIC(NAME, TEXT, T, EXPR) OPERATION (ATOM_##NAME, "atom." TEXT, ATOMIC_ (T, T, EXPR))
#define ATOMICS(BITS)								\
  ATOMIC (ADD_U##BITS, "add.u" #BITS, uint##BITS##_t, old + b)			\
  ATOMIC (AND_U##BITS, "and.u" #BITS, uint##BITS##_t, old & b)			\
  ATOMIC (OR_U##BITS, "or.u" #BITS, uint##BITS##_t, old | b)			\
  ATOMIC (XOR_U##BITS, "xor.u" #BITS, uint##BITS##_t, old ^ b)			\
  ATOMIC (EXCH_U##BITS, "exch.u" #BITS, uint##BITS##_t, b)			\
  ATOMIC (CAS_U##BITS, "cas.u" #BITS, uint##BITS##_t, old == b ? c : old)	\
  ATOMIC (MIN_U##BITS, "min.u" #BITS, uint##BITS##_t, old < b ? old : b)	\
  ATOMIC (MAX_U##BITS, "max.u" #BITS, uint##BITS##_t, old > b ? old : b)	\
  ATOMIC (MIN_S##BITS, "min.s" #BITS, uint##BITS##_t, (int##BITS##_t) old < (int##BITS##_t) b ? old : b) \
  ATOMIC (MAX_S##BITS, "max.s" #BITS, uint##BITS##_t, (int##BITS##_t) old > (int##BITS##_t) b ? old : b)
ATOMICS (32)
ATOMICS (64)
ATOMIC (INC_U32, "inc.u32", uint32_t, old >= b ? 0 : old + 1)
ATOMIC (DEC_U32, "dec.u32", uint32_t, old == 0 || old > b ? b : old - 1)
OPERATION (ATOM_ADD_F32, "atom.add.f32", ATOMIC_ (uint32_t, float, sum_32 (old, b)))
OPERATION (ATOM_ADD_F64, "atom.add.f64", ATOMIC_ (uint64_t, double, sum_64 (old, b)))

/* Control.  Each leaves when the group waits or is no more.  */
OPERATION (MEET, "meet", { HERE; if (!accscope_simt_arrive (w, g)) LEAVE; RELOAD; NEXT; })
OPERATION (END, "end", { HERE; if (!accscope_simt_return (w, g)) LEAVE; RELOAD; NEXT; })
OPERATION (BRA, "bra", BRANCH_)
OPERATION (CALL, "call", { HERE; SPEND; if (!accscope_simt_call (w, g, in->target + g->frame->function->calls, in->operand[0] ? AT (0) : NULL)) LEAVE; RELOAD; NEXT; })
OPERATION (EXIT, "exit", { HERE; if (!accscope_simt_exit (w, g, mask)) LEAVE; RELOAD; })
OPERATION (TRAP, "trap", { HERE; accscope_simt_tell (w, g, SIMT_TRAP, FIRST, 0, 0, 0); LEAVE; })
OPERATION (BAR, "bar.sync", { HERE; const uint32_t *a = AT (0), *b = AT (1); if (!accscope_simt_barrier (w, g, a[FIRST], b[FIRST])) LEAVE; })
OPERATION (WARPSYNC, "bar.warp.sync", { const uint32_t *a = AT (0); TOGETHER (a[FIRST]) (void) all; mask = own; })
OPERATION (SLEEP, "nanosleep", { HERE; g->pc++; LEAVE; }) /* a hint: others have their turn */
OPERATION (FENCE, "membar", __atomic_thread_fence (__ATOMIC_SEQ_CST);)
OPERATION (ACTIVEMASK, "activemask.u32", { uint32_t *d = AT (0); LOOP (d[i] = mask;) })
/* From which lane, if that is one, and what a lane gets within the whole warp.  */
#define SHUFFLE(NAME, TEXT, SOURCE, VALID, WHOLE) OPERATION (SHFL_##NAME, "shfl." TEXT ".u32", SHUFFLE_ (SOURCE, VALID, WHOLE))
SHUFFLE (IDX, "idx", (least | (by & 31 & ~segment)), source <= most, given[by])
SHUFFLE (UP, "up", ((int) i - (int) (by & 31)), source >= most, i >= by ? given[i - by] : given[i])
SHUFFLE (DOWN, "down", ((int) i + (int) (by & 31)), source <= most, i + by < LANES ? given[i + by] : given[i])
SHUFFLE (BFLY, "bfly", ((int) (i ^ (by & 31))), source <= most, given[i ^ by])
#define VOTE(NAME, TEXT, D) OPERATION (VOTE_##NAME, "vote." TEXT, VOTE_ (D))
VOTE (ALL, "all.pred", yes == all ? UINT32_MAX : 0)
VOTE (ANY, "any.pred", yes ? UINT32_MAX : 0)
VOTE (UNI, "uni.pred", yes == 0 || yes == all ? UINT32_MAX : 0)
VOTE (BALLOT, "ballot.u32", yes)
/* Instructions of the gang; nanoseconds.  */
OPERATION (CLOCK_U32, "clock.u32", { uint32_t *d = AT (0); uint32_t now = (uint32_t) (w->gang->instructions + RUN); LOOP (d[i] = now;) })
OPERATION (CLOCK_U64, "clock.u64", { uint64_t *d = AT (0); uint64_t now = w->gang->instructions + RUN; LOOP (d[i] = now;) })
OPERATION (TIMER, "globaltimer.u64", { uint64_t *d = AT (0); uint64_t now = nanoseconds (); LOOP (d[i] = now;) })

#undef UNARY
#undef BINARY
#undef TERNARY
#undef INTEGERS
#undef COMPARE
#undef ORDERS
#undef COMPARISONS
#undef FLOATS
#undef TEST
#undef CVT
#undef CVTS
#undef TO_FLOAT
#undef TO_INTEGER
#undef TO_INTEGERS
#undef ZERO_OF
#undef ZERO_AS
#undef LEAST_OF
#undef LEAST_AS
#undef LOAD
#undef STORE
#undef ATOMIC
#undef ATOMICS
#undef SHUFFLE
#undef VOTE
