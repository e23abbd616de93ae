/** A text's 32 bits: FNV-1a, with its bits mixed so that the lowest ones differ too (Murmur's last step). */
export function hashOf(text: string): number {
  let it = 2166136261;
  for (let i = 0; i < text.length; i++) it = Math.imul(it ^ text.charCodeAt(i), 16777619);
  it = Math.imul(it ^ (it >>> 16), 0x85ebca6b);
  it = Math.imul(it ^ (it >>> 13), 0xc2b2ae35);
  return (it ^ (it >>> 16)) >>> 0;
}
