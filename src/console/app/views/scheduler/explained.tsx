import { useEffect, useRef } from 'preact/hooks'
import {
  type ExplainedLeaf,
  explain,
  FilterError,
  filterCompiler,
  linearPatterns,
} from '../../../../filter/index.ts'

/** The smallest compiler: it tests one row. */
const compile = filterCompiler(linearPatterns)

/** Why a row matches a filter: the result of each comparison. */
export function Explained({
  filter,
  row,
  name,
  close,
}: {
  readonly filter: string
  readonly row: object
  readonly name: string
  readonly close: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const leaves = leavesOf(filter, row)
  return (
    <dialog ref={dialog} aria-labelledby="explained-title" onClose={close}>
      <h2 id="explained-title">Why {name} matches</h2>
      {leaves ? (
        <ul class="plain leaves">
          {leaves.map(({ text, result, decisive, span }) => (
            <li key={span.start} class={decisive ? 'decisive' : undefined}>
              <span class={result === null ? 'idle' : result ? 'good' : 'bad'}>
                {result === null ? 'not evaluated' : result ? 'true' : 'false'}
              </span>{' '}
              <code>{text}</code>
              {decisive && <span class="badge">decisive</span>}
            </li>
          ))}
        </ul>
      ) : (
        <p>The filter uses a field that this list does not contain, so only the service can evaluate it.</p>
      )}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}

/** Shows nothing if the listed row does not pass: the service filters full objects, of which lists show a part. */
function leavesOf(filter: string, row: object): readonly ExplainedLeaf[] | undefined {
  try {
    const { result, leaves } = explain(compile(filter), row)
    return result ? leaves : undefined
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}
