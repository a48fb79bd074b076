import type { Handler } from '../context.ts';

/** Succeeds as long as the process runs. */
export const getHealth: Handler<'service.health'> = (_input, { services: { installation } }) =>
  Promise.resolve({ body: { status: 'ok', version: installation.version } });
