import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const Job = (Priority = 50) => ({ ID: 'web', Priority, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] })
interface Versions {
  readonly Versions: readonly {
    readonly Version: number
    readonly VersionTag: { readonly Name: string } | null
  }[]
}

describe('the name of a version', () => {
  it('is given to the present one or to an earlier one, and moves no index of the job', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', { Job: Job(1) })
    const written = await send('PUT', '/v1/jobs', { Job: Job(2) })
    const tagged = await send('PUT', '/v1/job/web/versions/golden/tag', { Version: 0, Description: 'Works' })
    expect(tagged.json).toMatchObject({
      Name: 'golden',
      Description: 'Works',
      TaggedTime: 1_767_225_600_000_000_000,
      Index: tagged.index,
    })
    await send('POST', '/v1/job/web/versions/now/tag')
    const { Versions } = (await get('/v1/job/web/versions')).json as Versions
    expect(Versions.map(({ Version, VersionTag }) => [Version, VersionTag?.Name])).toEqual([
      [1, 'now'],
      [0, 'golden'],
    ])
    expect((await get('/v1/job/web')).json).toMatchObject({
      VersionTag: { Name: 'now' },
      JobModifyIndex: written.index,
      Version: 1,
    })
  })

  it('keeps its version however many come after it, until it is taken away', async () => {
    const { send, get } = await given()
    await send('PUT', '/v1/jobs', { Job: Job(1) })
    await send('PUT', '/v1/job/web/versions/golden/tag', { Version: 0 })
    const register = async (from: number) => {
      for (let priority = from; priority < from + 9; priority += 1)
        await send('PUT', '/v1/jobs', { Job: Job(priority) })
    }
    const numbers = async () =>
      ((await get('/v1/job/web/versions')).json as Versions).Versions.map(({ Version }) => Version)
    await register(2)
    expect(await numbers()).toContain(0)
    expect((await send('DELETE', '/v1/job/web/versions/golden/tag')).status).toBe(200)
    await register(20)
    expect(await numbers()).not.toContain(0)
  })

  it.each([
    ['PUT', 'web/versions/golden/tag', { Version: 7 }, 404, 'at version 7 not found'],
    ['PUT', 'none/versions/golden/tag', {}, 404, 'job not found'],
    ['PUT', 'web/versions/taken/tag', { Version: 1 }, 400, 'already exists on a different version'],
    ['PUT', `web/versions/${'x'.repeat(129)}/tag`, {}, 400, '1 to 128 characters'],
    ['PUT', 'web/versions/golden/tag', { Version: -1 }, 400, 'Version'],
    ['DELETE', 'web/versions/golden/tag', undefined, 404, 'tag "golden" not found on job "web"'],
  ])('is refused: %s %s %j', async (method, path, body, status, text) => {
    const { send } = await given()
    for (const priority of [1, 2]) await send('PUT', '/v1/jobs', { Job: Job(priority) })
    await send('PUT', '/v1/job/web/versions/taken/tag', { Version: 0 })
    const refused = await send(method, `/v1/job/${path}`, body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(text)])
  })

  it('is removed with its job, which can always be removed', async () => {
    const { send, get } = await given()
    for (let at = 0; at < 16; at += 1) {
      await send('PUT', '/v1/jobs', { Job: Job(at + 1), Submission: { Source: `${at}` } })
      expect((await send('PUT', `/v1/job/web/versions/v${at}/tag`)).status).toBe(200)
    }
    for (let at = 30; at < 38; at += 1)
      await send('PUT', '/v1/jobs', { Job: Job(at), Submission: { Source: 'x' } })
    expect((await send('PUT', '/v1/job/web/versions/more/tag')).status).toBe(400)
    expect((await send('DELETE', '/v1/job/web?purge=true')).status).toBe(200)
    await send('PUT', '/v1/jobs', { Job: Job() })
    expect((await get('/v1/job/web')).json).toMatchObject({ Version: 0, VersionTag: null })
  })
})
