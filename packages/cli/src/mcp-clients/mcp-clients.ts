import { posix, win32 } from 'node:path';

/** How a client starts a server. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

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
  /** Additional fields of an entry. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** From the clients' documentation as of November 2026. All paths are user settings, which apply to every project. */
export const MCP_CLIENTS: readonly McpClient[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, applicationData(places), 'Claude', 'claude_desktop_config.json'),
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, places.env['CLAUDE_CONFIG_DIR'] || places.home, '.claude.json'),
    extra: { type: 'stdio' },
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, places.home, '.cursor', 'mcp.json'),
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'json',
    section: 'servers',
    path: (places) => join(places, applicationData(places), 'Code', 'User', 'mcp.json'),
    extra: { type: 'stdio' },
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, places.home, '.codeium', 'windsurf', 'mcp_config.json'),
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    path: (places) => join(places, places.env['CODEX_HOME'] || join(places, places.home, '.codex'), 'config.toml'),
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    section: 'mcpServers',
    path: (places) => join(places, places.home, '.gemini', 'settings.json'),
  },
  {
    name: 'zed',
    title: 'Zed',
    format: 'json',
    section: 'context_servers',
    path: (places) => join(places, zedSettings(places), 'settings.json'),
  },
];

export const CLIENT_NAMES = MCP_CLIENTS.map(({ name }) => name);

/** The entry under the server's name. */
export function entryOf({ extra = {} }: McpClient, { command, args, env }: ServerEntry) {
  return { ...extra, command, args: [...args], env: { ...env } };
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
