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
    [
      'plinth backup --data /proc/nowhere /tmp/never-made',
      1,
      'there is no data of a server in /proc/nowhere',
    ],
    [
      'plinth serve --only=catalog --catalog-port=0 --data /proc/nowhere',
      1,
      'cannot use /proc/nowhere for data',
    ],
    ['plinth serve --only=console', 2, '--only console shows nothing: name a service as well'],
    [
      'SECRETS_ADDR=127.0.0.1:8201 plinth kv get secret/x',
      2,
      'SECRETS_ADDR: "127.0.0.1:8201" is not a valid URL: write it as http://127.0.0.1:8201',
    ],
    [
      'plinth job status --address=scheduler',
      2,
      '--address: "scheduler" is not a valid URL: write it as http://scheduler:4646',
    ],
    [
      'REGISTRY_TOKEN=x REGISTRY_ADDR= plinth registry token list',
      2,
      'REGISTRY_ADDR: "" is not a valid URL: write it as http://127.0.0.1:8400',
    ],
    [
      'CATALOG_TOKEN=x plinth box mirror ada:hunter2@boxes acme/x',
      2,
      'URL: the URL contains a user name or password: leave it out',
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
