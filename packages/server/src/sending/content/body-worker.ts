import { parentPort } from 'node:worker_threads';
import { READY } from '../../threads/worker-thread.ts';
import { type BodyOrder, type ShapedBodies, shapeBodies } from './shape-bodies.ts';

/** `asGiven`: the body is the one that was sent here, which need not travel back. */
export interface ShapedInThread extends ShapedBodies {
  readonly asGiven: { readonly html: boolean; readonly text: boolean };
}

/** The thread that reads large bodies, started by the pool of body-shaper.ts, which sends one job at a time. */
parentPort?.on('message', (order: BodyOrder) => {
  const shaped = shapeBodies(order);
  const asGiven = { html: shaped.html === order.html, text: shaped.text === order.text };
  const { html, text } = shaped;
  const answer: ShapedInThread = {
    ...shaped,
    html: asGiven.html ? null : html,
    text: asGiven.text ? null : text,
    asGiven,
  };
  parentPort?.postMessage(answer);
});
parentPort?.postMessage(READY);
