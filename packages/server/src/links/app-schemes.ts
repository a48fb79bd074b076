/**
 * Schemes without slashes that programs on common systems open, and that some mail programs link in plain text. Words
 * that are common before a colon (`line:3`, `news:`) are omitted. In an attribute, every unknown scheme counts.
 */
const APP_SCHEMES = new Set([
  ...[
    'bitcoin',
    'bitcoincash',
    'litecoin',
    'dogecoin',
    'ethereum',
    'monero',
    'lightning',
    'lnurl',
    'upi',
    'venmo',
    'cashapp',
    'alipay',
    'alipays',
  ],
  ...[
    'magnet',
    'ed2k',
    'ipfs',
    'ipns',
    'skype',
    'tg',
    'whatsapp',
    'viber',
    'wechat',
    'weixin',
    'sgnl',
    'zoommtg',
    'msteams',
    'sip',
    'sips',
  ],
  ...[
    'facetime',
    'facetime-audio',
    'sms',
    'smsto',
    'mms',
    'mmsto',
    'callto',
    'imessage',
    'xmpp',
    'irc',
    'ircs',
    'ymsgr',
  ],
  ...['intent', 'android-app', 'market', 'itms', 'itmss', 'itms-apps', 'itms-services', 'fb-messenger'],
  ...['javascript', 'vbscript', 'livescript', 'blob', 'filesystem', 'view-source', 'mhtml', 'ms-its', 'search-ms'],
  ...[
    'sftp',
    'gopher',
    'telnet',
    'ssh',
    'tn3270',
    'ldap',
    'ldaps',
    'nntp',
    'webcal',
    'openpgp4fpr',
    'otpauth',
    'otpauth-migration',
  ],
]);
/** Not `ms-` alone: some CSS properties start with it. */
const APP_FAMILY =
  /^(?:web\+[a-z]|ms-(?:settings|msdt|word|excel|powerpoint|access|visio|project|publisher|infopath|officecmd|search|appinstaller|windows-store|cxh|screenclip))/;
/** `data:` is a normal word too; a URL of this scheme has a media type or a comma. */
const DATA = /^(?:[a-z]{1,20}\/[\w.+-]{1,80}[;,]|[;,])/i;

/** Whether a scheme, in lowercase, opens something by itself with the text after its colon. */
export function opensApp(scheme: string, behind: string): boolean {
  if (!/^[^\s]/.test(behind)) return false;
  return scheme === 'data' ? DATA.test(behind) : APP_SCHEMES.has(scheme) || APP_FAMILY.test(scheme);
}
