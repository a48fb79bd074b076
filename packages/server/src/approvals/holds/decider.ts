/** Who decides a hold, or takes it back, and by which way: what its trail keeps. */
export interface Decider {
  /** The id of a key or a person; `system` where a rule does. */
  readonly actor: string;
  readonly way: 'rest' | 'mcp' | 'smtp' | 'mail' | 'system';
  /** Of the client, where it came over the network. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** What happens by the clock. */
export const SYSTEM: Decider = { actor: 'system', way: 'system', address: null, requestId: null };
