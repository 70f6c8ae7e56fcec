import type { Entry } from './entry.ts'
import { checkCharacters } from './entry-path.ts'
import { invalid, shown } from './problem.ts'

/** The maximum number of steps to resolve all links together: far more than real modules need. */
const mostSteps = 100_000
/** The maximum number of links in a row. */
const mostHops = 40

/** The layout of an archive. */
export interface Layout {
  /** Files, symbolic links and hard links by path. Folders are implicit. */
  readonly entries: ReadonlyMap<string, Entry>
  /** The path of the file that a path resolves to through links; `undefined` if it resolves to none. */
  readonly fileAt: (path: string) => string | undefined
}

/** Collects the entries of an archive, and refuses those that contradict each other. */
export function layoutBuilder() {
  const entries = new Map<string, Entry>()
  const folders = new Set<string>()
  const claim = nameClaims()
  return {
    add: (entry: Entry): void => {
      const { path, kind } = entry
      if (kind === 'folder') {
        if (entries.has(path)) throw invalid(`${shown(path)} is both a folder and something else`)
        if (path !== '') addFolders(`${path}/`, folders, entries, claim)
        return
      }
      if (path === '') throw invalid(`the archive holds a ${kind} without a name`)
      if (entries.has(path)) throw invalid(`${shown(path)} is in the archive twice`)
      if (folders.has(path)) throw invalid(`${shown(path)} is both a folder and something else`)
      addFolders(path, folders, entries, claim)
      claim(path)
      entries.set(path, entry)
    },
    /** Checks the targets of links. @param root - the folder of the module, with a trailing slash; or empty */
    finish: (root: string): Layout => {
      const leads = linkFollower(entries)
      for (const entry of entries.values()) {
        if (entry.kind === 'symlink') {
          const to = leads(entry.path)
          if (to === undefined || (root !== '' && entry.path.startsWith(root) && !`${to}/`.startsWith(root)))
            throw invalid(`the link ${shown(entry.path)} leads outside the module, to ${shown(entry.target)}`)
        }
        if (entry.kind === 'hardlink' && entries.get(plainTarget(entry))?.kind !== 'file')
          throw invalid(
            `the link ${shown(entry.path)} is to ${shown(entry.target)}, which is not a file of the archive`,
          )
      }
      const fileAt = (path: string): string | undefined => {
        const at = leads(path)
        const entry = at === undefined ? undefined : entries.get(at)
        if (entry?.kind === 'hardlink') return plainTarget(entry)
        return entry?.kind === 'file' ? entry.path : undefined
      }
      return { entries, fileAt }
    },
  }
}

/** Records the parent folders of a path: none of them may be a file or a link, which could lead anywhere. */
function addFolders(
  path: string,
  folders: Set<string>,
  entries: ReadonlyMap<string, Entry>,
  claim: (path: string) => void,
): void {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const folder = path.slice(0, at)
    if (folders.has(folder)) return
    if (entries.has(folder)) throw invalid(`${shown(folder)} is both a folder and something else`)
    claim(folder)
    folders.add(folder)
  }
}

/**
 * Refuses two names that would be one file, of which the second replaces the first: where case does not count, as on
 * Windows and macOS, or the encoding of accents does not, as on macOS.
 */
function nameClaims() {
  const claimed = new Map<string, string>()
  return (path: string): void => {
    // Upper case, because two lower-case letters may share one: the Greek sigma is another at the end of a word.
    const folded = path.normalize('NFC').toUpperCase()
    const other = claimed.get(folded)
    if (other !== undefined && other !== path)
      throw invalid(
        `${shown(other)} and ${shown(path)} differ only in case or in the encoding of accents, so they would be one on macOS or Windows: rename one of them`,
      )
    claimed.set(folded, path)
  }
}

const plainTarget = ({ target }: Entry): string => target.replace(/^(?:\.\/)+/, '')

/** Resolves links like a file system; `undefined` if they lead outside the archive. */
function linkFollower(entries: ReadonlyMap<string, Entry>) {
  let steps = 0
  return (start: string): string | undefined => {
    const ahead = start.split('/').reverse()
    const behind: string[] = []
    for (let hops = 0; ahead.length > 0; ) {
      steps += 1
      if (steps > mostSteps) throw invalid('the links of the archive take too many steps to where they lead')
      const segment = ahead.pop()
      if (segment === undefined || segment === '' || segment === '.') continue
      if (segment === '..') {
        if (behind.pop() === undefined) return undefined
        continue
      }
      behind.push(segment)
      const link = entries.get(behind.join('/'))
      if (link?.kind !== 'symlink') continue
      hops += 1
      if (hops > mostHops)
        throw invalid(`the link ${shown(start)} leads to itself, or through too many others`)
      checkCharacters(link.target, 'target')
      if (link.target === '' || link.target.startsWith('/') || /^[A-Za-z]:/.test(link.target))
        return undefined
      behind.pop()
      ahead.push(...link.target.split('/').reverse())
    }
    return behind.join('/')
  }
}
