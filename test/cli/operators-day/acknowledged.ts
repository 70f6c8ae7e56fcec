import { randomBytes } from 'node:crypto'
import type { Ready } from '../../../src/cli/serve/ready.ts'
import { tarGz } from '../../registry/archive/archives.ts'

/** Something that a server acknowledged, and how to read it from a server that should have it. */
interface Acknowledged {
  readonly what: string
  readonly expected: string
  readonly read: (at: Ready) => Promise<string>
}

/** Writes to a server and remembers what it acknowledged. */
export interface Ledger {
  /** One secret and one job. */
  readonly record: (at: Ready) => Promise<void>
  /** The image of a box, and the archive of a module. */
  readonly upload: (at: Ready) => Promise<void>
  /** The number of acknowledgements so far. */
  readonly count: () => number
  /** What a server lacks of the first `count` acknowledgements. */
  readonly lost: (at: Ready, count?: number) => Promise<readonly string[]>
}

const readAtOnce = 16
const mostListed = 10

const send = async (url: string, init: RequestInit): Promise<Response> => {
  const answer = await fetch(url, init)
  if (!answer.ok) throw new Error(`${init.method} ${url}: ${answer.status} ${await answer.text()}`)
  return answer
}

const secretsToken = { 'X-Secrets-Token': 'root' }
const json = { 'content-type': 'application/json' }
const adminOf = ({ catalog }: Ready) => ({ ...json, authorization: `Bearer ${catalog.tokens['admin']}` })

export function ledger(): Ledger {
  const all: Acknowledged[] = []
  let number = 0
  let newestIndex = 0
  return {
    count: () => all.length,
    record: async (at) => {
      number += 1
      const [path, value] = [`secret/data/n${number}`, `value ${number}`]
      const body = JSON.stringify({ data: { value } })
      await send(`${at.secrets.url}/v1/${path}`, {
        method: 'POST',
        headers: { ...json, ...secretsToken },
        body,
      })
      all.push({
        what: path,
        expected: value,
        read: async ({ secrets }) => {
          const answer = await fetch(`${secrets.url}/v1/${path}`, { headers: secretsToken })
          const { data } = (await answer.json()) as { data?: { data: { value: string } } }
          return data?.data.value ?? String(answer.status)
        },
      })
      const ID = `job-${number}`
      const job = { ID, Name: ID, Type: 'batch', TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] }
      const registered = await send(`${at.scheduler.url}/v1/jobs`, {
        method: 'PUT',
        body: JSON.stringify({ Job: job }),
      })
      const { JobModifyIndex: index } = (await registered.json()) as { JobModifyIndex: number }
      if (index <= newestIndex) throw new Error(`${ID} has index ${index} after ${newestIndex}`)
      newestIndex = index
      all.push({
        what: ID,
        expected: `${ID} at ${index}`,
        read: async ({ scheduler }) => {
          const answer = await fetch(`${scheduler.url}/v1/job/${ID}`)
          if (!answer.ok) return String(answer.status)
          const found = (await answer.json()) as { ID: string; JobModifyIndex: number }
          return `${found.ID} at ${found.JobModifyIndex}`
        },
      })
    },
    upload: async (at) => {
      number += 1
      const version = `1.0.${number}`
      const bytes = randomBytes(20_000)
      const headers = adminOf(at)
      const api = `${at.catalog.url}/api/v2`
      const post = (path: string, body: unknown) =>
        fetch(`${api}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      // There from the second time on.
      await (await post('boxes', { box: { username: 'admin', name: 'base', is_private: false } })).text()
      await (await post('box/admin/base/versions', { version: { version } })).text()
      await (await post(`box/admin/base/version/${version}/providers`, { provider: { name: 'qemu' } })).text()
      const provider = `${api}/box/admin/base/version/${version}/provider/qemu/unknown`
      const address = await send(`${provider}/upload`, { headers })
      const { upload_path: path } = (await address.json()) as { upload_path: string }
      await send(path, { method: 'PUT', body: bytes })
      await send(`${api}/box/admin/base/version/${version}/release`, { method: 'PUT', headers })
      const image = `admin/boxes/base/versions/${version}/providers/qemu.box`
      all.push({
        what: image,
        expected: bytes.toString('base64'),
        read: ({ catalog }) => bytesAt(`${catalog.url}/${image}`),
      })
      const archive = tarGz({ path: 'main.tf', text: 'variable "a" {}\n' }, { path: 'data.bin', text: bytes })
      const module_ = `acme/vpc/aws/${version}`
      await send(`${at.registry.modulesUrl}${module_}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${at.registry.token}`, 'content-type': 'application/gzip' },
        body: new Uint8Array(archive),
      })
      all.push({
        what: module_,
        expected: Buffer.from(archive).toString('base64'),
        read: async ({ registry }) => {
          const download = `${registry.modulesUrl}${module_}/download`
          const answer = await fetch(download)
          const to = answer.headers.get('X-Registry-Get')
          return to === null ? String(answer.status) : bytesAt(new URL(to, download).href)
        },
      })
    },
    lost: async (at, count = all.length) => {
      const lost: string[] = []
      for (let from = 0; from < count; from += readAtOnce) {
        const some = all.slice(from, Math.min(count, from + readAtOnce))
        const found = await Promise.all(some.map(({ read }) => read(at)))
        for (const [place, { what, expected }] of some.entries())
          if (found[place] !== expected) lost.push(`${what}: ${found[place]?.slice(0, 60)}`)
      }
      return lost.length <= mostListed ? lost : [...lost.slice(0, mostListed), `${lost.length} in all`]
    },
  }
}

async function bytesAt(url: string): Promise<string> {
  const answer = await fetch(url)
  return answer.ok ? Buffer.from(await answer.arrayBuffer()).toString('base64') : String(answer.status)
}
