import { type Message, sendRequestSchema } from '@postrider/core';
import type { PreparedAccount } from '../accounts/quickstart.ts';
import type { App } from '../app.ts';
import { readMessage } from '../db/queries/read-messages.ts';
import { installationSender } from '../sending/judged-sender.ts';
import { sendMessages } from '../sending/send-messages.ts';

export interface FirstMessage {
  readonly id: string;
  readonly status: Message['status'];
}

const PATIENCE_MS = 10_000;

/** Sends the installation's first message to itself, through the same accept queue and pipeline as every other, and waits for its end. */
export async function sendFirstMessage(
  app: App,
  account: PreparedAccount,
  keyId: string,
  sandboxDomain: string,
): Promise<FirstMessage> {
  const [verdict] = await sendMessages(app.services.sending, installationSender(account.accountId, keyId), [
    {
      request: sendRequestSchema.parse({
        from: `Postrider <postrider@${sandboxDomain}>`,
        to: `delivered@${sandboxDomain}`,
        subject: 'Your first message',
        text: 'Postrider is running: this message was accepted, queued, composed, signed and delivered.\n',
        source: 'system',
      }),
      fixedChannel: null,
      headerClaims: {},
      idempotency: null,
    },
  ]);
  if (verdict === undefined) throw new Error('The first message returned no verdict.');
  if (verdict.kind === 'refused') throw new Error(`The first message was rejected: ${verdict.detail}`);
  await app.services.events.waiter.wait(account.accountId, verdict.id, PATIENCE_MS, AbortSignal.timeout(PATIENCE_MS));
  const message = await readMessage(app.sql, account.accountId, verdict.id);
  // The column contains the statuses of message-status.ts.
  return { id: verdict.id, status: (message?.status ?? 'queued') as Message['status'] };
}
