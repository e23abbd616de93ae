;; Adds int8 components, each times `scale`, to 64-bit floats, 8 at a time; in each of them as plain code would, so that
;; the sums are the same to the last digit. `count` is a multiple of 8; memory layout is the caller's (tokenTable.ts).
(module
  (import "host" "memory" (memory 1))
  (func (export "addRow") (param $row i32) (param $count i32) (param $scale f64) (param $sum i32)
    (local $end i32) (local $factor v128) (local $wide v128) (local $four v128)
    (local.set $end (i32.add (local.get $row) (local.get $count)))
    (local.set $factor (f64x2.splat (local.get $scale)))
    (block $done
      (loop $eight
        (br_if $done (i32.ge_u (local.get $row) (local.get $end)))
        (local.set $wide (v128.load8x8_s (local.get $row)))
        (local.set $four (i32x4.extend_low_i16x8_s (local.get $wide)))
        (v128.store
          (local.get $sum)
          (f64x2.add
            (v128.load (local.get $sum))
            (f64x2.mul (local.get $factor) (f64x2.convert_low_i32x4_s (local.get $four)))))
        (v128.store offset=16
          (local.get $sum)
          (f64x2.add
            (v128.load offset=16 (local.get $sum))
            (f64x2.mul
              (local.get $factor)
              (f64x2.convert_low_i32x4_s
                (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $four) (local.get $four))))))
        (local.set $four (i32x4.extend_high_i16x8_s (local.get $wide)))
        (v128.store offset=32
          (local.get $sum)
          (f64x2.add
            (v128.load offset=32 (local.get $sum))
            (f64x2.mul (local.get $factor) (f64x2.convert_low_i32x4_s (local.get $four)))))
        (v128.store offset=48
          (local.get $sum)
          (f64x2.add
            (v128.load offset=48 (local.get $sum))
            (f64x2.mul
              (local.get $factor)
              (f64x2.convert_low_i32x4_s
                (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $four) (local.get $four))))))
        (local.set $row (i32.add (local.get $row) (i32.const 8)))
        (local.set $sum (i32.add (local.get $sum) (i32.const 64)))
        (br $eight)))))
