import { sampleEmail } from '../parts/sample-email.ts';

/** The sample message, from a domain that has its own signing key. */
export function shopEmail(seed: number, index: number, domain: string): ReturnType<typeof sampleEmail> {
  return { ...sampleEmail(seed, index), from: `Example Shop <orders@${domain}>` };
}
