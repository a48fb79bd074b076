import {
  argumentsOf,
  type CallableId,
  type Effect,
  findOperation,
  LIMITS,
  type Scope,
  type Toolset,
} from '@postrider/core';

/** A number that the tool keeps lower than the API does; it is the default too, unless the entry says otherwise. */
export interface Ceiling {
  readonly max: number;
  /** The API's own limit: what lies beyond it goes on to the API, which refuses it and names that limit. */
  readonly apiMax: number;
  readonly description: string;
  /** Whether the argument stays out of the request where it is not given. */
  readonly optional?: boolean;
}

/** One tool: the operation behind it, and where its arguments differ from the operation's. */
export interface SurfaceEntry {
  readonly tool: string;
  readonly operation: CallableId;
  /** Arguments the tool does not offer, because the entry sets them or another tool is for that. Given all the same, they are refused. */
  readonly hides?: readonly string[];
  /** Arguments without their descriptions: another tool has the same ones, or the tool's own says enough. */
  readonly terse?: boolean;
  /** What a call does, where that is less than the operation can. */
  readonly effect?: Effect;
  readonly ceilings?: Readonly<Record<string, Ceiling>>;
}

/** What stay are `to`, `cc` and `bcc`. */
const ALL_BUT_RECIPIENTS = argumentsOf(findOperation('emails.send'))
  .map(({ name }) => name)
  .filter((name) => !['to', 'cc', 'bcc'].includes(name));

/** 20 rows fit into one result; with more, rows would have to be dropped that the next page no longer brings. */
const ROWS = { limit: { max: 20, apiMax: LIMITS.pageSizeMax, description: 'Rows, 1 to 20.' } } as const;

/** Where the channel is a fact about the entry, and no wish of the agent. */
const CHANNEL = ['channel'] as const;

/**
 * What every connection has. It is curated, since agents do badly with many tools: about 16, within 6,000 tokens. With FURTHER_TOOLS it is
 * the one list of what agents see: whatever has an `mcp` exposure in the registry stands here, and test/mcp/surface.test.ts keeps it so.
 */
export const DEFAULT_TOOLSET = [
  { tool: 'get_sending_context', operation: 'keys.self' },
  // What sends must not turn into a question by one argument.
  { tool: 'send_email', operation: 'emails.send', hides: [...CHANNEL, 'dry_run'] },
  { tool: 'send_email_batch', operation: 'emails.send-batch' },
  {
    tool: 'preview_email',
    operation: 'emails.send',
    effect: 'read',
    terse: true,
    hides: [...CHANNEL, 'dry_run', 'idempotency_key'],
  },
  { tool: 'check_recipients', operation: 'emails.send', effect: 'read', hides: ALL_BUT_RECIPIENTS },
  // 50 seconds stay below the 60 after which common clients give a call up.
  {
    tool: 'wait_for_email',
    operation: 'emails.get',
    ceilings: { wait: { max: 50, apiMax: LIMITS.waitSecondsMax, description: 'Seconds to wait at most, 1 to 50.' } },
  },
  { tool: 'get_email', operation: 'emails.get', hides: ['wait'] },
  { tool: 'list_emails', operation: 'emails.list', ceilings: ROWS },
  { tool: 'cancel_email', operation: 'emails.cancel' },
  { tool: 'resend_email', operation: 'emails.resend' },
  { tool: 'list_templates', operation: 'templates.list', ceilings: ROWS },
  { tool: 'get_template', operation: 'templates.get' },
  // Drafts are for those who write templates.
  { tool: 'render_template', operation: 'templates.render', hides: ['subject', 'html', 'text'] },
  // Its description says what the arguments are for.
  { tool: 'get_stats', operation: 'account.stats', terse: true },
  { tool: 'list_suppressions', operation: 'suppressions.list', ceilings: ROWS },
  // An account has few domains, and its rows say how each one stands.
  { tool: 'list_domains', operation: 'domains.list', ceilings: ROWS, hides: ['status', 'name'] },
] as const satisfies readonly SurfaceEntry[];

/** What a connection has only where it asks for the toolset by name. */
export const FURTHER_TOOLS = {
  templates: [
    { tool: 'create_template', operation: 'templates.create' },
    { tool: 'update_template', operation: 'templates.update' },
    { tool: 'list_template_drafts', operation: 'templates.drafts', ceilings: ROWS },
    { tool: 'discard_template_draft', operation: 'templates.discard', hides: ['contentHash'], terse: true },
    { tool: 'delete_template', operation: 'templates.delete' },
    { tool: 'test_template', operation: 'templates.test' },
  ],
  domains: [
    { tool: 'get_domain', operation: 'domains.get' },
    { tool: 'get_domain_records', operation: 'domains.records' },
    { tool: 'create_domain', operation: 'domains.create' },
    { tool: 'verify_domain', operation: 'domains.verify' },
    { tool: 'rotate_domain_key', operation: 'domains.rotate' },
    { tool: 'delete_domain', operation: 'domains.delete' },
    { tool: 'list_removed_domains', operation: 'domains.history', ceilings: ROWS },
    { tool: 'restore_domain', operation: 'domains.restore' },
  ],
  webhooks: [
    { tool: 'list_webhooks', operation: 'webhooks.list', ceilings: ROWS },
    { tool: 'get_webhook', operation: 'webhooks.get' },
    { tool: 'create_webhook', operation: 'webhooks.create' },
    { tool: 'update_webhook', operation: 'webhooks.update' },
    { tool: 'rotate_webhook', operation: 'webhooks.rotate' },
    { tool: 'delete_webhook', operation: 'webhooks.delete' },
    { tool: 'test_webhook', operation: 'webhooks.test' },
    { tool: 'list_webhook_deliveries', operation: 'webhooks.deliveries', ceilings: ROWS },
    { tool: 'retry_webhook_delivery', operation: 'webhooks.retry' },
    { tool: 'replay_webhook', operation: 'webhooks.replay' },
    { tool: 'simulate_webhook', operation: 'webhooks.simulate' },
  ],
  // None decides holds: that is for people, and `approvals:decide` shows no tool.
  keys: [
    { tool: 'list_keys', operation: 'keys.list', ceilings: ROWS },
    { tool: 'get_key', operation: 'keys.get' },
    { tool: 'create_key', operation: 'keys.create' },
    { tool: 'update_key', operation: 'keys.update' },
    { tool: 'rotate_key', operation: 'keys.rotate' },
    { tool: 'pause_key', operation: 'keys.pause' },
    { tool: 'resume_key', operation: 'keys.resume' },
    { tool: 'revoke_key', operation: 'keys.revoke' },
  ],
  // To take a hold back there is cancel_email, which every connection has.
  approvals: [
    { tool: 'list_approvals', operation: 'approvals.list', ceilings: ROWS },
    {
      tool: 'get_approval',
      operation: 'approvals.get',
      ceilings: {
        wait: {
          ...{ max: 50, apiMax: LIMITS.waitSecondsMax, optional: true },
          description: 'Seconds to wait for a decision, 1 to 50.',
        },
      },
    },
  ],
  suppressions: [
    { tool: 'get_suppression', operation: 'suppressions.get' },
    { tool: 'add_suppression', operation: 'suppressions.create' },
    { tool: 'remove_suppression', operation: 'suppressions.delete' },
  ],
  support: [
    { tool: 'list_tickets', operation: 'tickets.list', ceilings: ROWS },
    { tool: 'get_ticket', operation: 'tickets.get' },
    { tool: 'create_ticket', operation: 'tickets.create' },
    { tool: 'reply_to_ticket', operation: 'tickets.reply' },
  ],
  account: [
    { tool: 'get_account', operation: 'account.get' },
    { tool: 'get_volume', operation: 'account.volume' },
    { tool: 'get_checklist', operation: 'account.checklist' },
    { tool: 'update_account', operation: 'account.update' },
    { tool: 'pause_account', operation: 'account.pause' },
    { tool: 'resume_account', operation: 'account.resume' },
    { tool: 'delete_account', operation: 'account.delete' },
  ],
  team: [
    { tool: 'list_team', operation: 'team.list' },
    { tool: 'invite_member', operation: 'team.invite' },
    { tool: 'update_member', operation: 'team.update' },
    { tool: 'remove_member', operation: 'team.remove' },
  ],
  logs: [
    { tool: 'list_requests', operation: 'requests.list', ceilings: ROWS },
    { tool: 'get_request', operation: 'requests.get' },
    { tool: 'list_audit_entries', operation: 'audit.list', ceilings: ROWS },
    { tool: 'export_emails', operation: 'emails.export' },
    { tool: 'reschedule_email', operation: 'emails.reschedule' },
  ],
  diagnostics: [
    { tool: 'check_spf', operation: 'tools.spf' },
    { tool: 'check_dkim', operation: 'tools.dkim' },
    { tool: 'check_dmarc', operation: 'tools.dmarc' },
    { tool: 'check_mx', operation: 'tools.mx' },
    { tool: 'check_blocklist', operation: 'tools.blocklist' },
    { tool: 'check_inbox_placement', operation: 'tools.inbox-placement' },
    { tool: 'list_checks', operation: 'tools.list' },
    { tool: 'check_service', operation: 'service.readiness' },
    // The builder answers a link and stores nothing.
    { tool: 'tag_link', operation: 'tools.utm', effect: 'read' },
  ],
} as const satisfies Readonly<Record<Toolset, readonly SurfaceEntry[]>>;

export type ToolName = (typeof DEFAULT_TOOLSET)[number]['tool'] | (typeof FURTHER_TOOLS)[Toolset][number]['tool'];

/** An entry with the toolset that brings it; null for the default one. */
export interface PlacedEntry {
  readonly entry: SurfaceEntry & { readonly tool: ToolName };
  readonly toolset: Toolset | null;
}

/** The whole surface, in the order in which tools are listed. */
export function surfaceEntries(): readonly PlacedEntry[] {
  // Object.entries widens the names; the literal has only toolsets.
  const further = Object.entries(FURTHER_TOOLS) as readonly [Toolset, readonly PlacedEntry['entry'][]][];
  return [
    ...DEFAULT_TOOLSET.map((entry) => ({ entry, toolset: null })),
    ...further.flatMap(([toolset, entries]) => entries.map((entry) => ({ entry, toolset }))),
  ];
}

/** The scope a key needs to see the tool: that of the operation behind it. */
export function scopeOf(entry: SurfaceEntry): Scope | null {
  const { access } = findOperation(entry.operation);
  return access.kind === 'key' ? access.scope : null;
}

/** Whether a key with these scopes sees the tool. Unknown scopes show everything: the API refuses what is not allowed. */
export function isVisible(scope: Scope | null, scopes: readonly Scope[] | null): boolean {
  return scope === null || scopes === null || scopes.includes(scope);
}
