import { createReadStream } from 'node:fs'
import type { Blobs } from '../../store/index.ts'
import { UserError } from '../user-error.ts'
import { filesBelow } from './folder.ts'
import type { NamedBlob } from './named-blobs.ts'

/** Reports how many of all bytes are copied. */
type Report = (done: number, total: number) => void

/**
 * Finds the blobs that saved records name, and copies them. A running server may delete one after its record was saved:
 * the records are then saved again, which no longer name it. One that is missing even so is lost, and nothing is saved.
 *
 * @param saveAgain - saves the records again and returns the blobs that they name
 */
export async function copyNamed(
  {
    named,
    saveAgain,
    from,
    to,
  }: {
    readonly named: readonly NamedBlob[]
    readonly saveAgain: () => Promise<readonly NamedBlob[]>
    readonly from: { readonly blobs: Blobs; readonly at: string }
    /** Where they are copied to; without it they stay, and are only counted. */
    readonly to: Blobs | undefined
  },
  report: Report,
): Promise<void> {
  const copied = new Set<string>()
  let missingBefore = new Set<string>()
  for (let now = named; ; now = await saveAgain()) {
    if (to === undefined) for await (const id of from.blobs.list()) copied.add(id)
    const total = now.reduce((sum, { bytes }) => sum + bytes, 0)
    const missing: NamedBlob[] = []
    let done = 0
    for (const each of now) {
      if (to !== undefined && !copied.has(each.blob) && (await copyOne(each, from.blobs, to)))
        copied.add(each.blob)
      if (!copied.has(each.blob)) missing.push(each)
      done += each.bytes
      report(done, total)
    }
    const lost = missing.filter(({ blob }) => missingBefore.has(blob))
    if (lost.length > 0)
      throw new UserError(`nothing was saved: ${lossOf(lost, from.at)}
If this is not where the server keeps them, add its --blobs; otherwise upload them again, or delete what names them`)
    missingBefore = new Set(missing.map(({ blob }) => blob))
    if (missing.length > 0) continue
    for (const { blob } of now) copied.delete(blob)
    // What the last records do not name was deleted meanwhile.
    for (const blob of copied) await to?.delete(blob)
    return
  }
}

/** Returns whether the blob is there, with the bytes that were uploaded. */
async function copyOne({ blob, sha256 }: NamedBlob, from: Blobs, to: Blobs): Promise<boolean> {
  const found = await from.get(blob)
  const written = found && (await to.put(blob, found.body))
  if (written?.ok !== true) return false
  if (sha256 === undefined || written.digests.sha256 === sha256) return true
  await to.delete(blob)
  return false
}

const mostListed = 20

/** Lists uploads that are lost. */
export function lossOf(lost: readonly NamedBlob[], at: string): string {
  const listed = lost.slice(0, mostListed).map(({ of, blob }) => `\n  ${of} (blob ${blob})`)
  const more = lost.length > mostListed ? `\n  and ${lost.length - mostListed} more` : ''
  return `the records name ${lost.length} uploads that ${at} lacks or has damaged:${listed.join('')}${more}`
}

/** Copies all blobs of a directory. */
export async function copyAll(directory: string, to: Blobs, report: Report): Promise<void> {
  const files = await filesBelow(directory)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  for (const { id, path, bytes } of files) {
    await to.put(id, createReadStream(path))
    done += bytes
    report(done, total)
  }
}
