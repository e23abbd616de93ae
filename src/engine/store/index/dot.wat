;; Dot products of one int8 vector with many, 16 lanes at a time, each times `scale`.
;; Memory layout is the caller's (vectors.ts); every vector starts at a multiple of 16 bytes and has `dimensions`
;; components, a multiple of 16, each in -127..127: two products then still fit one signed 16-bit lane.
(module
  (import "host" "memory" (memory 1))
  ;; Writes `count` products, as 32-bit floats, to `out`.
  (func $dots (export "dots")
    (param $query i32) (param $vectors i32) (param $count i32) (param $dimensions i32) (param $out i32) (param $scale f64)
    (local $end i32) (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $vector
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.const 0))
        (loop $lane
          (local.set $a (v128.load (i32.add (local.get $vectors) (local.get $at))))
          (local.set $b (v128.load (i32.add (local.get $query) (local.get $at))))
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.extadd_pairwise_i16x8_s
                (i16x8.add
                  (i16x8.extmul_low_i8x16_s (local.get $a) (local.get $b))
                  (i16x8.extmul_high_i8x16_s (local.get $a) (local.get $b))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $lane (i32.lt_u (local.get $at) (local.get $dimensions))))
        (f32.store
          (local.get $out)
          (f32.demote_f64
            (f64.mul
              (local.get $scale)
              (f64.convert_i32_s
                (i32.add
                  (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
                  (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum))))))))
        (local.set $vectors (i32.add (local.get $vectors) (local.get $dimensions)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $vector))))
  ;; The same for the vectors whose `count` numbers stand at `out`: each product takes the place of its number.
  (func (export "dotsOf")
    (param $query i32) (param $vectors i32) (param $count i32) (param $dimensions i32) (param $out i32) (param $scale f64)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $number
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (call $dots
          (local.get $query)
          (i32.add (local.get $vectors) (i32.mul (i32.load (local.get $out)) (local.get $dimensions)))
          (i32.const 1)
          (local.get $dimensions)
          (local.get $out)
          (local.get $scale))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $number)))))
