/** A message that cannot be passed on unchanged: the field or part with the problem, and the problem. */
export class MessageFault extends Error {
  override readonly name = 'MessageFault';
  /** The name the sender uses: a header name, or `body`. */
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
