import { type Role, type Scope, scopesOfRole } from '@postrider/core';
import type { JudgingKeyRow } from '../db/queries/api-keys.ts';
import type { ShownCredential } from '../db/queries/shown-credentials.ts';
import { hasLostGrantor, usableScopes } from '../usable-scopes.ts';
import type { Refusal } from './acceptance.ts';
import { FETCH_FIX, isFetchable } from './attachment-hosts.ts';
import type { Sender } from './judged-sender.ts';
import { hostListsOf } from './judging-keys.ts';
import { type JudgingKey, toKeyRules } from './key-rules.ts';
import type { ParsedSend } from './parsed-send.ts';

/** The keys that judge sends as they are stored now, by id. */
export type KeyStates = ReadonlyMap<string, JudgingKeyRow>;

/** The callers of a batch: the current state of their keys, and which of the presented credentials have not ended. */
export interface CallerStates {
  readonly keys: KeyStates;
  /** By `nameOfShown`. */
  readonly lasting: ReadonlySet<string>;
}

/** A name for the caller's credential, the same for every send it asks for. */
export function nameOfShown(shown: ShownCredential): string {
  return `${shown.kind} ${shown.kind === 'session' ? shown.id : shown.hash}`;
}

/** Whether a key or the pause of its account has changed since it judged a send. No key sends mail of the installation. */
export function hasChanged({ keyId, version, pausedBy }: JudgingKey, states: KeyStates): boolean {
  const row = version == null ? undefined : states.get(keyId);
  return row !== undefined && (row.version !== version || toKeyRules(row).pausedBy !== pausedBy);
}

/** The sender with the current rules of its keys. */
export function withPresentRules(sender: Sender, states: KeyStates): Sender {
  const rulesOf = ({ keyId, version }: JudgingKey) => {
    const row = version == null ? undefined : states.get(keyId);
    if (row === undefined) return {};
    // Keeps the networks that the caller's address was checked against.
    const { ipAllowlist: _networks, ...rules } = toKeyRules(row);
    return rules;
  };
  const { askedBy } = sender;
  return { ...sender, ...rulesOf(sender), askedBy: askedBy && { ...askedBy, ...rulesOf(askedBy) } };
}

/**
 * Why a send is refused under the current state of its keys, which are read again when the statement finds one changed.
 * @param send with the current rules of its keys
 */
export function keyFaultOf(send: ParsedSend, { keys, lasting }: CallerStates, now: Date): Refusal | null {
  const { sender } = send;
  const { askedBy } = sender;
  const caller = askedBy ?? sender;
  const calling = shownFaultOf(caller, lasting) ?? faultOf(caller, keys, now) ?? callerFaultOf(caller, keys);
  return calling ?? (askedBy ? issuerFaultOf(sender, keys, now) : null) ?? hostFaultOf(send);
}

/** A session that ended while a file was fetched, or a secret that was replaced in the meantime. */
function shownFaultOf({ shown }: JudgingKey, lasting: CallerStates['lasting']): Refusal | null {
  if (!shown || lasting.has(nameOfShown(shown))) return null;
  return shown.kind === 'session' ? SESSION_ENDED : REPLACED;
}

function faultOf({ keyId, version }: JudgingKey, states: KeyStates, now: Date): Refusal | null {
  if (version == null) return null;
  const row = states.get(keyId);
  if (row === undefined || row.revokedAt !== null || hasLostGrantor(row)) return REVOKED;
  return row.expiresAt !== null && row.expiresAt <= now ? EXPIRED : null;
}

/** The key a resend is issued under need not have the right to send any more, but it must be valid. */
function issuerFaultOf(sender: Sender, states: KeyStates, now: Date): Refusal | null {
  const fault = faultOf(sender, states, now);
  return fault === REVOKED ? ISSUER_REVOKED : fault;
}

function callerFaultOf({ keyId, version, ipAllowlist }: JudgingKey, states: KeyStates): Refusal | null {
  const row = version == null ? undefined : states.get(keyId);
  if (row === undefined) return null;
  if (!scopesOf(row).includes('emails:send')) return NARROWED;
  return String(row.ipAllowlist) === String(ipAllowlist ?? null) ? null : OTHER_NETWORKS;
}

/** Checks files that were fetched before the hosts of a key changed. The sender has the current rules. */
function hostFaultOf({ request, sender }: ParsedSend): Refusal | null {
  const urls = (request.attachments ?? []).flatMap(({ url }) => url ?? []);
  const lists = hostListsOf(sender);
  return urls.every((url) => isFetchable(url, lists)) ? null : OTHER_HOSTS;
}

function scopesOf(row: JudgingKeyRow): readonly Scope[] {
  const { isSeat, seatRole } = row;
  if (!isSeat) return usableScopes(row);
  return seatRole === null ? [] : scopesOfRole(seatRole satisfies Role);
}

const REVOKED: Refusal = { code: 'key_revoked', detail: 'The key was revoked while the server prepared this send.' };
const REPLACED: Refusal = {
  code: 'key_revoked',
  detail: 'This secret of the key was replaced while the server prepared this send.',
};
const SESSION_ENDED: Refusal = {
  code: 'session_required',
  detail: 'The session ended while the server prepared this send, or moved to another account.',
};
const EXPIRED: Refusal = { code: 'key_expired', detail: 'The key expired while the server prepared this send.' };
const ISSUER_REVOKED: Refusal = {
  code: 'issuing_key_revoked',
  detail: 'The key that first sent this message was revoked.',
};
const NARROWED: Refusal = {
  code: 'missing_scope',
  detail: 'The key lost the scope `emails:send` while the server prepared this send.',
};
const OTHER_HOSTS: Refusal = {
  code: 'attachment_url_refused',
  detail: 'The key’s `attachmentHosts` changed while the server prepared this send.',
  fix: FETCH_FIX,
};
const OTHER_NETWORKS: Refusal = {
  code: 'ip_not_allowed',
  detail: 'The key’s `ipAllowlist` changed while the server prepared this send.',
  fix: 'Send again. The server then checks the address against the new list.',
};
