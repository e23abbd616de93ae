/** The vector scaled to length 1; a zero vector as it is. */
export function toUnitVector(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map(it => it / length);
}
