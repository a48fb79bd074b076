/** What is left of the month's quota, if the response contains it. */
export function quotaNotes(headers: Readonly<Record<string, string>>): string[] {
  const remaining = headers['x-quota-remaining'];
  const limit = headers['x-quota-limit'];
  return remaining === undefined || limit === undefined
    ? []
    : [`Left this month: ${remaining} of ${limit} recipients.`];
}
