import type { IncomingMessage } from 'node:http';
import type { TransportAnswer, TransportRequest } from '@postrider/sdk';
import { openRequest } from './late-http.ts';

/**
 * Sends the SDK's requests with Node's own HTTP client. A command makes one or two of them, and loading undici, or the implementation of
 * `fetch`, takes several times as long as a request.
 */
export async function carryRequest({ opens, url, body, ...head }: TransportRequest): Promise<TransportAnswer> {
  const answer = await openRequest(url, head, body);
  return await read(answer, opens === true);
}

async function read(answer: IncomingMessage, opens: boolean): Promise<TransportAnswer> {
  const head = { status: answer.statusCode ?? 0, headers: joinRepeated(answer.headers) };
  if (opens && head.status >= 200 && head.status <= 299) return { ...head, text: '', chunks: answer };
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += part;
  return { ...head, text };
}

function joinRepeated(headers: IncomingMessage['headers']): Record<string, string> {
  const present = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(present.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
