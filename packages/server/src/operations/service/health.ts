import type { Handler } from '../context.ts';

/** Answers as long as the process does. */
export const getHealth: Handler<'service.health'> = (_input, { services: { installation } }) =>
  Promise.resolve({ body: { status: 'ok', version: installation.version } });
