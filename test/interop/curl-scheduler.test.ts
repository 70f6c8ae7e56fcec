import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killAll, type Server, start } from '../cli/server.ts'
import { curl as curlProgram, needing } from '../programs.ts'

const run = promisify(execFile)
const token = '4f2c1f5e-7b1e-4f0a-9d43-8c2a5d0b7e11'
let server: Server

beforeAll(async () => {
  server = await start('--place', '--management-token', token, '--words', 'Scheduler=Acme')
})
afterAll(async () => {
  await server?.stop()
  killAll()
})

/** What curl prints: status line and headers, then the body, unpacked. */
async function curl(path: string, ...args: string[]) {
  const auth = ['--header', `Authorization: Bearer ${token}`]
  const { stdout } = await run('curl', [
    '--silent',
    '--compressed',
    '--include',
    ...(args.includes('--anonymous') ? args.filter((arg) => arg !== '--anonymous') : [...auth, ...args]),
    `${server.ready.scheduler.url}${path}`,
  ])
  const cut = stdout.indexOf('\r\n\r\n')
  const head = stdout.slice(0, cut)
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    header: (name: string) => new RegExp(`^${name}: (.*?)\r?$`, 'im').exec(head)?.[1],
    body: stdout.slice(cut + 4),
  }
}
const put = (path: string, body: unknown) => curl(path, '--request', 'PUT', '--data', JSON.stringify(body))

describe(...needing('curl --compressed against plinth serve', curlProgram), () => {
  it('registers, reads, lists, waits for and stops a job', async () => {
    const Job = {
      ID: 'web',
      Type: 'service',
      TaskGroups: [{ Name: 'app', Count: 2, Tasks: [{ Name: 'server', Driver: 'exec' }] }],
    }
    const registered = await put('/v1/jobs', { Job })
    expect(registered.status).toBe(200)
    const { JobModifyIndex, EvalID } = JSON.parse(registered.body)
    expect(registered.header('X-Scheduler-Index')).toBe(String(JobModifyIndex))
    expect(registered.header('X-Acme-Index')).toBe(String(JobModifyIndex))

    const read = await curl('/v1/job/web')
    expect([read.status, read.header('content-encoding')]).toEqual([200, 'gzip'])
    expect(JSON.parse(read.body)).toMatchObject({ ID: 'web', JobModifyIndex })
    expect(read.header('X-Acme-KnownLeader')).toBe('true')
    expect(JSON.parse((await curl(`/v1/evaluation/${EvalID}`)).body)).toMatchObject({ JobID: 'web' })

    const waiting = curl(`/v1/job/web?index=${JSON.parse(read.body).ModifyIndex}&wait=10s`)
    const stopped = await curl('/v1/job/web', '--request', 'DELETE')
    expect(stopped.status).toBe(200)
    expect(JSON.parse((await waiting).body)).toMatchObject({ ID: 'web' })
    expect(JSON.parse((await curl('/v1/job/web')).body)).toMatchObject({ Status: 'dead', Stop: true })
    expect(JSON.parse((await curl('/v1/job/web/versions')).body).Versions).toHaveLength(2)
    expect(JSON.parse((await curl('/v1/jobs?filter=ID+%3D%3D+%22web%22')).body)).toHaveLength(1)
  })

  it('dispatches children, whose IDs have slashes', async () => {
    await put('/v1/jobs', {
      Job: {
        ID: 'mail',
        Type: 'batch',
        ParameterizedJob: {},
        TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }],
      },
    })
    const { DispatchedJobID } = JSON.parse((await put('/v1/job/mail/dispatch', {})).body)
    expect(JSON.parse((await curl(`/v1/job/${DispatchedJobID}`)).body)).toMatchObject({ ParentID: 'mail' })
  })

  it('tells mistakes in plain text', async () => {
    for (const [answer, status, body] of [
      [await curl('/v1/jobs', '--anonymous'), 403, 'Permission denied'],
      [await curl('/v1/job/none'), 404, 'job not found'],
      [await put('/v1/jobs', {}), 400, 'Job must be specified'],
      [await curl('/v1/job/web', '--request', 'PATCH'), 405, 'Invalid method'],
    ] as const) {
      expect([answer.status, answer.body]).toEqual([status, body])
      expect(answer.header('content-type')).toBe('text/plain; charset=utf-8')
    }
  })
})
