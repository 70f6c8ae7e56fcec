import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { fetchImage } from '../../../src/cli/box/incoming-image.ts'
import { folder, removeFolders } from '../server.ts'

afterAll(removeFolders)

const bytes = randomBytes(300_000)
const digest = (of: Uint8Array) => createHash('sha256').update(of).digest('hex')

/** Serves `bytes` under an entity tag, in ranges, redirecting first; remembers what it was asked. */
async function imageServer({ etag = '"1"', redirect = '' } = {}) {
  const asked: IncomingHttpHeaders[] = []
  const server = createServer(({ headers }, answer) => {
    asked.push(headers)
    if (redirect !== '') return void answer.writeHead(302, { location: redirect }).end()
    const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? []
    const condition = headers['if-range']
    const start = from === undefined || (condition !== undefined && condition !== etag) ? 0 : Number(from)
    if (start >= bytes.length)
      return void answer.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end()
    const range = `bytes ${start}-${bytes.length - 1}/${bytes.length}`
    answer.writeHead(start > 0 ? 206 : 200, {
      etag,
      'content-length': bytes.length - start,
      ...(start > 0 ? { 'content-range': range } : {}),
    })
    answer.end(bytes.subarray(start))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, asked, close: () => server.close() }
}

async function fetched(url: string, path: string, isChecked: boolean, headers = {}) {
  const image = await fetchImage({ url, headers: async () => headers, isChecked }, path)
  try {
    return { size: await image.size, digest: digest(await buffer(image.read())) }
  } finally {
    await image.close()
  }
}

const whole = { size: bytes.length, digest: digest(bytes) }

describe('an image on its way', () => {
  it('resumes the part that another run left, if it is of the same image', async () => {
    const server = await imageServer()
    const path = join(folder(), 'part')
    writeFileSync(path, bytes.subarray(0, 100_000))
    writeFileSync(`${path}.etag`, '"1"')
    expect(await fetched(server.url, path, false)).toEqual(whole)
    expect(server.asked.map(({ range }) => range)).toEqual(['bytes=100000-'])
    server.close()
  })

  it('starts over if the part is of another or an unknown image', async () => {
    const server = await imageServer()
    const path = join(folder(), 'part')
    writeFileSync(path, randomBytes(1000))
    writeFileSync(`${path}.etag`, '"0"')
    expect(await fetched(server.url, path, true)).toEqual(whole)
    const other = join(folder(), 'part')
    writeFileSync(other, randomBytes(1000))
    expect(await fetched(server.url, other, false)).toEqual(whole)
    expect(server.asked.map(({ range }) => range)).toEqual(['bytes=1000-', undefined])
    server.close()
  })

  it('fetches nothing that is stored already, and drops a part that is too long', async () => {
    const server = await imageServer()
    const path = join(folder(), 'part')
    writeFileSync(path, bytes)
    expect(await fetched(server.url, path, true)).toEqual(whole)
    const longer = join(folder(), 'part')
    writeFileSync(longer, Buffer.concat([bytes, bytes]))
    expect(await fetched(server.url, longer, true)).toEqual(whole)
    server.close()
  })

  it('keeps no weak entity tag: other bytes may have it too', async () => {
    const server = await imageServer({ etag: 'W/"1"' })
    const path = join(folder(), 'part')
    expect(await fetched(server.url, path, false)).toEqual(whole)
    expect(existsSync(`${path}.etag`)).toBe(false)
    server.close()
  })

  it('follows a redirect, and gives the token to the first host only', async () => {
    const store = await imageServer()
    const server = await imageServer({ redirect: store.url })
    const headers = { authorization: 'Bearer secret' }
    expect(await fetched(server.url, join(folder(), 'part'), false, headers)).toEqual(whole)
    expect([server.asked[0]?.authorization, store.asked[0]?.authorization]).toEqual([
      'Bearer secret',
      undefined,
    ])
    for (const each of [store, server]) each.close()
  })
})
