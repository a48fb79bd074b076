import { request } from 'undici';
import type { TransportAnswer, TransportRequest } from '../transport.ts';

/** The transport under Node. undici's own time limits are off because the signal carries the caller's. */
export async function transport({
  method,
  url,
  headers,
  body,
  signal,
  opens,
}: TransportRequest): Promise<TransportAnswer> {
  const answer = await request(url, {
    method,
    headers,
    body: body ?? null,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const head = { status: answer.statusCode, headers: joinRepeated(answer.headers) };
  if (opens === true && head.status >= 200 && head.status <= 299) return { ...head, text: '', chunks: answer.body };
  return { ...head, text: await answer.body.text() };
}

function joinRepeated(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const present = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(present.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
