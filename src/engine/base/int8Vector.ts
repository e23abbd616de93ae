/** Components are kept as int8: a unit vector's, times this, rounded. Costs about 0.3 % of a cosine. */
export const int8Scale = 127;

/** A unit-length vector as int8 components. */
export function toInt8Vector(vector: Float32Array): Int8Array {
  const components = new Int8Array(vector.length);
  for (let i = 0; i < components.length; i++) components[i] = Math.round(vector[i]! * int8Scale);
  return components;
}
