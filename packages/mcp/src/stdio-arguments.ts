import { parseArgs } from 'node:util';
import { readToolsets, TOOLSET_NAMES, TOOLSETS, type Toolset } from '@postrider/core';

/** The command line options. */
export type StdioArguments =
  | { readonly kind: 'serve'; readonly toolsets: readonly Toolset[]; readonly readOnly: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly reason: string };

export const USAGE = `postrider-mcp serves the Model Context Protocol on stdin and stdout; an agent's client starts it.

  --toolsets a,b       tools beyond the default ones, by the names below
  --readonly           only tools that change and send nothing

  POSTRIDER_API_KEY    the key that the tools use
  POSTRIDER_BASE_URL   the server, default http://127.0.0.1:8025
  POSTRIDER_DATA_DIR   without a key: the directory of quickstart.json, default ./.postrider

Toolsets:
${TOOLSET_NAMES.map((name) => `  ${name.padEnd(19)}  ${TOOLSETS[name]}`).join('\n')}
`;

export function readStdioArguments(argv: readonly string[]): StdioArguments {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        toolsets: { type: 'string' },
        readonly: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    const { toolsets, unknown } =
      values.toolsets === undefined ? { toolsets: [], unknown: [] } : readToolsets(values.toolsets);
    if (unknown.length === 0) return { kind: 'serve', toolsets, readOnly: values.readonly };
    const reason = `--toolsets names toolsets that do not exist: ${unknown.join(', ') || 'an empty name'}`;
    return { kind: 'wrong', reason };
  } catch (error) {
    // parseArgs throws for unknown options, with a message that names them.
    return { kind: 'wrong', reason: error instanceof Error ? error.message : String(error) };
  }
}
