import { type FilterImplOptions, Liquid } from 'liquidjs';

export interface EngineLimits {
  /** The longest source, in characters. */
  readonly sourceCharacters: number;
  /** What one rendering may make in characters and list items, as the engine counts them. */
  readonly memoryUnits: number;
}

/** Tags that would read other templates: there are none to read, so they are as unknown as any other name. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'] as const;

/**
 * A Liquid engine without a file system: own properties only, unknown filters and tags are faults, dates are in UTC.
 * @param escapesHtml whether every value is escaped, unless its last filter is `raw`.
 */
export function createLiquidEngine(escapesHtml: boolean, limits: EngineLimits): Liquid {
  const engine = new Liquid({
    templates: {},
    relativeReference: false,
    dynamicPartials: false,
    ownPropertyOnly: true,
    strictFilters: true,
    timezoneOffset: 0,
    locale: 'en-US',
    parseLimit: limits.sourceCharacters,
    memoryLimit: limits.memoryUnits,
    ...(escapesHtml ? { outputEscape: 'escape' as const } : {}),
  });
  for (const name of FILE_TAGS) delete engine.tags[name];
  if (escapesHtml) markEscapingFilters(engine);
  return engine;
}

/**
 * What escapes by itself is not escaped once more, as templates that were written for engines without escaping have it; and line breaks can
 * become elements without a `raw` that would let the value's own elements through.
 */
function markEscapingFilters(engine: Liquid): void {
  for (const name of ['escape', 'escape_once', 'xml_escape']) {
    engine.registerFilter(name, { handler: handlerOf(engine, name), raw: true });
  }
  const escapeOnce = handlerOf(engine, 'escape_once');
  const breakLines = handlerOf(engine, 'newline_to_br');
  engine.registerFilter('newline_to_br', {
    raw: true,
    handler(value) {
      return breakLines.call(this, escapeOnce.call(this, value));
    },
  });
}

type FilterHandler = Extract<FilterImplOptions, (...given: never[]) => unknown>;

function handlerOf(engine: Liquid, name: string): FilterHandler {
  const filter = engine.filters[name];
  if (filter === undefined) throw new Error(`the engine has no filter ${name}`);
  return typeof filter === 'function' ? filter : filter.handler;
}
