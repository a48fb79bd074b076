import type { Command, Option } from 'commander';
import { GLOBAL_OPTIONS_TITLE } from '../global-options.ts';

/** A command or a group, read from the parser itself, so that it matches what the program accepts. */
export interface TreeNode {
  /** The words after `postrider`; empty for the root. */
  readonly words: string;
  readonly command: Command;
  /** The words that can follow. */
  readonly next: readonly { readonly name: string; readonly summary: string }[];
  /** Its own options, without the global ones. */
  readonly options: readonly Option[];
}

/** All commands, each after its group. */
export function readTree(command: Command, words = ''): readonly TreeNode[] {
  const visible = command.createHelp().visibleCommands(command);
  const node: TreeNode = {
    words,
    command,
    next: visible.map((one) => ({ name: one.name(), summary: one.summary() || one.description() })),
    options: visibleOptions(command).filter(({ helpGroupHeading }) => helpGroupHeading !== GLOBAL_OPTIONS_TITLE),
  };
  return [node, ...command.commands.flatMap((one) => readTree(one, `${words} ${one.name()}`.trim()))];
}

export function readGlobals(program: Command): readonly Option[] {
  return visibleOptions(program).filter(({ helpGroupHeading }) => helpGroupHeading === GLOBAL_OPTIONS_TITLE);
}

function visibleOptions(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}
