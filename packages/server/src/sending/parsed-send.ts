import type { Channel, SendRequest, Source } from '@postrider/core';
import type { SendContent, StoredContent } from './content/send-content.ts';
import type { Sender } from './judged-sender.ts';
import { isTestSend } from './judging-keys.ts';
import { isSandboxAddress } from './plan-deliveries.ts';
import { collectRecipients, type Recipient } from './recipients.ts';

/** One parsed send, with everything that follows from the request alone. The rules decide on it, with facts (`decide-sends.ts`). */
export interface ParsedSend {
  /** The keys that judge it. */
  readonly sender: Sender;
  readonly request: SendRequest;
  /** Each address once. */
  readonly recipients: readonly Recipient[];
  /** What `prepareContent` made of the request. */
  readonly content: SendContent;
  /** Set by entries that know their own channel. */
  readonly fixedChannel: Channel | null;
  readonly headerClaims: { readonly source?: Source | undefined; readonly agentName?: string | undefined };
  /** True if it was checked already that mail may be sent from the domain, though another account has verified it. */
  readonly domainChecked: boolean;
  /** The message that this one repeats; null for a new one. */
  readonly resendOf: string | null;
  /** The idempotency key, with the fingerprint of the caller's own input. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  /**
   * Asked right before the commit, by entries that cannot report a late acceptance: after false the send is not accepted, because no one waits
   * for the result. After true it may be, whatever happens.
   */
  readonly claim: (() => boolean) | undefined;
}

/** The parts of a parsed send that its entry knows: REST, MCP, SMTP, a batch, a resend, a test of a template, mail of the installation. */
export interface SendInput extends Pick<ParsedSend, 'request' | 'fixedChannel' | 'headerClaims' | 'idempotency'> {
  readonly resendOf?: string;
  /** What was made of the repeated message's request the first time. */
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

/** Quota units of a send: test addresses and what test keys send are free, because nothing leaves. */
export function costOf(
  { sender, recipients }: Pick<ParsedSend, 'sender' | 'recipients'>,
  sandboxDomain: string,
): number {
  if (isTestSend(sender)) return 0;
  let cost = 0;
  for (const { email } of recipients) if (!isSandboxAddress(email, sandboxDomain)) cost += 1;
  return cost;
}
