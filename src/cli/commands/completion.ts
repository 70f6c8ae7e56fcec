import { ownValue } from '../../kernel/objects.ts'
import { command } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'

export const completion = command({
  about: 'print a completion script for your shell',
  flags: {},
  words: [{ name: 'SHELL', about: 'bash, zsh or fish', optional: true }],
  examples: [
    { run: 'source <(plinth completion bash)', about: 'in ~/.bashrc' },
    { run: 'plinth completion zsh > _plinth', about: 'a file for a folder of $fpath' },
    { run: 'plinth completion fish > plinth.fish', about: 'a file for ~/.config/fish/completions' },
  ],
  run: async ({ words: [shell] }) => {
    const { completionScripts } = await import('../command/completion-scripts.ts')
    const script = shell === undefined ? undefined : ownValue(completionScripts, shell)
    if (script === undefined)
      throw new UserError(
        `${shell === undefined ? 'SHELL is missing' : `there is no completion for "${shell}"`}; name bash, zsh or fish`,
        2,
      )
    process.stdout.write(script)
  },
})
