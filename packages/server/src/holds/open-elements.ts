import { ruleOf } from '../html/element-rules.ts';

/** How a tag changes the line that a browser shows. */
export interface OpenedTag {
  readonly name: string;
  /** Whether its content is not shown. */
  readonly hides: boolean;
  /** Whether its style puts it into the line. */
  readonly isInline: boolean;
}

interface Entry {
  readonly name: string;
  readonly hides: boolean;
  readonly breaks: boolean;
}

/** What is open within a table, a cell, or neither: end tags close nothing beyond it. */
interface Frame {
  readonly kind: 'root' | 'table' | 'cell';
  readonly entries: Entry[];
  readonly counts: Map<string, number>;
}

const DOCUMENT = new Set(['html', 'head', 'body', 'frameset']);
const CELLS = new Set(['td', 'th', 'caption']);
const ROWS = new Set(['tr', 'tbody', 'thead', 'tfoot', 'col', 'colgroup']);
/** What browsers ignore outside a table, and text between which is shown before the table. */
export const TABLE_PARTS: ReadonlySet<string> = new Set([...CELLS, ...ROWS]);
const NOT_SHOWN = new Set(['template', 'datalist', 'noframes', 'svg', 'math', 'audio', 'video', 'canvas']);

/**
 * The open elements of an HTML text, as far as the breaks between its words depend on them. Browsers ignore an end tag that closes nothing, a
 * cell outside a table, and a second body; and text within a table but outside its cells is shown before the table. Linear: each element is
 * opened and closed once.
 */
export class OpenElements {
  readonly #frames: Frame[] = [newFrame('root')];
  #hidden = 0;

  /** Whether nothing is shown here. */
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
    if (name === 'form' && this.#frames.some(({ counts }) => counts.has('form'))) return false;
    const closes = this.#top().entries.at(-1)?.name === 'p' && this.#pop().breaks;
    this.#push(entry);
    return entry.breaks || closes;
  }

  /** Whether the end tag breaks the line. */
  close(name: string): boolean {
    if (name === 'br') return true;
    if (CELLS.has(name) || ROWS.has(name)) return this.#leaveCell();
    if (name === 'table') return this.#closeTable();
    const folded = foldName(name);
    const { counts } = this.#top();
    if (!counts.has(folded)) return false;
    for (let breaks = false; ; ) {
      const entry = this.#pop();
      breaks ||= entry.breaks;
      if (entry.name === folded) return breaks;
    }
  }

  #openCell(cell: Entry): boolean {
    this.#leaveCell();
    if (this.#top().kind !== 'table') return false;
    this.#frames.push(newFrame('cell'));
    this.#push(cell);
    return cell.breaks;
  }

  #leaveCell(): boolean {
    return this.#top().kind === 'cell' && this.#leaveFrame();
  }

  #openTable(hides: boolean): boolean {
    if (this.#top().kind === 'table') this.#leaveFrame();
    this.#frames.push(newFrame('table'));
    this.#push({ name: '', hides, breaks: !hides });
    return false;
  }

  #closeTable(): boolean {
    if (this.#top().kind === 'root') return false;
    this.#leaveCell();
    return this.#leaveFrame();
  }

  #leaveFrame(): boolean {
    let breaks = false;
    while (this.#top().entries.length > 0) breaks = this.#pop().breaks || breaks;
    this.#frames.pop();
    return breaks;
  }

  #top(): Frame {
    return this.#frames.at(-1) ?? newFrame('root');
  }

  #push(entry: Entry): void {
    const { entries, counts } = this.#top();
    entries.push(entry);
    counts.set(entry.name, (counts.get(entry.name) ?? 0) + 1);
    if (entry.hides) this.#hidden += 1;
  }

  #pop(): Entry {
    const { entries, counts } = this.#top();
    const entry = entries.pop() ?? { name: '', hides: false, breaks: false };
    const count = (counts.get(entry.name) ?? 1) - 1;
    if (count > 0) counts.set(entry.name, count);
    else counts.delete(entry.name);
    if (entry.hides) this.#hidden -= 1;
    return entry;
  }
}

function newFrame(kind: Frame['kind']): Frame {
  return { kind, entries: [], counts: new Map() };
}

/** The end tag of any heading closes the open one. */
function foldName(name: string): string {
  return /^h[1-6]$/.test(name) ? 'h1' : name;
}
