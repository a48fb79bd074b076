import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import type { CallInput } from '../operation-types.ts';
import { recordsOf, textOf } from '../output/json-value.ts';
import { type ForeseenSend, foreseeRefusal } from './foresee-refusal.ts';
import type { Edits } from './held-content.ts';
import { type Hold, readHold } from './hold.ts';

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
  | { readonly kind: 'decided'; readonly hold: Hold; readonly answer: unknown }
  /** It is not what was looked at; `hold` is how it stands now. */
  | { readonly kind: 'changed'; readonly hold: Hold }
  /** Somebody else decided it, or its time was over. */
  | { readonly kind: 'ended'; readonly hold: Hold };

/** The held sends as the server has them. Calls reject with a CliFailure. */
export interface HeldSends {
  /** What waits, the one that expires first at the top; `total` may be more than is listed. */
  listPending(): Promise<{ readonly holds: readonly Hold[]; readonly total: number }>;
  read(id: string): Promise<Hold>;
  /** Why an approval would not be sent; empty if nothing is known against it. */
  foresee(send: ForeseenSend): Promise<readonly string[]>;
  decide(id: string, decision: Decision): Promise<DecisionResult>;
}

/** As many as the API gives at once, and so many pages at most: nobody reads more than these before the next look. */
const PAGE_ROWS = 100;
const PAGES_MAX = 5;

export function connectHeldSends(connection: ApiConnection): HeldSends {
  const read = async (id: string) => readHold((await connection.call('approvals.get', { params: { id } })).data);

  return {
    read,
    foresee: (send) => foreseeRefusal(send, connection),
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
        const { data: answer } = await connection.callCommand('approvals.decide', input);
        return { kind: 'decided', hold: readHold(answer), answer };
      } catch (error) {
        if (!(error instanceof CliFailure) || !OVERTAKEN.includes(error.problem.code)) throw error;
        const hold = await read(id);
        return { kind: hold.status === 'pending' ? 'changed' : 'ended', hold };
      }
    },
  };
}

/** What says that the hold is no longer what the person saw. */
const OVERTAKEN = ['approval_changed', 'approval_already_decided'];

function byExpiry(a: Hold, b: Hold): number {
  return a.expiresAt.localeCompare(b.expiresAt) || a.id.localeCompare(b.id);
}
