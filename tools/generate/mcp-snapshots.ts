import { TOOLS } from '@postrider/mcp';

const FOLDER = 'test/mcp/snapshots';

/**
 * A snapshot of each tool definition in `tools/list`, by path from the repository root. Agents and their prompts depend on the exact text,
 * so a change must be visible in review.
 */
export function mcpSnapshotFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    TOOLS.map(({ definition }) => [
      `${FOLDER}/${definition.name}.snapshot.json`,
      `${JSON.stringify(definition, null, 2)}\n`,
    ]),
  );
}
