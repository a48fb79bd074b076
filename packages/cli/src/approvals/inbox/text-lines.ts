import { foldText } from '../../output/fold-text.ts';
import { severalLines, withoutInvisibles } from '../../output/untrusted-text.ts';
import type { DiffLine } from '../differences.ts';
import type { ShownLine, Tone } from '../shown-line.ts';

const SIGNS = { title: '', same: '  ', removed: '- ', added: '+ ' } as const;
const TONES = { title: 'title', same: 'faint', removed: 'bad', added: 'good' } as const;
const SPOKEN = { title: '', same: '', removed: 'removed: ', added: 'added: ' } as const;

/** Signs mark the changes; colors only repeat them. */
export function diffLines(diff: readonly DiffLine[], columns: number): readonly ShownLine[] {
  return diff.flatMap(({ kind, text }) => {
    const sign = SIGNS[kind];
    return foldText(withoutInvisibles(severalLines(text)), columns - sign.length).map((line) => ({
      text: `${sign}${line}`.trimEnd(),
      tone: TONES[kind],
      spoken: `${SPOKEN[kind]}${line}`,
    }));
  });
}

export function plain(text: string, columns: number, tone?: Tone, indent = 0): readonly ShownLine[] {
  return foldText(text, columns).map((line) => ({
    text: `${' '.repeat(indent)}${line}`,
    ...(tone === undefined ? {} : { tone }),
  }));
}
