import type { Channel, SendRequest, Source } from '@postrider/core';
import type { SendContent, StoredContent } from './content/send-content.ts';
import type { Sender } from './judged-sender.ts';
import { isTestSend } from './judging-keys.ts';
import { isSandboxAddress } from './plan-deliveries.ts';
import { collectRecipients, type Recipient } from './recipients.ts';

/** One parsed send with everything that follows from the request alone. `decide-sends.ts` decides on it with facts. */
export interface ParsedSend {
  /** The keys that judge it. */
  readonly sender: Sender;
  readonly request: SendRequest;
  /** Each address once. */
  readonly recipients: readonly Recipient[];
  /** What `prepareContent` made of the request. */
  readonly content: SendContent;
  /** Set by callers with a fixed channel, such as MCP and SMTP. */
  readonly fixedChannel: Channel | null;
  readonly headerClaims: { readonly source?: Source | undefined; readonly agentName?: string | undefined };
  /** True if the right to send from the domain was checked before, even though another account has verified it. */
  readonly domainChecked: boolean;
  /** The message that this send repeats; null for a new one. */
  readonly resendOf: string | null;
  /** The idempotency key, with the fingerprint of the caller's own input. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  /**
   * Called right before the commit, for callers that cannot report a late acceptance. False rejects the send, because no one waits for the
   * result. After true the send may be accepted whatever happens.
   */
  readonly claim: (() => boolean) | undefined;
}

/** The parts of a parsed send that its origin provides: REST, MCP, SMTP, a batch, a resend, a template test or mail of the installation. */
export interface SendInput extends Pick<ParsedSend, 'request' | 'fixedChannel' | 'headerClaims' | 'idempotency'> {
  readonly resendOf?: string;
  /** The content that was made of the repeated message's request the first time. */
  readonly stored?: StoredContent;
  readonly domainChecked?: boolean;
  readonly claim?: () => boolean;
}

export function toParsedSend(sender: Sender, input: SendInput, content: SendContent): ParsedSend {
  const { request, fixedChannel, headerClaims, idempotency, resendOf = null, domainChecked = false, claim } = input;
  const recipients = collectRecipients(request);
  return {
    sender,
    request,
    recipients,
    content,
    fixedChannel,
    headerClaims,
    domainChecked,
    resendOf,
    idempotency,
    claim,
  };
}

/** Quota units of a send. Test addresses and sends of test keys are free, because nothing leaves the installation. */
export function costOf(
  { sender, recipients }: Pick<ParsedSend, 'sender' | 'recipients'>,
  sandboxDomain: string,
): number {
  if (isTestSend(sender)) return 0;
  let cost = 0;
  for (const { email } of recipients) if (!isSandboxAddress(email, sandboxDomain)) cost += 1;
  return cost;
}
