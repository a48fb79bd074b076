import { type Command, Option } from 'commander';

export const EXPORT_OPERATION = 'emails.export';

/** The flag of the file takes the name of the global one that chooses the form of the answer: here the answer is the file. */
export function describeExport(command: Command): Command {
  const meaning =
    'Write the file there; a folder gets it under the name the server gives it. Without it the file goes to stdout.';
  return command.addOption(new Option('-o, --output <file>', meaning));
}
