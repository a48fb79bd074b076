import { ruleOf } from '../html/element-rules.ts';

/** How a tag changes the line that a browser shows. */
export interface OpenedTag {
  readonly name: string;
  /** Whether its content is hidden. */
  readonly hides: boolean;
  /** Whether its style makes it inline. */
  readonly isInline: boolean;
}

interface Entry {
  readonly name: string;
  readonly hides: boolean;
  readonly breaks: boolean;
}

/** The open elements within a table, a cell, or neither: end tags close nothing outside it. */
interface Frame {
  readonly kind: 'root' | 'table' | 'cell';
  /** The index of its first entry among all open elements. */
  readonly start: number;
}

const DOCUMENT = new Set(['html', 'head', 'body', 'frameset']);
const CELLS = new Set(['td', 'th', 'caption']);
const ROWS = new Set(['tr', 'tbody', 'thead', 'tfoot', 'col', 'colgroup']);
/** What browsers ignore outside a table, and whose text they show before the table. */
export const TABLE_PARTS: ReadonlySet<string> = new Set([...CELLS, ...ROWS]);
const NOT_SHOWN = new Set(['template', 'datalist', 'noframes', 'svg', 'math', 'audio', 'video', 'canvas']);

/**
 * The open elements of an HTML text, as far as they affect the breaks between words. Browsers ignore an unmatched end tag, a cell outside a
 * table, and a second body; text in a table but outside its cells is shown before the table. Each element is opened and closed once. The
 * entries are small, because 2 MB of text can open 250,000 tables and cells.
 */
export class OpenElements {
  readonly #frames: Frame[] = [ROOT];
  readonly #entries: Entry[] = [];
  /** The positions of the open elements with each name. */
  readonly #places = new Map<string, number[]>();
  #hidden = 0;

  /** Whether content here is hidden. */
  get isHidden(): boolean {
    return this.#hidden > 0;
  }

  /** Whether text here is shown in a cell. */
  get isInCell(): boolean {
    return this.#top().kind === 'cell';
  }

  /** Whether the start tag breaks the line. */
  open({ name, hides, isInline }: OpenedTag): boolean {
    const { breaks, content } = ruleOf(name);
    if (content === 'none') return (name === 'br' || name === 'hr') && !hides;
    if (DOCUMENT.has(name)) return false;
    if (CELLS.has(name)) return this.#openCell({ name, hides, breaks: !hides && !isInline });
    if (ROWS.has(name)) return this.#leaveCell();
    if (name === 'table') return this.#openTable(hides);
    const entry = {
      name: foldName(name),
      hides: hides || NOT_SHOWN.has(name),
      breaks: breaks > 0 && !hides && !isInline,
    };
    if (breaks === 0) {
      if (entry.hides) this.#push(entry);
      return false;
    }
    if (name === 'form' && this.#lastPlace('form') !== -1) return false;
    const closes = this.#isOpen('p') && this.#entries.at(-1)?.name === 'p' && this.#pop().breaks;
    this.#push(entry);
    return entry.breaks || closes;
  }

  /** Whether the end tag breaks the line. */
  close(name: string): boolean {
    if (name === 'br') return true;
    if (CELLS.has(name) || ROWS.has(name)) return this.#leaveCell();
    if (name === 'table') return this.#closeTable();
    const folded = foldName(name);
    if (!this.#isOpen(folded)) return false;
    for (let breaks = false; ; ) {
      const entry = this.#pop();
      breaks ||= entry.breaks;
      if (entry.name === folded) return breaks;
    }
  }

  #openCell(cell: Entry): boolean {
    this.#leaveCell();
    if (this.#top().kind !== 'table') return false;
    this.#enter('cell');
    this.#push(cell);
    return cell.breaks;
  }

  #leaveCell(): boolean {
    return this.#top().kind === 'cell' && this.#leaveFrame();
  }

  #openTable(hides: boolean): boolean {
    if (this.#top().kind === 'table') this.#leaveFrame();
    this.#enter('table');
    this.#push({ name: '', hides, breaks: !hides });
    return false;
  }

  #closeTable(): boolean {
    if (this.#top().kind === 'root') return false;
    this.#leaveCell();
    return this.#leaveFrame();
  }

  #enter(kind: Frame['kind']): void {
    this.#frames.push({ kind, start: this.#entries.length });
  }

  #leaveFrame(): boolean {
    const { start } = this.#top();
    let breaks = false;
    while (this.#entries.length > start) breaks = this.#pop().breaks || breaks;
    this.#frames.pop();
    return breaks;
  }

  #top(): Frame {
    return this.#frames.at(-1) ?? ROOT;
  }

  /** Whether an end tag with that name closes something here. */
  #isOpen(name: string): boolean {
    return this.#lastPlace(name) >= this.#top().start;
  }

  #lastPlace(name: string): number {
    return this.#places.get(name)?.at(-1) ?? -1;
  }

  #push(entry: Entry): void {
    const places = this.#places.get(entry.name);
    if (places === undefined) this.#places.set(entry.name, [this.#entries.length]);
    else places.push(this.#entries.length);
    this.#entries.push(entry);
    if (entry.hides) this.#hidden += 1;
  }

  #pop(): Entry {
    const entry = this.#entries.pop() ?? { name: '', hides: false, breaks: false };
    this.#places.get(entry.name)?.pop();
    if (entry.hides) this.#hidden -= 1;
    return entry;
  }
}

const ROOT: Frame = { kind: 'root', start: 0 };

/** The end tag of any heading closes the open one. */
function foldName(name: string): string {
  return /^h[1-6]$/.test(name) ? 'h1' : name;
}
