import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run, type Server, start } from './server.ts'

let server: Server
beforeAll(async () => {
  server = await start('--root-token', 'root', '--only=secrets')
})
afterAll(cleanUp)

const here = folder()
const env = () => ({ VAULT_ADDR: server.ready.secrets.url, VAULT_TOKEN: 'root' })
const kv = (...args: readonly string[]) => run(['kv', ...args], env())
const field = async (path: string, name: string) => (await kv('get', `-field=${name}`, path)).stdout

describe('plinth kv put', () => {
  it('takes values from files, from standard input, and as they are', async () => {
    const file = join(here, 'cert.pem')
    writeFileSync(file, 'BEGIN\nü\n')
    const put = await run(
      ['kv', 'put', 'secret/tls', `cert=@${file}`, 'key=-', 'handle=\\@ada', 'pair=a=b'],
      env(),
      'typed\n',
    )
    expect(put).toMatchObject({ code: 0, stderr: '' })
    const { stdout } = await kv('get', '-format=json', 'secret/tls')
    expect(JSON.parse(stdout).data.data).toEqual({
      cert: 'BEGIN\nü\n',
      key: 'typed\n',
      handle: '@ada',
      pair: 'a=b',
    })
  })

  it('takes one JSON object from a file', async () => {
    const file = join(here, 'secret.json')
    writeFileSync(file, '{"deep":{"n":[1]}}')
    await kv('put', 'secret/whole', `@${file}`)
    expect(await field('secret/whole', 'deep')).toBe('{"n":[1]}\n')
  })

  it('refuses what it cannot read, in one line, and writes nothing', async () => {
    const binary = join(here, 'binary')
    writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]))
    const refused = [
      [['cert=@nowhere.pem'], 1, 'cannot read nowhere.pem: there is no such file or directory'],
      [[`cert=@${here}`], 1, 'it is a directory'],
      [[`cert=@${binary}`], 1, 'is not UTF-8 text'],
      [['a=-', 'b=-'], 2, 'standard input is read once, for a'],
      [['-', 'a=b'], 2, 'not both'],
      [['word'], 2, '"word" is not a name=value pair'],
    ] as const
    for (const [pairs, code, message] of refused) {
      const { stderr, ...result } = await kv('put', 'secret/bad', ...pairs)
      expect(result).toEqual({ code, stdout: '' })
      expect(stderr).toContain(message)
      expect(stderr.trimEnd()).not.toContain('\n')
    }
    expect(await kv('get', 'secret/bad')).toMatchObject({ code: 1 })
  })
})

describe('the versions of a secret', () => {
  it('are patched, deleted, undeleted, destroyed and rolled back by their numbers', async () => {
    await kv('put', 'secret/app', 'user=ada', 'password=one')
    expect(await kv('patch', '-mount=secret', 'app', 'password=two')).toMatchObject({ code: 0 })
    expect([await field('secret/app', 'user'), await field('secret/app', 'password')]).toEqual([
      'ada\n',
      'two\n',
    ])

    expect(await kv('delete', '-versions=1,2', 'secret/app')).toMatchObject({ code: 0 })
    expect(await kv('get', 'secret/app')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was deleted at'),
    })
    expect(await kv('undelete', '-versions=1', 'secret/app')).toMatchObject({
      code: 0,
      stdout: 'undeleted version 1 of secret/app\n',
    })
    expect(await kv('rollback', '-version=1', 'secret/app')).toMatchObject({ code: 0 })
    expect(await field('secret/app', 'password')).toBe('one\n')

    expect(await kv('destroy', '-versions=1', 'secret/app')).toMatchObject({ code: 0 })
    expect(await kv('rollback', '-version=1', 'secret/app')).toMatchObject({ code: 1 })
    expect(await kv('rollback', '-version=9', 'secret/app')).toMatchObject({ code: 1 })
  })

  it('are kept as their metadata says', async () => {
    await kv('put', 'secret/noted', 'a=1')
    const put = ['metadata', 'put', '-max-versions=3', '-cas-required=true', '-custom-metadata=owner=ada']
    expect(await kv(...put, 'secret/noted')).toMatchObject({ code: 0 })
    const { stdout } = await kv('metadata', 'get', '-format=json', 'secret/noted')
    expect(JSON.parse(stdout).data).toMatchObject({
      max_versions: 3,
      cas_required: true,
      custom_metadata: { owner: 'ada' },
    })
    expect(await kv('put', 'secret/noted', 'a=2')).toMatchObject({ code: 1 })
    expect(await kv('metadata', 'delete', 'secret/noted')).toMatchObject({ code: 0 })
    expect(await kv('metadata', 'get', 'secret/noted')).toMatchObject({ code: 1 })
  })

  it.each([
    [['undelete', 'secret/app'], 'usage: plinth kv undelete --versions N,N PATH'],
    [['destroy', '-versions=0', 'secret/app'], '-versions takes version numbers, such as 1,2, not "0"'],
    [['rollback', '-version=one', 'secret/app'], '-version takes the number of a version'],
    [['get', '-mount=nowhere/else', 'app'], 'lacks permission'],
    [['metadata', 'put', '-cas-required=yes', 'secret/app'], '--cas-required takes true or false'],
  ])('%j is refused with what would be right', async (args, message) => {
    const { code, stderr } = await kv(...args)
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(message)])
  })
})

describe('output', () => {
  it('is YAML that means the same as the JSON', async () => {
    await run(
      ['kv', 'put', 'secret/yaml', '-'],
      env(),
      '{"no":"yes","n":"01","deep":{"list":["a: b",{"c":null}]},"none":[]}',
    )
    const { stdout } = await kv('get', '-format=yaml', 'secret/yaml')
    expect(stdout).toContain(
      '  data:\n    "no": "yes"\n    "n": "01"\n    deep:\n      list:\n        - "a: b"\n        - c: null\n    none: []\n',
    )
  })

  it('is one field of a generic read, too', async () => {
    expect(await run(['read', '-field=sealed', 'sys/seal-status'], env())).toMatchObject({
      stdout: 'false\n',
    })
    const token = await run(['write', '-field=token', 'auth/token/create', 'ttl=1h'], env())
    expect(token.stdout).toMatch(/^s\.\w{24,}\n$/)
  })
})
