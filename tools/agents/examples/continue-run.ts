import { type Postrider, verifyWebhook } from '@postrider/sdk';

/** The id of the run that a webhook request is about, to continue it; null for other events. Throws if the request is not from Postrider. */
export async function runToContinue(
  postrider: Postrider,
  request: { readonly body: Uint8Array; readonly headers: Headers },
  secret: string,
): Promise<string | null> {
  const event = verifyWebhook(request.body, request.headers, secret);
  if (event.type !== 'approval.decided') return null;
  const { metadata } = await postrider.emails.get(event.data.emailId);
  return metadata?.['run'] ?? null;
}

/** Without webhooks: returns when an approver has decided, or the hold has ended in another way. */
export async function waitForDecision(postrider: Postrider, emailId: string): Promise<void> {
  const { approval } = await postrider.emails.get(emailId);
  if (approval === null) return;
  for (;;) {
    const { status } = await postrider.approvals.get(approval.id, { wait: 50 });
    if (status !== 'pending') return;
  }
}
