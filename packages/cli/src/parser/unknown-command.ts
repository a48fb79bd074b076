import type { Command } from 'commander';
import { type CliFailure, usageFailure } from '../failure.ts';
import { nearestWord } from './nearest-word.ts';

/**
 * Finds a word that names no command. Commander finds most of them, but it prints the help of the group above if the line also asks for
 * help. Null if there is none, or if a flag is unknown, since its value would look like a command.
 */
export function findUnknownCommand(program: Command, argv: readonly string[], isHelp: boolean): CliFailure | null {
  let command = program;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return null;
    if (word.startsWith('-')) {
      const option = program.options.find(({ short, long }) => [short, long].includes(word.replace(/=.*/s, '')));
      if (option === undefined && !/^(-h|--help)$/.test(word)) return null;
      if (option?.required === true && !word.includes('=')) at += 1;
      continue;
    }
    // Words after a command are its arguments, but help describes no arguments.
    if (command.commands.length === 0 && !isHelp) return null;
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next === undefined) return unknownCommand(command, word);
    command = next;
  }
  return null;
}

function unknownCommand(group: Command, word: string): CliFailure {
  const isRoot = group.parent === null;
  const names = group.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const near = nearestWord(word, isRoot ? [...names, 'help'] : names);
  const meant = near === null && isRoot ? commandsNamed(word, group) : near;
  return usageFailure(`unknown command '${word}'`, meant === null ? adviceOf(group) : `Did you mean ${meant}?`);
}

/** The commands of groups with this name, as in `approve`; null if there are none, or as many as for `list`. */
function commandsNamed(word: string, program: Command): string | null {
  const found = program.commands
    .filter((group) => group.commands.some((command) => command.name() === word))
    .map((group) => `${group.name()} ${word}`);
  return found.length === 0 || found.length > NAMED_MAX ? null : found.join(' or ');
}

const NAMED_MAX = 3;

function adviceOf(group: Command): string {
  const names = group.commands.map((command) => command.name());
  return group.parent === null || names.length === 0
    ? `See ${pathOf(group)} --help.`
    : `Use one of: ${names.join(', ')}.`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
