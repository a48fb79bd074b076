/** The open elements within an `svg` or `math` element, where other rules apply and links are not HTML links. */
export interface ForeignContent {
  /** Whether a start tag with this name stays in the foreign content. Otherwise it must be parsed as HTML. */
  staysIn(name: string): boolean;
  open(name: string): void;
  /** Closes the innermost open element with this name and everything in it. Returns false if the foreign content ends. */
  close(name: string): boolean;
}

/** Start tags that always end SVG and MathML (WHATWG HTML §13.2.6.5). */
const BREAKOUT = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby ' +
    's small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

/**
 * `root` is the name of the element that opened it. An end tag of an outer element ends it too: the element was not
 * closed, and the links after it count.
 */
export function createForeignContent(root: string): ForeignContent {
  const open = [root.toLowerCase()];
  return {
    staysIn: (name) => !BREAKOUT.has(name.toLowerCase()),
    open: (name) => {
      open.push(name.toLowerCase());
    },
    close: (name) => {
      const at = open.lastIndexOf(name.toLowerCase());
      open.length = Math.max(0, at);
      return open.length > 0;
    },
  };
}
