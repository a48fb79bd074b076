/**
 * MCP tool groups beyond the default one. A connection requests them by name; they never extend what its key allows. A group is listed even
 * before it has tools, so that clients need not change their configuration later.
 */
export const TOOLSETS = {
  templates: 'Create, change, roll back, delete and test templates.',
  domains: 'Add, verify, restore and delete sending domains and read their DNS records.',
  webhooks: 'Create, change, test and replay webhook endpoints, and read their deliveries.',
  keys: 'List, create, change, pause and revoke API keys.',
  approvals: 'List and read held sends.',
  suppressions: 'Look up, add and remove suppressions.',
  support: 'Open, list, read and reply to support tickets.',
  account: 'Read, change, pause and delete the account; volume by day and the setup checklist.',
  team: 'List, invite, change and remove members of the team.',
  logs: 'Export the message log, read the logs of requests and changes, and reschedule messages.',
  diagnostics: 'Check SPF, DKIM, DMARC, MX, blocklists, inbox placement and the server, and tag links.',
} as const;

export type Toolset = keyof typeof TOOLSETS;

export const TOOLSET_NAMES = Object.keys(TOOLSETS) as readonly Toolset[]; // Object.keys widens to string; the literal above has only these.

/** The toolsets in a list such as `templates,domains`, each once; the second list contains the unknown names. */
export function readToolsets(list: string): {
  readonly toolsets: readonly Toolset[];
  readonly unknown: readonly string[];
} {
  const names = new Set(list.split(',').map((name) => name.trim()));
  return {
    toolsets: TOOLSET_NAMES.filter((name) => names.has(name)),
    unknown: [...names].filter((name) => !Object.hasOwn(TOOLSETS, name)),
  };
}
