import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bash, commandOf, fish, needing, python, zsh } from '../programs.ts'
import { folder, removeFolders } from './server.ts'

afterAll(removeFolders)

/** What a person types, before Tab, and the words that the command is given then. */
const typed = (file: string): readonly (readonly [line: string, words: string])[] => [
  ['plinth kv rollb', 'kv rollback'],
  ['plinth help kv rollb', 'help kv rollback'],
  ['plinth read x -format=y', 'read x -format=yaml'],
  ['plinth read x --format j', 'read x --format json'],
  [`plinth serve --load=${file.slice(0, -8)}`, `serve --load=${file}`],
  [`plinth kv put p cert=@${file.slice(0, -8)}`, `kv put p cert=@${file}`],
]

/** Instead of running, the command prints its words. */
const posixCommand = `plinth() { if [ "$1" = __complete ]; then command plinth "$@"; else echo "words:$*:"; fi; }`

/** Types into a shell on a terminal, and prints what it answers. */
const terminal = `
import os, pty, sys
shell = sys.argv[1].split(' ')
child, screen = pty.fork()
if child == 0: os.execvp(shell[0], shell)
def read(until):
    seen = b''
    while until not in seen: seen += os.read(screen, 4096)
    return seen
# Nothing that is typed may hold what is waited for.
os.write(screen, (sys.argv[2] + "; echo rea''dy.\\n").encode())
read(b'ready.')
for line in sys.argv[3:]:
    os.write(screen, line.encode() + b'\\t\\n')
    sys.stdout.buffer.write(read(b':\\r\\n'))
os.write(screen, b'exit\\n')
`

/** Runs a program to its end, without a time limit. */
const outputOf = (command: string, args: readonly string[], path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, PATH: `${path}:${process.env['PATH']}`, TERM: 'dumb' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, problems] = ['', '']
    child.stdout.on('data', (bytes) => (out += bytes))
    child.stderr.on('data', (bytes) => (problems += bytes))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`${code}: ${problems}`))))
  })

/** A folder with `plinth` for the path, and a file to complete. */
function prepared(): { readonly path: string; readonly file: string } {
  const path = folder()
  const program = join(path, 'plinth')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${process.env['PLINTH_CLI']}" "$@"\n`)
  chmodSync(program, 0o755)
  const file = join(path, 'records.json')
  writeFileSync(file, '')
  return { path, file }
}

const interactive = [
  [
    bash,
    'bash --norc --noprofile -i',
    `bind 'set enable-bracketed-paste off'; source <(plinth completion bash); ${posixCommand}`,
  ],
  [
    zsh,
    'zsh -f -i',
    `unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; source <(plinth completion zsh); ${posixCommand}`,
  ],
] as const

describe('Tab completes commands, values of flags and files', () => {
  for (const [shell, command, setup] of interactive) {
    it(...needing(`in ${shell.name}`, shell, python), async () => {
      const { path, file } = prepared()
      const lines = typed(file).map(([line]) => line)
      const output = await outputOf(commandOf(python) ?? '', ['-c', terminal, command, setup, ...lines], path)
      const given = [...output.matchAll(/^words:(.*):\r$/gm)].map(([, words]) => words?.trim())
      expect(given).toEqual(typed(file).map(([, words]) => words))
    })
  }

  it(...needing('in fish', fish), async () => {
    const { path, file } = prepared()
    for (const [line, words] of typed(file)) {
      // Nothing in fish completes what follows "=@".
      if (line.includes('=@')) continue
      const script = 'plinth completion fish | source; complete -C $argv[1]'
      const proposals = await outputOf(commandOf(fish) ?? '', ['-N', '-c', script, line], path)
      expect(proposals.split('\n').map((each) => each.split('\t')[0])).toContain(words.split(' ').at(-1))
    }
  })
})
