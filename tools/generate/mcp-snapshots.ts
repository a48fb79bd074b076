import { TOOLS } from '@postrider/mcp';

const FOLDER = 'test/mcp/snapshots';

/**
 * One frozen definition a tool, as `tools/list` answers it, by path from the repository's root. Agents and their prompts depend on these
 * words, so a change of them shows in review as a change of its own.
 */
export function mcpSnapshotFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    TOOLS.map(({ definition }) => [
      `${FOLDER}/${definition.name}.snapshot.json`,
      `${JSON.stringify(definition, null, 2)}\n`,
    ]),
  );
}
