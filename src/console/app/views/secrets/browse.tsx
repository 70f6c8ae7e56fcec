import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { basePath, viewPath } from '../../data/base-path.ts'
import { useResource } from '../../data/resource.ts'
import { tokens } from '../../data/tokens.ts'
import { ActionForm } from '../../ui/action.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { View } from '../../ui/view.tsx'
import { escapedPath, readMounts } from './api.ts'
import { Login } from './login.tsx'
import { PlainSecret } from './plain-secret.tsx'
import { Sealable } from './seal.tsx'
import { listFolder, searchBelow } from './search.ts'
import { VersionedSecret } from './versioned-secret.tsx'

/** Shows the folder or the secret at the path. Folders end in a slash. */
export default function Browse() {
  // `path` has lost its last slash.
  const { url } = useLocation()
  const { pathname } = new URL(url, location.origin)
  const below = decodeURIComponent(pathname.slice(`${basePath}/secrets/browse/`.length))
  if (tokens.value.secrets !== undefined) return <At below={below} />
  return (
    <Sealable title={below}>
      <Login />
    </Sealable>
  )
}

function At({ below }: { readonly below: string }) {
  const { value: mounts, problem } = useResource(async () => ({ value: await readMounts() }), []).state.value
  const mount = Object.keys(mounts ?? {})
    .filter((each) => below.startsWith(each))
    .sort((a, b) => b.length - a.length)[0]
  if (problem)
    return (
      <View title={below}>
        <Problem problem={problem} service="secrets" />
      </View>
    )
  if (!mounts)
    return (
      <View title={below}>
        <p class="muted">Loading …</p>
      </View>
    )
  if (mount === undefined)
    return (
      <View title={below}>
        <p class="empty">No mount holds this path.</p>
      </View>
    )
  const inside = below.slice(mount.length)
  const isVersioned = mounts[mount]?.options?.version === '2'
  const isFolder = inside === '' || inside.endsWith('/')
  return (
    <View title={below} heading={<Crumbs mount={mount} inside={inside} />}>
      {isFolder ? (
        <Folder key={below} mount={mount} folder={inside} isVersioned={isVersioned} />
      ) : isVersioned ? (
        <VersionedSecret key={below} mount={mount} path={inside} />
      ) : (
        <PlainSecret key={below} mount={mount} path={inside} />
      )}
    </View>
  )
}

const browsePath = (path: string): string => viewPath(`/secrets/browse/${escapedPath(path)}`)

/** The breadcrumbs: each ancestor is a link. */
function Crumbs({ mount, inside }: { readonly mount: string; readonly inside: string }) {
  const parts = inside.split(/(?<=\/)/).filter((part) => part !== '')
  return (
    <span class="crumbs">
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
    </span>
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
  const { query, route, path } = useLocation()
  const q = query['q'] ?? ''
  const typed = useSignal(q)
  const newName = useSignal('')
  const { value, problem } = useResource(
    async ({ signal }) => ({ value: await listFolder({ mount, isVersioned }, folder, signal) }),
    [mount, folder],
  ).state.value
  const here = (value ?? []).filter((key) => key.toLowerCase().includes(typed.value.toLowerCase()))
  return (
    <>
      <SearchBox
        value={q}
        onInput={(text) => {
          typed.value = text
        }}
        onSearch={(text) => route(`${path}/${text === '' ? '' : `?q=${encodeURIComponent(text)}`}`)}
      />
      <p class="muted">Press Enter to search the folders below, too.</p>
      {problem && problem.status !== 404 && <Problem problem={problem} service="secrets" />}
      {problem?.status === 404 && <p class="empty">This folder is empty.</p>}
      {q === '' || typed.value !== q ? (
        here.length > 0 && <Paths folder={mount + folder} names={here} />
      ) : (
        <Below mount={mount} folder={folder} isVersioned={isVersioned} text={q} />
      )}
      <ActionForm
        action="Create"
        run={async () => {
          const name = newName.value.replace(/^\/+|\/+$/g, '')
          if (name === '') throw new Error('Enter a name for the secret.')
          route(browsePath(mount + folder + name))
        }}
      >
        <TextField label="New secret" text={newName} placeholder="name or path" />
      </ActionForm>
    </>
  )
}

/** The secrets below a folder whose paths contain a text. */
function Below({
  mount,
  folder,
  isVersioned,
  text,
}: {
  readonly mount: string
  readonly folder: string
  readonly isVersioned: boolean
  readonly text: string
}) {
  const { value, problem } = useResource(
    async ({ signal }) => ({ value: await searchBelow({ mount, isVersioned }, folder, text, signal) }),
    [mount, folder, text],
  ).state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return <p class="muted">Searching …</p>
  return (
    <>
      <p class="muted" role="status">
        {value.paths.length} found{value.isWhole ? '' : '; the search stopped at its limit of folders'}
      </p>
      {value.paths.length > 0 && (
        <Paths folder={mount + folder} names={value.paths.map((path) => path.slice(folder.length))} />
      )}
    </>
  )
}

const Paths = ({ folder, names }: { readonly folder: string; readonly names: readonly string[] }) => (
  <Rows
    label="Secrets"
    rows={names}
    keyOf={(name) => name}
    columns={[
      {
        title: 'Name',
        cell: (name) => (
          <a href={browsePath(folder + name)} data-row-link>
            {name}
          </a>
        ),
      },
    ]}
  />
)
