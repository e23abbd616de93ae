/** Where an endpoint is: the complete URL that texts are posted to, and what a person is shown of it. */
export interface EndpointAddress {
  readonly url: string;
  /** Scheme, host and port: what a key belongs to. */
  readonly origin: string;
  /** On this machine, so that nothing leaves it. */
  readonly isLoopback: boolean;
}

/**
 * Parses the address of an endpoint: its base (`http://127.0.0.1:11434`, `…/v1`) or the whole of it (`…/v1/embeddings`).
 * Undefined for anything but http and https, and for an address with a name, a key, a query or a fragment in it, as the
 * address is shown and kept in a file.
 */
export function parseEndpointAddress(text: string): EndpointAddress | undefined {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return undefined;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  const path = url.pathname.replace(/(?<!\/)\/+$/u, '');
  if (path === '') url.pathname = '/v1/embeddings';
  else url.pathname = path.endsWith('/embeddings') ? path : `${path}/embeddings`;
  return { url: url.href, origin: url.origin, isLoopback: isLoopbackHost(url.hostname) };
}

/** @param hostname as `URL` normalizes it */
function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(hostname);
}
