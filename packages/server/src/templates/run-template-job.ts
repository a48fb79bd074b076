import { randomBytes } from 'node:crypto';
import { Context, type Liquid, LiquidError, type Template } from 'liquidjs';
import { createLiquidEngine, type EngineLimits } from './liquid-engine.ts';
import { findPrintedObjects, mayPrintObject, type PrintedObject } from './printed-objects.ts';
import {
  type Inspection,
  type PrintedValues,
  type Rendering,
  TEMPLATE_PARTS,
  type TemplateFault,
  type TemplateJob,
  type TemplatePart,
  type TemplateSource,
} from './template-job.ts';
import { type PrintMode, printedIn, recordPrinted, watchPrinted } from './watch-printed.ts';
import { isMissing, missingIn, readPath, recordMissing, type UsedVariable, watchVariables } from './watch-variables.ts';

/** The settings of the worker thread. */
export interface JobSettings extends EngineLimits {
  /** The maximum time for one rendering, all parts together. */
  readonly renderMs: number;
  /** The maximum length of one rendered part, in characters. */
  readonly resultCharacters: number;
  /** The maximum size of the cache of parsed templates, in characters of source. */
  readonly keptCharacters: number;
  /** Variables that are always set and that callers cannot set. */
  readonly reserved: Readonly<Record<string, string>>;
}

export interface JobRunner {
  inspect(job: Extract<TemplateJob, { kind: 'inspect' }>): Inspection;
  render(job: Extract<TemplateJob, { kind: 'render' }>): Rendering;
}

interface ParsedPart {
  readonly part: TemplatePart;
  readonly engine: Liquid;
  readonly templates: Template[];
  readonly variables: readonly UsedVariable[];
  /** The variables that every rendering needs. Variables inside a list's elements are known only once the list is. */
  readonly required: readonly { readonly name: string; readonly path: readonly string[] }[];
}

/** The worker's part of the work: parses, finds variables, renders. Caches parsed sources that have a key. */
export function createJobRunner(settings: JobSettings): JobRunner {
  const engines = { html: createLiquidEngine(true, settings), plain: createLiquidEngine(false, settings) };
  const kept = createKeptTemplates(settings.keptCharacters);
  const reserved = Object.keys(settings.reserved);

  function parseAll(source: Partial<TemplateSource>): readonly ParsedPart[] | readonly TemplateFault[] {
    const parsed = TEMPLATE_PARTS.flatMap((part) => {
      const text = source[part];
      return typeof text === 'string'
        ? [parsePart(part, text, part === 'html' ? engines.html : engines.plain, reserved)]
        : [];
    });
    const faults = parsed.filter(isFault);
    return faults.length > 0 ? faults : parsed.filter((result): result is ParsedPart => !isFault(result));
  }

  function parseOnce(key: string | null, source: TemplateSource): readonly ParsedPart[] | readonly TemplateFault[] {
    const known = key === null ? undefined : kept.get(key);
    if (known !== undefined) return known;
    const parsed = parseAll(source);
    if (key !== null && !hasFaults(parsed)) kept.add(key, parsed, sizeOf(source));
    return parsed;
  }

  return {
    inspect: ({ source }) => {
      const parsed = parseAll(source);
      if (hasFaults(parsed)) return { ok: false, faults: parsed };
      return { ok: true, variables: Object.fromEntries(parsed.map(({ part, variables }) => [part, variables])) };
    },
    render: ({ key, source, leaves, variables, judgesValues = false }) => {
      const parsed = parseOnce(key, source);
      if (hasFaults(parsed)) return { ok: false, faults: parsed };
      const parts = parsed.filter(({ part }) => part !== leaves);
      return renderAll(parts, JSON.parse(variables), settings, judgesValues);
    },
  };
}

function parsePart(
  part: TemplatePart,
  source: string,
  engine: Liquid,
  reserved: readonly string[],
): ParsedPart | TemplateFault {
  try {
    const templates = engine.parse(source);
    const variables = watchVariables(templates, reserved);
    const required = variables
      .filter((variable) => variable.required && !variable.name.includes('[]'))
      .map(({ name }) => ({ name, path: name.split('.') }));
    watchPrinted(templates);
    return { part, engine, templates, variables, required };
  } catch (error) {
    return toFault(part, error);
  }
}

type Variables = Readonly<Record<string, unknown>>;

/** Renders the parts. To judge what the variables add, renders them again with a neutral word in place of what the variables print. */
function renderAll(
  parts: readonly ParsedPart[],
  variables: Variables,
  settings: JobSettings,
  judgesValues: boolean,
): Rendering {
  const endMs = performance.now() + settings.renderMs;
  if (!judgesValues) return renderParts(parts, variables, { settings, endMs }, null).rendering;
  const given = new Set(Object.keys(variables));
  const { rendering, texts, hasList } = renderParts(parts, variables, { settings, endMs }, { kind: 'record', given });
  if (!rendering.ok) return rendering;
  const characters = Object.values(texts)
    .flat()
    .reduce((sum, text) => sum + text.length, 0);
  if (characters > PRINTED_CHARACTERS) return rendering;
  const mode = { kind: 'replace', given, neutral: neutralWord() } as const;
  const { rendering: neutral } = renderParts(parts, variables, { settings, endMs }, mode);
  const values = neutral.ok ? { texts, hasList, neutral: partsOf(neutral) } : null;
  return { ...rendering, values };
}

/** More than any rule allows, even when every character is escaped. */
const PRINTED_CHARACTERS = 20_000;

/** Letters that no caller can guess, so that no value can be chosen to match a text that contains them, such as a host. */
function neutralWord(): string {
  return [...randomBytes(16)].map((byte) => String.fromCharCode(0x61 + (byte % 26))).join('');
}

function partsOf({ subject, html, text }: TemplateSource): TemplateSource {
  return { subject, html, text };
}

interface PartsRendering {
  readonly rendering: Rendering;
  readonly texts: PrintedValues['texts'];
  readonly hasList: boolean;
}

function renderParts(
  parts: readonly ParsedPart[],
  variables: Variables,
  { settings, endMs }: { readonly settings: JobSettings; readonly endMs: number },
  mode: PrintMode | null,
): PartsRendering {
  const results: { [Part in TemplatePart]: string | null } = { subject: null, html: null, text: null };
  const texts: { [Part in TemplatePart]: readonly string[] } = { subject: [], html: [], text: [] };
  let hasList = false;
  const missing = new Set<string>();
  const faults: TemplateFault[] = [];
  for (const { part, engine, templates, required } of parts) {
    const given = new Context(variables, engine.options, { sync: true }, {});
    // Each part has its own scope, so that it does not see what another part assigns or counts.
    const createContext = (own: Variables) => {
      const created = new Context(
        { ...own, ...settings.reserved },
        engine.options,
        { sync: true, renderLimit: Math.max(0, endMs - performance.now()) },
        { liquid: engine },
      );
      recordMissing(created);
      return created;
    };
    const context = createContext(variables);
    if (mode !== null) recordPrinted(context, mode);
    try {
      const result: unknown = engine.renderSync(templates, context);
      const text = typeof result === 'string' ? result : '';
      if (text.length > settings.resultCharacters) faults.push(tooLong(part, settings));
      else results[part] = text;
      if (mayPrintObject(text)) {
        const objects = findPrintedObjects(variables, (own) => engine.renderSync(templates, createContext(own)));
        faults.push(...objects.map((object) => printsObject(part, object)));
      }
      for (const name of absentOf(required, given, context)) missing.add(name);
      if (mode === null) continue;
      const printed = printedIn(context);
      texts[part] = printed.texts;
      hasList ||= printed.hasList;
    } catch (error) {
      faults.push(toFault(part, error));
    }
  }
  const rendering: Rendering =
    faults.length > 0 ? { ok: false, faults } : { ok: true, ...results, missing: [...missing], values: null };
  return { rendering, texts, hasList };
}

/** Required variables that are absent, whether or not this rendering used them, plus absent ones that it did use. */
function absentOf(required: ParsedPart['required'], given: Context, context: Context): readonly string[] {
  const absent = required.filter(({ path }) => isMissing(readPath(path, given))).map(({ name }) => name);
  return [...absent, ...missingIn(context)];
}

function toFault(part: TemplatePart, error: unknown): TemplateFault {
  if (!LiquidError.is(error)) {
    // The parser ran out of stack, or a string exceeded the engine's maximum length.
    return { part, line: null, column: null, message: error instanceof Error ? error.message : String(error) };
  }
  const [line = null, column = null] = error.token.getPosition();
  const message = (error.originalError ?? error).message.replace(/, line:\d+, col:\d+$/, '');
  // Some messages quote a whole tag.
  return { part, line, column, message: message.slice(0, MESSAGE_CHARACTERS) };
}

const MESSAGE_CHARACTERS = 200;

function printsObject(part: TemplatePart, { name, field }: PrintedObject): TemplateFault {
  const advice = field === null ? '' : ` one of its fields, such as \`${name}.${field}\`, or`;
  const message = `\`${name}\` is an object and would be printed as \`[object Object]\`; print${advice} it as JSON with the filter \`json\``;
  return { part, line: null, column: null, message };
}

function tooLong(part: TemplatePart, { resultCharacters }: JobSettings): TemplateFault {
  return { part, line: null, column: null, message: `became longer than ${resultCharacters} characters` };
}

function isFault(result: ParsedPart | TemplateFault): result is TemplateFault {
  return 'message' in result;
}

function hasFaults(parsed: readonly ParsedPart[] | readonly TemplateFault[]): parsed is readonly TemplateFault[] {
  return parsed.some((result) => 'message' in result);
}

function sizeOf(source: TemplateSource): number {
  return TEMPLATE_PARTS.reduce((size, part) => size + (source[part]?.length ?? 0), 0);
}

/** A cache of parsed templates by key; evicts the least recently used first. */
function createKeptTemplates(maxCharacters: number) {
  const kept = new Map<string, { readonly parts: readonly ParsedPart[]; readonly size: number }>();
  let characters = 0;
  return {
    get(key: string): readonly ParsedPart[] | undefined {
      const entry = kept.get(key);
      if (entry === undefined) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.parts;
    },
    add(key: string, parts: readonly ParsedPart[], size: number): void {
      if (size > maxCharacters) return;
      kept.set(key, { parts, size });
      characters += size;
      for (const [oldest, entry] of kept) {
        if (characters <= maxCharacters) return;
        kept.delete(oldest);
        characters -= entry.size;
      }
    },
  };
}
