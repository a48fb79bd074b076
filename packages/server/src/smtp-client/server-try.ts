import { capLines, withoutSecrets } from './conversation-lines.ts';
import type { NoteTry, TriedServer, TryOutcome } from './exchange.ts';
import type { SmtpFault } from './smtp-fault.ts';
import type { SmtpMessage } from './smtp-message.ts';
import { SmtpTrace } from './smtp-trace.ts';
import type { RecipientVerdict } from './transport.ts';

/** Verdicts, or the fault that prevented a connection: then nothing of the message was sent. */
export type PoolResult =
  | { readonly kind: 'sent'; readonly verdicts: readonly RecipientVerdict[] }
  | { readonly kind: 'unopened'; readonly fault: SmtpFault };

/** Sends a message and notes what was exchanged. Does the same as `carry` for a caller that wants no notes. */
export async function carryNoted(
  carry: (message: SmtpMessage) => Promise<PoolResult>,
  message: SmtpMessage,
  server: TriedServer,
  note: NoteTry | undefined,
): Promise<PoolResult> {
  if (note === undefined) return await carry(message);
  const trace = new SmtpTrace();
  const startedMs = performance.now();
  const result = await carry({ ...message, trace });
  const times = { startedMs, endedMs: performance.now() };
  const { recipients } = message;
  if (result.kind === 'unopened') {
    note({ ...toFailedTry(recipients, server, result.fault), ...times });
    return result;
  }
  const secrets = secretsOf(message);
  const { connection, isReused } = trace;
  const lines = trace.toLines(secrets);
  note({
    ...{ recipients, isReused, ...times },
    server: { ...server, address: connection?.address ?? server.address },
    tls: connection?.tls ?? null,
    outcome: outcomeOf(result.verdicts),
    reply: withoutSecrets(replyOf(result.verdicts), secrets),
    lines: lines.length === 0 ? null : lines,
  });
  return result;
}

/** The outcome for all recipients together. */
export function outcomeOf(verdicts: readonly RecipientVerdict[]): TryOutcome {
  const [first, ...others] = verdicts.map(ownOutcomeOf);
  return others.every((other) => other === first) ? (first ?? 'failed') : 'mixed';
}

/** The reply or the reason for the first recipient that was not accepted, or else for the first. */
export function replyOf(verdicts: readonly RecipientVerdict[]): string {
  const decisive = verdicts.find(({ outcome }) => outcome !== 'accepted') ?? verdicts[0];
  if (decisive === undefined) return '';
  const { reply, reason } = decisive;
  return reply === null ? reason : `${reply.code} ${reply.text}`.trimEnd();
}

function ownOutcomeOf({ outcome, reply }: RecipientVerdict): TryOutcome {
  return outcome === 'deferred' && reply === null ? 'failed' : outcome;
}

function toFailedTry(recipients: readonly string[], server: TriedServer, fault: SmtpFault) {
  const { connection, message: reply } = fault;
  return {
    recipients,
    server: { ...server, address: connection?.address ?? server.address },
    tls: connection?.tls ?? null,
    isReused: false,
    outcome: 'failed',
    reply,
    lines: connection === null || connection.lines.length === 0 ? null : capLines(connection.lines),
  } as const;
}

/** The return path is signed, and a report to it changes the status of the message: readers of the log must not learn it. */
function secretsOf({ mailFrom }: SmtpMessage): readonly string[] {
  const local = mailFrom.slice(0, mailFrom.lastIndexOf('@') + 1).slice(0, -1);
  return local === '' ? [] : [local];
}
