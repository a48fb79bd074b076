import { textOf } from './json-value.ts';
import { singleLine } from './untrusted-text.ts';

/** A detail or a fix for a user who sees sentences instead of the problem document. */
export function problemText(value: unknown): string {
  return singleLine(textOf(value))
    .replaceAll(/the (\w+) named in `(?:errors|recipients|detail)`/g, (_, noun: string) => {
      const named = noun === 'fields' ? 'values' : noun;
      return `${named.endsWith('s') ? 'these' : 'this'} ${named}`;
    })
    .replaceAll(/send (the|the same) request again/g, 'run $1 command again')
    .replaceAll('the path and the id', 'the id')
    .replaceAll('use the `nextCursor` of a response', 'use the cursor that was printed');
}
