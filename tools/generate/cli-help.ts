import { CHARACTERS_MIN, type CommandDescription, type HelpPage, helpPages, listOf } from '@postrider/cli';
import { OPERATIONS } from '@postrider/core';
import { readCommandFiles } from './cli-command-files.ts';
import { describeCommands } from './cli-commands.ts';
import { describeOwnCommands } from './cli-definitions.ts';
import { commandFilesSource, commandsSource, operationCommandsSource } from './cli-sources.ts';
import { cliViewFiles } from './cli-views.ts';
import { MARKDOWN_NOTICE } from './markdown.ts';

/** Wide enough for sentences, and narrow enough for a page. */
const HELP_COLUMNS = 110;

/** The CLI files generated from the registry and the command files, and the reference of the help texts. */
export async function cliHelpFiles(): Promise<Record<string, string>> {
  const files = await readCommandFiles(OPERATIONS);
  const definitions = files.map(({ definition }) => definition);
  const operations = describeCommands(OPERATIONS, definitions);
  const commands = operations.map(withShortIds);
  const own = describeOwnCommands(definitions, operations).map(withShortIds);
  return {
    'packages/cli/src/generated/commands.ts': commandsSource(commands, own),
    'packages/cli/src/generated/command-files.ts': commandFilesSource(files),
    'packages/cli/src/generated/operation-commands.ts': operationCommandsSource(OPERATIONS),
    ...(await cliViewFiles()),
    'docs/cli.md': renderReference(helpPages([...commands, ...own], HELP_COLUMNS)),
  };
}

/** Adds to the help of an id that it can be shortened. */
function withShortIds(command: CommandDescription): CommandDescription {
  const inputs = command.inputs.map((input) =>
    input.positional && listOf(command.id, input.name) !== null
      ? { ...input, description: `${input.description} ${SHORT_IDS}` }
      : input,
  );
  return { ...command, inputs };
}

const SHORT_IDS = `The first ${CHARACTERS_MIN} or more characters of an id are enough.`;

function renderReference(pages: readonly HelpPage[]): string {
  const [root, ...commands] = pages;
  return [
    MARKDOWN_NOTICE,
    '',
    '# The `postrider` command',
    '',
    'The output of `--help` for every command. The global options are listed once, at the top; every command accepts them, before or after its own.',
    ...(root === undefined ? [] : ['', '```text', root.text.trimEnd(), '```']),
    ...commands.flatMap(renderPage),
    '',
  ].join('\n');
}

function renderPage({ command, text }: HelpPage): string[] {
  return ['', `## \`${command}\``, '', '```text', withoutGlobalOptions(text).trimEnd(), '```'];
}

/** The block from its heading to the next blank line. */
function withoutGlobalOptions(text: string): string {
  return text.replace(/\nGlobal options:\n(?:.+\n)*/, '');
}
