import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run, type Server, start } from './server.ts'

afterAll(cleanUp)

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"time"') && line.includes('"duration_ms"'))
    .map((line) => JSON.parse(line))

/** Publishes a box of one image; returns the secret of its upload address. */
async function publish(server: Server, image: string): Promise<string> {
  const { url, tokens } = server.ready.catalog
  const headers = { authorization: `Bearer ${tokens['boss']}` }
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/api/v2/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    expect(answer.status).toBe(200)
    return answer.json()
  }
  await ask('POST', 'boxes', { box: { name: 'base', is_private: false } })
  await ask('POST', 'box/boss/base/versions', { version: { version: '1.0.0' } })
  const at = 'box/boss/base/version/1.0.0'
  await ask('POST', `${at}/providers`, { provider: { name: 'qemu', architecture: 'amd64' } })
  const { upload_path } = (await ask('GET', `${at}/provider/qemu/amd64/upload`)) as { upload_path: string }
  expect((await fetch(upload_path, { method: 'PUT', body: image })).status).toBe(200)
  await ask('PUT', `${at}/release`)
  return upload_path.split('/').at(-1) ?? ''
}

describe('the access log of plinth serve', () => {
  it('has a line for each request: who called which route, and how many bytes were sent', async () => {
    const place = folder()
    const file = join(place, 'access.log')
    const server = await start(
      ...['--only=catalog,registry,secrets', '--data', join(place, 'data'), '--access-log', file],
      ...[
        '--catalog-user=boss:password-1',
        '--registry-token=ci:token-of-ci:acme',
        '--root-token=root-token-1',
      ],
    )
    const { catalog, registry, secrets } = server.ready
    const image = 'an image '.repeat(200_000)
    const secret = await publish(server, image)
    const token = catalog.tokens['boss'] ?? ''
    const download = await fetch(
      `${catalog.url}/boss/boxes/base/versions/1.0.0/providers/qemu/amd64/vagrant.box?access_token=${token}`,
      { headers: { 'X-Request-Id': 'download-1' } },
    )
    expect(download.headers.get('x-request-id')).toBe('download-1')
    expect((await download.text()).length).toBe(image.length)
    const denied = await fetch(`${registry.url}/v1/modules/acme/vpc/aws/1.0.0`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer token-of-ci', 'X-Request-Id': 'not an id' },
    })
    expect(denied.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    await fetch(`${secrets.url}/v1/sys/mounts`, { headers: { 'X-Secrets-Token': 'root-token-1' } })
    await server.stop()
    const text = readFileSync(file, 'utf8')
    const lines = linesOf(text)
    expect(lines).toHaveLength(text.trim().split('\n').length)
    expect(lines.find(({ id }) => id === 'download-1')).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      id: 'download-1',
      service: 'catalog',
      caller: 'boss',
      address: '127.0.0.1',
      method: 'GET',
      path: '/boss/boxes/base/versions/1.0.0/providers/qemu/amd64/vagrant.box',
      route: expect.any(String),
      status: 200,
      bytes: image.length,
      duration_ms: expect.any(Number),
    })
    expect(lines).toContainEqual(
      expect.objectContaining({ service: 'registry', caller: 'ci', route: 'registry.remove', status: 404 }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ service: 'secrets', caller: 'root', status: 200 }))
    for (const hidden of [token, secret, 'token-of-ci', 'root-token-1', 'password-1'])
      expect(text).not.toContain(hidden)
  })

  it('goes to standard error in production, and is reopened by SIGHUP where it is a file', async () => {
    const place = folder()
    const file = join(place, 'access.log')
    const flags = ['--production', '--only=registry', '--behind-proxy', '--data', join(place, 'data')]
    const plain = await start(...flags)
    const headers = { 'x-forwarded-for': '10.0.0.1, 192.0.2.7' }
    await fetch(`${plain.ready.registry.url}/v1/modules`, { headers })
    await plain.stop()
    expect(linesOf(plain.output().stderr)).toMatchObject([{ route: 'registry.list', address: '192.0.2.7' }])
    const server = await start(...flags, '--access-log', file)
    const ask = (id: string) =>
      fetch(`${server.ready.registry.url}/v1/modules`, { headers: { 'x-request-id': id } })
    await ask('before')
    renameSync(file, `${file}.1`)
    server.child.kill('SIGHUP')
    await expect.poll(() => server.output().stderr).toContain('reopened')
    await ask('after')
    await server.stop()
    expect(linesOf(readFileSync(`${file}.1`, 'utf8'))).toMatchObject([{ id: 'before' }])
    expect(linesOf(readFileSync(file, 'utf8'))).toMatchObject([{ id: 'after' }])
    expect(linesOf(server.output().stderr)).toEqual([])
    const none = await start(...flags, '--access-log=none')
    await fetch(`${none.ready.registry.url}/v1/modules`)
    await none.stop()
    expect(linesOf(none.output().stderr)).toEqual([])
  })

  it('refuses to start with a file that cannot be opened', async () => {
    expect(await run(['serve', '--only=registry', '--access-log', folder()])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--access-log: cannot open'),
    })
  })
})
