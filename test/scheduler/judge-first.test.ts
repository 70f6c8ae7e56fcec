import { describe, expect, it } from 'vitest'
import { given } from './harness.ts'

const management = 'keep-me'
const mebibyte = new Uint8Array(1024 * 1024).fill(0x20)

/** A body of 30 MiB of blanks, and how much of it was asked for. */
function largeBody() {
  let pulls = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulls += 1
        if (pulls <= 30) controller.enqueue(mebibyte)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, pulls: () => pulls }
}

const guarded = () => given({}, { managementToken: management })
const { scheduler: table } = await guarded()
const writing = table.routes
  .filter(({ methods }) => !methods.includes('GET'))
  .flatMap(({ id, methods, path, access }) => methods.map((method) => ({ id, method, path, access })))

/** A path of a route, with something in the place of every capture. */
const pathOf = (path: string) => path.replace(/:\w+/g, 'x').replace(/\*\w+/g, 'a/b')

describe('a cluster with access control', () => {
  it.each(writing.filter(({ access }) => access !== undefined))(
    'refuses unauthenticated callers at $method $path ($id) before their body is read',
    async ({ method, path }) => {
      const { scheduler } = await guarded()
      for (const headers of [undefined, { 'X-Scheduler-Token': 'no-such' }]) {
        const { stream, pulls } = largeBody()
        const init = { method, body: stream, duplex: 'half', ...(headers && { headers }) } as const
        const answer = await scheduler.fetch(new Request(`http://scheduler.test${pathOf(path)}`, init))
        expect([answer.status, await answer.text(), pulls()]).toEqual([403, 'Permission denied', 0])
      }
    },
  )

  it('asks for no right where the first token is made, and reads next to nothing there', async () => {
    expect(writing.filter(({ access }) => access === undefined).map(({ id }) => id)).toEqual([
      'acl.bootstrap',
      'acl.bootstrap',
    ])
    const { scheduler } = await given({}, { acl: true })
    const { stream, pulls } = largeBody()
    const init = { method: 'POST', body: stream, duplex: 'half' } as const
    const answer = await scheduler.fetch(new Request('http://scheduler.test/v1/acl/bootstrap', init))
    expect([answer.status, pulls()]).toEqual([413, 1])
  })

  it('reads the body of callers with the right in some namespace, and then checks the right', async () => {
    const { scheduler, send } = await guarded()
    const call = { token: management }
    await scheduler.upsertPolicy({ Name: 'ops', Rules: 'namespace "ops" { policy = "write" }' }, call)
    const made = await scheduler.writeToken(undefined, { Type: 'client', Policies: ['ops'] }, call)
    const token = made.ok ? made.value.SecretID : ''
    const register = (Namespace: string) =>
      send(
        'PUT',
        '/v1/jobs',
        { Job: { ID: 'web', Namespace, TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't' }] }] } },
        { headers: { 'X-Scheduler-Token': token } },
      )
    expect((await register('default')).status).toBe(403)
    expect((await register('ops')).status).toBe(200)
  })

  it('allows an action on a nested path with exactly its right', async () => {
    const { scheduler, send } = await guarded()
    const call = { token: management }
    const Rules = 'namespace "default" { capabilities = ["dispatch-job"] }'
    await scheduler.upsertPolicy({ Name: 'caller', Rules }, call)
    const made = await scheduler.writeToken(undefined, { Type: 'client', Policies: ['caller'] }, call)
    const headers = { 'X-Scheduler-Token': made.ok ? made.value.SecretID : '' }
    const act = async (path: string) => (await send('PUT', path, {}, { headers })).status
    expect(await act('/v1/job/a/b/dispatch')).toBe(404)
    expect(await act('/v1/job/a/b/scale')).toBe(403)
    expect(await act('/v1/job/a/b')).toBe(403)
  })
})

describe('a cluster without access control', () => {
  it('reads what anyone sends', async () => {
    const { send } = await given()
    expect((await send('PUT', '/v1/node/pool/gpu', { Name: 'gpu' })).status).toBe(200)
  })
})
