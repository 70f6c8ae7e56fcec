import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod'
import { parsedJson } from '../../kernel/decoded.ts'
import { systemEnv } from '../../kernel/index.ts'
import { syncPath } from '../../store/blobs/sync-path.ts'
import { whyNot } from '../file-text.ts'
import { UserError } from '../user-error.ts'

/** The keys of dev mode, with which a restart unseals the same secrets service. */
export const DevKeys = z.object({ rootToken: z.string().min(1), unsealKeys: z.array(z.string().min(1)) })
export interface DevKeys extends z.infer<typeof DevKeys> {}

/** The keys stored in a file, or `undefined` if it does not exist. */
export async function readDevKeys(path: string): Promise<DevKeys | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new UserError(`cannot read the development keys in ${path}: ${whyNot(error)}`)
  }
  const parsed = DevKeys.safeParse(parsedJson(text))
  if (!parsed.success)
    throw new UserError(
      `${path} does not hold development keys; restore it, or start with another --data directory`,
    )
  return parsed.data
}

/** Keys that are on disk under a temporary name: their realm may or may not have been written. */
export interface KeptKeys {
  readonly keys: DevKeys
  /** Moves them to their final name, once it is known that they belong to the realm. */
  readonly settle: () => Promise<void>
  /** Removes them: their realm was not written. */
  readonly forget: () => Promise<void>
}

/**
 * Writes the keys to a temporary file, durable and readable by their owner only. A server writes them before the realm
 * and settles them after, so that a first start never leaves a realm without its keys.
 */
export async function keepDevKeys(path: string, keys: DevKeys): Promise<KeptKeys> {
  // A unique name: if two servers initialise one database, one of them fails, and its keys are invalid.
  const kept = `${path}${pending}${systemEnv().newId('start')}`
  try {
    const file = await open(kept, 'wx', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await syncPath(dirname(path))
  } catch (error) {
    throw new UserError(`cannot write the development keys to ${path}: ${whyNot(error)}`)
  }
  return keptAs(kept, path, keys)
}

/** The temporary files of interrupted starts. */
export async function pendingDevKeys(path: string): Promise<readonly KeptKeys[]> {
  const found: KeptKeys[] = []
  for (const file of await pendingFiles(path)) {
    const parsed = DevKeys.safeParse(parsedJson(await readFile(file, 'utf8').catch(() => '')))
    if (parsed.success) found.push(keptAs(file, path, parsed.data))
  }
  return found
}

/** Removes the temporary files, none of which belong to the realm. */
export async function forgetPendingDevKeys(path: string): Promise<void> {
  for (const file of await pendingFiles(path)) await rm(file, { force: true })
}

const keptAs = (file: string, path: string, keys: DevKeys): KeptKeys => ({
  keys,
  settle: () => settle(file, path),
  forget: () => rm(file, { force: true }),
})

const pending = '.new-'

async function pendingFiles(path: string): Promise<readonly string[]> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.startsWith(`${basename(path)}${pending}`))
    .map((name) => join(folder, name))
}

async function settle(kept: string, path: string): Promise<void> {
  try {
    await rename(kept, path)
  } catch (error) {
    // Another server that found the realm initialised has moved them.
    if (await readDevKeys(path)) return
    throw new UserError(`cannot write the development keys to ${path}: ${whyNot(error)}`)
  }
  await syncPath(dirname(path))
}
