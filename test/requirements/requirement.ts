/** One thing that the interface specification, or the contract that settles what it leaves open, says of the product. */
export interface Requirement {
  /** `<section>.<name>` in kebab case. Tests cite it, so it stays as it is when the words around it change. */
  readonly id: string;
  readonly section: string;
  /** The source's own words, shortened only where a table row or an enumeration had to be taken apart. */
  readonly sentence: string;
  /** Null: a test has to prove it now. Otherwise the capability that it waits for. */
  readonly deferredTo: Capability | null;
}

/** What a requirement can wait for. A capability that is complete has no requirement left that waits for it. */
export const CAPABILITIES = {
  sending: 'One message accepted, composed, signed, handed on and read back.',
  batch: 'Up to a hundred sends in one call, each judged by itself.',
  templates: 'Versioned Liquid templates: stored, rendered, tested, rolled back, and sent from.',
  utm: 'UTM parameters injected into the links of a message.',
  tracking: 'Open and click tracking, and the engagement figures that rest on it.',
  attachments: 'Files with a message, from base64 or from a URL.',
  scheduling: 'Sends that wait for a time, and moving that time.',
  'dry-run': 'A send that is checked and rendered and never sent.',
  'log-filters': 'Search and filters of the message log beside status.',
  export: 'The message log as a streamed CSV, JSON or NDJSON file.',
  'cancel-and-resend': 'Taking back a queued message, and sending one again.',
  suppressions: 'The suppression list kept by people and by bounces, and checked again at delivery.',
  unsubscribe: 'One-click unsubscribe headers, links and pages.',
  'smtp-submission': 'Mail handed in over SMTP with a key as the password.',
  domains: "An account's own sending domains: DNS records, verification, history.",
  'direct-delivery': "Delivery straight to the recipient's mail exchanger.",
  'inbound-reports': 'Bounce and complaint reports that arrive as mail at the return path.',
  'diagnostic-tools': 'The free checks and the UTM builder, without a key.',
  keys: 'Keys managed over the API: personas, limits, address rules, expiry, rotation, pausing, test mode.',
  approvals: 'Sends held until a person clears them.',
  people: 'Signed-in people: sessions, magic links, OAuth, the device sign-in and the team.',
  console: 'The web pages for people.',
  account: 'The account read and changed over the API, and its deletion.',
  statistics: 'Volume, rates and breakdowns over a window, and the reputation that follows from them.',
  support: 'Support tickets, with the context that was captured.',
  webhooks: 'Signed events to endpoints, with delivery log, retries and replay.',
  audit: 'The chained record of who changed what.',
  retention: 'Settings for how long bodies and log rows are kept, and accounts that are erased.',
  'secret-rotation': 'A new key for the secrets that are encrypted at rest.',
  'restricted-callers':
    'What a key that is held, in test mode or otherwise restricted may cause, decided in one place.',
  compatibility: 'What the API promises to keep from one version to the next, and how something is withdrawn.',
} as const;

export type Capability = keyof typeof CAPABILITIES;

type Row = Omit<Requirement, 'section'>;

/** A requirement that a test has to prove now. */
export function active(id: string, sentence: string): Row {
  return { id, sentence, deferredTo: null };
}

/** Names the section once for all its rows, which keep the order of the source. */
export function section(title: string, rows: readonly Row[]): readonly Requirement[] {
  return rows.map((row) => ({ ...row, section: title }));
}
