import { describe, expect, it } from 'vitest';
import { classifyDiagnostic, classifyReply } from '../../packages/server/src/delivery/classify-reply.ts';
import { automaticReasonOf } from '../../packages/server/src/suppressions/automatic-reason.ts';
import { type CorpusEntry, isHeldOutByRule, loadCorpus, readReply } from './reply-corpus/load-corpus.ts';

const CORPUS = loadCorpus();
const KNOWN = CORPUS.filter((entry) => !entry.heldOut);
const HELD_OUT = CORPUS.filter((entry) => entry.heldOut);

const classify = (entry: CorpusEntry) => classifyReply(readReply(entry), entry.kind);
const misses = (entries: readonly CorpusEntry[]) => entries.filter((entry) => classify(entry) !== entry.label);

describe('the corpus of replies', () => {
  it('is large and varied enough to measure with', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(900);
    expect(new Set(CORPUS.map((entry) => entry.provider)).size).toBeGreaterThanOrEqual(60);
    expect(CORPUS.filter((entry) => entry.raw.length > 1).length).toBeGreaterThanOrEqual(20);
    expect(CORPUS.filter((entry) => entry.kind === 'expired').length).toBeGreaterThanOrEqual(60);
    for (const label of ['hard', 'soft', 'block', 'unknown']) {
      expect(CORPUS.filter((entry) => entry.label === label).length, label).toBeGreaterThanOrEqual(60);
    }
    expect(CORPUS.some((entry) => entry.label === 'spam')).toBe(false);
  });

  it('names a published source for every reply, and contains none twice', () => {
    for (const { raw, source } of CORPUS) {
      expect(source.title.trim(), raw.join(' ')).not.toBe('');
      expect(new URL(source.url).protocol, raw.join(' ')).toMatch(/^https?:$/);
    }
    expect(new Set(CORPUS.map(({ raw }) => raw.join('\n'))).size).toBe(CORPUS.length);
  });

  it('holds out a third by a fixed rule', () => {
    for (const entry of CORPUS) {
      expect(entry.heldOut, entry.raw.join(' ')).toBe(isHeldOutByRule(entry) && entry.movedToKnown !== true);
      if (entry.movedToKnown) expect(isHeldOutByRule(entry), entry.raw.join(' ')).toBe(true);
      if ((entry.round ?? 1) >= 4) expect(entry.movedToKnown, entry.raw.join(' ')).toBeUndefined();
      expect(entry.kind, entry.raw.join(' ')).toBe(entry.raw[0]?.startsWith('4') ? 'expired' : 'refused');
    }
    expect(CORPUS.filter(isHeldOutByRule).length / CORPUS.length).toBeGreaterThan(0.3);
    expect(HELD_OUT.length / CORPUS.length).toBeGreaterThan(0.3);
  });
});

describe('classifyReply over the corpus', () => {
  it('classifies the replies that its rules were written from', {
    tags: ['events.hard', 'events.soft', 'events.block', 'events.unknown'],
  }, () => {
    expect(misses(KNOWN).map(({ label, raw }) => `${label}: ${raw.join(' ')}`)).toEqual([]);
  });

  it('classifies at least 95 % of the held-out third', {
    tags: ['events.hard', 'events.soft', 'events.block', 'events.unknown'],
  }, () => {
    const accuracy = (entries: readonly CorpusEntry[]) => {
      const right = entries.length - misses(entries).length;
      return { right, of: entries.length, rate: right / entries.length };
    };
    const all = accuracy(HELD_OUT);
    const refusals = accuracy(HELD_OUT.filter(({ kind }) => kind === 'refused'));
    const unmoved = accuracy(HELD_OUT.filter(({ round = 1 }) => round >= 4));
    // Collected and labeled by someone who did not know the rules, and seen by no one who made them.
    const unseen = HELD_OUT.filter(({ round }) => round === 6);
    const never = accuracy(unseen);
    const neverRefused = accuracy(unseen.filter(({ kind }) => kind === 'refused'));
    const describeRate = (name: string, { right, of, rate }: typeof all) =>
      `${name} ${right}/${of} ${(rate * 100).toFixed(1)} %`;
    console.info(
      [
        describeRate('held out', all),
        describeRate('refusals alone', refusals),
        describeRate('rounds without moves', unmoved),
        describeRate('never seen', never),
        describeRate('its refusals', neverRefused),
      ].join(', '),
    );
    expect(all.rate).toBeGreaterThanOrEqual(0.95);
    expect(refusals.rate).toBeGreaterThanOrEqual(0.95);
    expect(unmoved.rate).toBeGreaterThanOrEqual(0.95);
    expect(unseen.length).toBeGreaterThanOrEqual(150);
    expect(never.rate).toBeGreaterThanOrEqual(0.95);
    expect(neverRefused.rate).toBeGreaterThanOrEqual(0.94);
  });

  it('classifies as hard only what is hard', { tags: ['events.hard'] }, () => {
    for (const entry of CORPUS.filter(({ label }) => label !== 'hard')) {
      expect(classify(entry), entry.raw.join(' ')).not.toBe('hard');
    }
  });

  it('suppresses for what is hard, and for nothing else', { tags: ['suppressions.automatic'] }, () => {
    for (const entry of CORPUS) {
      const reason = automaticReasonOf('bounced', classify(entry));
      if (entry.label !== 'hard') expect(reason, entry.raw.join(' ')).toBeNull();
      else if (!entry.heldOut) expect(reason, entry.raw.join(' ')).toBe('hard_bounce');
      const elsewhere = classifyReply({ ...readReply(entry), aboutRecipient: false }, entry.kind);
      expect(automaticReasonOf('bounced', elsewhere), entry.raw.join(' ')).toBeNull();
    }
  });

  it('gives the same result for a reply in a report', () => {
    for (const entry of CORPUS) {
      const status = entry.raw[0]?.startsWith('4') ? '4.0.0' : '5.0.0';
      const folded = classifyDiagnostic({ status, diagnostic: `smtp; ${entry.raw.join(' ')}`, action: 'failed' });
      expect(folded, entry.raw.join(' ')).toBe(
        classifyReply({ ...readReply(entry), aboutRecipient: true }, entry.kind),
      );
    }
  });
});
