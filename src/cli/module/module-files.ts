import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { whyNot } from '../file-text.ts'
import { UserError } from '../user-error.ts'
import { ignoreRules } from './ignore-rules.ts'

/** A file or link of a module. */
export interface ModuleFile {
  /** Relative to the module's folder, with `/` as separator. */
  readonly path: string
  /** Its path on this machine. */
  readonly place: string
  readonly size: number
  readonly isExecutable: boolean
  /** The target of a link. */
  readonly target: string | undefined
}

/** The files of a module in the order of their paths, without ignored ones. */
export async function moduleFiles(folder: string): Promise<readonly ModuleFile[]> {
  try {
    const isIgnored = ignoreRules(await ignoreText(folder))
    const files = await filesBelow(folder, '', isIgnored)
    if (!files.some(({ path }) => /\.(?:tf|tofu)(?:\.json)?$/.test(path)))
      throw new UserError(`${folder} is not a module: there is no .tf or .tf.json file in it`)
    return files.sort((a, b) => (a.path < b.path ? -1 : 1))
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`cannot read ${folder}: ${whyNot(error)}`)
  }
}

const ignoreText = (folder: string): Promise<string> =>
  readFile(join(folder, '.terraformignore'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })

async function filesBelow(
  folder: string,
  below: string,
  isIgnored: (path: string) => boolean,
): Promise<ModuleFile[]> {
  const files: ModuleFile[] = []
  for (const name of await readdir(join(folder, below))) {
    const path = `${below}${name}`
    const place = join(folder, path)
    const found = await lstat(place)
    if (found.isDirectory()) {
      // A rule may include something in an excluded folder, so all folders are searched but these.
      if (name !== '.git' && name !== '.terraform')
        files.push(...(await filesBelow(folder, `${path}/`, isIgnored)))
      continue
    }
    if (isIgnored(path)) continue
    if (!found.isFile() && !found.isSymbolicLink())
      throw new UserError(`${place} is a device, a pipe or a socket: name it in .terraformignore`)
    files.push({
      path,
      place,
      size: found.isFile() ? found.size : 0,
      isExecutable: (found.mode & 0o100) !== 0,
      target: found.isSymbolicLink() ? await readlink(place) : undefined,
    })
  }
  return files
}
