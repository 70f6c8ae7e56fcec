import { type Signal, useSignal } from '@preact/signals'
import { Problem as ServiceProblem } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import {
  escapedPath,
  isReadable,
  readVersion,
  type SecretMetadata,
  secretsCall,
  type VersionMetadata,
} from './api.ts'
import { VersionComparison } from './comparison.tsx'
import { Fields } from './fields.tsx'
import { Metadata } from './metadata.tsx'
import { SecretForm } from './secret-form.tsx'

/** A secret with its versions: read, compare, write with check-and-set, delete, undelete, destroy. */
export function VersionedSecret({ mount, path }: { readonly mount: string; readonly path: string }) {
  const isWriting = useSignal(false)
  const chosen = useSignal<number | undefined>(undefined)
  const metadata = useResource(
    async ({ signal }) => ({
      value: await secretsCall<SecretMetadata>(`${mount}metadata/${escapedPath(path)}`, { signal }),
    }),
    [mount, path],
  )
  const { value, problem } = metadata.state.value
  if (problem && problem.status !== 404) return <Problem problem={problem} service="secrets" />
  if (!value && !problem) return <p class="muted">Loading …</p>
  const current = value?.current_version ?? 0
  const shown = chosen.value ?? current
  const at = value?.versions[shown]
  const stopWriting = () => {
    isWriting.value = false
  }
  const save = (cas: number) => async (data: Readonly<Record<string, unknown>>) => {
    await writeVersion(`${mount}data/${escapedPath(path)}`, data, cas)
    stopWriting()
    chosen.value = undefined
    toast('Saved.')
    metadata.reload()
  }
  if (!value || current === 0)
    return <SecretForm data={{}} note="There is no such secret yet." save={save(0)} />
  const act = (what: string) => async () => {
    await secretsCall(`${mount}${what}/${escapedPath(path)}`, { method: 'POST', body: { versions: [shown] } })
    metadata.reload()
  }
  const canRead = isReadable(at)
  return (
    <>
      <VersionHead path={path} number={shown} of={at} act={act} isWriting={isWriting} />
      <Version
        key={`${shown} ${canRead} ${isWriting.value}`}
        mount={mount}
        path={path}
        version={shown}
        canRead={canRead}
        form={isWriting.value ? { save: save(current), cancel: stopWriting } : undefined}
      />
      <h2>Versions</h2>
      <VersionList
        versions={value.versions}
        shown={shown}
        show={(number) => {
          chosen.value = number
        }}
      />
      <VersionComparison key={current} mount={mount} path={path} versions={value.versions} />
      <Metadata mount={mount} path={path} metadata={value} reload={metadata.reload} />
    </>
  )
}

/** The state of the shown version, and what can be done with it. */
const VersionHead = ({
  path,
  number,
  of,
  act,
  isWriting,
}: {
  readonly path: string
  readonly number: number
  readonly of: VersionMetadata | undefined
  readonly act: (what: string) => () => Promise<void>
  readonly isWriting: Signal<boolean>
}) => (
  <div class="title">
    <span>
      Version {number} <VersionStatus of={of} /> {of && <Time ms={Date.parse(of.created_time)} />}
    </span>
    <span class="actions">
      {!isWriting.value && (
        <button
          type="button"
          onClick={() => {
            isWriting.value = true
          }}
        >
          New version
        </button>
      )}
      {of && <VersionActions name={`version ${number} of ${path}`} of={of} act={act} />}
    </span>
  </div>
)

/** Writes a version, if the newest is still the one that was seen. */
async function writeVersion(at: string, data: Readonly<Record<string, unknown>>, cas: number): Promise<void> {
  try {
    await secretsCall(at, {
      method: 'POST',
      body: { data, options: { cas } },
    })
  } catch (error) {
    if (error instanceof ServiceProblem && /check-and-set/.test(error.message))
      throw new Error(
        `Version ${cas} is no longer the newest: another client wrote a version in the meantime. Check it, then save again.`,
      )
    throw error
  }
}

/** The buttons that delete, restore and destroy a version. */
const VersionActions = ({
  name,
  of,
  act,
}: {
  readonly name: string
  readonly of: VersionMetadata
  readonly act: (what: string) => () => Promise<void>
}) => (
  <>
    {isReadable(of) && (
      <Action kind="quiet" done={`Deleted: ${name}`} run={act('delete')}>
        Delete
      </Action>
    )}
    {!of.destroyed && !isReadable(of) && (
      <Action kind="quiet" done={`Restored: ${name}`} run={act('undelete')}>
        Undelete
      </Action>
    )}
    {!of.destroyed && (
      <Action
        kind="danger"
        confirm={{
          title: `Destroy ${name}?`,
          text: 'Its data is deleted permanently. This cannot be undone.',
          action: 'Destroy',
        }}
        run={act('destroy')}
      >
        Destroy
      </Action>
    )}
  </>
)

/** The versions, newest first; a button shows each. */
const VersionList = ({
  versions,
  shown,
  show,
}: {
  readonly versions: Readonly<Record<string, VersionMetadata>>
  readonly shown: number
  readonly show: (number: number) => void
}) => (
  <ol class="plain">
    {Object.entries(versions)
      .map(([number, version]) => [Number(number), version] as const)
      .sort(([a], [b]) => b - a)
      .map(([number, version]) => (
        <li key={number} class="item">
          <button type="button" class="quiet" aria-pressed={number === shown} onClick={() => show(number)}>
            Version {number}
          </button>{' '}
          <VersionStatus of={version} /> <Time ms={Date.parse(version.created_time)} />
        </li>
      ))}
  </ol>
)

function VersionStatus({ of }: { readonly of: VersionMetadata | undefined }) {
  if (!of) return null
  return <Status of={of.destroyed ? 'destroyed' : isReadable(of) ? 'active' : 'deleted'} />
}

function Version({
  mount,
  path,
  version,
  canRead,
  form,
}: {
  readonly mount: string
  readonly path: string
  readonly version: number
  readonly canRead: boolean
  readonly form:
    | {
        readonly save: (data: Readonly<Record<string, unknown>>) => Promise<unknown>
        readonly cancel: () => void
      }
    | undefined
}) {
  const { value, problem } = useResource(
    async ({ signal }) => ({ value: canRead ? await readVersion(mount, path, version, signal) : {} }),
    [mount, path, version],
  ).state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return <p class="muted">Loading …</p>
  if (form) return <SecretForm data={value} save={form.save} cancel={form.cancel} />
  return canRead ? (
    <Fields data={value} />
  ) : (
    <p class="empty">This version is deleted or destroyed: its data cannot be read.</p>
  )
}
