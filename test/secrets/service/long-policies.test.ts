import { describe, expect, it } from 'vitest'
import { devSecrets } from '../../../src/secrets/index.ts'
import { memoryStore } from '../../../src/store/index.ts'

/** Some 600 kB of path blocks. */
const long = (right: string): string =>
  Array.from(
    { length: 6000 },
    (_, at) => `path "secret/data/team-${at}/+/service/*" {\n  capabilities = ["${right}", "list"]\n}\n`,
  ).join('')

/** How many turns others have until something is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  let turns = 0
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    turns += 1
  }
  await ended
  return turns
}

describe.each([
  ['in its own memory', () => ({})],
  ['on a store that is given', () => ({ store: memoryStore() })],
])('a policy of many rules, %s', (_, options) => {
  it('leaves others their turns while it is written and while it is used first', async () => {
    const { service, rootToken } = await devSecrets(options())
    const path = 'secret/data/team-7/x/service/a'
    const ask = (method: string, place: string, token: string, body?: object) =>
      service.fetch(
        new Request(`http://localhost/v1/${place}`, {
          method,
          headers: { 'X-Secrets-Token': token },
          ...(body ? { body: JSON.stringify(body) } : {}),
        }),
      )
    await service.kv().write('team-7/x/service/a', { user: 'ada' })
    expect(await turnsDuring(service.policies.write('big', long('read')))).toBeGreaterThan(3)
    const made = await service.tokens.create({ policies: ['big'] })
    if (!made.ok) throw new Error(made.refusal.message)
    const { token } = made.value
    let answers: readonly Response[] = []
    const used = Promise.all([ask('GET', path, token), ask('GET', path, token)])
    expect(await turnsDuring(used.then((both) => (answers = both)))).toBeGreaterThan(1)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await ask('POST', path, token, { data: {} })).status).toBe(403)

    // A change holds for whoever asks after it, though the rules before it were compiled meanwhile.
    await service.policies.write('big', `${long('read')}# again\n`)
    const before = ask('POST', path, token, { data: {} })
    await service.policies.write('big', long('update'))
    expect((await before).status).toBe(403)
    expect((await ask('POST', path, token, { data: {} })).status).toBe(200)
    expect((await ask('GET', path, token)).status).toBe(403)
    expect((await ask('GET', path, rootToken)).status).toBe(200)
    await service.close()
  })

  it('is refused with the line of its mistake', async () => {
    const { service } = await devSecrets(options())
    const refused = await service.policies.write(
      'big',
      `${long('read')}path "x" { capabilities = ["reed"] }\n`,
    )
    expect(refused).toMatchObject({
      ok: false,
      refusal: { code: 'invalid_policy', detail: { line: 18_001 } },
    })
    await service.close()
  })
})
