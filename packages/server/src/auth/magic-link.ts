import { LIMITS } from '@postrider/core';
import { insertMagicLink, spendMagicLink } from '../db/queries/magic-links.ts';
import { hasSeat } from '../db/queries/users.ts';
import type { SessionToken } from './client-info.ts';
import type { LinkLimits } from './link-limits.ts';
import { createSecret, hashToken } from './session-token.ts';
import { type SignInClient, type SignInTools, type SignInVerdict, signIn } from './sign-in.ts';
import { mailSignInLink, type SignInMailer } from './sign-in-mail.ts';

const MINUTE_MS = 60_000;
export const MAGIC_LINK_SECONDS = LIMITS.magicLinkMinutes * 60;

export interface MagicLinks {
  /**
   * Creates a link for the requesting browser and returns the value that the browser must keep for it. Checking for a user and mailing
   * happen after the response, so that response times do not reveal whether the user exists.
   * @param browser the value this browser already has: links requested one after the other all work in it
   */
  request(options: {
    readonly email: string;
    readonly next: string | null;
    readonly browser: string | null;
    /** The client's IP address. */
    readonly address: string;
    /** The cookie of a browser that signed in before. */
    readonly known: string | null;
  }): Promise<{ readonly browser: string }>;
  /** Uses up a link and signs the user in. Returns null if the link is invalid or was requested by another browser. */
  spend(use: {
    readonly token: string;
    readonly browser: string | null;
    readonly from: SignInClient;
    readonly former: SessionToken | null;
  }): Promise<{ readonly verdict: SignInVerdict; readonly next: string | null } | null>;
  /** Resolves once all requested mails have been sent or have failed. */
  idle(): Promise<void>;
}

/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;

export function createMagicLinks(
  tools: SignInTools,
  mailer: SignInMailer,
  limits: LinkLimits,
  onError: (error: unknown, what: string) => void,
): MagicLinks {
  const underway = new Set<Promise<void>>();

  async function mailIfKnown(email: string, token: string): Promise<void> {
    if (tools.isSignupOpen || (await hasSeat(tools.sql, email))) await mailSignInLink(mailer, email, token);
  }

  function later(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => onError(error, 'mailing a sign-in link'))
      .finally(() => underway.delete(done));
    underway.add(done);
  }

  return {
    async request({ email, next, browser: kept, address, known }) {
      const now = tools.clock.now();
      const { token, hash } = createSecret();
      const browser = kept !== null && SECRET.test(kept) ? kept : createSecret().token;
      const expiresAt = new Date(now.getTime() + LIMITS.magicLinkMinutes * MINUTE_MS);
      const link = { hash, browserHash: hashToken(browser), email, next, now, expiresAt };
      if (await limits.take({ email, address, known })) {
        await insertMagicLink(tools.sql, link);
        later(mailIfKnown(email, token));
      }
      return { browser };
    },
    async spend({ token, browser, from, former }) {
      if (browser === null || !SECRET.test(token) || !SECRET.test(browser)) return null;
      const now = tools.clock.now();
      const link = await spendMagicLink(tools.sql, { hash: hashToken(token), browserHash: hashToken(browser), now });
      if (link === null) return null;
      const arrival = { email: link.email, name: null, identity: null, how: 'magic_link' };
      return { verdict: await signIn(tools, arrival, from, former), next: link.next };
    },
    async idle() {
      await Promise.all(underway);
    },
  };
}
