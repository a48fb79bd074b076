import type { Query } from '../client.ts';

/** Which messages of an account are asked for: null and an empty list ask for nothing; all else must match. */
export interface MessageFilters {
  readonly accountId: string;
  /** Blind recipients match in messages of this key alone; null: in all. */
  readonly blindOfKey: string | null;
  readonly status: string | null;
  readonly channel: string | null;
  readonly source: string | null;
  readonly agentName: string | null;
  /** A-labels in lower case. */
  readonly domain: string | null;
  /** In lower case. */
  readonly tags: readonly string[];
  /** In lower case. */
  readonly recipient: string | null;
  /** Text within subject or recipients, whatever its case. */
  readonly text: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Whether the search table is needed, or the log's own indexes serve. */
export function needsSearch(filters: MessageFilters): boolean {
  return filters.text !== null || facetsOf(filters).length > 0;
}

/** The conditions on the log itself, `m`: the truth of every filter, whatever has been indexed. */
export function onMessages(query: Query, filters: MessageFilters) {
  const { status, channel, source, agentName, domain, tags } = filters;
  return query`m.account_id = ${filters.accountId} ${onTime(query, filters, 'm')}
    ${status === null ? query`` : query`AND m.status = ${status}`}
    ${channel === null ? query`` : query`AND m.channel = ${channel}`}
    ${source === null ? query`` : query`AND m.source = ${source}`}
    ${agentName === null ? query`` : query`AND m.agent_name = ${agentName}`}
    ${domain === null ? query`` : query`AND m.from_domain = ${domain}`}
    ${tags.length === 0 ? query`` : query`AND m.tags @> ${[...tags]}::text[]`}
    ${onRecipients(query, filters)}`;
}

/** The conditions on what recipients can match, blind ones only where they may be seen. */
function onRecipients(query: Query, { recipient, text, blindOfKey }: MessageFilters) {
  const pattern = likePattern(text);
  const recipients = query`SELECT FROM message_recipients r WHERE r.account_id = m.account_id AND r.message_id = m.id
    ${blindOfKey === null ? query`` : query`AND (r.kind <> 'bcc' OR m.key_id = ${blindOfKey})`}`;
  return query`
    ${recipient === null ? query`` : query`AND EXISTS (${recipients} AND lower(r.email) = ${recipient})`}
    ${
      pattern === null
        ? query``
        : query`AND (lower(m.subject) LIKE lower(${pattern}::text) OR EXISTS (${recipients}
            AND (lower(r.email) LIKE lower(${pattern}::text) OR lower(r.name) LIKE lower(${pattern}::text))))`
    }`;
}

/**
 * Joins the log to the search table, `s`, where the search table alone cannot decide: the status changes and is not in it, and of blind recipients
 * it does not say that they are blind. Its matches are few against the log, so each is looked up there.
 */
export function joinLog(query: Query, filters: MessageFilters) {
  const { accountId, status, blindOfKey, recipient, text } = filters;
  const isBlind = blindOfKey !== null && (recipient !== null || text !== null);
  if (status === null && !isBlind) return query``;
  return query`JOIN own_messages m ON m.account_id = ${accountId} AND m.id = s.message_id
    ${status === null ? query`` : query`AND m.status = ${status}`} ${isBlind ? onRecipients(query, filters) : query``}`;
}

/** The conditions on the search table, `s`: all but the status, which changes and so is not in it. */
export function onSearch(query: Query, filters: MessageFilters) {
  const facets = facetsOf(filters);
  const pattern = likePattern(filters.text);
  return query`s.account_id = ${filters.accountId} ${onTime(query, filters, 's')}
    ${facets.length === 0 ? query`` : query`AND s.facets @> search_facets(${filters.accountId}, ${facets}::text[])`}
    ${pattern === null ? query`` : query`AND s.search LIKE lower(${pattern}::text)`}`;
}

/**
 * What the search table holds of a message `m` and its recipients `r`, as SQL, where `r.addresses` and `r.texts` are made by
 * SEARCH_RECIPIENTS. It stands here beside the conditions, since the two must agree.
 */
export const SEARCH_ROW = {
  facets: `ARRAY(SELECT search_facet(m.account_id, facet) FROM unnest(
    ARRAY['channel:' || m.channel, 'source:' || m.source, 'domain:' || m.from_domain]
    || CASE WHEN m.agent_name IS NULL THEN '{}' ELSE ARRAY['agent:' || m.agent_name] END
    || ARRAY(SELECT 'tag:' || tag FROM unnest(m.tags) AS tag) || r.addresses) AS facet)`,
  text: `lower(concat_ws(E'\\n', m.subject, r.texts))`,
} as const;

export const SEARCH_RECIPIENTS = `
  SELECT array_agg('recipient:' || lower(email)) AS addresses, string_agg(concat_ws(E'\\n', email, name), E'\\n') AS texts
  FROM message_recipients WHERE account_id = m.account_id AND message_id = m.id`;

function facetsOf({ channel, source, agentName, domain, tags, recipient }: MessageFilters): string[] {
  return [
    ...facet('channel', channel),
    ...facet('source', source),
    ...facet('agent', agentName),
    ...facet('domain', domain),
    ...tags.flatMap((tag) => facet('tag', tag)),
    ...facet('recipient', recipient),
  ];
}

function facet(kind: string, value: string | null): string[] {
  return value === null ? [] : [`${kind}:${value}`];
}

/** The text is looked for as it is: no character of it has a meaning of its own. */
function likePattern(text: string | null): string | null {
  return text === null ? null : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** The span by the creation time, and by the id, which is what the rows are ordered and partitioned by. */
function onTime(query: Query, filters: MessageFilters, table: 'm' | 's') {
  const { from, to } = filters;
  const floors = spanFloors(filters);
  const createdAt = table === 'm' ? query`m.created_at` : query`s.created_at`;
  const id = table === 'm' ? query`m.id` : query`s.message_id`;
  return query`
    ${from === null ? query`` : query`AND ${createdAt} >= ${from} AND ${id} >= ${floors.from}`}
    ${to === null ? query`` : query`AND ${createdAt} < ${to} AND ${id} < ${floors.to}`}`;
}

/** Where a clock was set back, ids are ahead of their messages' times, as they only go up: so far that this does not matter. */
const CLOCK_SLACK_MS = 86_400_000;

/** A span as bounds on ids, wider than the span itself. */
export function spanFloors({ from, to }: Pick<MessageFilters, 'from' | 'to'>) {
  return {
    from: from === null ? null : idFloor(from.getTime() - CLOCK_SLACK_MS),
    to: to === null ? null : idFloor(to.getTime() + CLOCK_SLACK_MS),
  };
}

const LARGEST_ID_TIME_MS = 2 ** 48 - 1;

/** The least id of a millisecond; times that no id can carry become the nearest that one can. */
export function idFloor(atMs: number): string {
  const hex = Math.min(Math.max(0, atMs), LARGEST_ID_TIME_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
