import type { ServerTry, TryOutcome } from '../smtp-client/exchange.ts';

/**
 * How the attempt that an event ended is stored with that event: a first line with the number of the attempt and the transport, then for each
 * server that was tried a line of facts and the lines of the conversation. Tabs separate the facts. Nothing in it has control
 * characters, so that no line can be mistaken for another. The form is a third shorter than JSON, and needs no escapes.
 */
export function joinTries(attempt: number, transport: string, tries: readonly string[]): string {
  return `${attempt}\t${transport}\n${tries.join('\n')}`;
}

/** @param ordinals of the recipients, in the message. @param now the current time, and `nowMs` the same by the monotonic clock. */
export function formatTry(tried: ServerTry, ordinals: readonly number[], now: Date, nowMs: number): string {
  const { server, tls, isReused, outcome, reply, lines, startedMs, endedMs } = tried;
  const isLast = lines !== null && lines.findLast((line) => line.startsWith('S ')) === `S ${reply}`;
  const facts = [
    ...[FACTS, Math.round(now.getTime() - nowMs + startedMs), Math.round(endedMs - startedMs), ordinals.join()],
    ...[outcome, server?.host ?? '', server?.address ?? '', server?.port ?? ''],
    ...(tls === null ? ['', '', ''] : [tls.protocol, tls.cipher, tls.isVerified ? 1 : 0]),
    ...[isReused ? 1 : 0, isLast ? SAME : toPlain(reply)],
  ].join('\t');
  return lines === null ? facts : `${facts}\n${lines.join('\n')}`;
}

/** Without the conversation, which is not in the reply journal. */
export function factsOnly(tried: string): string {
  const end = tried.indexOf('\n');
  const facts = end === -1 ? tried : tried.slice(0, end);
  if (!facts.endsWith(`\t${SAME}`)) return facts;
  const reply = tried.slice(tried.lastIndexOf('\nS ') + 3);
  return facts.slice(0, -SAME.length) + reply.split('\n', 1)[0];
}

/** A try as it was stored. */
export interface StoredTry {
  readonly number: number;
  readonly transport: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly ordinals: readonly number[];
  readonly outcome: TryOutcome;
  readonly server: { readonly host: string; readonly address: string | null; readonly port: number } | null;
  readonly tls: { readonly protocol: string; readonly cipher: string; readonly verified: boolean } | null;
  readonly isReused: boolean;
  readonly reply: string;
  readonly conversation: readonly { readonly from: 'client' | 'server'; readonly line: string }[] | null;
}

/** The tries of a stored attempt, in their order. */
export function readTries(stored: string): readonly StoredTry[] {
  const [head = '', ...lines] = stored.split('\n');
  const [number = '', transport = ''] = head.split('\t');
  const starts = lines.flatMap((line, index) => (line.startsWith(`${FACTS}\t`) ? [index] : []));
  return starts.map((start, index) => {
    const [facts = '', ...said] = lines.slice(start, starts[index + 1]);
    return { number: Number(number), transport, ...readTry(facts, said) };
  });
}

const FACTS = 'A';
/** The reply is the last one of the conversation. */
const SAME = '=';

function readTry(facts: string, said: readonly string[]): Omit<StoredTry, 'number' | 'transport'> {
  const [, startedMs, durationMs, ordinals = '', outcome, host = '', address, port, ...rest] = facts.split('\t');
  const [protocol = '', cipher = '', isVerified, isReused, reply = ''] = rest;
  const conversation = said.map((line) => ({
    from: line.startsWith('S') ? ('server' as const) : ('client' as const),
    line: line.slice(2),
  }));
  return {
    startedAt: new Date(Number(startedMs)),
    durationMs: Number(durationMs),
    ordinals: ordinals === '' ? [] : ordinals.split(',').map(Number),
    outcome: outcome as TryOutcome, // Written by formatTry.
    server: host === '' ? null : { host, address: address || null, port: Number(port) },
    tls: protocol === '' ? null : { protocol, cipher, verified: isVerified === '1' },
    isReused: isReused === '1',
    reply: reply === SAME ? (conversation.findLast(({ from }) => from === 'server')?.line ?? '') : reply,
    conversation: conversation.length === 0 ? null : conversation,
  };
}

/** One line, whatever the reason quotes. */
function toPlain(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ').trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
