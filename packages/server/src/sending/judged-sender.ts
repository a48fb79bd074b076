import type { JudgingKey, MakerSendLimit } from './key-rules.ts';

/** A caller as far as sending needs it: its key and the account's switches. */
interface SendingCaller extends JudgingKey {
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
}

declare const judged: unique symbol;

/**
 * The sender: the key that a send is issued under, with the account's switches, and the caller that asks for it. Only the functions of this
 * file create one, so no send can bypass a key that has to judge it.
 */
export interface Sender extends JudgingKey {
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  /** The caller, if the send is issued under another key; otherwise null. */
  readonly askedBy: JudgingKey | null;
  readonly [judged]: true;
}

/**
 * The sender of a caller's request.
 * @param issuer the key that the message is issued under, if that is another: both judge the send then, and the stricter rule applies
 */
export function senderOf(caller: SendingCaller, issuer: SendingCaller = caller): Sender {
  const { trackOpens, trackClicks } = issuer;
  const askedBy = issuer.keyId === caller.keyId ? null : judgingKeyOf(caller);
  return { ...judgingKeyOf(issuer), trackOpens, trackClicks, askedBy } as Sender; // The brand exists in types only.
}

/** The sender of the installation's own mail, which no key restricts. */
export function installationSender(accountId: string, keyId: string): Sender {
  const rules = {
    mode: 'live',
    recipientAllowlist: null,
    attachmentHosts: null,
    sendLimit: null,
    pausedBy: null,
    lockPersona: false,
  } as const;
  const persona = { source: null, agentName: null };
  const makerLimits: readonly MakerSendLimit[] = [];
  return {
    accountId,
    keyId,
    ...rules,
    makerLimits,
    persona,
    trackOpens: false,
    trackClicks: false,
    askedBy: null,
  } as Sender; // The brand exists in types only.
}

function judgingKeyOf(caller: SendingCaller): JudgingKey {
  const { accountId, keyId, mode, recipientAllowlist, ipAllowlist, persona, lockPersona } = caller;
  const { attachmentHosts, sendLimit, makerLimits, pausedBy, approval, version, shown } = caller;
  const key = { accountId, keyId, mode, recipientAllowlist, ipAllowlist, persona, lockPersona };
  return { ...key, attachmentHosts, sendLimit, makerLimits, pausedBy, approval, version, shown };
}
