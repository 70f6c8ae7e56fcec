import { useId } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { moduleBlock } from '../../../../registry/module-block.ts'
import { call } from '../../data/call.ts'
import { useQuery } from '../../data/query.ts'
import { useResource } from '../../data/resource.ts'
import { clientAddress } from '../../data/services.ts'
import { Facts } from '../../ui/facts.tsx'
import { JsonButton } from '../../ui/json-button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Snippet } from '../../ui/snippet.tsx'
import { Time } from '../../ui/time.tsx'
import { View } from '../../ui/view.tsx'
import { Downloads } from './downloads.tsx'
import type { ModuleDetail, ModulePart } from './module.ts'

/** One module in one version: README, inputs, outputs, submodules, downloads. */
export default function ModuleView() {
  const { params } = useRoute()
  const { query, change } = useQuery()
  const address = `${params['namespace']}/${params['name']}/${params['provider']}`
  const version = query['version']
  const chosen = query['part'] ?? ''
  const { value, problem } = useResource(
    async ({ signal }) => ({
      value: (
        await call<ModuleDetail>('registry', `/v1/modules/${address}${version ? `/${version}` : ''}`, {
          signal,
        })
      ).body,
    }),
    [address, version],
  ).state.value
  const part =
    [value?.root, ...(value?.submodules ?? [])].find((each) => each?.path === chosen) ?? value?.root
  return (
    <View title={address} actions={value && <JsonButton name={address} value={value} />}>
      {problem && <Problem problem={problem} service="registry" />}
      {value && part && (
        <>
          <p>{value.description}</p>
          {value.deprecation && (
            <p class="problem">
              <strong>This version is deprecated.</strong> {value.deprecation.reason}
            </p>
          )}
          <ModuleFacts module={value} choose={(version) => change({ version, part: '' })} />
          <Snippet
            label="Terraform"
            text={moduleBlock(
              { name: value.name, version: value.version, inputs: part.inputs },
              `${new URL(clientAddress('registry')).host}/${address}`,
            )}
          />
          <PlainHost url={clientAddress('registry')} />
          <Downloads address={address} />
          <PartChoice of={value.submodules} chosen={chosen} choose={(part) => change({ part })} />
          <Part part={part} />
        </>
      )}
    </View>
  )
}

/** Chooses between a module and its submodules. */
function PartChoice({
  of,
  chosen,
  choose,
}: {
  readonly of: readonly ModulePart[]
  readonly chosen: string
  readonly choose: (part: string) => void
}) {
  const id = useId()
  if (of.length === 0) return null
  return (
    <p>
      <label for={id}>Part</label>{' '}
      <select id={id} value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">the module itself</option>
        {of.map(({ path }) => (
          <option key={path}>{path}</option>
        ))}
      </select>
    </p>
  )
}

/** Terraform asks a host by HTTPS; that of a registry without TLS is declared in its configuration. */
function PlainHost({ url }: { readonly url: string }) {
  const { protocol, host, origin } = new URL(url)
  return protocol === 'https:' ? null : (
    <Snippet
      label="~/.terraformrc, because this registry is served without TLS"
      text={`host "${host}" {\n  services = { "modules.v1" = "${origin}/v1/modules/" }\n}`}
    />
  )
}

const ModuleFacts = ({
  module,
  choose,
}: {
  readonly module: ModuleDetail
  readonly choose: (version: string) => void
}) => (
  <Facts
    of={[
      [
        'Version',
        <select
          key="version"
          aria-label="Version"
          value={module.version}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {[...module.versions].reverse().map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>,
      ],
      ['Owner', module.owner],
      ['Downloads', module.downloads.toLocaleString('en')],
      ['Published', <Time key="time" ms={Date.parse(module.published_at)} />],
    ]}
  />
)

function Part({ part }: { readonly part: ModulePart }) {
  return (
    <>
      {part.readme && <Markdown text={part.readme} />}
      <Inputs of={part.inputs} />
      <h2>Outputs</h2>
      {part.outputs.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <Rows
          label="Outputs"
          rows={part.outputs}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Name', cell: ({ name }) => <code>{name}</code> },
            { title: 'Description', cell: ({ description }) => description },
          ]}
        />
      )}
      {part.dependencies.length > 0 && (
        <>
          <h2>Dependencies</h2>
          <Rows
            label="Dependencies"
            rows={part.dependencies}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Name', cell: ({ name }) => <code>{name}</code> },
              { title: 'Source', cell: ({ source }) => <code>{source}</code> },
              { title: 'Version', cell: ({ version }) => version || '–' },
            ]}
          />
        </>
      )}
      {part.resources.length > 0 && (
        <>
          <h2>Resources</h2>
          <ul>
            {part.resources.map(({ type, name }) => (
              <li key={`${type}.${name}`}>
                <code>
                  {type}.{name}
                </code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

const Inputs = ({ of }: { readonly of: ModulePart['inputs'] }) => (
  <>
    <h2>Inputs</h2>
    {of.length === 0 ? (
      <p class="muted">None.</p>
    ) : (
      <Rows
        label="Inputs"
        rows={of}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Name', cell: ({ name }) => <code>{name}</code> },
          { title: 'Type', cell: ({ type }) => <code title={type}>{type}</code> },
          {
            title: 'Default',
            cell: (input) => (input.required ? 'required' : <code>{input.default}</code>),
          },
          { title: 'Description', cell: ({ description }) => description, isMinor: true },
        ]}
      />
    )}
  </>
)
