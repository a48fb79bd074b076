import type { IncomingMessage } from 'node:http';
import type { TransportRequest, TransportResponse } from '@postrider/sdk';
import { openRequest } from './open-request.ts';

/**
 * Sends the SDK's requests with Node's own HTTP client. A command makes one or two of them, and loading undici, or the implementation of
 * `fetch`, takes several times as long as a request.
 */
export async function carryRequest({ opens, url, body, ...head }: TransportRequest): Promise<TransportResponse> {
  const response = await openRequest(url, head, body);
  return await read(response, opens === true);
}

async function read(response: IncomingMessage, opens: boolean): Promise<TransportResponse> {
  const head = { status: response.statusCode ?? 0, headers: joinRepeated(response.headers) };
  if (opens && head.status >= 200 && head.status <= 299) return { ...head, text: '', chunks: response };
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { ...head, text };
}

function joinRepeated(headers: IncomingMessage['headers']): Record<string, string> {
  const present = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(present.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
