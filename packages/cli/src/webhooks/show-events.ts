import type { ApiConnection } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { Invocation, OwnValues } from '../invocation.ts';
import { logId } from '../output/id-column.ts';
import { isRecord, textOf } from '../output/json-value.ts';
import { type EntryPart, renderEntry } from '../output/log-entry.ts';
import type { Output } from '../output/output.ts';
import { padToWidth } from '../output/text-width.ts';
import { formatLogTime } from '../output/time.ts';
import { inertJson, singleLine } from '../output/untrusted-text.ts';
import { wrapForTerminal } from '../output/wrap-text.ts';
import { writeAndDrain } from '../output/write-and-drain.ts';
import { followStream, type SignedRequest, type StreamUpdate } from './follow-stream.ts';
import { type PostOutcome, postSigned } from './post-signed.ts';

/** The most posts in parallel. A slow program delays the stream only when so many are pending. */
const POSTS_AT_ONCE = 10;
/** The width of the longest type. */
const TYPE_COLUMNS = 22;

/** The flags of the commands that follow events. */
export interface ListenValues extends OwnValues {
  readonly forwardTo: string | undefined;
  readonly printSecret?: true | undefined;
}

/** Shows and forwards events until the user interrupts or the reader closes the pipe. */
export async function showEvents(
  { values, own, options }: Invocation<ListenValues>,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const target = own.forwardTo ?? null;
  const { events: given } = values;
  const events = Array.isArray(given) ? given.flatMap((text) => String(text).split(',')).filter(Boolean) : [];
  const show = createShow(target, output, io);
  const pending = new Set<Promise<void>>();
  for await (const update of followStream(connection, { events, signal: io.signal })) {
    if (update.kind === 'connected' && own.printSecret === true) {
      return showSecret(update.secret, options.isJsonAsked, output);
    }
    if (update.kind !== 'event') showNotice(update, target, output, io);
    else {
      const shown = show.event(update.request).finally(() => pending.delete(shown));
      pending.add(shown);
      if (pending.size >= POSTS_AT_ONCE || target === null) await Promise.race(pending);
    }
    if (!show.isOpen()) break;
  }
  await Promise.all(pending);
  return EXIT_CODES.done;
}

/** In `$(…)`, stdout is not a terminal, but the secret must be plain text. JSON needs an explicit --json. */
function showSecret(secret: string, isJsonAsked: boolean, output: Output): ExitCode {
  if (isJsonAsked) output.writeJson({ secret });
  else output.writeText(`${singleLine(secret)}\n`);
  return EXIT_CODES.done;
}

/** Connection notices are printed to stderr, also with --json: a disconnected listener must not look like an idle one. */
function showNotice(
  update: Exclude<StreamUpdate, { kind: 'event' }>,
  target: string | null,
  { isQuiet }: Output,
  { stderr }: CliIo,
): void {
  if (!isQuiet) stderr.write(wrapForTerminal(singleLine(describeNotice(update, target)), stderr));
}

function describeNotice(update: Exclude<StreamUpdate, { kind: 'event' }>, target: string | null): string {
  if (update.kind === 'lost') return `Connection lost. ${update.reason} Reconnecting in ${update.pauseMs / 1_000} s.`;
  if (update.isAgain) return 'Reconnected.';
  const where = target === null ? '' : `, forwarding to ${target}`;
  return `Listening${where}. Signing secret: ${update.secret} (Ctrl-C to stop)`;
}

interface Show {
  /** Forwards and prints an event; rejects only if the user interrupts. */
  event(request: SignedRequest): Promise<void>;
  /** False if the reader has closed the pipe. */
  isOpen(): boolean;
}

function createShow(target: string | null, output: Output, io: CliIo): Show {
  let isOpen = true;
  return {
    async event(request) {
      const outcome = target === null ? null : await postSigned(target, request, io.signal);
      const line = output.isJson ? toJsonLine(request, target, outcome) : describe(request, outcome, output);
      if (!(await writeAndDrain(io.stdout, `${line}\n`))) isOpen = false;
    },
    isOpen: () => isOpen,
  };
}

function toJsonLine({ payload, headers }: SignedRequest, target: string | null, outcome: PostOutcome | null): string {
  const event: unknown = JSON.parse(payload);
  const forwarded = outcome === null ? null : { to: target, ...outcome };
  return inertJson(JSON.stringify({ event, headers, forwarded }));
}

function describe({ id, type, payload }: SignedRequest, outcome: PostOutcome | null, { paint, width }: Output): string {
  const event: unknown = JSON.parse(payload);
  const { createdAt, data } = isRecord(event) ? event : {};
  const about = isRecord(data) ? textOf(data['recipient'] ?? data['to'] ?? data['name'] ?? data['email']) : '';
  const head = `${paint.faint(formatLogTime(textOf(createdAt), width))}  ${padToWidth(singleLine(type), TYPE_COLUMNS)}  `;
  const parts = [{ text: logId(id, width) }, ...describeOutcome(outcome, paint), { text: singleLine(about) }];
  return renderEntry(head, parts, width);
}

function describeOutcome(outcome: PostOutcome | null, { bad, faint }: Output['paint']): readonly EntryPart[] {
  if (outcome === null) return [];
  const { statusCode, error, durationMs } = outcome;
  if (statusCode === null) return [{ text: `✗ ${singleLine(error ?? '')}`, paint: bad }];
  const status = `${statusCode} in ${durationMs} ms`;
  const isAccepted = statusCode >= 200 && statusCode < 300;
  return [isAccepted ? { text: `→ ${status}`, paint: faint } : { text: `✗ ${status}`, paint: bad }];
}
