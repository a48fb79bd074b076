import { posix, win32 } from 'node:path';

/** How a client starts a server on this machine. */
export interface ProgramEntry {
  readonly kind: 'program';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where a client reaches a server, in which its user signs in. */
export interface RemoteEntry {
  readonly kind: 'remote';
  readonly url: string;
}

export type ServerEntry = ProgramEntry | RemoteEntry;

/** Where clients store their settings on a machine. */
export interface Places {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program with an MCP client: its settings file and the shape of an entry in it. */
export interface McpClient {
  readonly name: string;
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** The field of the file that contains the servers by name. */
  readonly section: string;
  readonly path: (places: Places) => string;
  /** Additional fields of an entry with a program. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Null if the settings cannot name a server that the user signs in to. */
  readonly remote: RemoteForm | null;
}

/** The entry of a remote server, and how the user signs in to it. */
export interface RemoteForm {
  readonly urlField: 'url' | 'httpUrl' | 'serverUrl';
  readonly extra?: Readonly<Record<string, string>>;
  /** What the user does next, as a sentence. */
  readonly signIn: (name: string) => string;
}

/** From the clients' documentation as of November 2026. All paths are user settings, which apply to every project. */
export const MCP_CLIENTS: readonly McpClient[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, applicationData(places), 'Claude', 'claude_desktop_config.json'),
    // It connects to remote servers only as connectors, from the cloud of its maker.
    remote: null,
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, places.env['CLAUDE_CONFIG_DIR'] || places.home, '.claude.json'),
    extra: { type: 'stdio' },
    remote: {
      urlField: 'url',
      extra: { type: 'http' },
      signIn: (name) => `Run claude mcp login ${name}, or open Claude Code and choose ${name} in /mcp.`,
    },
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, places.home, '.cursor', 'mcp.json'),
    remote: {
      urlField: 'url',
      signIn: (name) => `Open the MCP servers in the settings of Cursor, and log in to ${name}.`,
    },
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'json',
    section: 'servers',
    path: (places) => join(places, applicationData(places), 'Code', 'User', 'mcp.json'),
    extra: { type: 'stdio' },
    remote: {
      urlField: 'url',
      extra: { type: 'http' },
      signIn: (name) => `Run MCP: List Servers in the command palette, start ${name}, and allow it to authenticate.`,
    },
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, places.home, '.codeium', 'windsurf', 'mcp_config.json'),
    remote: { urlField: 'serverUrl', signIn: (name) => `Refresh the MCP servers of Cascade, and sign in to ${name}.` },
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    path: (places) => join(places, places.env['CODEX_HOME'] || join(places, places.home, '.codex'), 'config.toml'),
    remote: { urlField: 'url', signIn: (name) => `Run codex mcp login ${name}.` },
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, places.home, '.gemini', 'settings.json'),
    // Here, `url` means the former transport.
    remote: { urlField: 'httpUrl', signIn: (name) => `Open Gemini CLI and run /mcp auth ${name}.` },
  },
  {
    name: 'zed',
    title: 'Zed',
    format: 'json',
    section: 'context_servers',
    path: (places) => join(places, zedSettings(places), 'settings.json'),
    remote: {
      urlField: 'url',
      signIn: (name) => `Open the MCP servers in the AI settings of Zed, and authenticate ${name}.`,
    },
  },
];

export const CLIENT_NAMES = MCP_CLIENTS.map(({ name }) => name);

/** The entry under the server's name. */
export function entryOf({ extra = {}, remote }: McpClient, entry: ServerEntry): Readonly<Record<string, unknown>> {
  switch (entry.kind) {
    case 'program': {
      const { command, args, env } = entry;
      return { ...extra, command, args: [...args], env: { ...env } };
    }
    case 'remote':
      return { ...remote?.extra, [remote?.urlField ?? 'url']: entry.url };
  }
}

function applicationData(places: Places): string {
  const { home, platform, env } = places;
  if (platform === 'darwin') return join(places, home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] || join(places, home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] || join(places, home, '.config');
}

/** Zed uses `.config` on macOS too. */
function zedSettings(places: Places): string {
  if (places.platform === 'win32') return join(places, applicationData(places), 'Zed');
  return join(places, places.env['XDG_CONFIG_HOME'] || join(places, places.home, '.config'), 'zed');
}

/** By the rules of the given platform. */
function join({ platform }: Places, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}
