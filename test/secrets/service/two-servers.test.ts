import { expect, it } from 'vitest'
import { systemEnv } from '../../../src/kernel/system-env.ts'
import { createSecrets, devSecrets, type Secrets } from '../../../src/secrets/index.ts'
import { coalesced, memoryStore, type Store } from '../../../src/store/index.ts'
import { asking } from './client.ts'

/** Two servers on one store, as two processes on one database would be. */
async function pair(store: Store = coalesced(memoryStore())): Promise<readonly [Secrets, Secrets, string]> {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const { service: one, rootToken, unsealKeys } = await devSecrets({ store, onError })
  const two = createSecrets({ store, onError })
  for (const key of unsealKeys) await two.seal.unseal(key)
  return [one, two, rootToken]
}

it('a server reads the writes of the other immediately', async () => {
  const [one, two, token] = await pair()
  const asOne = asking(one, token)
  const asTwo = asking(two, token)
  for (let n = 1; n <= 20; n += 1) {
    await asOne('POST', '/v1/secret/data/x', { data: { n } })
    expect((await asTwo('GET', '/v1/secret/data/x')).body.data.data).toEqual({ n })
  }
  await asTwo('POST', '/v1/sys/mounts/more', { type: 'kv' })
  expect((await asOne('POST', '/v1/more/a', { b: 1 })).status).toBe(204)
  expect((await asTwo('LIST', '/v1/more')).body.data.keys).toEqual(['a'])
  await asOne('DELETE', '/v1/secret/metadata/x')
  expect((await asTwo('GET', '/v1/secret/data/x')).status).toBe(404)
})

it('of writers at both servers with one cas, one wins', async () => {
  const [one, two] = await pair()
  for (let round = 0; round < 10; round += 1) {
    const outcomes = await Promise.all(
      [one, two, one, two].map((service) => service.kv().write('x', { round }, { cas: round })),
    )
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    for (const outcome of outcomes) if (!outcome.ok) expect(outcome.refusal.code).toBe('cas_mismatch')
  }
})

it('a server does not read what the other deleted, even if its clock is behind', async () => {
  const store = coalesced(memoryStore())
  const { service: one, unsealKeys } = await devSecrets({ store })
  const two = createSecrets({ store, env: () => ({ ...systemEnv(), now: systemEnv().now - 5000 }) })
  for (const key of unsealKeys) await two.seal.unseal(key)
  await one.kv().write('x', { password: 'hunter2' })
  await one.kv().delete('x')
  expect(await two.kv().read('x')).toMatchObject({ value: { kind: 'gone' } })
  await one.kv().undelete('x', [1])
  expect(await two.kv().read('x')).toMatchObject({ value: { kind: 'live' } })
})

it('neither loses a patch of the other', async () => {
  const [one, two] = await pair()
  await one.kv().write('x', { start: true })
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? one : two).kv().patch('x', { [`k${n}`]: n })),
  )
  expect(outcomes.every(({ ok }) => ok)).toBe(true)
  const read = await two.kv().read('x')
  expect(read.ok && read.value.kind === 'live' && Object.keys(read.value.data)).toHaveLength(11)
})

it('a policy or token that one server takes away is gone at the other', async () => {
  const [one, two] = await pair()
  await one.policies.write('app', 'path "secret/data/x" { capabilities = ["read"] }')
  await one.kv().write('x', {})
  const made = await one.tokens.create({ policies: ['app'] })
  if (!made.ok) throw new Error(made.refusal.message)
  const ask = asking(two, made.value.token)
  expect((await ask('GET', '/v1/secret/data/x')).status).toBe(200)
  await one.policies.delete('app')
  expect((await ask('GET', '/v1/secret/data/x')).status).toBe(403)
  await one.tokens.revoke({ accessor: made.value.accessor })
  expect((await ask('GET', '/v1/auth/token/lookup-self')).status).toBe(403)
})

it('each server is sealed for itself', async () => {
  const [one, two] = await pair()
  await one.seal.seal()
  expect((await one.seal.status()).sealed).toBe(true)
  expect((await two.kv().write('x', {})).ok).toBe(true)
})

it('each server counts failed logins for itself: a lock at one leaves the other open', async () => {
  const [one, two, token] = await pair()
  const asRoot = asking(one, token)
  await asRoot('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
  await asRoot('POST', '/v1/auth/userpass/users/ada', { password: 'correct horse' })
  const logIn = async (service: Secrets, password: string) =>
    (await asking(service, undefined)('POST', '/v1/auth/userpass/login/ada', { password })).status
  for (let attempt = 0; attempt < 5; attempt += 1) expect(await logIn(one, 'wrong')).toBe(400)
  expect(await logIn(one, 'correct horse')).not.toBe(200)
  expect(await logIn(two, 'correct horse')).toBe(200)
})

it('the uses of a token count at both servers together, also once one of them is gone', async () => {
  const [one, two] = await pair()
  const make = async (uses: number) => {
    const made = await one.tokens.create({ policies: ['default'], numUses: uses })
    if (!made.ok) throw new Error(made.refusal.message)
    return made.value.token
  }
  const use = async (service: Secrets, token: string) =>
    (await asking(service, token)('GET', '/v1/auth/token/lookup-self')).status
  const token = await make(3)
  expect([await use(one, token), await use(two, token), await use(one, token)]).toEqual([200, 200, 200])
  expect([await use(one, token), await use(two, token)]).toEqual([403, 403])
  const other = await make(2)
  expect(await use(one, other)).toBe(200)
  await one.close()
  expect([await use(two, other), await use(two, other)]).toEqual([200, 403])
})

it('a server whose memory for bodies is taken leaves the other to answer', async () => {
  const store = coalesced(memoryStore())
  const { service: one, rootToken, unsealKeys } = await devSecrets({ store, maxBufferedBytes: 1_000 })
  const two = createSecrets({ store, maxBufferedBytes: 1_000 })
  for (const key of unsealKeys) await two.seal.unseal(key)
  const write = (service: Secrets, body: string | ReadableStream) =>
    service.fetch(
      new Request('http://localhost/v1/secret/data/x', {
        method: 'POST',
        headers: { 'X-Secrets-Token': rootToken },
        body,
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      }),
    )
  const small = JSON.stringify({ data: { a: 'x'.repeat(300) } })
  const text = JSON.stringify({ data: { a: 'x'.repeat(800) } })
  let finish = () => {}
  let begun = () => {}
  const beginning = new Promise<void>((resolve) => {
    begun = resolve
  })
  const slow = new ReadableStream({
    start: (to) => to.enqueue(new TextEncoder().encode(text.slice(0, 800))),
    pull: (to) => {
      begun()
      return new Promise<void>((resolve) => {
        finish = () => {
          to.enqueue(new TextEncoder().encode(text.slice(800)))
          to.close()
          resolve()
        }
      })
    },
  })
  const waiting = write(one, slow)
  await beginning
  const during = [(await write(one, small)).status, (await write(two, small)).status]
  expect(during).toEqual([503, 200])
  finish()
  expect((await waiting).status).toBe(200)
})
