import { createReadStream, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lookupWithin } from '../../../http/node/public-lookup.ts'
import { isPublicAddress } from '../../../networks/networks.ts'
import type { Upstream } from '../../../registry/index.ts'
import { type SourceRegistry, sourceRegistry } from '../../module/source-registry.ts'
import type { Reach } from '../../open-url.ts'
import { UserError } from '../../user-error.ts'

/** The registry of `--pull-through`, found once it is needed. Its archives may be elsewhere, but at public addresses. */
export function upstreamAt(url: string, token: string | undefined): Upstream {
  let found: Promise<SourceRegistry> | undefined
  const source = () => {
    found ??= sourceRegistry(url, {
      reach: publicBeside(new URL(url).origin),
      ...(token ? { token } : {}),
    }).catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
  return {
    name: new URL(url).host,
    versions: async (address, via) => (await source()).versions(address, via),
    open: async (address, version, via, signal) => {
      const folder = await mkdtemp(join(tmpdir(), 'plinth-module-'))
      const remove = () => rm(folder, { recursive: true, force: true })
      // At once: a server that stops ends its process soon.
      signal.addEventListener('abort', () => rmSync(folder, { recursive: true, force: true }))
      try {
        const { file } = await (await source()).fetch(address, version, folder, { via, signal })
        // After that, nothing reads the file and removes it.
        signal.throwIfAborted()
        return (async function* () {
          try {
            yield* createReadStream(file)
          } finally {
            await remove()
          }
        })()
      } catch (error) {
        await remove()
        throw error
      }
    },
  }
}

/** Refuses private addresses, also those that a host name leads to; an origin that the operator named is allowed. */
export const publicBeside =
  (origin: string): Reach =>
  (url) => {
    if (url.origin === origin) return undefined
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (/^[\d.]+$|:/.test(host) && !isPublicAddress(host)) throw privately(host)
    return lookupWithin(isPublicAddress, privately)
  }

const privately = (host: string) =>
  new UserError(`${host} is a private address, which another server must not lead to`)
