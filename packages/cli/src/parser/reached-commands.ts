/** The commands that a command line can reach. */
export interface ReachedCommands {
  /** Whether the command is parsed or shown with its flags. */
  includes(command: string): boolean;
  /** Whether the group of this name is. */
  includesGroup(name: string): boolean;
}

/** All commands, for readers of the whole tree. */
export const ALL_REACHED: ReachedCommands = { includes: () => true, includesGroup: () => true };

/**
 * The flags of all commands are thousands of objects, and creating them took longer than everything else before the first request. A command
 * is reached only by its words. If they name no command, or a group, the help lists the commands below them.
 */
export function findReached(commands: readonly string[], argv: readonly string[]): ReachedCommands {
  const given = new Set(argv);
  const isGiven = (words: readonly string[]) => words.every((word) => given.has(word));
  const named = new Set(commands.filter((command) => isGiven(command.split(' '))));
  return {
    includes: (command) => {
      if (named.has(command)) return true;
      const group = command.split(' ').slice(0, -1);
      return (named.size === 0 && isGiven(group)) || named.has(group.join(' '));
    },
    includesGroup: (name) => given.has(name),
  };
}
