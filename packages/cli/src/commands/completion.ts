import { ALL_COMMANDS } from '../all-commands.ts';
import { defineCommand } from '../define-command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { wordArgument } from '../own-flag.ts';
import { completionScript, SHELLS } from '../parser/completion-script.ts';
import { buildProgram } from '../parser/program.ts';

export const definition = defineCommand({
  id: 'completion',
  about: {
    summary: 'Print a completion script for a shell',
    description:
      'Prints a script that completes commands and flags in bash, zsh, fish or PowerShell. The script contains the commands of this version: create it again after an update.',
    needsKey: false,
    scope: null,
    examples: [
      'source <(postrider completion bash)        # in ~/.bashrc',
      'source <(postrider completion zsh)         # in ~/.zshrc, after compinit',
      'postrider completion fish > ~/.config/fish/completions/postrider.fish',
      'postrider completion powershell | Out-String | Invoke-Expression    # in $PROFILE',
    ],
  },
  args: { shell: wordArgument(SHELLS) },
  async runAlone({ own: { shell } }, output, io) {
    // The output is always the script, also with --json.
    output.writeText(
      completionScript(
        buildProgram(ALL_COMMANDS, io, async () => {}),
        shell,
      ),
    );
    return EXIT_CODES.done;
  },
});
