import { parentPort } from 'node:worker_threads';
import { workAtLowPriority } from '../threads/low-priority.ts';
import { createHeapTidier } from '../threads/tidy-heap.ts';
import { READY } from '../threads/worker-thread.ts';
import { type MadeMessage, makeMessage } from './make-message.ts';
import type { MessageOrder } from './message-order.ts';

/** The same with the body as bytes, which are transferred without a copy. */
export type MadeInThread =
  | (Omit<Extract<MadeMessage, { ok: true }>, 'composed'> & { readonly header: string; readonly body: Uint8Array })
  | Extract<MadeMessage, { ok: false }>;

workAtLowPriority();
const tidyHeap = createHeapTidier();

/** The thread that composes large messages. The pool in message-maker.ts starts it and sends one job at a time. */
parentPort?.on('message', (order: MessageOrder) => {
  const made = makeMessage(order);
  if (!made.ok) return parentPort?.postMessage(made);
  const { composed, ...rest } = made;
  // A separate buffer, because transferring one that shares memory would take the others with it.
  const body = Buffer.allocUnsafeSlow(composed.body.length);
  body.write(composed.body, 'latin1');
  const response: MadeInThread = { ...rest, header: composed.header, body };
  parentPort?.postMessage(response, [body.buffer]);
  tidyHeap();
});
parentPort?.postMessage(READY);
