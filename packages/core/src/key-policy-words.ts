import { heldInWords } from './key-hold-words.ts';
import { powersInWords } from './key-power-words.ts';
import { isHeldKey, type KeyPolicy } from './key-settings.ts';
import type { SendLimit } from './schemas/key.ts';
import { inWords } from './word-list.ts';

/** What a key may do, in sentences. They contain names that users chose, so whoever shows them escapes them. */
export interface KeyPolicyWords {
  readonly may: readonly string[];
  readonly mayNot: readonly string[];
  /** What waits until an approver decides. */
  readonly held: readonly string[];
}

/** Describes the settings of a key, stored or not, before a user relies on them. */
export function keyPolicyInWords(key: KeyPolicy): KeyPolicyWords {
  const powers = powersInWords(key);
  return {
    may: [
      ...sendingInWords(key),
      ...readingInWords(key),
      ...powers.may,
      `May make ${count(key.rateLimit)} requests a minute.`,
    ],
    mayNot: [...limitsInWords(key), ...unreadableInWords(key), ...powers.mayNot],
    held: heldInWords(key),
  };
}

function sendingInWords(key: KeyPolicy): readonly string[] {
  if (!sends(key) || isPaused(key)) return [];
  const limit = sendLimitInWords(key.sendLimit);
  const to = recipientsInWords(key.recipientAllowlist);
  return [
    key.mode === 'test'
      ? `May send test messages to ${to}${limit}. They pass all checks and are not delivered.`
      : `May send to ${to}${limit}.`,
    ...personaInWords(key),
    ...attachmentsInWords(key),
  ];
}

function recipientsInWords(allowlist: readonly string[] | null): string {
  if (allowlist === null) return 'anyone';
  const names = allowlist.map((entry) => {
    if (entry.startsWith('@')) return `anyone at ${entry.slice(1)}`;
    return entry.startsWith('*.') ? `anyone at a subdomain of ${entry.slice(2)}` : entry;
  });
  return inWords(names, 'and', 'no one');
}

function sendLimitInWords(limit: SendLimit | null): string {
  const counts = [
    ...(limit?.hour == null ? [] : [`${count(limit.hour)} an hour`]),
    ...(limit?.day == null ? [] : [`${count(limit.day)} a day`]),
  ];
  return counts.length === 0 ? '' : `, at most ${counts.join(' and ')}`;
}

function personaInWords({ persona, lockPersona }: KeyPolicy): readonly string[] {
  const names = [
    ...(persona?.agentName ? [`the agent “${persona.agentName}”`] : []),
    ...(persona?.source ? [`the source \`${persona.source}\``] : []),
  ];
  if (names.length === 0) return [];
  const named = names.join(' and ');
  return [lockPersona ? `Every message names ${named}.` : `Messages name ${named}, unless a send names another.`];
}

/** Without a list, restricted keys fetch from no host: the request itself could carry data out. */
function attachmentsInWords(key: KeyPolicy): readonly string[] {
  const isRestricted = key.mode === 'test' || isHeldKey(key) || key.recipientAllowlist !== null;
  const hosts = key.attachmentHosts ?? (isRestricted ? [] : null);
  if (hosts === null) return ['May attach files, also by the URL of any public host.'];
  if (hosts.length === 0) return ['May attach files, but none by URL.'];
  return [`May attach files, also by URL from ${inWords(hosts.map(hostInWords), 'and')}.`];
}

function hostInWords(host: string): string {
  return host.startsWith('*.') ? `subdomains of ${host.slice(2)}` : host;
}

function readingInWords({ scopes }: KeyPolicy): readonly string[] {
  if (!scopes.includes('emails:read')) return [];
  const log = 'May read the log of all messages of the account, without their content.';
  if (scopes.includes('emails:content-all'))
    return ['May read every message of the account, with its content and bcc recipients.'];
  return scopes.includes('emails:content') ? [log, 'May read the content of messages that it sent itself.'] : [log];
}

function unreadableInWords({ scopes }: KeyPolicy): readonly string[] {
  if (!scopes.includes('emails:read')) return ['Cannot read messages.'];
  if (scopes.includes('emails:content-all')) return [];
  return scopes.includes('emails:content')
    ? ['Cannot read the content of messages of other senders.']
    : ['Cannot read the content of messages.'];
}

function limitsInWords(key: KeyPolicy): readonly string[] {
  const { ipAllowlist, expiresAt } = key;
  return [
    ...(sends(key) ? [] : ['Cannot send.']),
    ...(isPaused(key) ? ['Cannot send or change anything while it is paused.'] : []),
    ...(ipAllowlist === null
      ? []
      : [`Cannot be used from addresses other than ${inWords(ipAllowlist, 'and', 'none')}.`]),
    ...(expiresAt === null ? [] : [`Cannot be used after ${timeInWords(expiresAt)}.`]),
  ];
}

function sends({ scopes }: KeyPolicy): boolean {
  return scopes.includes('emails:send');
}

function isPaused({ isPaused: paused }: KeyPolicy): boolean {
  return paused === true;
}

/** `2027-01-31 09:30 UTC`, the same in every locale. */
function timeInWords(at: string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
