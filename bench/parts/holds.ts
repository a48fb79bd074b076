import { sampleEmail } from './sample-email.ts';

const BATCH = 100;

/** Calls the API as a client does. Fails on every response that is not a success. */
async function callApi<Body>(baseUrl: string, key: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${baseUrl}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body; // A response of the operation that the caller names.
}

/** Creates a key whose sends are all held. Returns its secret. */
export async function newHeldKey(baseUrl: string, owner: string): Promise<string> {
  const fields = { name: 'Held', scopes: ['emails:send', 'emails:read'], approvalMode: 'always' };
  return (await callApi<{ readonly key: string }>(baseUrl, owner, '/keys', fields)).key;
}

/** Sends `count` messages with a key whose sends are held. Returns the ids of the holds. */
export async function makeHolds(
  baseUrl: string,
  heldKey: string,
  count: number,
  seed: number,
): Promise<readonly string[]> {
  const holds: string[] = [];
  while (holds.length < count) {
    const emails = Array.from({ length: Math.min(BATCH, count - holds.length) }, (_, index) =>
      sampleEmail(seed, holds.length + index),
    );
    const { results } = await callApi<BatchResponse>(baseUrl, heldKey, '/emails/batch', { emails });
    for (const { approvalId } of results) {
      if (approvalId === undefined) throw new Error('a send was not held');
      holds.push(approvalId);
    }
  }
  return holds;
}

interface BatchResponse {
  readonly results: readonly { readonly approvalId?: string }[];
}
