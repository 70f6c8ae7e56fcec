import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { basePath, viewPath } from '../../data/base-path.ts'
import { useResource } from '../../data/resource.ts'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { escapedPath, readMounts, secretsCall } from './api.ts'
import { PlainSecret } from './plain-secret.tsx'
import { VersionedSecret } from './versioned-secret.tsx'

/** A folder of a mount, or a secret: whatever the path is. Folders end in a slash. */
export default function Browse() {
  // `path` has lost its last slash.
  const { url } = useLocation()
  const { pathname } = new URL(url, location.origin)
  const below = decodeURIComponent(pathname.slice(`${basePath}/secrets/browse/`.length))
  const { value: mounts, problem } = useResource(async () => ({ value: await readMounts() }), []).state.value
  const mount = Object.keys(mounts ?? {})
    .filter((each) => below.startsWith(each))
    .sort((a, b) => b.length - a.length)[0]
  if (problem)
    return (
      <section class="view">
        <Problem problem={problem} service="secrets" />
      </section>
    )
  if (!mounts)
    return (
      <section class="view">
        <p class="muted">Loading …</p>
      </section>
    )
  if (mount === undefined)
    return (
      <section class="view">
        <h1>{below}</h1>
        <p class="empty">No mount holds this path.</p>
      </section>
    )
  const inside = below.slice(mount.length)
  const isVersioned = mounts[mount]?.options?.version === '2'
  const isFolder = inside === '' || inside.endsWith('/')
  return (
    <section class="view">
      <Crumbs mount={mount} inside={inside} />
      {isFolder ? (
        <Folder key={below} mount={mount} folder={inside} isVersioned={isVersioned} />
      ) : isVersioned ? (
        <VersionedSecret key={below} mount={mount} path={inside} />
      ) : (
        <PlainSecret key={below} mount={mount} path={inside} />
      )}
    </section>
  )
}

const browsePath = (path: string): string => viewPath(`/secrets/browse/${escapedPath(path)}`)

/** The way here, each step of which is a link. */
function Crumbs({ mount, inside }: { readonly mount: string; readonly inside: string }) {
  const parts = inside.split(/(?<=\/)/).filter((part) => part !== '')
  return (
    <h1 class="crumbs">
      <a href={viewPath('/secrets')}>Secrets</a> / <a href={browsePath(mount)}>{mount}</a>
      {parts.map((part, at) => (
        <span key={parts.slice(0, at + 1).join('')}>
          {' '}
          {at === parts.length - 1 ? (
            part
          ) : (
            <a href={browsePath(mount + parts.slice(0, at + 1).join(''))}>{part}</a>
          )}
        </span>
      ))}
    </h1>
  )
}

function Folder({
  mount,
  folder,
  isVersioned,
}: {
  readonly mount: string
  readonly folder: string
  readonly isVersioned: boolean
}) {
  const searchId = useId()
  const newId = useId()
  const { route } = useLocation()
  const search = useSignal('')
  const { value, problem } = useResource(
    async ({ signal }) => {
      const { keys } = await secretsCall<{ readonly keys: readonly string[] }>(
        `${mount}${isVersioned ? 'metadata/' : ''}${escapedPath(folder)}`,
        { query: { list: 'true' }, signal },
      )
      return { value: keys }
    },
    [mount, folder],
  ).state.value
  const keys = (value ?? []).filter((key) => key.includes(search.value))
  return (
    <>
      <search>
        <form class="filter" onSubmit={(event) => event.preventDefault()}>
          <label for={searchId}>Search</label>
          <input
            id={searchId}
            type="search"
            value={search}
            onInput={(event) => {
              search.value = event.currentTarget.value
            }}
          />
        </form>
      </search>
      {problem && problem.status !== 404 && <Problem problem={problem} service="secrets" />}
      {problem?.status === 404 && <p class="empty">This folder is empty.</p>}
      {keys.length > 0 && (
        <Rows
          label="Secrets"
          rows={keys}
          keyOf={(key) => key}
          columns={[
            {
              title: 'Name',
              cell: (key) => (
                <a href={browsePath(mount + folder + key)} data-row-link>
                  {key}
                </a>
              ),
            },
          ]}
        />
      )}
      <form
        class="token"
        onSubmit={(event) => {
          event.preventDefault()
          const name =
            new FormData(event.currentTarget)
              .get('name')
              ?.toString()
              .replace(/^\/+|\/+$/g, '') ?? ''
          if (name !== '') route(browsePath(mount + folder + name))
        }}
      >
        <label for={newId}>New secret</label>
        <input id={newId} name="name" autocomplete="off" placeholder="name or path" />
        <button type="submit">Create</button>
      </form>
    </>
  )
}
