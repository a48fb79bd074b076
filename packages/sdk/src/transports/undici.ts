import type { TransportRequest, TransportResponse } from '../transport.ts';
import { explainOldNode } from './node-version.ts';

type Undici = typeof import('undici');

/** The transport under Node. undici's own time limits are off because the signal carries the caller's. */
export const transport = /* @__PURE__ */ createTransport();

/** @throws Error on a Node version that undici does not support: its requests would fail with an error that does not say why. */
export function assertPlatform(): void {
  const fault = explainOldNode(process.versions);
  if (fault !== null) throw new Error(fault);
}

/** A variable of the process's environment; undefined if it is not set or empty. */
export function readVariable(name: string): string | undefined {
  return process.env[name] || undefined;
}

/**
 * undici is loaded with the first request: its hundred modules take longer to load than everything else here, and programs that only verify
 * webhooks need none of them.
 */
function createTransport(): (request: TransportRequest) => Promise<TransportResponse> {
  let loading: Promise<Undici> | undefined;
  return async ({ method, url, headers, body, signal, opens }) => {
    loading ??= import('undici');
    const { request } = await loading;
    const limits = { signal, headersTimeout: 0, bodyTimeout: 0 };
    const response = await request(url, { method, headers, body: body ?? null, ...limits });
    const head = { status: response.statusCode, headers: joinRepeated(response.headers) };
    if (opens === true && head.status >= 200 && head.status <= 299) return { ...head, text: '', chunks: response.body };
    return { ...head, text: await response.body.text() };
  };
}

function joinRepeated(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const present = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(present.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
