import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { needing, openssl } from '../programs.ts'
import { selfSigned } from '../self-signed.ts'
import { folder, removeFolders, run } from './server.ts'

/** What the client says of servers that are none of its own: it must not take their answers for success. */
const open: Server[] = []
const up = async (server: Server): Promise<number> => {
  open.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const answering = async (listener: RequestListener) => `http://127.0.0.1:${await up(createServer(listener))}`
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})
afterAll(removeFolders)

const ask = (address: string, ...args: readonly string[]) =>
  run(args, { SECRETS_ADDR: address, SECRETS_TOKEN: 's.hunter2' })

describe('a server that is no secrets service', () => {
  it.each([
    ['<html>Welcome</html>', ['read', 'a']],
    ['null', ['list', 'a']],
    ['["a"]', ['write', 'a', 'b=c']],
    ['7', ['delete', 'a']],
  ])('answers %s, which is no success: %j', async (page, args) => {
    const address = await answering((_, response) => response.end(page))
    expect(await ask(address, ...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'the answer is not a JSON object; is this the address of a secrets service? (200)',
      ),
    })
  })

  it('fails with a page of its own', async () => {
    const address = await answering((_, response) => response.writeHead(502).end('<html>Bad gateway</html>'))
    expect(await ask(address, 'read', 'a')).toMatchObject({
      code: 1,
      stderr: 'plinth: reading a: the service refused (502)\n',
    })
  })

  it('reports all that a scheduler lists as wrong', async () => {
    const address = await answering((_, response) =>
      response.writeHead(400).end('2 errors occurred:\n\t* Missing job ID\n\t* Count: expected a number\n\n'),
    )
    expect(await run(['job', 'status'], { SCHEDULER_ADDR: address })).toMatchObject({
      code: 1,
      stderr: 'plinth: listing the jobs: 2 errors occurred: Missing job ID; Count: expected a number (400)\n',
    })
  })

  it('may restart while it is followed', async () => {
    let reads = 0
    const address = await answering((request, response) => {
      const said = (value: unknown) => response.end(JSON.stringify(value))
      if (request.method === 'PUT') return said({ EvalID: 'e1' })
      if (request.url !== '/v1/evaluation/e1') return said([])
      reads += 1
      if (reads === 1) return response.destroy()
      return reads === 2 ? response.writeHead(503).end() : said({ JobID: 'web', Status: 'complete' })
    })
    expect(await run(['job', 'eval', 'web'], { SCHEDULER_ADDR: address })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('finished with status "complete"'),
      stderr: expect.stringMatching(/^no answer from .*; trying again .*\nstatus 503 from .*\n$/),
    })
  })

  it('may be taken for a scheduler', async () => {
    const address = await answering((_, response) =>
      response.writeHead(403).end('{"errors":["permission denied"]}'),
    )
    expect(await run(['job', 'status'], { SCHEDULER_ADDR: address })).toMatchObject({
      code: 1,
      stderr:
        'plinth: listing the jobs: the answer is not that of a scheduler; is this the address of one? (403)\n',
    })
  })

  it('is not given the token by a redirect', async () => {
    const seen: unknown[] = []
    const other = await answering((request, response) => {
      seen.push(request.headers)
      response.end('{}')
    })
    const address = await answering((_, response) =>
      response.writeHead(307, { location: `${other}/v1/a` }).end(),
    )
    expect(await ask(address, 'write', 'a', 'b=c')).toMatchObject({
      code: 1,
      stderr: `plinth: writing a: the service redirects to ${other}/v1/a (307)\n`,
    })
    expect(seen).toEqual([])
  })

  it('is asked below /v1 once, when the address ends with that', async () => {
    const address = await answering(({ url }, response) => response.end(JSON.stringify({ data: { url } })))
    expect(await ask(`${address}/v1/`, 'read', 'a')).toMatchObject({ code: 0, stdout: 'url  /v1/a\n' })
  })

  it('does not know the token, which may have expired', async () => {
    const address = await answering((_, response) =>
      response.writeHead(403).end('{"errors":["permission denied"]}'),
    )
    expect((await ask(address, 'read', 'a')).stderr).toBe(
      'plinth: reading a: permission denied; is SECRETS_TOKEN set, and still valid? (403)\n',
    )
  })

  it('may have nothing to say, where the client says one line', async () => {
    const address = await answering((_, response) => response.writeHead(204).end())
    expect(await ask(address, 'write', 'a', 'b=c')).toEqual({ code: 0, stdout: 'wrote a\n', stderr: '' })
  })
})

describe('a server that cannot be talked to', () => {
  const said = async (address: string) => (await ask(address, 'read', 'a')).stderr

  it(...needing('is reported with its own remedy', openssl), async () => {
    const plain = new URL(await answering((_, response) => response.end('{}')))
    const tls = selfSigned()
    const certificate = join(folder(), 'cert.pem')
    writeFileSync(certificate, tls.cert)
    const secure = await up(createTlsServer(tls, (_, response) => response.end('{"data":{"n":1}}')))
    expect(await said(`https://${plain.host}`)).toContain(
      'the server does not use TLS; does the address begin with http://?',
    )
    expect(await said(`http://127.0.0.1:${secure}`)).toContain('does the address begin with https://?')
    expect(await said(`https://127.0.0.1:${secure}`)).toContain('add the authority to NODE_EXTRA_CA_CERTS')
    expect(
      await run(['read', 'a'], {
        SECRETS_ADDR: `https://127.0.0.1:${secure}`,
        NODE_EXTRA_CA_CERTS: certificate,
      }),
    ).toMatchObject({ code: 0, stdout: 'n  1\n' })
    expect(
      await run(['registry', 'token', 'list'], {
        REGISTRY_ADDR: `https://127.0.0.1:${secure}`,
        REGISTRY_TOKEN: 'hunter2.',
      }),
    ).toMatchObject({ code: 1, stderr: expect.stringMatching(/^plinth: .*NODE_EXTRA_CA_CERTS/) })
    const free = await up(createServer())
    for (const server of open.splice(0)) server.close()
    expect(await said(`http://127.0.0.1:${free}`)).toMatch(/connection refused; .* \(ECONNREFUSED\)\n$/)
  })
})
