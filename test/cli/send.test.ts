import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileBody, send } from '../../src/cli/send.ts'
import { folder, removeFolders, run } from './server.ts'

describe('a file that is sent', () => {
  const server = createServer(async (incoming, answer) => {
    answer.end(await text(incoming).catch(() => 'broken off'))
  })
  let url = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
    removeFolders()
  })
  const sendFile = (content: string, size: number) => {
    const file = join(folder(), 'file')
    writeFileSync(file, content)
    return send({ method: 'PUT', url, headers: {}, body: fileBody(file, size) })
  }

  it('may have grown since it was measured', async () => {
    expect(await sendFile('four and more', 4)).toMatchObject({ status: 200, text: 'four' })
    expect(await sendFile('more', 0)).toMatchObject({ status: 200, text: '' })
  })

  it('is not waited for when it has become shorter', async () => {
    await expect(sendFile('two', 4)).rejects.toThrow('it ended after 3 of 4 bytes')
  })

  it('is no folder', async () => {
    const path = folder()
    const words = ['box', 'push', 'a/b', '1.0.0', path, '--provider=qemu', '--dry-run']
    expect(await run(words)).toMatchObject({
      code: 1,
      stderr: `plinth: cannot send ${path}: it is not a file\n`,
    })
  })
})

describe('plinth alloc logs', () => {
  const ID = 'aaaaaaaa-0000-0000-0000-000000000000'
  const server = createServer(({ url = '' }, answer) => {
    const path = url.replace(/\?.*/, '')
    if (path === '/v1/allocations') answer.end(JSON.stringify([{ ID }]))
    else if (path === `/v1/allocation/${ID}`)
      answer.end(JSON.stringify({ TaskStates: { main: {}, other: {} } }))
    else if (url.includes('task=other')) answer.write('one\n', () => answer.destroy())
    else {
      // Flushed on its own: the command receives it in several parts.
      answer.write(`${'long ago\n'.repeat(10_000)}`, () => setImmediate(() => answer.end('two\nthree\n')))
    }
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const logs = (...words: string[]) =>
    run(['alloc', 'logs', ...words], {
      SCHEDULER_ADDR: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    })

  it('says that the server broke the output off', async () => {
    expect(await logs('aaaa', 'other')).toMatchObject({
      code: 1,
      stdout: 'one\n',
      stderr: expect.stringMatching(/^plinth: cannot reach http:.*: the server closed the connection.*\n$/),
    })
  })

  it('prints no more lines than asked for, in however many parts they arrive', async () => {
    expect((await logs('-tail', '-n=2', 'aaaa', 'main')).stdout).toBe('two\nthree\n')
    expect((await logs('-tail', '-n=100', 'aaaa', 'main')).stdout.split('\n')).toHaveLength(101)
  })
})
