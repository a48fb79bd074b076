import { parentPort } from 'node:worker_threads';
import { READY } from '../../threads/worker-thread.ts';
import { type BodyOrder, shapeBodies } from './shape-bodies.ts';

/** The thread that reads large bodies, started by the pool of body-shaper.ts, which sends one job at a time. */
parentPort?.on('message', (order: BodyOrder) => parentPort?.postMessage(shapeBodies(order)));
parentPort?.postMessage(READY);
