import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { renderTable } from '../../output/table.ts';
import { formatMinute } from '../../output/time.ts';
import { singleLine } from '../../output/untrusted-text.ts';
import { readProfiles } from '../../profiles.ts';

export const definition = defineCommand({
  id: 'profiles list',
  about: {
    summary: 'List the profiles',
    description: 'Lists the profiles saved on this machine, without their secrets. An asterisk marks the current one.',
    needsKey: false,
    scope: null,
    examples: ['postrider profiles list'],
  },
  async runAlone(_invocation, output, io) {
    const { current, saved } = await readProfiles(io);
    const profiles = Object.entries(saved).map(([name, { token: _secret, ...rest }]) => {
      return { name, current: name === current, ...rest };
    });
    if (output.isJson) {
      output.writeJson({ profiles });
      return EXIT_CODES.done;
    }
    const cells = (name: 'email' | 'accountName' | 'baseUrl') => profiles.map((profile) => singleLine(profile[name]));
    const columns = [
      { title: 'name', cells: profiles.map(({ name, current: isUsed }) => `${isUsed ? '* ' : '  '}${name}`) },
      { title: 'user', cells: cells('email') },
      { title: 'account', cells: cells('accountName'), dropOrder: 2 },
      { title: 'server', cells: cells('baseUrl') },
      {
        title: 'expires (utc)',
        cells: profiles.map(({ expiresAt }) => formatMinute(singleLine(expiresAt))),
        dropOrder: 1,
      },
    ];
    if (profiles.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
    else output.remark('No profiles. To create one: postrider login');
    return EXIT_CODES.done;
  },
});
