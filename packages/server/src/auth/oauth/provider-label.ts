import type { OAuthSetting } from '../../config/setting-values.ts';

/** The provider's name as users know it. */
export function labelOf({ name }: Pick<OAuthSetting, 'name'>): string {
  return LABELS[name] ?? name;
}

const LABELS: Readonly<Record<string, string>> = { github: 'GitHub', google: 'Google', oidc: 'single sign-on' };
