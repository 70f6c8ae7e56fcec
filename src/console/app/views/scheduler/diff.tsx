import type { FieldDiff, JobDiff } from 'plinth/scheduler'

interface Part {
  readonly Name?: string
  readonly Fields?: readonly FieldDiff[]
  readonly Objects?: readonly Part[]
  readonly TaskGroups?: readonly Part[]
  readonly Tasks?: readonly Part[]
}

interface Line {
  readonly path: string
  readonly was: string
  readonly is: string
}

function linesOf(part: Part, path: string): readonly Line[] {
  const below = (inner: Part) => linesOf(inner, [path, inner.Name].filter(Boolean).join('.'))
  const fields = (part.Fields ?? []).filter(({ Type }) => Type !== 'None')
  return [
    ...fields
      .filter(({ Old, New }) => Old !== '' || New !== '')
      .map(({ Name, Old, New }) => ({
        path: [path, Name].filter(Boolean).join('.'),
        was: Old,
        is: New,
      })),
    ...[...(part.Objects ?? []), ...(part.TaskGroups ?? []), ...(part.Tasks ?? [])].flatMap(below),
  ]
}

/** The differences of a changed job, field by field. */
export function Diff({ diff }: { readonly diff: JobDiff }) {
  const lines = linesOf(diff, '')
  if (lines.length === 0) return <p class="muted">No field differs.</p>
  const list = (
    <ul class="diff">
      {lines.map(({ path, was, is }) => (
        <li key={path}>
          <code>{path}</code> {was !== '' && <del>{was}</del>} {is !== '' && <ins>{is}</ins>}
        </li>
      ))}
    </ul>
  )
  return diff.Type === 'Added' ? (
    <details>
      <summary>A new job: its {lines.length} fields with their defaults</summary>
      {list}
    </details>
  ) : (
    list
  )
}
