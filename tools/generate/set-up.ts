import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ICON_PIXELS } from './icons.ts';
import type { Product } from './product.ts';

/** The manifest of the package with the stdio program: what the files for clients say about it. */
export interface McpManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly keywords: readonly string[];
  readonly engines: { readonly node: string };
  /** The name in the MCP registry. The registry compares it with `server.json`, to prove that both have one owner. */
  readonly mcpName: string;
}

export const TITLE = 'Postrider';
/** At most 100 characters, the limit of the MCP registry. */
export const DESCRIPTION =
  'Send email that is checked, followed to its outcome, and held for approval where you want it.';
export const AUTHOR = { name: 'Postrider maintainers' };

/** What a user enters in every client. */
export const INPUTS = {
  baseUrl: {
    title: 'Server address',
    description: 'The address of your Postrider server, such as https://mail.example.com, without a slash at the end.',
    development: 'http://127.0.0.1:8025',
  },
  apiKey: {
    title: 'API key',
    description:
      'A key for this agent alone. In approval mode `always`, nothing is sent until an approver approves it.',
  },
} as const;

export const PLUGIN_FOLDER = 'plugins/postrider';
const SERVER_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

export async function readMcpManifest(root: string): Promise<McpManifest> {
  return JSON.parse(await readFile(path.join(root, 'packages/mcp/package.json'), 'utf8')) as McpManifest; // Our own file.
}

/** The files by which registries and clients find the server: `server.json`, the plugin, and the list that offers the plugin. */
export async function renderSetUp(root: string): Promise<readonly Product[]> {
  const manifest = await readMcpManifest(root);
  const files = {
    'server.json': serverJson(manifest),
    '.claude-plugin/marketplace.json': marketplace(manifest),
    [`${PLUGIN_FOLDER}/.claude-plugin/plugin.json`]: plugin(manifest),
    [`${PLUGIN_FOLDER}/.mcp.json`]: PLUGIN_SERVERS,
  };
  return Object.entries(files).map(([name, content]) => ({
    path: name,
    content: `${JSON.stringify(content, null, 2)}\n`,
  }));
}

/** The entry for the MCP registry: the package for clients that start a program, and the endpoint of any installation. */
function serverJson({ name, version, mcpName }: McpManifest) {
  return {
    $schema: SERVER_SCHEMA,
    name: mcpName,
    title: TITLE,
    description: DESCRIPTION,
    version,
    icons: [
      {
        src: `https://unpkg.com/${name}@${version}/icons/postrider-${ICON_PIXELS.large}.png`,
        mimeType: 'image/png',
        sizes: [`${ICON_PIXELS.large}x${ICON_PIXELS.large}`],
      },
    ],
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: [
          {
            name: 'POSTRIDER_BASE_URL',
            description: INPUTS.baseUrl.description,
            isRequired: true,
            placeholder: INPUTS.baseUrl.development,
          },
          { name: 'POSTRIDER_API_KEY', description: INPUTS.apiKey.description, isRequired: true, isSecret: true },
        ],
      },
    ],
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{host}/mcp',
        variables: {
          host: {
            description: 'The host of your Postrider server, with its port if it is not 443.',
            isRequired: true,
            placeholder: 'mail.example.com',
          },
        },
        // Without the header, the client signs in.
        headers: [
          {
            name: 'Authorization',
            value: 'Bearer {api_key}',
            description: 'An API key of this agent, for clients that cannot sign in. Omit it to sign in.',
            isRequired: false,
            isSecret: true,
            variables: { api_key: { description: INPUTS.apiKey.description, isRequired: false, isSecret: true } },
          },
        ],
      },
    ],
  };
}

function marketplace({ version }: McpManifest) {
  return {
    name: 'postrider',
    owner: AUTHOR,
    metadata: { description: 'The plugin of Postrider, a self-hosted email service.', version },
    plugins: [{ name: 'postrider', source: `./${PLUGIN_FOLDER}`, description: DESCRIPTION, version }],
  };
}

function plugin({ version, license, keywords }: McpManifest) {
  const { baseUrl } = INPUTS;
  return {
    name: 'postrider',
    version,
    description: DESCRIPTION,
    author: AUTHOR,
    license,
    keywords,
    userConfig: {
      base_url: {
        type: 'string',
        title: baseUrl.title,
        description: baseUrl.description,
        default: baseUrl.development,
        required: true,
      },
    },
  };
}

/** The plugin connects to the server itself: it needs no package, no Node and no key, because the user signs in. */
const PLUGIN_SERVERS = {
  mcpServers: {
    postrider: {
      type: 'http',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client replaces it.
      url: '${user_config.base_url}/mcp',
    },
  },
};
