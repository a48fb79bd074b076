import { describe, expect, it } from 'vitest';
import { revealed } from '../../packages/server/src/ui/components/revealed-text.ts';

const MARK = 'class="unseen-mark"';

describe('a text that people decide by', { tags: ['console.approvals.hostile'] }, () => {
  it.each([
    ['a family of emoji', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'],
    ['a heart with a variation and a joiner', '\u2764\ufe0f\u200d\u{1f525}'],
    ['a skin color and a joiner', '\u{1f469}\u{1f3fd}\u200d\u{1f4bb}'],
    ['Persian with a non-joiner', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['Hindi with joiners', '\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937'],
  ])('keeps the joiners of %s', (_, text) => {
    expect(revealed(text).markup).toBe(`<bdi>${text}</bdi>`);
  });

  it.each([
    ['between Latin letters', 'pay\u200dpal', 'zero-width joiner'],
    ['after a Latin letter', 'a\u200c\u0645', 'zero-width non-joiner'],
    ['before a Latin letter', '\u0645\u200ca', 'zero-width non-joiner'],
    ['between Cyrillic letters', '\u0430\u200d\u0431', 'zero-width joiner'],
    ['between Greek letters', '\u03b1\u200c\u03b2', 'zero-width non-joiner'],
    ['between digits', '1\u200d2', 'zero-width joiner'],
    ['at the beginning', '\u200dx', 'zero-width joiner'],
    ['at the end', '\u0645\u200c', 'zero-width non-joiner'],
    ['after an accent of a Latin letter', 'e\u034f\u200dx', 'zero-width joiner'],
  ])('names a joiner %s', (_, text, name) => {
    expect(revealed(text).markup).toContain(`<mark ${MARK}>${name}</mark>`);
  });
});
