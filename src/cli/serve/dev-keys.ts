import { open, readFile, rename } from 'node:fs/promises'
import * as z from 'zod'
import { whyNot } from '../file-text.ts'
import { UserError } from '../user-error.ts'

/** What dev mode remembers so that a restart finds the same secrets service. */
export const DevKeys = z.object({ rootToken: z.string().min(1), unsealKeys: z.array(z.string().min(1)) })
export interface DevKeys extends z.infer<typeof DevKeys> {}

/** The keys kept in a file, or `undefined` when there is no such file. */
export async function readDevKeys(path: string): Promise<DevKeys | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new UserError(`cannot read the development keys in ${path}: ${whyNot(error)}`)
  }
  const parsed = DevKeys.safeParse(parseJson(text))
  if (!parsed.success)
    throw new UserError(
      `${path} does not hold development keys; restore it, or start with another --data directory`,
    )
  return parsed.data
}

/**
 * Makes sure that keys can be written: a service that was initialised and whose keys went nowhere is lost, so this
 * comes first.
 */
export async function reserveDevKeys(path: string): Promise<void> {
  try {
    await (await open(`${path}.new`, 'w', 0o600)).close()
  } catch (error) {
    throw new UserError(`cannot write the development keys to ${path}: ${whyNot(error)}`)
  }
}

/** Writes the keys so that only their owner can read them, and whole or not at all. */
export async function writeDevKeys(path: string, keys: DevKeys): Promise<void> {
  const temporary = `${path}.new`
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.chmod(0o600)
      await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    throw new UserError(`cannot write the development keys to ${path}: ${whyNot(error)}`)
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
