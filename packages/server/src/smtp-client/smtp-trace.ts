import { bodyLine, capLines, pairLines } from './conversation-lines.ts';
import type { ConversationLine, RawReply, TracedConnection } from './exchange.ts';

/**
 * Collects what is exchanged for one message. A connection notes commands and replies unchanged; they become lines only when the outcome is
 * known, which keeps the work for each reply small.
 */
export class SmtpTrace {
  #connection: TracedConnection | null = null;
  #isReused = false;
  #commands: string[] = [];
  #replies: RawReply[] = [];

  /** A connection starts with the message. What an earlier one noted is forgotten, because nothing of the message was sent on it. */
  begin(connection: TracedConnection, isReused: boolean): void {
    this.#connection = connection;
    this.#isReused = isReused;
    this.#commands = [];
    this.#replies = [];
  }

  /** Commands with their line endings. */
  noteCommands(commands: string): void {
    this.#commands.push(commands);
  }

  noteBody(bytes: number): void {
    this.#commands.push(bodyLine(bytes));
  }

  noteReply(code: number, text: string): void {
    this.#replies.push({ code, text });
  }

  get connection(): TracedConnection | null {
    return this.#connection;
  }

  get isReused(): boolean {
    return this.#isReused;
  }

  /** The conversation, without the secrets and within the limits. A reused connection had its handshake with an earlier message. */
  toLines(secrets: readonly string[]): readonly ConversationLine[] {
    const commands = this.#commands.flatMap((text) => text.split('\r\n').filter((command) => command !== ''));
    const lines = pairLines(commands, this.#replies, secrets);
    return capLines(this.#isReused ? lines : [...(this.#connection?.lines ?? []), ...lines]);
  }
}
