import type { Remark } from './finding.ts';

/** Properties of one message. More would not be read. */
const PROPERTIES_MAX = 50;
/** Longer texts are cut in findings. */
const CHARACTERS_MAX = 500;

/** Collects the text that may be hidden, by what can hide it: one remark for each property, however often it is used. */
export class UnclearTexts {
  readonly #texts = new Map<string, string>();

  add(text: string, properties: readonly string[]): void {
    for (const property of properties) {
      const known = this.#texts.get(property);
      if (known === undefined && this.#texts.size >= PROPERTIES_MAX) continue;
      if ((known?.length ?? 0) < CHARACTERS_MAX)
        this.#texts.set(property, `${known ?? ''} ${text.slice(0, CHARACTERS_MAX)}`);
    }
  }

  all(): readonly { readonly text: string; readonly remark: Remark }[] {
    return [...this.#texts].map(([property, text]) => ({
      text: text.replaceAll(/\s+/g, ' ').trim(),
      remark: { kind: 'unclear-text', level: 'warn', message: messageFor(property) } satisfies Remark,
    }));
  }
}

function messageFor(property: string): string {
  if (property === 'url()')
    return 'This text has the color of the background. Recipients see it only if the picture behind it is loaded, and you may not.';
  if (property.startsWith('<'))
    return `This text is in a ${property} element, where recipients may not see it. Programs that read the message do.`;
  const name = property.includes(' ') ? property : `“${property}”`;
  return `Recipients may not see this text: its styles use ${name} in a way that the review cannot judge.`;
}
