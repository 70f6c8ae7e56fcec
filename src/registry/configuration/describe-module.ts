import type { ModulePartInput } from '../versions/model.ts'
import { type ConfigText, describePart } from './describe-part.ts'
import { type Warnings, warningList } from './warnings.ts'

/** The maximum length of a stored README. */
const longestReadme = 256 * 1024

/** The documentation files of a module, by path. */
export type ModuleTexts = ReadonlyMap<string, string>

/** The documentation of a module. */
export interface DescribedModule {
  readonly root: ModulePartInput
  readonly submodules: readonly ModulePartInput[]
  /** The parse errors, each with its file and position. */
  readonly warnings: readonly string[]
}

/** Whether a path is that of a configuration file; clients ignore hidden files and backups. */
export const isConfiguration = (path: string): boolean =>
  /(?:^|\/)[^/.#][^/]*\.(?:tf|tofu)(?:\.json)?$/.test(path)

/** Whether a path is that of a README. */
export const isReadme = (path: string): boolean => /(?:^|\/)readme(?:\.(?:md|markdown|txt))?$/i.test(path)

/** The folders of a module that are modules themselves: the root (as an empty string), and those below `modules/`. */
export function partFolders(paths: Iterable<string>): {
  readonly hasRoot: boolean
  readonly submodules: string[]
} {
  const folders = new Set<string>()
  for (const path of paths) if (isConfiguration(path)) folders.add(folderOf(path))
  const submodules = [...folders].filter(
    (folder) => folder.startsWith('modules/') && !/\/(?:examples?|tests?)(?:\/|$)/.test(folder),
  )
  return { hasRoot: folders.has(''), submodules: submodules.sort() }
}

/** Whether a folder with these files, by relative path, is a module. */
export function isModule(paths: Iterable<string>): boolean {
  const { hasRoot, submodules } = partFolders(paths)
  return hasRoot || submodules.length > 0
}

/** Extracts the documentation of a module, one folder at a time. */
export async function describeModule(texts: ModuleTexts): Promise<DescribedModule> {
  const { submodules } = partFolders(texts.keys())
  const byFolder = new Map<string, ConfigText[]>()
  for (const [path, text] of texts) {
    if (!isConfiguration(path)) continue
    const folder = folderOf(path)
    const files = byFolder.get(folder) ?? []
    files.push({ path, text })
    byFolder.set(folder, files)
  }
  const warnings = warningList()
  const describe = async (folder: string): Promise<ModulePartInput> => {
    const part = await describePart(byFolder.get(folder) ?? [], warnings)
    return { ...part, path: folder, readme: readmeOf(folder, texts, warnings) }
  }
  const root = await describe('')
  const below: ModulePartInput[] = []
  for (const folder of submodules) below.push(await describe(folder))
  return { root, submodules: below, warnings: warnings.list() }
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The README of a folder; Markdown is preferred. */
function readmeOf(folder: string, texts: ModuleTexts, warnings: Warnings): string {
  const here = [...texts.keys()].filter((path) => isReadme(path) && folderOf(path) === folder)
  const path = here.find((each) => each.toLowerCase().endsWith('.md')) ?? here[0]
  const text = path === undefined ? '' : (texts.get(path) ?? '')
  if (text.length <= longestReadme) return text
  warnings.add(() => `${path}: only its first ${longestReadme} characters are kept`)
  // A surrogate pair is not split.
  return text.slice(0, longestReadme).replace(/[\uD800-\uDBFF]$/, '')
}
