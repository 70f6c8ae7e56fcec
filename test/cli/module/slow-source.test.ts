import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { sourceRegistry } from '../../../src/cli/module/source-registry.ts'

const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }

/** A registry that stops in the middle of the answer of one path. */
async function stallingAt(path: RegExp) {
  const server = createServer(({ url = '' }, answer: ServerResponse) => {
    const isDownload = url.endsWith('/download')
    if (isDownload) answer.setHeader('x-terraform-get', './archive.tar.gz')
    if (path.test(url)) {
      answer.setHeader('content-length', 1000)
      return void answer.write('{')
    }
    answer.end(
      url.startsWith('/.well-known/')
        ? '{"modules.v1":"/v1/modules/"}'
        : isDownload
          ? '{}'
          : '{"modules":[{"versions":[{"version":"1.0.0"}]}]}',
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('a registry that stops in the middle of an answer is given up', () => {
  it('when it is looked for', async () => {
    await using stalling = await stallingAt(/well-known/)
    const limits = { answerMs: 1, archiveMs: 60_000 }
    await expect(sourceRegistry(stalling.url, { limits })).rejects.toThrow(/^cannot read .*terraform\.json: /)
  })

  it.each([
    ['when it lists versions', /versions$/, 'answerMs', /^cannot read .*\/acme\/vpc\/aws\/versions: /],
    ['when it names the archive', /download$/, 'answerMs', /^cannot read .*\/download: /],
    ['when it sends the archive', /tar\.gz$/, 'archiveMs', /^cannot fetch acme\/vpc\/aws 1\.0\.0: /],
  ] as const)('%s', async (_when, path, limit, message) => {
    await using stalling = await stallingAt(path)
    const limits = { answerMs: 60_000, archiveMs: 60_000 }
    const source = await sourceRegistry(stalling.url, { limits })
    limits[limit] = 1
    await expect(
      path.test('versions') ? source.versions(vpc) : source.fetch(vpc, '1.0.0', tmpdir()),
    ).rejects.toThrow(message)
  })
})
