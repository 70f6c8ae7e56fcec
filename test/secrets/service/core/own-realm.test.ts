import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../../src/crypto/index.ts'
import { unwrap } from '../../../../src/kernel/index.ts'
import { createSecrets } from '../../../../src/secrets/index.ts'
import { asking, client } from '../client.ts'

// Without a store a service has a private realm in memory.

/** The services that are looked at, by what their realm is kept in. */
const kinds = {
  'a realm of its own': '{}',
  'a memory store': '{ store: memoryStore() }',
  'a realm of its own, with an audit device':
    "{ audit: [{ path: 'file', sink: { write: async () => {} } }] }",
}

/**
 * Writes a random secret to each service, seals them all, and counts the copies of each secret in memory before and
 * after: with one look at the memory for all services, because a look takes seconds.
 */
const program = `
  import { randomBytes } from 'node:crypto'
  import { readFileSync } from 'node:fs'
  import { rm, mkdtemp } from 'node:fs/promises'
  import { tmpdir } from 'node:os'
  import { join } from 'node:path'
  import { writeHeapSnapshot } from 'node:v8'
  import { devSecrets } from './src/secrets/index.ts'
  import { memoryStore } from './src/store/index.ts'

  const kinds = { ${Object.entries(kinds).map(([kind, options]) => `'${kind}': ${options}`)} }
  const folder = await mkdtemp(join(tmpdir(), 'plinth-heap-'))
  const used = []
  for (const [kind, options] of Object.entries(kinds)) {
    const { service, rootToken, unsealKeys } = await devSecrets(options)
    const secret = randomBytes(16)
    // Of texts made from it nothing is kept here.
    await service.kv().write('app', { password: secret.toString('hex') })
    await service.kv().writeMetadata('app', { customMetadata: { note: secret.toString('hex') } })
    await service.kv().read('app')
    const headers = { 'X-Secrets-Token': rootToken }
    await (await service.fetch(new Request('http://localhost/v1/secret/data/app', { headers }))).text()
    used.push({ kind, service, unsealKeys, secret })
  }
  const copies = () => {
    gc()
    const memory = readFileSync(writeHeapSnapshot(join(folder, 'heap')), 'latin1')
    return used.map(({ secret }) => memory.split(secret.toString('hex')).length - 1)
  }
  const open = copies()
  for (const { service } of used) await service.seal.seal()
  const sealed = copies()
  const found = {}
  for (const [place, { kind, service, unsealKeys, secret }] of used.entries()) {
    for (const key of unsealKeys) await service.seal.unseal(key)
    const back = JSON.stringify(await service.kv().read('app')).includes(secret.toString('hex'))
    found[kind] = { open: open[place] > 0, sealed: sealed[place], back }
    await service.close()
  }
  console.log(JSON.stringify(found))
  await rm(folder, { recursive: true })
`

const report = async (): Promise<unknown> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--import', './scripts/ts-loader.mjs', '--input-type=module', '--eval', program],
    { cwd: join(import.meta.dirname, '../../../..') },
  )
  return JSON.parse(stdout)
}

describe('sealing', () => {
  it(`leaves nothing of a secret in memory, on ${Object.keys(kinds).join(', ')}`, async () => {
    const left = { open: true, sealed: 0, back: true }
    expect(await report()).toEqual(Object.fromEntries(Object.keys(kinds).map((kind) => [kind, left])))
  })

  it('keeps everything, revisions too, over many seals with changes in between', async () => {
    const path = fc.constantFrom('a', 'b', 'c/d', 'c/e')
    const act = fc.oneof(
      fc.record({ do: fc.constant('write'), path, text: fc.string() }),
      fc.record({ do: fc.constantFrom('delete', 'remove'), path }),
      fc.record({ do: fc.constantFrom('seal', 'rotate', 'token') }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
        const { service, ask, unsealKeys, errors } = await client()
        const secrets = new Map<string, { versions: number; text: string | undefined }>()
        const tokens: string[] = []
        for (const step of [...acts, { do: 'seal' as const }]) {
          if (step.do === 'write') {
            const written = unwrap(await service.kv().write(step.path, { text: step.text }))
            secrets.set(step.path, { versions: written.version, text: step.text })
          } else if (step.do === 'delete') {
            const gone = unwrap(await service.kv().delete(step.path))
            const secret = secrets.get(step.path)
            expect(gone).toHaveLength(secret?.text === undefined ? 0 : 1)
            if (secret) secrets.set(step.path, { ...secret, text: undefined })
          } else if (step.do === 'remove') {
            expect(unwrap(await service.kv().remove(step.path))).toBe(secrets.delete(step.path))
          } else if (step.do === 'rotate') await ask('PUT', '/v1/sys/rotate')
          else if (step.do === 'token')
            tokens.push(unwrap(await service.tokens.create({ policies: ['root'] })).token)
          else {
            await service.seal.seal()
            expect(await service.kv().list()).toMatchObject({ refusal: { code: 'sealed' } })
            for (const key of unsealKeys) unwrap(await service.seal.unseal(key))
          }
        }
        for (const [at, { versions, text }] of secrets) {
          const found = unwrap(await service.kv().read(at))
          expect(found).toMatchObject(
            text === undefined
              ? { kind: 'gone' }
              : { kind: 'live', data: { text }, version: { version: versions } },
          )
        }
        const names = new Set([...secrets.keys()].map((at) => at.replace(/\/.*/, '/')))
        expect(unwrap(await service.kv().list())).toEqual([...names].sort())
        for (const token of tokens)
          expect((await asking(service, token)('GET', '/v1/sys/mounts')).status).toBe(200)
        expect(errors).toEqual([])
        await service.close()
      }),
      { numRuns: 40 },
    )
  })

  it('opens once when several callers give the last share at the same time', async () => {
    const { service, unsealKeys } = await client()
    await service.kv().write('app', { n: 0 })
    await service.seal.seal()
    const [key = ''] = unsealKeys
    const opened = await Promise.all([1, 2, 3].map(() => service.seal.unseal(key)))
    expect(opened.map((each) => unwrap(each).opened)).toEqual([true, true, true])
    expect(unwrap(await service.kv().write('app', { n: 1 })).version).toBe(2)
    await service.seal.seal()
    unwrap(await service.seal.unseal(key))
    expect(unwrap(await service.kv().read('app'))).toMatchObject({ data: { n: 1 } })
    await service.close()
  })

  it('has ended before the next share is accepted, also when no caller waits for it', async () => {
    const { service, unsealKeys } = await client()
    await service.kv().write('app', { n: 0 })
    const sealing = service.seal.seal()
    for (const key of unsealKeys) unwrap(await service.seal.unseal(key))
    await sealing
    expect(unwrap(await service.kv().read('app'))).toMatchObject({ data: { n: 0 } })
    await service.close()
  })

  it('says that what the keys do not open is damaged', async () => {
    const crypto = nodeCrypto()
    let broken = false
    const service = createSecrets({
      crypto: {
        ...crypto,
        seal: (key, text, ...rest) => {
          const sealed = crypto.seal(key, text, ...rest)
          if (broken) sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
          return sealed
        },
      },
    })
    const { unsealKeys } = unwrap(await service.seal.initialize({ shares: 1, threshold: 1 }))
    for (const key of unsealKeys) unwrap(await service.seal.unseal(key))
    broken = true
    await service.seal.seal()
    await expect(service.seal.unseal(unsealKeys[0] ?? '')).rejects.toThrow(
      /cannot be opened with this key ring/,
    )
    await service.close()
  })
})

describe('initialising', () => {
  it('is done by one of several concurrent callers, whose keys open it', async () => {
    const service = createSecrets()
    const made = await Promise.all(
      Array.from({ length: 4 }, () => service.seal.initialize({ shares: 1, threshold: 1 })),
    )
    const keys = made.flatMap((each) => (each.ok ? each.value.unsealKeys : []))
    expect(keys).toHaveLength(1)
    for (const each of made) if (!each.ok) expect(each.refusal.code).toBe('already_initialized')
    expect((await service.seal.status()).sealed).toBe(true)
    unwrap(await service.seal.unseal(keys[0] ?? ''))
    expect(unwrap(await service.kv().list())).toEqual([])
    await service.close()
  })
})
