/** A message that cannot be passed on as it is: the field or part at fault, and what is wrong with it. */
export class MessageFault extends Error {
  override readonly name = 'MessageFault';
  /** As the sender knows it: a header's name, or `body`. */
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
