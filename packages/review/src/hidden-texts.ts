import type { Remark } from './finding.ts';
import type { Doubt } from './style-sheet.ts';
import { UnclearTexts } from './unclear-texts.ts';

/** Text of a message that its reader does not see, or may not see. */
export interface HiddenText {
  readonly text: string;
  readonly remark: Remark;
}

interface Part {
  /** What hides it; `outlook` for text in a comment that only Outlook shows. */
  readonly by: string;
  readonly texts: string[];
  /** Whether the message shows nothing before it. */
  readonly isFirst: boolean;
}

interface DoubtfulPart {
  readonly doubt: Doubt;
  readonly texts: string[];
}

/** A summary that mail programs show beside the subject is hidden in the message. Mail programs show up to about 150 characters. */
const PREHEADER_CHARACTERS = 250;
const PARTS_MAX = 1_000;

/** Collects the hidden text of a message, in order. */
export class HiddenTexts {
  readonly #parts: Part[] = [];
  readonly #shown = new Set<string>();
  #current: Part | null = null;
  readonly #doubtful: DoubtfulPart[] = [];
  /** Text that only some screens show. */
  readonly #onSome: string[] = [];
  readonly #unclear = new UnclearTexts();
  #hasMedia = false;
  #currentDoubt: DoubtfulPart | null = null;
  #isFirst = true;

  /**
   * @param by what hides the text; null if nothing does
   * @param doubt why that may differ between readers; null if it does not
   * @param unclear what can hide it and cannot be judged
   */
  add(text: string, by: string | null, doubt: Doubt | null, unclear: readonly string[]): void {
    if (isBlank(text) || (by === 'outlook' && RESOLUTION.test(text))) return;
    if (by === null) this.#unclear.add(text, unclear);
    if (doubt === 'media' && by === null) this.#onSome.push(text);
    if (doubt === 'tricky' || doubt === 'within') {
      this.#addDoubtful(text, doubt);
      return;
    }
    this.#currentDoubt = null;
    if (doubt === 'media') this.#hasMedia = true;
    if (by === null) {
      this.#isFirst = false;
      this.#current = null;
      if (doubt === null && unclear.length === 0) for (const word of wordsOf(text)) this.#shown.add(word);
      return;
    }
    if (this.#current?.by !== by) {
      this.#current = { by, texts: [], isFirst: this.#isFirst };
      if (this.#parts.length < PARTS_MAX) this.#parts.push(this.#current);
    }
    this.#current.texts.push(text);
  }

  #addDoubtful(text: string, doubt: Doubt): void {
    this.#current = null;
    if (this.#currentDoubt?.doubt !== doubt) {
      this.#currentDoubt = { doubt, texts: [] };
      if (this.#doubtful.length < PARTS_MAX) this.#doubtful.push(this.#currentDoubt);
    }
    this.#currentDoubt.texts.push(text);
  }

  all(): readonly HiddenText[] {
    const doubtful = this.#doubtful.map(({ doubt, texts }) => ({
      text: texts.join(' ').replace(PADDING, ' ').trim(),
      remark: doubt === 'tricky' ? TRICKY : WITHIN,
    }));
    return [...doubtful, ...this.#unclear.all(), ...this.#media(), ...this.#hidden()];
  }

  /** Ordinary mail has a version for narrow screens, so it is one remark for the message. */
  #media(): readonly HiddenText[] {
    if (!this.#hasMedia) return [];
    const hidden = new Set(this.#parts.flatMap(({ texts }) => texts.flatMap(wordsOf)));
    const onSome = this.#onSome.flatMap(wordsOf);
    const isRepeated = onSome.every((word) => this.#shown.has(word) || hidden.has(word));
    for (const word of onSome) this.#shown.add(word);
    const isAll = isRepeated && [...hidden].every((word) => this.#shown.has(word));
    return [{ text: '', remark: { kind: 'hidden-text', level: isAll ? 'note' : 'warn', message: MEDIA } }];
  }

  #hidden(): readonly HiddenText[] {
    return this.#parts.flatMap((part) => {
      const text = part.texts.join(' ').replace(PADDING, ' ').trim();
      const remark = this.#judge(part, text);
      return remark === null ? [] : [{ text, remark }];
    });
  }

  #judge({ by, isFirst }: Part, text: string): Remark | null {
    // A version of the message for another client or a narrow screen repeats what the others see.
    const isRepeated = wordsOf(text).every((word) => this.#shown.has(word));
    const kind = 'hidden-text';
    if (by === 'outlook') {
      return isRepeated
        ? null
        : { kind, level: 'warn', message: 'Only Outlook shows this text; other mail programs hide it.' };
    }
    if (isFirst && text.length <= PREHEADER_CHARACTERS) {
      const message =
        'The message hides this text at its beginning. Most mail programs show it beside the subject, as a summary.';
      return { kind, level: 'note', message };
    }
    if (isRepeated)
      return { kind, level: 'note', message: `The message hides this text (${by}), and shows its words elsewhere.` };
    return {
      kind,
      level: 'warn',
      message: `Recipients do not see this text (${by}), but programs that read the message do.`,
    };
  }
}

const TRICKY: Remark = {
  kind: 'hidden-text',
  level: 'danger',
  message: 'Its style rules can hide this text from you and show it to recipients, or the other way round.',
};

const WITHIN: Remark = {
  kind: 'hidden-text',
  level: 'warn',
  message: 'Its style rules hide this text or show it, depending on the parts of the message around it.',
};

const MEDIA = 'Its style rules hide or show text depending on the screen, such as its width or a dark mode.';

/** `<o:PixelsPerInch>96` is a setting that most templates have, and no text. */
const RESOLUTION = /^\s{0,99}\d{2,3}\s{0,99}$/;

/** White space, and the invisible characters that pad a summary. */
const PADDING = /[\s\p{Default_Ignorable_Code_Point}]+/gu;

function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
