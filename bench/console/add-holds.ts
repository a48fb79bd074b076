import { createKey } from '../../packages/server/src/keys/create-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import type { TaggedSql } from '../../test/harness/tagged.ts';

/** Undecided holds of the account. */
export interface Holds {
  readonly total: number;
  /** The id of one of them. */
  readonly newest: string;
}

const BATCH = 100;

/** Sends with a held key until this many holds are undecided. Those of earlier runs count until they expire. */
export async function addHolds(sql: TaggedSql, accountId: string, baseUrl: string, count: number): Promise<Holds> {
  const now = new Date();
  const base = { accountId, mode: 'live', recipientAllowlist: null, now } as const;
  const ids = createIdGenerator();
  const owning = await createKey(sql, ids, { ...base, name: 'Holds', scopes: ['full'], rateLimit: 1_000_000 });
  const call = async (path: string, secret: string, body?: unknown) => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const read = async () => (await call('/keys/approvals?status=pending&limit=1', owning.secret)) as HoldPage;
  const heldKey = { name: 'Held', scopes: ['emails:send'], approvalMode: 'always' };
  const held = (await call('/keys', owning.secret, heldKey)) as { readonly key: string };
  for (let { total } = await read(); total < count; { total } = await read()) {
    const emails = Array.from({ length: Math.min(BATCH, count - total) }, (_, index) => sampleOf(total + index));
    await call('/emails/batch', held.key, { emails });
    const after = (await read()).total;
    if (after === total) throw new Error('The sends were not held.');
  }
  const { total, approvals } = await read();
  return { total, newest: approvals[0]?.id ?? '' };
}

interface HoldPage {
  readonly total: number;
  readonly approvals: readonly { readonly id: string }[];
}

function sampleOf(index: number) {
  const html = `<h1>Order ${index}</h1><p>Thank you. <a href="https://shop.example.com/orders/${index}">See your order</a>.</p>`;
  return { from: 'Ada <ada@sandbox.test>', to: `delivered+${index}@sandbox.test`, subject: `Order ${index}`, html };
}
