import { argumentsOf, type CallableId, type Effect, findOperation, LIMITS, type Scope } from '@postrider/core';

/** A number that the tool keeps lower than the API does; it is the default too. */
export interface Ceiling {
  readonly max: number;
  /** The API's own limit: what lies beyond it goes on to the API, which refuses it and names that limit. */
  readonly apiMax: number;
  readonly description: string;
}

/** One tool: the operation behind it, and where its arguments differ from the operation's. */
export interface SurfaceEntry {
  readonly tool: string;
  readonly operation: CallableId;
  /** Arguments the tool does not offer, because the entry sets them or another tool is for that. Given all the same, they are refused. */
  readonly hides?: readonly string[];
  /** Arguments without their descriptions: another tool has the same ones. */
  readonly terse?: boolean;
  /** What a call does, where that is less than the operation can. */
  readonly effect?: Effect;
  readonly ceilings?: Readonly<Record<string, Ceiling>>;
}

/** What stays are `to`, `cc` and `bcc`. */
const ALL_BUT_RECIPIENTS = argumentsOf(findOperation('emails.send'))
  .map(({ name }) => name)
  .filter((name) => !['to', 'cc', 'bcc'].includes(name));

/**
 * The one list of what agents see. It is curated, since agents do badly with many tools: about 16 by default, within 6,000 tokens.
 * Whatever has an `mcp` exposure in the registry stands here, and test/mcp/surface.test.ts keeps it so.
 */
export const DEFAULT_TOOLSET = [
  { tool: 'get_sending_context', operation: 'keys.self' },
  // The channel is a fact about the entry, not a wish of the agent; what sends must not turn into a question by one argument.
  { tool: 'send_email', operation: 'emails.send', hides: ['channel', 'dry_run'] },
  { tool: 'send_email_batch', operation: 'emails.send-batch' },
  {
    tool: 'preview_email',
    operation: 'emails.send',
    effect: 'read',
    terse: true,
    hides: ['channel', 'dry_run', 'idempotency_key'],
  },
  { tool: 'check_recipients', operation: 'emails.send', effect: 'read', hides: ALL_BUT_RECIPIENTS },
  // 50 seconds stay below the 60 after which common clients give a call up.
  {
    tool: 'wait_for_email',
    operation: 'emails.get',
    ceilings: { wait: { max: 50, apiMax: LIMITS.waitSecondsMax, description: 'Seconds to wait at most, 1 to 50.' } },
  },
  { tool: 'get_email', operation: 'emails.get', hides: ['wait'] },
  // 20 rows fit into one result; with more, rows would have to be dropped that the next page no longer brings.
  {
    tool: 'list_emails',
    operation: 'emails.list',
    ceilings: { limit: { max: 20, apiMax: LIMITS.pageSizeMax, description: 'Rows, 1 to 20.' } },
  },
  { tool: 'cancel_email', operation: 'emails.cancel' },
  { tool: 'resend_email', operation: 'emails.resend' },
  {
    tool: 'list_templates',
    operation: 'templates.list',
    ceilings: { limit: { max: 20, apiMax: LIMITS.pageSizeMax, description: 'Rows, 1 to 20.' } },
  },
  { tool: 'get_template', operation: 'templates.get' },
  // Drafts are for those who write templates.
  { tool: 'render_template', operation: 'templates.render', hides: ['subject', 'html', 'text'] },
  {
    tool: 'list_suppressions',
    operation: 'suppressions.list',
    ceilings: { limit: { max: 20, apiMax: LIMITS.pageSizeMax, description: 'Rows, 1 to 20.' } },
  },
] as const satisfies readonly SurfaceEntry[];

export type ToolName = (typeof DEFAULT_TOOLSET)[number]['tool'];

/** The scope a key needs to see the tool: that of the operation behind it. */
export function scopeOf(entry: SurfaceEntry): Scope | null {
  const { access } = findOperation(entry.operation);
  return access.kind === 'key' ? access.scope : null;
}

/** Whether a key with these scopes sees the tool. Unknown scopes show everything: the API refuses what is not allowed. */
export function isVisible(scope: Scope | null, scopes: readonly Scope[] | null): boolean {
  return scope === null || scopes === null || scopes.includes(scope);
}
