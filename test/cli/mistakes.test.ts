import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const cli = `"${process.execPath}" "${process.env['PLINTH_CLI']}"`

async function shell(line: string) {
  const child = spawn('bash', ['-c', line.replaceAll('plinth', cli)])
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, lines: stderr.trimEnd().split('\n') }
}

describe('what goes wrong around a command', () => {
  it.each([
    ['plinth --help > /dev/full', 1, 'cannot write to standard output: the disk is full'],
    [`echo '{"n":1}' | plinth filter 'n == 1' > /dev/full`, 2, 'the disk is full'],
    [
      'plinth read -address=http://127.0.0.1:59998 x',
      1,
      'connection refused; is the server running, and is the address right? (ECONNREFUSED)',
    ],
    [
      'plinth job status -address=http://127.0.0.1:59998',
      1,
      'connection refused; is the server running, and is the address right? (ECONNREFUSED)',
    ],
    ['plinth job plan nowhere.json', 255, 'cannot read nowhere.json: there is no such file or directory'],
    ['plinth job plan', 2, 'usage: plinth job plan FILE [flags]'],
    ['plinth job stpo x', 2, 'there is no command "job stpo"; did you mean job stop?'],
    ['plinth token revoke', 2, 'name the token to revoke, or use -self, not both'],
    ['plinth node drain x', 2, 'use -enable or -disable'],
    ['plinth backup --data /proc/nowhere /tmp/never-made', 1, 'there is no data in /proc/nowhere'],
    [
      'plinth serve --only=catalog --catalog-port=0 --data /proc/nowhere',
      1,
      'cannot use /proc/nowhere for data',
    ],
    ['plinth write secret/x - <&-', 1, 'standard input must hold one JSON object'],
  ])('%s', async (line, code, message) => {
    expect(await shell(line)).toEqual({ code, lines: [expect.stringContaining(message)] })
  })

  it('a reader that leaves early is no failure', async () => {
    expect(await shell(`yes '{"n":1}' | plinth filter 'n == 1' | head -1`)).toEqual({ code: 0, lines: [''] })
  })

  it('a closed standard input is empty', async () => {
    expect(await shell(`plinth filter 'n == 1' <&-`)).toEqual({ code: 1, lines: [''] })
  })
})
