import { type FilterImplOptions, Liquid } from 'liquidjs';

export interface EngineLimits {
  /** The maximum length of a source, in characters. */
  readonly sourceCharacters: number;
  /** The maximum number of characters and list items that one rendering may create, as the engine counts them. */
  readonly memoryUnits: number;
}

/** Tags that read other templates. There are none to read, so these tags are treated as unknown. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'] as const;

/**
 * A Liquid engine without a file system. It reads only own properties, rejects unknown filters and tags, and formats dates in UTC.
 * @param escapesHtml whether to escape every value whose last filter is not `raw`
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
 * The output of escaping filters is not escaped again, because templates written for engines without automatic escaping rely on that.
 * `newline_to_br` escapes the value itself, so that it needs no `raw`, which would let the value's own elements through.
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
