import { text } from 'node:stream/consumers'
import { UserError } from '../user-error.ts'

/** Reads a secret from the terminal without echo, or from standard input if that is a pipe. */
export async function askSecret(what: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return (await text(stdin)).replace(/\r?\n$/, '')
  stderr.write(`${what}: `)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let typed = ''
  try {
    for await (const chunk of stdin) {
      for (const key of String(chunk)) {
        if (key === '\r' || key === '\n' || key === '\u0004') return typed
        if (key === '\u0003') throw new UserError('cancelled')
        typed = key === '\u007f' ? typed.slice(0, -1) : typed + key
      }
    }
    return typed
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}
