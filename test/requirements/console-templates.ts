import { requirement } from './requirement.ts';

/** The pages of templates. */
export const templatePages = [
  requirement(
    'console.templates.preview',
    'The editor shows unsaved content as it would be displayed, while the user types and without scripts.',
  ),
  requirement('console.templates.faults', 'Broken Liquid keeps what was typed, and names the part and the line.'),
  requirement('console.templates.variables', 'The preview lists the variables, and names those without a value.'),
  requirement('console.templates.versions', 'Two versions are compared line by line, and a version can be restored.'),
  requirement(
    'console.templates.conflict',
    'A version published meanwhile is shown instead of overwritten, and nothing typed is lost.',
  ),
  requirement('console.templates.test', 'A test is sent to the signed-in user.'),
  requirement('console.templates.roles', 'Template pages show exactly what the user’s role may see and do.'),
  requirement('console.templates.hostile', 'Templates neither run nor make a page wider than a phone.'),
];
