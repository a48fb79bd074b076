import type { Postrider } from '@postrider/sdk';

export async function notifyAll(postrider: Postrider, addresses: readonly string[]): Promise<string[]> {
  const message = { from: 'ada@sandbox.test', subject: 'Maintenance', text: 'Tonight at 22:00 UTC.' };
  const emails = addresses.map((to) => ({ ...message, to }));
  // At most 100 emails a call. Each is checked separately, so some can be refused and the others sent.
  const { results } = await postrider.emails.sendBatch({ emails });
  return results.map(({ ok, id, error }) => (ok ? `sent as ${id}` : `${error?.code}: ${error?.detail}`));
}
