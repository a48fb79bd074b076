import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import type { CallInput } from '../operation-types.ts';
import { recordsOf, textOf } from '../output/json-value.ts';
import type { Edits } from './held-content.ts';
import { type Hold, readHold } from './hold.ts';
import { type CheckedSend, findRefusalReasons } from './refusal-reasons.ts';

export interface Decision {
  readonly decision: 'approve' | 'reject';
  readonly contentHash?: string;
  readonly note?: string;
  readonly rejectCode?: string;
  readonly edits?: Edits;
  readonly remember?: true;
}

type Query = NonNullable<CallInput<'approvals.list'>['query']>;

export type DecisionResult =
  | { readonly kind: 'decided'; readonly hold: Hold; readonly response: unknown }
  /** The content differs from what was shown; `hold` is its present state. */
  | { readonly kind: 'changed'; readonly hold: Hold }
  /** Another user decided it, or it expired. */
  | { readonly kind: 'ended'; readonly hold: Hold };

/** The held sends on the server. Calls reject with a CliFailure. */
export interface HeldSends {
  /** The pending holds, ordered by expiry; `total` can be higher than the number listed. */
  listPending(): Promise<{ readonly holds: readonly Hold[]; readonly total: number }>;
  read(id: string): Promise<Hold>;
  /** Why an approved message would not be sent; empty if no reason is known. */
  refusalReasons(send: CheckedSend): Promise<readonly string[]>;
  decide(id: string, decision: Decision): Promise<DecisionResult>;
}

/** The largest page of the API, and a maximum of pages: no one reads more before the next refresh. */
const PAGE_ROWS = 100;
const PAGES_MAX = 5;

export function connectHeldSends(connection: ApiConnection): HeldSends {
  const read = async (id: string) => readHold((await connection.call('approvals.get', { params: { id } })).data);

  return {
    read,
    refusalReasons: (send) => findRefusalReasons(send, connection),
    async listPending() {
      const holds: Hold[] = [];
      let total = 0;
      let cursor: string | null = null;
      for (let pages = 0; pages < PAGES_MAX; pages += 1) {
        const query: Query = { status: 'pending', limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) };
        const { record: page } = await connection.call('approvals.list', { query });
        holds.push(...recordsOf(page.approvals).map(readHold));
        total = typeof page.total === 'number' ? page.total : holds.length;
        cursor = textOf(page.nextCursor) || null;
        if (cursor === null) break;
      }
      const unique = new Map(holds.map((hold) => [hold.id, hold]));
      return { holds: [...unique.values()].sort(byExpiry), total: Math.max(total, unique.size) };
    },
    async decide(id, decision) {
      try {
        const input = { params: { id }, query: {}, headers: {}, body: { ...decision } };
        const { data: response } = await connection.callCommand('approvals.decide', input);
        return { kind: 'decided', hold: readHold(response), response };
      } catch (error) {
        if (!(error instanceof CliFailure) || !OVERTAKEN.includes(error.problem.code)) throw error;
        const hold = await read(id);
        return { kind: hold.status === 'pending' ? 'changed' : 'ended', hold };
      }
    },
  };
}

/** The errors for a hold that is no longer what the user saw. */
const OVERTAKEN = ['approval_changed', 'approval_already_decided'];

function byExpiry(a: Hold, b: Hold): number {
  return a.expiresAt.localeCompare(b.expiresAt) || a.id.localeCompare(b.id);
}
