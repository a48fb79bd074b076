/** Which of the named commands a command line can come to. */
export interface ReachedCommands {
  /** Whether the command is parsed, or shown with all it takes. */
  includes(command: string): boolean;
  /** Whether the group of this name is. */
  includesGroup(name: string): boolean;
}

/** Every one, for those who read the whole tree. */
export const ALL_REACHED: ReachedCommands = { includes: () => true, includesGroup: () => true };

/**
 * Flags of all commands are thousands of objects, which took longer to make than everything else that the program does before its first
 * request. A command can only be reached by its words. Where the line names no command, or one that is a group too, the help that
 * comes lists what stands below the words.
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
