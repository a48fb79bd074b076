import type { TransportAnswer, TransportRequest } from '../transport.ts';

/** The transport outside Node: the platform's fetch. */
export async function transport({ method, url, headers, body, signal }: TransportRequest): Promise<TransportAnswer> {
  const answer = await fetch(url, { method, headers: { ...headers }, body: body ?? null, signal, redirect: 'manual' });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
}
