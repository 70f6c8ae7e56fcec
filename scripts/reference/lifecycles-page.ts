import type { ExportedLifecycle, Table } from './lifecycles.ts'
import { anchorOf, codeCell, generatedBy, paragraphs, prose, table } from './markdown.ts'
import { withoutTags } from './options-types.ts'

/** The page of every lifecycle: a diagram, and the same transitions as a table. */
export const lifecyclesPage = (all: readonly ExportedLifecycle[]): string =>
  `${paragraphs([
    generatedBy,
    '# Lifecycles',
    'Each state machine is a table that the package exports, and its engine moves by that table: a move that is not drawn is refused. The dot is where a lifecycle begins; a state with two borders is final. [`lifecycle`](../api/plinth.md#lifecycle-1), [`move`](../api/plinth.md#move) and [`nextStatus`](../api/plinth.md#nextstatus) of `plinth` declare and follow a table of your own.',
    'The status of a job is in no table: the scheduler derives it from the deployments, allocations and evaluations of the job with every write.',
    ...subpathsOf(all).map((subpath) =>
      paragraphs([
        `## \`${subpath}\` {#${anchorOf(subpath)}}`,
        ...all.filter((each) => each.subpath === subpath).map(section),
      ]),
    ),
  ])}\n`

const subpathsOf = (all: readonly ExportedLifecycle[]): readonly string[] => [
  ...new Set(all.map(({ subpath }) => subpath)),
]

const section = ({ subpath, name, about, table: moves }: ExportedLifecycle): string =>
  paragraphs([
    `### ${titleOf(name)} {#${anchorOf(`${subpath}-${name}`)}}`,
    `\`import { ${name} } from '${subpath}'\`. ${prose(withoutTags(about))}`,
    `\`\`\`mermaid\n${diagramOf(moves)}\n\`\`\``,
    `<details><summary>The same as a table</summary>`,
    table(
      ['From', 'Verb', 'To'],
      Object.entries(moves).flatMap(([from, verbs]) =>
        Object.entries(verbs).map(([verb, to]) => [from, verb, to].map(codeCell)),
      ),
    ),
    '</details>',
  ])

/** `secretIdLifecycle` → `Secret ID`. */
const titleOf = (name: string): string => {
  const words = name
    .replace(/Lifecycle$/, '')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\bid\b/, 'ID')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** A table as a Mermaid state diagram, which the site draws and other readers of the page can read. */
export function diagramOf(moves: Table): string {
  const [begin] = Object.keys(moves)
  const arrows = Object.entries(moves).flatMap(([from, verbs]) => {
    const targets = [...new Set(Object.values(verbs))]
    const leadingTo = (to: string) => Object.keys(verbs).filter((verb) => verbs[verb] === to)
    return targets.map((to) => `  ${from} --> ${to}: ${leadingTo(to).join(', ')}`)
  })
  const ends = Object.entries(moves).flatMap(([from, verbs]) =>
    Object.keys(verbs).length === 0 ? [`  ${from} --> [*]`] : [],
  )
  return ['stateDiagram-v2', `  [*] --> ${begin}`, ...arrows, ...ends].join('\n')
}
