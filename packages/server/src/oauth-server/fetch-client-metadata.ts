import type { OutboundClient } from '../outbound/outbound-client.ts';
import { readClientMetadata } from './client-metadata.ts';

/** A function like the global one, as far as the library uses it. */
type MetadataFetch = (
  input: string | URL | Request,
  init?: { readonly signal?: AbortSignal | null },
) => Promise<Response>;

/** The draft recommends 5 KB. */
const MAX_BYTES = 8_192;

/**
 * The `fetch` of the authorization server. It fetches nothing but client ID metadata documents, under the guard of all outbound requests:
 * no private addresses, no redirects. It passes on what `readClientMetadata` accepts.
 */
export function createMetadataFetch(http: Pick<OutboundClient, 'request'>, baseUrl: string): MetadataFetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const signal = init?.signal;
    const result = await http.request({
      ...{ url, method: 'GET', maxBytes: MAX_BYTES, headers: { accept: 'application/json' } },
      ...(signal ? { signal } : {}),
    });
    if (result.kind !== 'responded') {
      const reason = result.kind === 'refused' ? `the URL ${result.reason}` : result.reason;
      throw new Error(`The client metadata cannot be fetched: ${reason}`);
    }
    if (result.status !== 200) return new Response(null, { status: result.status });
    if (result.truncated) throw new Error(`The client metadata has more than ${MAX_BYTES} bytes`);
    const document: unknown = JSON.parse(result.body.toString('utf8'));
    const verdict = readClientMetadata(document, baseUrl);
    if (!verdict.ok) throw new Error(verdict.why);
    // The library compares this id with the URL.
    const id = typeof document === 'object' && document !== null && 'client_id' in document ? document.client_id : null;
    const headers = cachingOf(result.headers);
    return new Response(JSON.stringify({ ...verdict.metadata, client_id: id }), { headers });
  };
}

function cachingOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'cache-control': cacheControl } = headers;
  return {
    'content-type': 'application/json',
    ...(cacheControl === undefined ? {} : { 'cache-control': cacheControl }),
  };
}
