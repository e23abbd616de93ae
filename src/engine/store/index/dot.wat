;; Dot products of one vector with many int8 vectors, 16 lanes at a time, each times `scale`.
;; Memory layout is the caller's (vectors.ts); the query's components are 16 bits wide, so that they are widened once, and
;; every vector has `dimensions` of 8 bits, a multiple of 16.
(module
  (import "host" "memory" (memory 1))
  ;; Writes `count` products, as 32-bit floats, to `out`.
  (func $dots (export "dots")
    (param $query i32) (param $vectors i32) (param $count i32) (param $dimensions i32) (param $out i32) (param $scale f64)
    (local $end i32) (local $last i32) (local $at i32) (local $sum v128) (local $other v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $vector
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $other (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $last (i32.add (local.get $vectors) (local.get $dimensions)))
        (loop $lane
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.dot_i16x8_s (v128.load (local.get $at)) (v128.load8x8_s (local.get $vectors)))))
          (local.set $other
            (i32x4.add
              (local.get $other)
              (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $at)) (v128.load8x8_s offset=8 (local.get $vectors)))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $vectors (i32.add (local.get $vectors) (i32.const 16)))
          (br_if $lane (i32.lt_u (local.get $vectors) (local.get $last))))
        (local.set $sum (i32x4.add (local.get $sum) (local.get $other)))
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
