import { DEFAULT_TOOLSET, TOOLS } from '@postrider/mcp';
import { AUTHOR, DESCRIPTION, INPUTS, type McpManifest, TITLE } from '../generate/set-up.ts';

/** The files of the bundle that the manifest names. */
export const BUNDLE_FILES = { manifest: 'manifest.json', entry: 'server/index.js', icon: 'icon.png' } as const;

/**
 * The manifest of the MCP bundle, in version 0.3 of its format: 0.4 adds only Python programs. The tools are those of every connection; a
 * key sees fewer or, with toolsets, more of them.
 */
export function renderManifest({ version, license, keywords, engines }: McpManifest) {
  const { baseUrl, apiKey } = INPUTS;
  return {
    manifest_version: '0.3',
    name: 'postrider',
    display_name: TITLE,
    version,
    description: DESCRIPTION,
    long_description:
      'Postrider is a self-hosted email service. Agents send, preview and follow messages with the limits of their API key. A key in approval mode sends nothing until an approver approves it. Create a key for this client alone: `postrider keys create --name Agent --scope sending --approval-mode always`.',
    author: AUTHOR,
    icon: BUNDLE_FILES.icon,
    server: {
      type: 'node',
      entry_point: BUNDLE_FILES.entry,
      mcp_config: {
        command: 'node',
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the client replaces them.
        args: [`\${__dirname}/${BUNDLE_FILES.entry}`],
        env: {
          POSTRIDER_BASE_URL: '${user_config.base_url}',
          POSTRIDER_API_KEY: '${user_config.api_key}',
        },
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the client replaces them.
      },
    },
    tools: DEFAULT_TOOLSET.map(({ tool }) => ({ name: tool, description: titleOf(tool) })),
    tools_generated: true,
    prompts_generated: true,
    keywords,
    license,
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
    user_config: {
      base_url: {
        type: 'string',
        title: baseUrl.title,
        description: baseUrl.description,
        default: baseUrl.development,
        required: true,
      },
      api_key: {
        type: 'string',
        title: apiKey.title,
        description: apiKey.description,
        required: true,
        sensitive: true,
      },
    },
  };
}

function titleOf(name: string): string {
  return TOOLS.find(({ definition }) => definition.name === name)?.definition.title ?? name;
}
