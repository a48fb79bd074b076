import type { Postrider } from '@postrider/sdk';

export async function askTwoThings(postrider: Postrider, signal: AbortSignal): Promise<string> {
  const { data, requestId, rateLimit } = await postrider.account.get({ signal, timeoutMs: 5_000 }).withResponse();
  return `${data.name}: request ${requestId}, ${rateLimit?.remaining} of ${rateLimit?.limit} left`;
}
