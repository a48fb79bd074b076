/** Who decides or withdraws a hold and how, as recorded in the hold's events. */
export interface Decider {
  /** The id of a key or a member; `system` for a rule. */
  readonly actor: string;
  readonly way: 'rest' | 'mcp' | 'smtp' | 'mail' | 'system';
  /** The client's IP address; null if the decision did not come over the network. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** The decider for what scheduled jobs do. */
export const SYSTEM: Decider = { actor: 'system', way: 'system', address: null, requestId: null };
