import { useRoute } from 'preact-iso/router'
import { vagrantfile } from '../../../../catalog/wire/vagrantfile.ts'
import { addressOf, call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { clientAddress } from '../../data/services.ts'
import { tokens } from '../../data/tokens.ts'
import { Action } from '../../ui/action.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonButton } from '../../ui/json-button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Snippet } from '../../ui/snippet.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import { View } from '../../ui/view.tsx'
import type { Box, BoxVersion } from './box.ts'
import { Upload } from './upload.tsx'

/** One box: its versions, providers and architectures, and what its owner can do. */
export default function BoxView() {
  const { params } = useRoute()
  const tag = `${params['user']}/${params['name']}`
  const box = useResource(
    async ({ signal }) => ({ value: (await call<Box>('catalog', `/api/v2/box/${tag}`, { signal })).body }),
    [tag],
  )
  const { value, problem } = box.state.value
  return (
    <View title={tag} actions={value && <JsonButton name={tag} value={value} />}>
      {problem && <Problem problem={problem} service="catalog" />}
      {value && (
        <>
          <p>{value.short_description}</p>
          <Facts
            of={[
              ['Version', value.current_version?.version ?? 'no released version'],
              ['Downloads', value.downloads.toLocaleString('en')],
              ['Changed', <Time key="time" ms={Date.parse(value.updated_at)} />],
              ['Visible to', value.private ? 'members' : 'everyone'],
            ]}
          />
          <Snippet
            label="Vagrantfile"
            text={vagrantfile(clientAddress('catalog'), tag, value.current_version?.version)}
          />
          {value.description_markdown && <Markdown text={value.description_markdown} />}
          <h2>Versions</h2>
          {value.versions?.length === 0 && <p class="empty">No version yet.</p>}
          {(value.versions ?? []).map((version) => (
            <Version key={version.version} tag={tag} version={version} reload={box.reload} />
          ))}
          <h2>Publish</h2>
          {tokens.value.catalog === undefined ? (
            <TokenField service="catalog" />
          ) : (
            <Upload tag={tag} reload={box.reload} />
          )}
        </>
      )}
    </View>
  )
}

function Version({
  tag,
  version,
  reload,
}: {
  readonly tag: string
  readonly version: BoxVersion
  readonly reload: () => void
}) {
  const act = (what: 'release' | 'revoke') => async () => {
    await call('catalog', `/api/v2/box/${tag}/version/${version.version}/${what}`, { method: 'PUT' })
    reload()
  }
  return (
    <article class="item">
      <div class="title">
        <span>
          <strong>{version.version}</strong> <Status of={version.status} />{' '}
          <Time ms={Date.parse(version.updated_at)} />
        </span>
        {tokens.value.catalog !== undefined && (
          <span class="actions">
            {version.status === 'unreleased' && (
              <Action done="Released." run={act('release')}>
                Release
              </Action>
            )}
            {version.status === 'active' && (
              <Action
                kind="danger"
                confirm={{
                  title: `Revoke ${tag} ${version.version}?`,
                  text: 'Clients no longer find this version. Its images are kept, and you can release it again.',
                  action: 'Revoke',
                }}
                done="Revoked."
                run={act('revoke')}
              >
                Revoke
              </Action>
            )}
          </span>
        )}
      </div>
      {version.description_markdown && <Markdown text={version.description_markdown} />}
      {version.providers.length > 0 && <Providers of={version} />}
    </article>
  )
}

const Providers = ({ of: version }: { readonly of: BoxVersion }) => (
  <Rows
    label={`Providers of ${version.version}`}
    rows={version.providers}
    keyOf={({ name, architecture }) => `${name} ${architecture}`}
    columns={[
      { title: 'Provider', cell: ({ name }) => name },
      { title: 'Architecture', cell: ({ architecture }) => architecture },
      {
        title: 'Checksum',
        cell: ({ checksum, checksum_type }) =>
          checksum ? <code title={checksum}>{`${checksum_type} ${checksum.slice(0, 16)}…`}</code> : '–',
        isMinor: true,
      },
      {
        title: 'Image',
        cell: ({ download_url }) => <a href={downloadAt(download_url)}>Download</a>,
      },
    ]}
  />
)

/** Downloads go through the console, whatever the catalog's own URL is. */
const downloadAt = (url: string): string => {
  const { pathname } = new URL(url)
  const prefix = addressOf('catalog', '')
  return pathname.startsWith(prefix) ? pathname : prefix + pathname
}
