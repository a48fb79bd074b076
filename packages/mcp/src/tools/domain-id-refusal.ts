import type { Problem } from '@postrider/core';

/** Users and models refer to a domain by name, but the tools need its id. @param listTool the tool that lists the ids. */
export function refuseDomainId(problem: Problem, listTool: 'list_domains' | 'list_removed_domains'): Problem {
  const isAboutId = problem.errors?.some(({ path }) => path === 'id') ?? false;
  if (problem.code !== 'not_found' && !isAboutId) return problem;
  return {
    ...problem,
    fix: `Pass the id of the domain, a UUID, not its name: ${listTool} shows the id of each. ${problem.fix}`,
  };
}
