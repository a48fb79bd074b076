import { type ExportFormat, findOperation } from '@postrider/core';
import { BODY_OFFSET, isOffset, offsetProblem } from '../body-offset.ts';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import { defineTool, inArgumentNames, placeGiven, type ToolMaker } from '../tool.ts';
import { toolInputSchema } from '../tool-schemas.ts';
import { NOTES_OUTPUT } from './dry-run-text.ts';

const operation = findOperation('emails.export');

/** In ASCII characters; others count four times, as in the size of a result. Leaves room for the notes in both forms. */
const PART_CHARACTERS_MAX = 9_000;

/** A part of the file, in whole lines if they fit. */
interface Part {
  readonly content: string;
  /** The offset of the next part; null at the end of the file. */
  readonly nextOffset: number | null;
}

/** The log as a file in parts: a result has room for about 60 lines. It reads only the shown and skipped parts. */
export const exportEmailsTool: ToolMaker = (entry) =>
  defineTool({
    entry,
    input: () => toolInputSchema(entry, { body_offset: BODY_OFFSET }),
    output: () => ({
      type: 'object',
      properties: {
        format: { type: 'string' },
        content: { type: 'string' },
        nextOffset: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        ...NOTES_OUTPUT,
      },
    }),
    run: async ({ body_offset: offset = 0, ...given }, { invoke, signal }) => {
      if (!isOffset(offset)) return refuse(offsetProblem());
      const input = placeGiven(entry, given);
      if (!input.ok) return refuse(input.problem);
      const result = await invoke(operation.id, input.input, { signal });
      if (!result.ok) return refuse(inArgumentNames(result.problem, entry));
      // A streaming operation returns chunks: text or bytes.
      const part = await readPart(result.body as AsyncIterable<string | Uint8Array>, offset);
      const format: ExportFormat = (input.input.query['format'] as ExportFormat | undefined) ?? 'csv'; // As the API accepted it.
      return present({
        record: { format, ...part },
        notes: [...input.notes, restNote(part, entry.tool)],
        structuredNotes: [UNTRUSTED_NOTE],
        toText: ({ content }, untrusted) =>
          [`Part of the log as ${format}, newest first`, untrusted(content)].join('\n'),
      });
    },
  });

function restNote({ nextOffset }: Part, tool: string): string {
  return nextOffset === null
    ? 'This is the end of the file.'
    : `There is more: call ${tool} with the same arguments and body_offset ${nextOffset}. The REST API and the CLI return the whole file.`;
}

/** Leaving the loop ends the export on the server. */
async function readPart(pieces: AsyncIterable<string | Uint8Array>, offset: number): Promise<Part> {
  const decoder = new TextDecoder();
  let passed = 0;
  let text = '';
  for await (const piece of pieces) {
    const added = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    text += added.slice(Math.max(0, offset - passed));
    passed += added.length;
    if (text.length > PART_CHARACTERS_MAX) break;
  }
  const fitting = countFitting(text);
  if (fitting === text.length) return { content: text, nextOffset: null };
  const lineEnd = text.lastIndexOf('\n', fitting - 1) + 1;
  const end = lineEnd > 0 ? lineEnd : fitting;
  return { content: text.slice(0, end).toWellFormed(), nextOffset: offset + end };
}

function countFitting(text: string): number {
  let cost = 0;
  for (let at = 0; at < text.length; at += 1) {
    cost += text.charCodeAt(at) > 127 ? 4 : 1;
    if (cost > PART_CHARACTERS_MAX) return at;
  }
  return text.length;
}
