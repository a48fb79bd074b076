/** What is open within an `svg` or `math` element: other rules hold there, and a link is none of HTML's. */
export interface ForeignContent {
  /** Whether a start tag of this name leaves it open; one that does not has to be read as HTML. */
  staysIn(name: string): boolean;
  open(name: string): void;
  /** Closes the innermost open element of this name with all in it; false where the content is over. */
  close(name: string): boolean;
}

/** Start tags that end SVG and MathML wherever they stand (WHATWG HTML §13.2.6.5). */
const BREAKOUT = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby ' +
    's small span strong strike sub sup table tt u ul var'
  ).split(' '),
);

/**
 * `root` is the name of the element that opened it. An end tag of something that was opened outside ends it too: somebody forgot to close
 * it, and the links behind it count.
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
