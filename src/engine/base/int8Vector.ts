/** Scalar quantization: int8 component = unit vector component × 127, rounded. Changes a cosine by about 0.3 %. */
export const int8Scale = 127;

/** Quantizes a vector of unit length. */
export function toInt8Vector(vector: Float32Array): Int8Array {
  const components = new Int8Array(vector.length);
  for (let i = 0; i < components.length; i++) components[i] = Math.round(vector[i]! * int8Scale);
  return components;
}

/** The bytes of a stored vector as its components, without a copy. */
export function toInt8Components({ buffer, byteOffset, byteLength }: Uint8Array): Int8Array {
  return new Int8Array(buffer, byteOffset, byteLength);
}
