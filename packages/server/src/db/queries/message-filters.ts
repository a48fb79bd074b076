import { toStoredAddressPart } from '@postrider/core';
import { type SQL, sql } from '../drizzle.ts';
import { arrayOf, unnested } from '../record-columns.ts';
import { messageRecipients, messages } from '../schema/messages.ts';
import { type GivenOf, optional, value } from '../statement.ts';

type Message = typeof messages.$inferSelect;

/** Selects messages of an account. Null and an empty list select everything; all other filters must match. */
export interface MessageFilters {
  readonly accountId: string;
  /** Blind recipients match only in messages of this key; null matches them in all messages. */
  readonly blindOfKey: string | null;
  /** Any of these. */
  readonly statuses: readonly Message['status'][];
  readonly channel: Message['channel'] | null;
  readonly source: Message['source'] | null;
  readonly agentName: string | null;
  /** In lower case. */
  readonly keyId: string | null;
  /** A-labels in lower case. */
  readonly domain: string | null;
  /** In lower case. */
  readonly tags: readonly string[];
  /** In lower case. */
  readonly recipient: string | null;
  /** An address in lower case, its domain in A-labels. */
  readonly sender: string | null;
  /** A string within subject or recipients, ignoring case. */
  readonly text: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Whether the filters need the search table, rather than the log's own indexes. */
export function needsSearch(filters: MessageFilters): boolean {
  return filters.text !== null || (facetsOf(filters).length > 0 && !isKeyInFew(filters));
}

/** Most messages have none of these for long. */
const FEW: ReadonlySet<Message['status']> = new Set([
  ...(['deferred', 'bounced', 'complained', 'failed', 'suppressed'] as const),
  ...(['pending_approval', 'rejected', 'expired', 'canceled'] as const),
]);

/** The index by status has few rows to look at, whereas a search would look up the status of every message of the key. */
function isKeyInFew(filters: MessageFilters): boolean {
  const { statuses } = filters;
  const isFew = statuses.length > 0 && statuses.every((status) => FEW.has(status));
  return isFew && facetsOf({ ...filters, keyId: null }).length === 0;
}

/** The filters as the parameters of a statement. An unset filter is no part of the statement. */
export const FILTERS = {
  accountId: messages.accountId,
  blindOfKey: optional(messages.keyId),
  status: optional(messages.status),
  /** Two or more. */
  statuses: optional(value<readonly Message['status'][]>()),
  channel: optional(messages.channel),
  source: optional(messages.source),
  agentName: optional(messages.agentName),
  keyId: optional(messages.keyId),
  domain: optional(messages.fromDomain),
  tags: optional(messages.tags),
  recipient: optional(messageRecipients.email),
  senderLocalPart: optional(messages.fromGiven),
  senderDomain: optional(messages.fromDomain),
  /** The string as a LIKE pattern. */
  pattern: optional(messages.subject),
  /** The same pattern as addresses are stored, with A-labels, if that is another one. */
  storedPattern: optional(messages.subject),
  from: optional(messages.createdAt),
  to: optional(messages.createdAt),
  /** The time span as bounds on ids, which the rows are ordered and partitioned by. */
  fromId: optional(messages.id),
  toId: optional(messages.id),
  /** The values that the facets of the search table must include. */
  facets: optional(value<readonly string[]>()),
};

export function toFilterValues(filters: MessageFilters) {
  const { text, tags, sender, statuses, ...others } = filters;
  const { from: fromId, to: toId } = spanFloors(filters);
  const facets = facetsOf(filters);
  const storedText = storedTextOf(filters);
  return {
    ...{ ...others, ...senderParts(sender), fromId, toId },
    ...{ pattern: likePattern(text), storedPattern: likePattern(storedText) },
    status: statuses.length === 1 ? (statuses[0] ?? null) : null,
    statuses: statuses.length > 1 ? statuses : null,
    tags: tags.length === 0 ? null : tags,
    facets: facets.length === 0 ? null : facets,
  };
}

/** The text in the form in which addresses are stored; null if that is the text itself, or no part of an address. */
export function storedTextOf({ text }: Pick<MessageFilters, 'text'>): string | null {
  return text === null ? null : toStoredAddressPart(text);
}

type Given = GivenOf<typeof FILTERS>;

/** The conditions on the log itself, `m`: the exact meaning of every filter, regardless of what has been indexed. */
export function onMessages(given: Given): SQL {
  const { accountId, channel, source, agentName, keyId, domain, tags } = given;
  return sql`m.account_id = ${accountId} ${onTime(given, sql`m.created_at`, sql`m.id`)}
    ${onStatus(given)}
    ${channel && sql`AND m.channel = ${channel}`}
    ${source && sql`AND m.source = ${source}`}
    ${agentName && sql`AND m.agent_name = ${agentName}`}
    ${keyId && sql`AND m.key_id = ${keyId}`}
    ${domain && sql`AND m.from_domain = ${domain}`}
    ${tags && sql`AND m.tags @> ${tags}::text[]`}
    ${onSender(given)} ${onRecipients(given)}`;
}

function onStatus({ status, statuses }: Given): SQL | undefined {
  return statuses === undefined
    ? status && sql`AND m.status = ${status}`
    : sql`AND m.status = ANY (${arrayOf(messages.status, statuses)})`;
}

/**
 * The log, `m`, where all conditions of `onMessages` are true, for the FROM clause. Of several statuses, the newest matches of each are read from the
 * index by status: one scan in the order of ids would pass all messages between rare ones. The caller orders and limits the rows again.
 * @param limit the number of newest rows that the caller needs; all if left out
 */
export function fromLog(given: Given, between?: SQL, limit?: SQL): SQL {
  const { statuses, ...others } = given;
  if (statuses === undefined) return sql`messages m WHERE ${onMessages(given)} ${between}`;
  const newest = limit === undefined ? sql`OFFSET 0` : sql`ORDER BY m.id DESC LIMIT ${limit}`;
  return sql`${unnested({ status: messages.status }, { status: statuses })} AS wanted (status) CROSS JOIN LATERAL (
    SELECT m.* FROM messages m WHERE ${onMessages({ ...others, statuses: undefined })} AND m.status = wanted.status ${between} ${newest}) AS m`;
}

/**
 * The sender is stored as it was given, with or without a name; its domain is stored beside it in A-labels. The view of the log has neither,
 * so both are read from the table.
 */
function onSender({ accountId, senderLocalPart, senderDomain }: Given): SQL | undefined {
  if (senderLocalPart === undefined || senderDomain === undefined) return undefined;
  return sql`AND EXISTS (SELECT FROM messages f WHERE f.account_id = ${accountId} AND f.id = m.id AND f.from_domain = ${senderDomain}
    AND lower(substring(f.from_given FROM '([^<>]*)@[^@]*$')) = ${senderLocalPart})`;
}

/** The conditions on recipients; blind ones match only if the caller may see them. */
function onRecipients({ recipient, pattern, storedPattern, blindOfKey }: Given): SQL {
  const recipients = sql`SELECT FROM message_recipients r WHERE r.account_id = m.account_id AND r.message_id = m.id
    ${blindOfKey && sql`AND (r.kind <> 'bcc' OR m.key_id = ${blindOfKey})`}`;
  return sql`
    ${recipient && sql`AND EXISTS (${recipients} AND lower(r.email) = ${recipient})`}
    ${
      pattern &&
      sql`AND (${onText(sql`lower(m.subject)`, pattern, storedPattern)} OR EXISTS (${recipients}
        AND (${onText(sql`lower(r.email)`, pattern, storedPattern)} OR ${onText(sql`lower(r.name)`, pattern, storedPattern)})))`
    }`;
}

/** Two conditions rather than one with a list of patterns, which could not use the trigram index. */
function onText(text: SQL, pattern: SQL, storedPattern: SQL | undefined): SQL {
  const matches = sql`${text} LIKE lower(${pattern}::text)`;
  return storedPattern === undefined ? matches : sql`(${matches} OR ${text} LIKE ${storedPattern}::text)`;
}

/**
 * Joins the log to the search table, `s`, for conditions that the search table cannot decide: the status changes and is not in it, nor is the
 * sender, and it does not mark blind recipients as blind. It returns few matches compared to the log, so each is looked up there; OFFSET 0
 * prevents a plan that joins the whole log.
 */
export function joinLog(given: Given): SQL | undefined {
  const { accountId, status, statuses, blindOfKey, recipient, pattern, senderDomain } = given;
  const isBlind = blindOfKey !== undefined && (recipient !== undefined || pattern !== undefined);
  if (status === undefined && statuses === undefined && senderDomain === undefined && !isBlind) return undefined;
  return sql`CROSS JOIN LATERAL (
    SELECT FROM own_messages m WHERE m.account_id = ${accountId} AND m.id = s.message_id
    ${onStatus(given)} ${onSender(given)} ${isBlind ? onRecipients(given) : undefined} OFFSET 0) AS in_log`;
}

/**
 * The conditions on the search table, `s`: all but the status, which changes and so is not in it.
 * @param wanted the hashes of the facets, if the statement has already computed them
 */
export function onSearch(given: Given, wanted?: SQL): SQL {
  const { accountId, facets, pattern, storedPattern } = given;
  return sql`s.account_id = ${accountId} ${onTime(given, sql`s.created_at`, sql`s.message_id`)}
    ${facets && sql`AND s.facets @> ${wanted ?? sql`search_facets(${accountId}, ${facets}::text[])`}`}
    ${pattern && sql`AND ${onText(sql`s.search`, pattern, storedPattern)}`}`;
}

/** The time span as conditions on the creation time and on the id. */
function onTime({ from, fromId, to, toId }: Given, createdAt: SQL, id: SQL): SQL {
  return sql`
    ${from && sql`AND ${createdAt} >= ${from}`} ${fromId && sql`AND ${id} >= ${fromId}`}
    ${to && sql`AND ${createdAt} < ${to}`} ${toId && sql`AND ${id} < ${toId}`}`;
}

/** A value that a message is filtered by. Hashing values one by one takes half as long as hashing a list of them. */
function facetOf(value: SQL, accountId = sql`m.account_id`): SQL {
  return sql`search_facet(${accountId}, ${value})`;
}

/**
 * The content of the search table for a message `m` and its recipients, as SQL; `r` has the columns of SEARCH_RECIPIENTS. It is here next to
 * the conditions because the two must agree.
 */
export const SEARCH_ROW = {
  facets: sql`ARRAY[${facetOf(sql`'channel:' || m.channel`)}, ${facetOf(sql`'source:' || m.source`)},
      ${facetOf(sql`'domain:' || m.from_domain`)}, ${facetOf(sql`'key:' || m.key_id`)}]
    || CASE WHEN m.agent_name IS NULL THEN '{}' ELSE ARRAY[${facetOf(sql`'agent:' || m.agent_name`)}] END
    || CASE WHEN m.tags = '{}' THEN '{}' ELSE ARRAY(SELECT ${facetOf(sql`'tag:' || tag`)} FROM unnest(m.tags) AS tag) END
    || r.addresses`,
  text: sql`lower(concat_ws(E'\\n', m.subject, r.texts))`,
} as const;

/** The columns `addresses` and `texts` of all recipients `r` of a message, grouped by message. */
export const SEARCH_RECIPIENTS = sql`
  array_agg(${facetOf(sql`'recipient:' || lower(r.email)`, sql`r.account_id`)}) AS addresses,
  string_agg(concat_ws(E'\\n', r.email, r.name), E'\\n') AS texts`;

function facetsOf({ channel, source, agentName, keyId, domain, tags, recipient, sender }: MessageFilters): string[] {
  return [
    ...facet('channel', channel),
    ...facet('source', source),
    ...facet('agent', agentName),
    ...facet('key', keyId),
    ...facet('domain', domain),
    ...tags.flatMap((tag) => facet('tag', tag)),
    ...facet('recipient', recipient),
    ...facet('domain', senderParts(sender).senderDomain),
  ];
}

function senderParts(sender: string | null) {
  if (sender === null) return { senderLocalPart: null, senderDomain: null };
  const at = sender.lastIndexOf('@');
  return { senderLocalPart: sender.slice(0, at), senderDomain: sender.slice(at + 1) };
}

function facet(kind: string, value: string | null): string[] {
  return value === null ? [] : [`${kind}:${value}`];
}

/** Matches the string literally: no character is a wildcard. */
function likePattern(text: string | null): string | null {
  return text === null ? null : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Ids only increase, so after a clock was set back they are ahead of their messages' times. The margin is larger than any such gap that
 * matters.
 */
const CLOCK_SLACK_MS = 86_400_000;

/** A time span as bounds on ids, wider than the span itself. */
export function spanFloors({ from, to }: Pick<MessageFilters, 'from' | 'to'>) {
  return {
    from: from === null ? null : idFloor(from.getTime() - CLOCK_SLACK_MS),
    to: to === null ? null : idFloor(to.getTime() + CLOCK_SLACK_MS),
  };
}

const LARGEST_ID_TIME_MS = 2 ** 48 - 1;

/** The smallest id of a millisecond. Times outside the range of ids become the nearest one in it. */
export function idFloor(atMs: number): string {
  const hex = Math.min(Math.max(0, atMs), LARGEST_ID_TIME_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
