import { foldAddress, type HoldReason, LIMITS, nameOperation } from '@postrider/core';
import { addsFreeText } from '../approvals/holds/added-text.ts';
import { isFreeform } from '../approvals/holds/freeform.ts';
import { findHoldReasons, type HoldQuestion } from '../approvals/holds/hold-rules.ts';
import type { Query } from '../db/client.ts';
import {
  type AskedTemplate,
  type HoldFacts,
  type HoldingKey,
  type KnownRecipient,
  readHoldFacts,
} from '../db/queries/hold-facts.ts';
import { addLineHosts, UNREAD_HOSTS } from '../links/link-hosts.ts';
import { timeOfId } from '../uuid-v7.ts';
import type { Refusal } from './acceptance.ts';
import { callingKeyOf, judgesOf, mayBeHeld } from './judging-keys.ts';
import type { JudgingKey } from './key-rules.ts';
import type { ParsedSend } from './parsed-send.ts';

const HOUR_MS = 3_600_000;
/** A caller that is refused for too many holds may retry after a minute. */
const RETRY_AFTER_SECONDS = 60;

/** Why a send is held, and until when. */
export interface HoldVerdict {
  readonly reasons: readonly HoldReason[];
  readonly expiresAt: Date;
}

/** Counts the holds of keys while a batch is decided, so that its items are counted one after the other. */
export interface HoldLedger {
  /** Null if nothing holds the send. */
  holdOf(send: ParsedSend): HoldVerdict | null;
  /**
   * Why the key or its account cannot have another hold; null if it can.
   * @param cost quota units of the send
   * @param monthlyQuota of the account
   */
  faultOf(send: ParsedSend, cost: number, monthlyQuota: number): Refusal | null;
  count(send: ParsedSend, cost: number): void;
}

/** Reads the facts of the sends that may be held, in one round trip; none if there are no such sends. */
export async function readHoldFactsOf(query: Query, sends: readonly ParsedSend[]): Promise<HoldFacts> {
  const holdable = sends.filter(({ sender }) => mayBeHeld(sender));
  if (holdable.length === 0) return NO_HOLD_FACTS;
  const asking = holdable.flatMap((send) => holdingKeysOf(send).map((key) => ({ send, key })));
  return await readHoldFacts(query, {
    keys: holdable.map(({ sender }) => callingKeyOf(sender)).map(({ accountId, keyId }) => ({ accountId, keyId })),
    recipients: asking
      .filter(({ key }) => asksWho(key))
      .flatMap(({ send: { recipients }, key: { accountId, keyId } }) =>
        recipients.map(({ email }) => ({ accountId, keyId, email: foldAddress(email) })),
      ),
    templates: asking.flatMap(({ send, key }) => askedTemplate(send, key) ?? []),
    replyDomains: asking.flatMap(({ send: { request } }) => request.reply_to?.domain ?? []),
  });
}

export const NO_HOLD_FACTS: HoldFacts = { keys: [], recipients: [], vouched: [] };

/** Null if authorship does not matter or no stored template was used. */
function askedTemplate(
  { sender, content, resendOf }: ParsedSend,
  { keyId, approval }: JudgingKey,
): AskedTemplate | null {
  const { accountId } = sender;
  const { template, templateMakers: makers } = content;
  if (template === null || approval?.holdWhen?.freeformBody !== true) return null;
  return { accountId, keyId, template, makers, namedAt: resendOf === null ? null : timeOfId(resendOf) };
}

/** The keys with a rule that can hold the send. */
function holdingKeysOf({ sender }: ParsedSend): readonly JudgingKey[] {
  return judgesOf(sender).filter(({ approval }) => approval);
}

function asksWho({ approval }: JudgingKey): boolean {
  const rules = approval?.holdWhen;
  return rules != null && (rules.firstContact || rules.recipientDomainNotIn !== null);
}

export function createHoldLedger(facts: HoldFacts, now: Date): HoldLedger {
  const keys = new Map(facts.keys.map((key) => [key.keyId, key]));
  const known = new Map(facts.recipients.map((recipient) => [nameOf(recipient), recipient]));
  const vouched = new Set(facts.vouched.map(vouchedName));
  const counted = new Map<string, number>();
  const reserved = new Map<string, number>();

  return {
    holdOf(send) {
      const found = judgesOf(send.sender).flatMap((key) =>
        key.approval
          ? findHoldReasons(key.approval, toQuestion(send, key.keyId, known, vouched, keys.get(key.keyId)))
          : [],
      );
      const reasons = [...new Set(found)];
      if (reasons.length === 0) return null;
      const hours = keys.get(callingKeyOf(send.sender).keyId)?.approvalHours ?? LIMITS.approvalHoursDefault;
      return { reasons, expiresAt: new Date(now.getTime() + hours * HOUR_MS) };
    },
    faultOf({ sender }, cost, monthlyQuota) {
      const { accountId, keyId } = callingKeyOf(sender);
      const key = keys.get(keyId);
      if (key?.isRevoked === true) return KEY_REVOKED;
      if ((key?.undecided ?? 0) + (counted.get(keyId) ?? 0) >= LIMITS.heldPerKey) return TOO_MANY_HELD;
      const before = (key?.reserved ?? 0) + (reserved.get(accountId) ?? 0);
      const most = heldQuota(monthlyQuota);
      return cost === 0 || before + cost <= most ? null : quotaReserved({ before, cost, most });
    },
    count({ sender }, cost) {
      const { accountId, keyId } = callingKeyOf(sender);
      reserved.set(accountId, (reserved.get(accountId) ?? 0) + cost);
      counted.set(keyId, (counted.get(keyId) ?? 0) + 1);
    },
  };
}

const KEY_REVOKED: Refusal = {
  code: 'key_revoked',
  detail: 'The key was revoked while the server processed this send.',
};

const TOO_MANY_HELD: Refusal = {
  code: 'too_many_held',
  detail: `${LIMITS.heldPerKey} sends of this key are held and undecided. Nothing was sent or held.`,
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** The quota units that the undecided holds of an account may reserve together. The rest is left to sends that are not held. */
function heldQuota(monthlyQuota: number): number {
  return Math.floor((monthlyQuota * LIMITS.heldQuotaPercent) / 100);
}

function quotaReserved({ before, cost, most }: Readonly<Record<'before' | 'cost' | 'most', number>>): Refusal {
  const [reserved, asked, limit] = [before, cost, most].map((units) => units.toLocaleString('en'));
  return {
    code: 'too_many_held',
    detail: `The held sends of the account reserve ${reserved} recipients of its monthly quota. This one needs ${asked} more, and held sends may reserve ${limit} together, ${LIMITS.heldQuotaPercent} % of the quota. Nothing was sent or held.`,
    fix: `Ask an approver to decide held sends, or cancel some of yours with ${nameOperation('emails.cancel')}. Then send again.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  };
}

/** What the rules of one key need to know about a send. */
function toQuestion(
  { sender: { accountId, persona }, request, recipients, content, resendOf }: ParsedSend,
  keyId: string,
  known: ReadonlyMap<string, KnownRecipient>,
  vouched: ReadonlySet<string>,
  key: HoldingKey | undefined,
): HoldQuestion {
  const { template, templateMakers: makers } = content;
  const find = (email: string) => known.get(nameOf({ accountId, keyId, email }));
  const ownAddresses = {
    addresses: new Set(recipients.map(({ email }) => foldAddress(email))),
    domain: request.from.domain,
  };
  const writer = { names: [key?.accountName ?? null, persona.agentName], domains: key?.replyDomains ?? [] };
  // Threads have read the bodies before this point. A rule that did not ask by then cannot be evaluated now.
  return {
    recipients,
    carriesFiles: content.attachments.length > 0 || (content.findings?.embedsFiles ?? true),
    isTemplated:
      template !== null &&
      vouched.has(vouchedName({ keyId, template, makers })) &&
      !isFreeform(request, resendOf !== null, writer) &&
      !addsFreeText(content.addedText, ownAddresses),
    links: () => addLineHosts(content.findings?.linkHosts ?? UNREAD_HOSTS, displayNames(request)),
    ownAddresses,
    isKnown: (email) => find(email)?.isKnown === true,
    isTrusted: (email) => find(email)?.isTrusted === true,
  };
}

/** The senders and recipients as the approver sees them. A reply is one click away, so the `reply_to` address is among them. */
function displayNames({ from, reply_to: replyTo, to, cc = [], bcc = [] }: ParsedSend['request']): readonly string[] {
  const names = [from, ...to, ...cc, ...bcc].map(({ name }) => name ?? '');
  return [...names, replyTo?.name ?? '', replyTo?.address ?? ''];
}

function vouchedName({ keyId, template, makers }: Pick<AskedTemplate, 'keyId' | 'template' | 'makers'>): string {
  return `${keyId} ${template} ${JSON.stringify(makers)}`;
}

function nameOf({ accountId, keyId, email }: Pick<KnownRecipient, 'accountId' | 'keyId' | 'email'>): string {
  return `${accountId} ${keyId} ${email}`;
}
