/** A regular expression that is not proven linear, and what bounds its run time instead. */
export interface PatternException {
  readonly file: string;
  /** As `node tools/patterns/main.ts` prints it; `every pattern` if the bound applies to all input of the file, or `BUILT`. */
  readonly pattern: string;
  /** What bounds the length of its input, or who writes the input. */
  readonly why: string;
}

/** The only pattern of the file that is built at run time. */
export const BUILT = 'built when it runs';

const CLI = 'packages/cli/src';
const SERVER = 'packages/server/src';
const REPLY = 'classify-reply.ts cuts replies to 1,000 characters, and reports to 8,192, before it reads their words';
const OWN_ADDRESS = 'the address of the server, which the operator sets';
const OWN_FILE = 'a line of the user’s own configuration file, on their own machine';
const TRAILING_SLASHES = String.raw`/\/+$/`;

/** A change that removes such a bound must prove the pattern. */
export const PATTERN_EXCEPTIONS: readonly PatternException[] = [
  ...[`${CLI}/api-connection.ts`, `${CLI}/commands/doctor.ts`, 'packages/mcp/src/credentials.ts'].map((file) => ({
    file,
    pattern: TRAILING_SLASHES,
    why: OWN_ADDRESS,
  })),
  { file: 'packages/sdk/src/address.ts', pattern: TRAILING_SLASHES, why: OWN_ADDRESS },
  { file: `${SERVER}/config/setting-values.ts`, pattern: TRAILING_SLASHES, why: OWN_ADDRESS },
  { file: `${CLI}/mcp-clients/edit-toml.ts`, pattern: 'every pattern', why: OWN_FILE },
  { file: `${CLI}/mcp-clients/edit-json.ts`, pattern: String.raw`/[ \t]*$/`, why: OWN_FILE },
  ...['own-flag.ts', 'parser/own-option.ts'].map((name) => ({
    file: `${CLI}/${name}`,
    pattern: BUILT,
    why: 'patterns and words of our own commands, proven where they are written, for a word of the user’s own command line',
  })),
  {
    file: 'packages/mcp/src/untrusted-text.ts',
    pattern: String.raw`/[[\p{Cc}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]--[\n\t]]/gv`,
    why: 'one character of a class; the checker does not know the flag `v`',
  },
  { file: `${SERVER}/delivery/reply-patterns.ts`, pattern: 'every pattern', why: REPLY },
  { file: `${SERVER}/delivery/reply-patterns-languages.ts`, pattern: 'every pattern', why: REPLY },
  { file: `${SERVER}/delivery/classify-reply-words.ts`, pattern: 'every pattern', why: REPLY },
  {
    file: `${SERVER}/mime/mime-header.ts`,
    pattern: String.raw`/[ \t]+[^ \t]+/g`,
    why: 'quadratic in blanks at the end of one header: at most 998 characters (LIMITS.headerValueCharacters, subjectCharacters)',
  },
  {
    file: `${SERVER}/routing/mx-route.ts`,
    pattern: String.raw`/^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9-]*[a-z][a-z0-9-]*$/i`,
    why: 'names longer than 253 characters are refused on the line before',
  },
  {
    file: `${SERVER}/mime/mime-attachment.ts`,
    pattern: String.raw`/ *; *name(?:\*[\d*]*)?=(?:"[^"]*"|[^;\s]*)/gi`,
    why: 'a content type has at most 255 characters (LIMITS.contentTypeCharacters)',
  },
  {
    file: `${SERVER}/operations/emails/export-file-name.ts`,
    pattern: '/^-+|-+$/g',
    why: 'the name is cut on the line before',
  },
  {
    file: `${SERVER}/postgres/postgres-failure.ts`,
    pattern: String.raw`/could not \w+ .*(shared memory|semaphore)|cannot allocate memory|out of memory/i`,
    why: 'the end of the log of the installation’s own PostgreSQL',
  },
  {
    file: `${SERVER}/postgres/running-process.ts`,
    pattern: String.raw`/^\s*(\d+)\s+(.*)$/`,
    why: 'a line of the program `ps`',
  },
  {
    file: `${SERVER}/delivery/classify-reply.ts`,
    pattern: BUILT,
    why: `digits and dots, without repetition; ${REPLY}`,
  },
  {
    file: `${SERVER}/http/method-not-allowed.ts`,
    pattern: BUILT,
    why: 'made at the start from the paths of the operations; each parameter ends at the next slash',
  },
  {
    file: `${SERVER}/inbound/return-path.ts`,
    pattern: BUILT,
    why: 'made of numbers and one class; it begins at the start of the text and has one repetition without a bound',
  },
  {
    file: `${SERVER}/diagnostics/placement/inspect-html.ts`,
    pattern: BUILT,
    why: 'the name of a tag from a fixed list, without repetition',
  },
  {
    file: 'packages/sdk/src/rate-limit.ts',
    pattern: BUILT,
    why: 'the name is a constant; the blanks behind a semicolon are read once, and the HTTP client limits headers to 16 KB',
  },
  {
    file: 'packages/review/src/html-tokens.ts',
    pattern: BUILT,
    why: 'the name of a tag from a fixed list, without repetition',
  },
  {
    file: 'packages/review/src/selectors.ts',
    pattern: String.raw`/\s*([>+~,])\s*|(\s+)|([.#]?)((?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])+)|(\*)|(\[)|(::?)((?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])+)?|([\s\S])/y`,
    why: 'nothing follows a name, so no alternative of an escape is tried twice; blanks are read twice at most',
  },
];
