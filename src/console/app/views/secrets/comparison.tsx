import { useSignal } from '@preact/signals'
import { useResource } from '../../data/resource.ts'
import { Choice } from '../../ui/choice.tsx'
import { Problem } from '../../ui/problem.tsx'
import { RevealButton } from '../../ui/reveal-button.tsx'
import { useRevealed } from '../../ui/revealed.ts'
import { isReadable, readVersion, type VersionMetadata } from './api.ts'
import { hiddenText, textOf } from './fields.tsx'

/** The differences between any two readable versions. */
export function VersionComparison({
  mount,
  path,
  versions,
}: {
  readonly mount: string
  readonly path: string
  readonly versions: Readonly<Record<string, VersionMetadata>>
}) {
  const readable = Object.keys(versions)
    .filter((number) => isReadable(versions[number]))
    .map(Number)
    .sort((a, b) => b - a)
  const before = useSignal(readable[1] ?? 0)
  const after = useSignal(readable[0] ?? 0)
  const areBoth = readable.includes(before.value) && readable.includes(after.value)
  if (readable.length < 2) return null
  return (
    <div class="item">
      <p class="line">
        <Choice label="Compare version" value={before} options={readable} />
        <Choice label="with version" value={after} options={readable} />
      </p>
      {areBoth && <Changes mount={mount} path={path} before={before.value} after={after.value} />}
    </div>
  )
}

function Changes({
  mount,
  path,
  before,
  after,
}: {
  readonly mount: string
  readonly path: string
  readonly before: number
  readonly after: number
}) {
  const isShown = useRevealed()
  const { value, problem } = useResource(
    async ({ signal }) => {
      const [old, fresh] = await Promise.all(
        [before, after].map((version) => readVersion(mount, path, version, signal)),
      )
      return { value: changesOf(old ?? {}, fresh ?? {}) }
    },
    [mount, path, before, after],
  ).state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return <p class="muted">Loading …</p>
  if (value.length === 0) return <p class="muted">The two versions are equal.</p>
  return (
    <>
      <ul class="diff">
        {value.map(({ name, was, is }) => (
          <li key={name}>
            <code>{name}</code> {was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'}{' '}
            {was !== undefined && <del>{isShown.value ? was : hiddenText}</del>}{' '}
            {is !== undefined && <ins>{isShown.value ? is : hiddenText}</ins>}
          </li>
        ))}
      </ul>
      <RevealButton isShown={isShown} show="Show values" hide="Hide values" />
    </>
  )
}

interface Change {
  readonly name: string
  readonly was: string | undefined
  readonly is: string | undefined
}

type Data = Readonly<Record<string, unknown>>

function changesOf(before: Data, after: Data): readonly Change[] {
  const text = (data: Data, name: string) => (Object.hasOwn(data, name) ? textOf(data[name]) : undefined)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .map((name) => ({ name, was: text(before, name), is: text(after, name) }))
    .filter(({ was, is }) => was !== is)
}
