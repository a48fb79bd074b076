import type { CliIo } from '../../cli-io.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import type { Invocation } from '../../invocation.ts';
import type { Output } from '../../output/output.ts';
import { namedTargets, readName, type Target } from './choose-targets.ts';
import { type Removed, removeEntry } from './install-entry.ts';

/** Takes the MCP server out of the settings of agents' programs. */
export async function runMcpUninstall({ ownFlags }: Invocation, output: Output, io: CliIo): Promise<ExitCode> {
  const name = readName(ownFlags['name']);
  const results: (Target & { readonly result: Removed })[] = [];
  for (const target of namedTargets(ownFlags['client'], io)) {
    const result = await removeEntry(target.client, target.path, name, new Date());
    // Of programs that nobody named, those without it are no news.
    if (result.status !== 'absent' || ownFlags['client'] !== undefined) results.push({ ...target, result });
  }
  if (output.isJson) {
    output.writeJson({
      clients: results.map(({ client, path, result }) => ({ client: client.name, path, ...result })),
    });
  } else {
    for (const { client, path, result } of results) output.writeText(`${client.title}: ${describe(result, path)}\n`);
    if (results.length === 0) output.writeText(`No program has a server ${name}.\n`);
    if (results.some(({ result }) => result.status === 'removed')) {
      output.remark(
        'Start the programs again, so that they read it. The key still works: postrider keys revoke ends it.',
      );
    }
  }
  return results.some(({ result }) => result.status === 'refused') ? EXIT_CODES.refused : EXIT_CODES.done;
}

function describe(result: Removed, path: string): string {
  switch (result.status) {
    case 'removed':
      return `taken out of ${path} (before: ${result.backup})`;
    case 'absent':
      return `is not in ${path}`;
    case 'refused':
      return `${path} was left as it is: ${result.reason}`;
  }
}
