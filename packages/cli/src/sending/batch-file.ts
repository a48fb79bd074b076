import type { CliIo } from '../cli-io.ts';
import { readContent, readsStdin } from '../content-argument.ts';
import { usageFailure } from '../failure.ts';
import { isRecord } from '../output/json-value.ts';

/**
 * The items of a batch from a file, or from stdin for `-`: a JSON array, the API's `{"emails": […]}`, or one object per line. The server
 * validates the items.
 */
export async function readBatchFile(argument: string, given: string, io: CliIo): Promise<readonly unknown[]> {
  const name = readsStdin(given) || given.startsWith('@') ? given : `@${given}`;
  const text = (await readContent(argument, name, io)).replace(/^\ufeff/, '');
  const whole = parse(text);
  const list = isRecord(whole) && Array.isArray(whole['emails']) ? whole['emails'] : whole;
  const items: readonly unknown[] = Array.isArray(list) ? list : readLines(argument, text);
  if (items.length > 0) return items;
  throw usageFailure(`${argument} contains no send`, 'Use a JSON array, or one object per line.');
}

function readLines(argument: string, text: string): readonly unknown[] {
  return text.split(/\r\n|[\r\n]/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parse(line);
    if (value !== undefined) return [value];
    throw usageFailure(`line ${index + 1} of ${argument} is not JSON`, 'Use a JSON array, or one object per line.');
  });
}

/** Undefined means invalid JSON, because it is not a JSON value. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
