/** A label may hold letters, digits and inner hyphens (RFC 1123, section 2.1); the names of containers and laptops often hold more. */
const HOST_NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/**
 * The name for EHLO where no setting gives one: the machine's where that is a full one, else the host of the base URL, else one in the
 * installation's own domain. Mail servers look it up, and many take a name without a dot for that of a hijacked machine; nor can the records
 * of a domain hold one (RFC 7208, section 7.1).
 */
export function chooseHeloName(machineName: string, baseUrl: string, sandboxDomain: string): string {
  const urlName = URL.parse(baseUrl)?.hostname ?? '';
  const names = [machineName, urlName].filter((name) => HOST_NAME.test(name));
  return names.find(isFullName) ?? `mail.${sandboxDomain}`;
}

/** With a dot, and no address: a top-level domain has a letter (RFC 3696, section 2). */
function isFullName(name: string): boolean {
  return name.includes('.') && /[a-z]/i.test(name.slice(name.lastIndexOf('.')));
}
