import type { ToolName } from '@postrider/core';
import { type Invoke, TOOLS } from '@postrider/mcp';

export interface Called {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** The whole result as it travels, in characters. */
  readonly characters: number;
}

export interface ReportedProgress {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

/** Runs a tool without a protocol around it; progress is asked for where there is a list to keep it in. */
export async function callTool(
  name: ToolName,
  given: Readonly<Record<string, unknown>>,
  invoke: Invoke,
  progress: ReportedProgress[] | null = null,
): Promise<Called> {
  const tool = TOOLS.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const result = await tool.run(given, {
    invoke,
    caller: 'k',
    signal: new AbortController().signal,
    report: progress === null ? null : async (update) => void progress.push(update),
  });
  const [block] = result.content;
  if (block?.type !== 'text' || result.content.length !== 1) throw new Error(`${name} did not return a single text`);
  return {
    text: block.text,
    structured: asRecord(result.structuredContent),
    isError: result.isError === true,
    characters: block.text.length + JSON.stringify(result.structuredContent).length,
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('no structured content');
  return { ...value };
}
