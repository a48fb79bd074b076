import type { CallToolResult } from '@modelcontextprotocol/client';

/** What the page of the client is told to show. */
export interface ShownApp {
  readonly html: string;
  readonly tools: readonly { readonly name: string; readonly visibility: readonly string[] }[];
  readonly given: Readonly<Record<string, unknown>>;
  readonly result: CallToolResult;
  readonly capabilities: Readonly<Record<string, object>>;
  readonly context: { readonly theme: 'light' | 'dark'; readonly timeZone: string };
  readonly opensLinks: boolean;
  readonly heightMax: number;
  readonly width: number;
}

/** What the view did, as the client saw it. */
export interface HostRecord {
  readonly heights: number[];
  readonly opened: string[];
  /** The tools that the client did not let the view call. */
  readonly refused: string[];
  /** Every method that the view sent. */
  readonly methods: string[];
  readonly faults: string[];
}
