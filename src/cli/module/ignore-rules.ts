/** Never part of a module: version control data, and what clients unpack beside it. */
const always = ['.git/', '.terraform/']

interface Rule {
  readonly pattern: RegExp
  readonly isKept: boolean
}

/**
 * Reads the rules of a `.terraformignore` file, which are written like those of `.gitignore`.
 *
 * @returns a test whether a path, with `/` as separator, is excluded; the last matching rule decides
 */
export function ignoreRules(text: string): (path: string) => boolean {
  const rules = [...always, ...text.split(/\r?\n/)].flatMap((line) => ruleOf(line) ?? [])
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.isKept === false
}

function ruleOf(line: string): Rule | undefined {
  const written = line.trim()
  if (written === '' || written.startsWith('#')) return undefined
  const isKept = written.startsWith('!')
  const glob = (isKept ? written.slice(1) : written).trim()
  const isFolder = glob.endsWith('/')
  const bare = glob.replace(/^\//, '').replace(/\/$/, '')
  if (bare === '') return undefined
  // A slash before its end ties a pattern to the module's own folder.
  const isAnchored = glob.startsWith('/') || bare.includes('/')
  const head = isAnchored ? '' : '(?:.*/)?'
  const tail = isFolder ? '/.*' : '(?:/.*)?'
  return { pattern: new RegExp(`^${head}${expressionOf(bare)}${tail}$`, 's'), isKept }
}

/** A pattern as a regular expression: `**` is any folders, `*` and `?` stay within one. */
function expressionOf(glob: string): string {
  return glob.replace(/\*\*\/|\/\*\*$|\*+|\?|\[!?[^\]/]+\]|[\\^$.|+(){}[\]]/g, (sign) => {
    if (sign === '**/') return '(?:.*/)?'
    if (sign === '/**') return '/.*'
    if (sign.startsWith('*')) return sign === '*' ? '[^/]*' : '.*'
    if (sign === '?') return '[^/]'
    if (sign.startsWith('[') && sign.length > 1) return sign.replace(/^\[!/, '[^').replace(/\\/g, '\\\\')
    return `\\${sign}`
  })
}
