import { useSignal } from '@preact/signals'
import { Problem as ServiceProblem } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import {
  escapedPath,
  type SecretMetadata,
  type SecretVersion,
  secretsCall,
  type VersionMetadata,
} from './api.ts'
import { Fields, textOf } from './fields.tsx'
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
  const save = (cas: number) => async (data: Readonly<Record<string, unknown>>) => {
    try {
      await secretsCall(`${mount}data/${escapedPath(path)}`, {
        method: 'POST',
        body: { data, options: { cas } },
      })
    } catch (error) {
      if (error instanceof ServiceProblem && /check-and-set/.test(error.message))
        throw new Error(
          `Version ${cas} is not the newest any more: another writer was faster. Look at the new version, then save again.`,
        )
      throw error
    }
    isWriting.value = false
    chosen.value = undefined
    toast('Saved.')
    metadata.reload()
  }
  if (current === 0) return <SecretForm data={{}} note="There is no such secret yet." save={save(0)} />
  const act = (what: string) => async () => {
    await secretsCall(`${mount}${what}/${escapedPath(path)}`, { method: 'POST', body: { versions: [shown] } })
    metadata.reload()
  }
  return (
    <>
      <div class="title">
        <span>
          Version {shown} <VersionStatus of={at} /> {at && <Time ms={Date.parse(at.created_time)} />}
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
          {at && !at.destroyed && at.deletion_time === '' && (
            <Action kind="quiet" run={act('delete')}>
              Delete
            </Action>
          )}
          {at && !at.destroyed && at.deletion_time !== '' && (
            <Action kind="quiet" run={act('undelete')}>
              Undelete
            </Action>
          )}
          {at && !at.destroyed && (
            <Action kind="danger" confirm={`Destroy version ${shown} for good?`} run={act('destroy')}>
              Destroy
            </Action>
          )}
        </span>
      </div>
      <Version
        key={`${shown} ${at?.deletion_time} ${at?.destroyed} ${isWriting.value}`}
        mount={mount}
        path={path}
        version={shown}
        isReadable={at !== undefined && !at.destroyed && at.deletion_time === ''}
        form={
          isWriting.value
            ? {
                save: save(current),
                cancel: () => {
                  isWriting.value = false
                },
              }
            : undefined
        }
      />
      <h2>Versions</h2>
      <ol class="plain">
        {Object.entries(value?.versions ?? {})
          .map(([number, version]) => [Number(number), version] as const)
          .sort(([a], [b]) => b - a)
          .map(([number, version]) => (
            <li key={number} class="item">
              <button
                type="button"
                class="quiet"
                aria-pressed={number === shown}
                onClick={() => {
                  chosen.value = number
                }}
              >
                Version {number}
              </button>{' '}
              <VersionStatus of={version} /> <Time ms={Date.parse(version.created_time)} />
            </li>
          ))}
      </ol>
      {value?.custom_metadata && (
        <>
          <h2>Metadata</h2>
          <ul>
            {Object.entries(value.custom_metadata).map(([name, text]) => (
              <li key={name}>
                <code>{name}</code> {text}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function VersionStatus({ of }: { readonly of: VersionMetadata | undefined }) {
  if (!of) return null
  return <Status of={of.destroyed ? 'destroyed' : of.deletion_time === '' ? 'active' : 'deleted'} />
}

function Version({
  mount,
  path,
  version,
  isReadable,
  form,
}: {
  readonly mount: string
  readonly path: string
  readonly version: number
  readonly isReadable: boolean
  readonly form:
    | {
        readonly save: (data: Readonly<Record<string, unknown>>) => Promise<unknown>
        readonly cancel: () => void
      }
    | undefined
}) {
  const read = async (number: number, signal: AbortSignal) =>
    (
      await secretsCall<SecretVersion>(`${mount}data/${escapedPath(path)}`, {
        query: { version: number },
        signal,
      })
    ).data ?? {}
  const { value, problem } = useResource(
    async ({ signal }) => ({ value: isReadable ? await read(version, signal) : {} }),
    [mount, path, version],
  ).state.value
  const before = useResource(
    async ({ signal }) => ({ value: version > 1 ? await read(version - 1, signal) : undefined }),
    [mount, path, version],
  ).state.value.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return <p class="muted">Loading …</p>
  if (form) return <SecretForm data={value} save={form.save} cancel={form.cancel} />
  if (!isReadable) return <p class="empty">This version cannot be read.</p>
  return (
    <>
      <Fields data={value} />
      {before && <Changes before={before} after={value} />}
    </>
  )
}

/** Which fields a version changed; the values are not shown. */
function Changes({
  before,
  after,
}: {
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const changes = names.flatMap((name): readonly (readonly [string, 'added' | 'removed' | 'changed'])[] => {
    if (!Object.hasOwn(before, name)) return [[name, 'added']]
    if (!Object.hasOwn(after, name)) return [[name, 'removed']]
    return textOf(before[name]) === textOf(after[name]) ? [] : [[name, 'changed']]
  })
  if (changes.length === 0) return <p class="muted">The same as the version before.</p>
  return (
    <p class="muted">
      Since the version before:{' '}
      {changes.map(([name, what], at) => (
        <span key={name}>
          {at > 0 && ', '}
          <code>{name}</code> {what}
        </span>
      ))}
    </p>
  )
}
