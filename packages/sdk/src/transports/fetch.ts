import type { TransportRequest, TransportResponse } from '../transport.ts';

/** The transport outside Node: the platform's fetch. */
export async function transport({
  method,
  url,
  headers,
  body,
  signal,
  opens,
}: TransportRequest): Promise<TransportResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...headers },
    body: body ?? null,
    signal,
    redirect: 'manual',
  });
  const head = { status: response.status, headers: Object.fromEntries(response.headers) };
  if (opens === true && response.ok && response.body !== null)
    return { ...head, text: '', chunks: read(response.body) };
  return { ...head, text: await response.text() };
}

/** Works in every runtime with `fetch`. */
export function assertPlatform(): void {}

/** Without Node there are no environment variables. */
export function readVariable(_name: string): string | undefined {
  return undefined;
}

/** Not every engine can iterate a stream natively. */
async function* read(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
