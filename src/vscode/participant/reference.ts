/** What a person wrote behind `/forget`: the id of a memory, as it is shown or in full, or words about it. */
export function parseMemoryReference(prompt: string): { readonly id: string } | { readonly query: string } {
  const isId = /^#\S+$|^[0-9a-f]{8}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(prompt);
  return isId ? { id: prompt.replace(/^#/u, '').toLowerCase() } : { query: prompt };
}
