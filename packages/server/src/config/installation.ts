import { VERSION } from '../version.ts';
import type { RetentionSetting } from './setting-values.ts';

/** The settings that handlers and the installation's own mail depend on. */
export interface Installation {
  readonly mode: 'development' | 'production';
  readonly baseUrl: string;
  readonly version: string;
  /** The monthly quota of accounts that have none of their own. */
  readonly monthlyQuota: number;
  readonly retention: RetentionSetting;
  /** For how many hours a message is retried before it fails. */
  readonly retryHours: number;
  readonly sandboxDomain: string;
  /** Whether each delivery is for the mail servers of one domain. */
  readonly byDomain: boolean;
  /** The sender of mail to users; null for `no-reply` at the sandbox domain. */
  readonly mailFrom: string | null;
}

/** The part of the configuration that an `Installation` is made from. */
export interface InstallationSettings
  extends Pick<Installation, 'mode' | 'monthlyQuota' | 'retention' | 'retryHours' | 'sandboxDomain' | 'mailFrom'> {
  readonly transport: { readonly kind: string };
}

export function createInstallation(settings: InstallationSettings, baseUrl: string): Installation {
  const { mode, monthlyQuota, retention, retryHours, sandboxDomain, mailFrom, transport } = settings;
  const byDomain = transport.kind === 'direct';
  return { mode, baseUrl, version: VERSION, monthlyQuota, retention, retryHours, sandboxDomain, byDomain, mailFrom };
}
