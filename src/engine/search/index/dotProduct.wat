;; Kernels of the vector index: dot products of a query with int8 vectors, 16 lanes at a time and scaled by `scale`, and a
;; prefilter by sign bits. vectorIndex.ts lays out the memory. The query's components are 16 bits wide, so that they are
;; widened only once; each vector has `dimensions` components of 8 bits, a multiple of 16.
(module
  (import "host" "memory" (memory 1))
  ;; Writes the products of `count` consecutive vectors, as 32-bit floats, to `out`.
  (func $dotAll (export "dotAll")
    (param $query i32) (param $vectors i32) (param $count i32) (param $dimensions i32) (param $out i32) (param $scale f64)
    (local $end i32) (local $last i32) (local $at i32) (local $sum v128) (local $sumHigh v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $vector
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $sumHigh (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $last (i32.add (local.get $vectors) (local.get $dimensions)))
        (loop $lane
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.dot_i16x8_s (v128.load (local.get $at)) (v128.load8x8_s (local.get $vectors)))))
          (local.set $sumHigh
            (i32x4.add
              (local.get $sumHigh)
              (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $at)) (v128.load8x8_s offset=8 (local.get $vectors)))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $vectors (i32.add (local.get $vectors) (i32.const 16)))
          (br_if $lane (i32.lt_u (local.get $vectors) (local.get $last))))
        (local.set $sum (i32x4.add (local.get $sum) (local.get $sumHigh)))
        (f32.store
          (local.get $out)
          (f32.demote_f64
            (f64.mul
              (local.get $scale)
              (f64.convert_i32_s
                (i32.add
                  (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
                  (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum))))))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $vector))))
  ;; The same for the vectors whose `count` indexes are at `out`; each product overwrites its index.
  (func (export "dotGather")
    (param $query i32) (param $vectors i32) (param $count i32) (param $dimensions i32) (param $out i32) (param $scale f64)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $number
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (call $dotAll
          (local.get $query)
          (i32.add (local.get $vectors) (i32.mul (i32.load (local.get $out)) (local.get $dimensions)))
          (i32.const 1)
          (local.get $dimensions)
          (local.get $out)
          (local.get $scale))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $number))))
  ;; Writes one bit per component, set where it is negative: `bytes` per vector, the smallest multiple of 16 that holds all.
  (func (export "signBits")
    (param $vectors i32) (param $count i32) (param $dimensions i32) (param $out i32) (param $bytes i32)
    (local $last i32) (local $at i32)
    (block $done
      (loop $vector
        (br_if $done (i32.eqz (local.get $count)))
        (v128.store
          (i32.sub (i32.add (local.get $out) (local.get $bytes)) (i32.const 16))
          (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $out))
        (local.set $last (i32.add (local.get $vectors) (local.get $dimensions)))
        (loop $lane
          (i32.store16 (local.get $at) (i8x16.bitmask (v128.load (local.get $vectors))))
          (local.set $at (i32.add (local.get $at) (i32.const 2)))
          (local.set $vectors (i32.add (local.get $vectors) (i32.const 16)))
          (br_if $lane (i32.lt_u (local.get $vectors) (local.get $last))))
        (local.set $out (i32.add (local.get $out) (local.get $bytes)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $vector))))
  ;; Writes the indexes, from 0, of the sign vectors whose Hamming distance to the query's is at most `maxDistance`, as
  ;; 32-bit integers to `out`. Returns the end of the output.
  (func (export "hammingFilter")
    (param $query i32) (param $signs i32) (param $count i32) (param $bytes i32) (param $maxDistance i32) (param $out i32)
    (result i32)
    (local $number i32) (local $last i32) (local $at i32) (local $differing i64)
    (block $done
      (loop $vector
        (br_if $done (i32.ge_u (local.get $number) (local.get $count)))
        (local.set $differing (i64.const 0))
        (local.set $at (local.get $query))
        (local.set $last (i32.add (local.get $signs) (local.get $bytes)))
        (loop $bits
          (local.set $differing
            (i64.add
              (i64.add
                (local.get $differing)
                (i64.popcnt (i64.xor (i64.load (local.get $at)) (i64.load (local.get $signs)))))
              (i64.popcnt (i64.xor (i64.load offset=8 (local.get $at)) (i64.load offset=8 (local.get $signs))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $signs (i32.add (local.get $signs) (i32.const 16)))
          (br_if $bits (i32.lt_u (local.get $signs) (local.get $last))))
        ;; Branchless: always written, but `out` advances only past a match.
        (i32.store (local.get $out) (local.get $number))
        (local.set $out
          (i32.add
            (local.get $out)
            (i32.shl (i32.le_u (i32.wrap_i64 (local.get $differing)) (local.get $maxDistance)) (i32.const 2))))
        (local.set $number (i32.add (local.get $number) (i32.const 1)))
        (br $vector)))
    (local.get $out)))
