import type { Operation } from '@postrider/core';
import type { AccountWorld } from '../../http/documented/account-world.ts';
import type { ValidRequest } from '../../http/documented/valid-request.ts';
import type { RestrictedCaller } from './callers.ts';

export const OWN_STATES = [
  'pending',
  'rejected',
  'expired',
  'withdrawn',
  'approved and scheduled',
  'approved',
] as const;

export type OwnState = (typeof OWN_STATES)[number];

/** A message that a held key sent, and the hold of it. */
export interface OwnMessage {
  readonly state: OwnState;
  readonly id: string;
  readonly approvalId: string;
}

const MAIL = { from: 'Ada <ada@sandbox.test>', to: 'out@example.com', subject: 'Hello', text: 'Hi there' };
const DAY_MS = 86_400_000;

export async function makeOwnMessage(
  world: AccountWorld,
  caller: RestrictedCaller,
  state: OwnState,
): Promise<OwnMessage> {
  const { server } = world;
  const at = new Date(server.clock.now().getTime() + DAY_MS).toISOString();
  const body = state === 'approved and scheduled' ? { ...MAIL, scheduled_at: at } : MAIL;
  const sent = await server.call('POST', '/emails', { key: caller.key, body });
  if (sent.body.status !== 'pending_approval') throw new Error(`not held: ${JSON.stringify(sent.body)}`);
  const { id, approvalId } = sent.body;
  await END[state](world, caller, { id, approvalId });
  return { state, id, approvalId };
}

type End = (
  world: AccountWorld,
  caller: RestrictedCaller,
  made: Pick<OwnMessage, 'id' | 'approvalId'>,
) => Promise<unknown>;

const decide =
  (decision: string): End =>
  async (world, _caller, { approvalId }) =>
    await world.make('POST', `/keys/approvals/${approvalId}`, { decision });

const END: Readonly<Record<OwnState, End>> = {
  pending: async () => undefined,
  rejected: decide('reject'),
  'approved and scheduled': decide('approve'),
  approved: decide('approve'),
  withdrawn: async ({ server }, { key }, { id }) => await server.call('DELETE', `/emails/${id}`, { key }),
  async expired(world, _caller, { approvalId }) {
    const { sql } = world.server.database;
    await sql`UPDATE approvals SET expires_at = ${world.server.clock.now()} WHERE id = ${approvalId}`;
    const { headers } = world.credential('a key with every scope');
    const given = { key: null, headers, body: { decision: 'approve' } };
    const { body } = await world.server.call('POST', `/keys/approvals/${approvalId}`, given);
    if (body.code !== 'approval_already_decided') throw new Error(JSON.stringify(body));
  },
};

/** Whether an operation changes one message or hold that its request names. */
export function changesOne({ id, path, effect }: Pick<Operation, 'id' | 'path' | 'effect'>): boolean {
  if (effect === 'read') return false;
  return id === 'approvals.decide-many' || (/^(emails|approvals)\./.test(id) && path.includes('/:id'));
}

/** The request of a fixture, for this message. */
export function aimAt(operationId: string, request: ValidRequest, { id, approvalId }: OwnMessage): ValidRequest {
  if (operationId === 'approvals.decide-many') {
    return { ...request, body: { ...(request.body as object), ids: [approvalId] } };
  }
  return { ...request, params: { id: operationId.startsWith('emails.') ? id : approvalId } };
}

/** Cancelling stops mail, so a held key may cancel its own: before the decision, which withdraws the hold, and after it. */
export function mayCancel(operationId: string, { state }: OwnMessage): boolean {
  return ['emails.cancel', 'emails.delete'].includes(operationId) && CANCELABLE.includes(state);
}

const CANCELABLE: readonly OwnState[] = ['pending', 'approved and scheduled'];

/** What a cancellation leaves: who did it is in the events of the message and of its hold, and in the audit log. */
export async function readCancellation(
  {
    server: {
      database: { sql },
    },
  }: AccountWorld,
  { id, approvalId }: OwnMessage,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [row] = await sql`
    SELECT m.status, h.status AS hold,
      (SELECT e.detail FROM message_events e WHERE e.account_id = m.account_id AND e.message_id = m.id AND e.type = 'canceled') AS detail,
      (SELECT e.type || ' by ' || e.actor FROM approval_events e WHERE e.account_id = m.account_id AND e.approval_id = ${approvalId}
        ORDER BY e.id DESC LIMIT 1) AS events,
      (SELECT a.action || ' by ' || a.actor FROM audit_log a WHERE a.account_id = m.account_id AND a.target_id = ${approvalId}
        ORDER BY a.id DESC LIMIT 1) AS audit,
      (SELECT count(*)::int FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id) AS deliveries
    FROM messages m JOIN approvals h ON h.account_id = m.account_id AND h.message_id = m.id WHERE m.id = ${id}`;
  return row;
}

/** As `readCancellation` should find it. */
export function expectedCancellation({ state }: OwnMessage, actor: string): Readonly<Record<string, unknown>> {
  const isPending = state === 'pending';
  const type = isPending ? 'withdrawn' : 'canceled';
  return {
    ...{ status: 'canceled', hold: isPending ? 'withdrawn' : 'approved', deliveries: 0 },
    ...{ detail: `by ${actor}`, events: `${type} by ${actor}`, audit: `approval.${type} by ${actor}` },
  };
}
