import { LIMITS, UNSUBSCRIBE_VARIABLE } from '@postrider/core';
import { createThreadPool } from '../threads/thread-pool.ts';
import { toBody, toSubjectLine } from './rendered-content.ts';
import {
  type Inspection,
  type Rendering,
  TEMPLATE_PARTS,
  type TemplateFault,
  type TemplateJob,
  type TemplatePart,
  type TemplateSource,
} from './template-job.ts';

export interface RenderOrder {
  /** A permanent name of the source, such as a template's id and version; null for sources used once. */
  readonly key: string | null;
  readonly source: TemplateSource;
  /** A part to skip. */
  readonly leaves?: TemplatePart;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Whether to judge what the variables add to the template. */
  readonly judgesValues?: boolean;
}

/** The renderer is overloaded; the caller may retry. */
export type Busy = { readonly ok: false; readonly busy: true };

export interface TemplateRenderer {
  /** Parses parts and finds their variables. */
  inspect(accountId: string, source: Partial<TemplateSource>): Promise<Inspection | Busy>;
  /** Renders a template. The result is safe to store and send. */
  render(accountId: string, order: RenderOrder): Promise<Rendering | Busy>;
  close(): Promise<void>;
}

/** Two threads can work for one account while the third serves the others. */
const THREADS = 3;
/** The engine checks the clock between steps, so nearly every slow rendering ends with a fault that names its line. */
const RENDER_MS = 500;
/** For steps that never end. The rest of the second is for waiting for a thread, killing one, and responding. */
const KILL_AFTER_MS = 800;
const MAX_WAIT_MS = 5_000;
/** The engine's units: created characters and list items. A list of this many numbers takes half the heap. */
const MEMORY_UNITS = 4_000_000;
/** A parsed template takes about twenty times the memory of its source. */
const KEPT_CHARACTERS = 400_000;

/** Renders templates in separate threads, each limited by LIMITS.templateRenderMs and LIMITS.templateRenderMegabytes. */
export function createTemplateRenderer(): TemplateRenderer {
  const pool = createThreadPool<TemplateJob>({
    module: workerModule(),
    threads: THREADS,
    heapMb: LIMITS.templateRenderMegabytes,
    killAfterMs: KILL_AFTER_MS,
    maxWaitMs: MAX_WAIT_MS,
    settings: {
      sourceCharacters: LIMITS.bodyBytes,
      memoryUnits: MEMORY_UNITS,
      renderMs: RENDER_MS,
      resultCharacters: LIMITS.bodyBytes,
      keptCharacters: KEPT_CHARACTERS,
      reserved: { [UNSUBSCRIBE_VARIABLE]: `{{${UNSUBSCRIBE_VARIABLE}}}` },
    },
  });

  async function run<Result>(accountId: string, job: TemplateJob): Promise<Result | Overrun | Busy> {
    const outcome = await pool.run({ accountId }, job);
    if (outcome.kind === 'busy') return { ok: false, busy: true };
    if (outcome.kind === 'overrun') return overrun(job.source);
    return outcome.response as Result; // The worker returns the result type that belongs to the job's kind.
  }

  return {
    inspect: (accountId, source) => run<Inspection>(accountId, { kind: 'inspect', source }),
    render: async (accountId, { key, source, leaves = null, variables, judgesValues = false }) => {
      const job = { kind: 'render', key, source, leaves, variables: JSON.stringify(variables), judgesValues } as const;
      const result = await run<Rendering>(accountId, job);
      return result.ok ? finish(result) : result;
    },
    close: pool.close,
  };
}

type Overrun = { readonly ok: false; readonly faults: readonly TemplateFault[] };

function overrun(source: Partial<TemplateSource>): Overrun {
  const { templateRenderMs, templateRenderMegabytes } = LIMITS;
  const message = `takes more than ${templateRenderMs} ms or ${templateRenderMegabytes} MB`;
  const part = TEMPLATE_PARTS.find((name) => name !== 'subject' && typeof source[name] === 'string') ?? 'subject';
  return { ok: false, faults: [{ part, line: null, column: null, message }] };
}

function finish(rendering: Extract<Rendering, { ok: true }>): Rendering {
  const subject = rendering.subject === null ? null : toSubjectLine(rendering.subject);
  const html = rendering.html === null ? null : toBody(rendering.html);
  const text = rendering.text === null ? null : toBody(rendering.text);
  const faults = [
    ...(subject !== null && subject.length > LIMITS.subjectCharacters
      ? [tooLong('subject', `${LIMITS.subjectCharacters} characters`)]
      : []),
    ...(isTooLarge(html) ? [tooLong('html', `${LIMITS.bodyBytes} bytes`)] : []),
    ...(isTooLarge(text) ? [tooLong('text', `${LIMITS.bodyBytes} bytes`)] : []),
  ];
  return faults.length > 0 ? { ok: false, faults } : { ...rendering, subject, html, text };
}

function isTooLarge(body: string | null): boolean {
  return body !== null && body.length > LIMITS.bodyBytes / 3 && Buffer.byteLength(body) > LIMITS.bodyBytes;
}

function tooLong(part: TemplatePart, limit: string): TemplateFault {
  return { part, line: null, column: null, message: `became longer than ${limit}` };
}

/** Next to this file, both in the sources and in the compiled output. */
function workerModule(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './template-worker.ts' : './template-worker.js', import.meta.url);
}
