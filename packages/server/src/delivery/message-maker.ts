import { joinMessage } from '../mime/compose-mime.ts';
import type { CanonicalMessage } from '../mime/dkim-canonical.ts';
import { createThreadPool } from '../threads/thread-pool.ts';
import { makeMessage } from './make-message.ts';
import type { MessageOrder, NeverSent } from './message-order.ts';
import type { MadeInThread } from './message-worker.ts';

/** A message without its signatures yet. */
export type UnsignedMessage =
  | {
      readonly ok: true;
      readonly canonical: CanonicalMessage;
      /** Returns the bytes of the message after these header lines. */
      sign(signatureHeaders: readonly string[]): Buffer;
      /** See `MadeMessage`. */
      readonly checkedDigest: string | null;
    }
  | NeverSent;

/** Composes messages of any size without blocking the event loop. */
export interface MessageMaker {
  /** @throws if a retry may succeed. */
  make(order: MessageOrder, bytes: number): Promise<UnsignedMessage>;
  close(): Promise<void>;
}

/** Below this size a message is composed on the main thread in about a millisecond: using a worker thread would take as long. */
const LARGE_BYTES = 64 * 1024;
/** Half of the memory for large messages in composition: the largest is in memory about five times. */
const HEAP_MB = 384;
/** The largest message takes less than a second, so this limit is only for unexpected cases. */
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
    if (outcome.kind === 'busy') throw new Error('the threads that compose messages are closed');
    if (outcome.kind === 'overrun') return { ok: false, reason: 'The message takes too long to compose.' };
    const made = outcome.response as MadeInThread; // The worker sends these messages.
    if (!made.ok) return made;
    const { canonical, header, body, checkedDigest } = made;
    const sign = (lines: readonly string[]) =>
      Buffer.concat([Buffer.from(`${lines.join('')}${header}\r\n`, 'latin1'), body]);
    return { ok: true, canonical, sign, checkedDigest };
  }

  return {
    async make(order, bytes) {
      if (bytes > LARGE_BYTES) return await makeInThread(order);
      const made = makeMessage(order);
      if (!made.ok) return made;
      const { composed, canonical, checkedDigest } = made;
      return { ok: true, canonical, sign: (lines) => joinMessage(composed, lines), checkedDigest };
    },
    close: pool.close,
  };
}

/** Next to this file, both in the sources and in the compiled output. */
function workerModule(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './message-worker.ts' : './message-worker.js', import.meta.url);
}
