/**
 * A label may contain letters, digits and inner hyphens (RFC 1123, section 2.1); the names of containers and laptops often contain other
 * characters.
 */
const HOST_NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/**
 * The EHLO name if no setting gives one: the machine's name if it is fully qualified, else the host of the base URL, else a name in the
 * installation's own domain. Mail servers look it up, and many treat a name without a dot as a sign of a hijacked machine. Nor can DNS
 * records exist for such a name (RFC 7208, section 7.1).
 */
export function chooseHeloName(machineName: string, baseUrl: string, sandboxDomain: string): string {
  const urlName = URL.parse(baseUrl)?.hostname ?? '';
  const names = [machineName, urlName].filter((name) => HOST_NAME.test(name));
  return names.find(isFullName) ?? `mail.${sandboxDomain}`;
}

/** Has a dot and is no address: a top-level domain contains a letter (RFC 3696, section 2). */
function isFullName(name: string): boolean {
  return name.includes('.') && /[a-z]/i.test(name.slice(name.lastIndexOf('.')));
}
