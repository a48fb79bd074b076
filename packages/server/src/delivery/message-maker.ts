import { joinMessage } from '../mime/compose-mime.ts';
import type { CanonicalMessage } from '../mime/dkim-canonical.ts';
import { createThreadPool } from '../threads/thread-pool.ts';
import { type MessageOrder, makeMessage } from './make-message.ts';
import type { MadeInThread } from './message-worker.ts';

/** A message that lacks its signatures. */
export type UnsignedMessage =
  | {
      readonly ok: true;
      readonly canonical: CanonicalMessage;
      /** The bytes of the message behind these header lines. */
      sign(signatureHeaders: readonly string[]): Buffer;
    }
  | { readonly ok: false; readonly reason: string };

/** Composes messages without keeping the event loop from other work, however large they are. */
export interface MessageMaker {
  /** @throws where it may work another time. */
  make(order: MessageOrder, octets: number): Promise<UnsignedMessage>;
  close(): Promise<void>;
}

/** Below this a message is composed where it is, in about a millisecond: asking a thread would take as long. */
const LARGE_OCTETS = 64 * 1024;
/** Half of the room that large messages have while they are made: the largest is in memory about five times. */
const HEAP_MB = 384;
/** The largest takes less than a second: this is for the unforeseen. */
const KILL_AFTER_MS = 30_000;

export function createMessageMaker(): MessageMaker {
  const pool = createThreadPool<MessageOrder>({
    module: workerModule(),
    settings: null,
    threads: 1,
    heapMb: HEAP_MB,
    killAfterMs: KILL_AFTER_MS,
    maxWaitMs: null,
  });

  async function makeInThread(order: MessageOrder): Promise<UnsignedMessage> {
    const outcome = await pool.run({ accountId: order.content.accountId }, order);
    if (outcome.kind === 'busy') throw new Error('the threads that compose messages were closed');
    if (outcome.kind === 'overrun') return { ok: false, reason: 'The message takes too long to be composed.' };
    const made = outcome.answer as MadeInThread; // The worker replies with these.
    if (!made.ok) return made;
    const { canonical, header, body } = made;
    const sign = (lines: readonly string[]) =>
      Buffer.concat([Buffer.from(`${lines.join('')}${header}\r\n`, 'latin1'), body]);
    return { ok: true, canonical, sign };
  }

  return {
    async make(order, octets) {
      if (octets > LARGE_OCTETS) return await makeInThread(order);
      const made = makeMessage(order);
      if (!made.ok) return made;
      return { ok: true, canonical: made.canonical, sign: (lines) => joinMessage(made.composed, lines) };
    },
    close: pool.close,
  };
}

/** Beside this file, in the sources as in what they are compiled to. */
function workerModule(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './message-worker.ts' : './message-worker.js', import.meta.url);
}
