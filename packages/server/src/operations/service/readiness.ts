import type { Handler } from '../context.ts';

/** Returns 200 while everything this process needs works, otherwise 503 with the reasons. */
export const getReadiness: Handler<'service.readiness'> = async (_input, { services: { diagnostics } }) => {
  const checks = await diagnostics.readiness.check();
  const ready = Object.values(checks).every(({ status }) => status === 'ok');
  return ready
    ? { body: { status: 'ok', checks } }
    : { status: 503, headers: { 'retry-after': '1' }, body: { status: 'unavailable', checks } };
};
