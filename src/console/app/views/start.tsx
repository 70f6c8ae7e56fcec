import type { ComponentChildren } from 'preact'
import { viewPath } from '../data/base-path.ts'
import { call } from '../data/call.ts'
import { type Read, useResource } from '../data/resource.ts'
import { type ServiceName, services, titles } from '../data/services.ts'
import { tokens } from '../data/tokens.ts'
import { Status } from '../ui/status.tsx'
import { View } from '../ui/view.tsx'
import { conditionOf, probe } from './gateway/health.ts'
import { expiresSoon, type SealStatus, tokensFound } from './secrets/api.ts'

/** How often the numbers are read. */
const againMs = 5000
/** Boxes and modules that are counted: a longer list counts as this many or more. */
const mostListed = 100

/** A number of a service: what it counts, and the list of it. */
interface Figure {
  readonly label: string
  readonly value: ComponentChildren
  readonly view: string
  /** Marks a number that needs attention. */
  readonly isBad?: boolean
}

interface Summary {
  readonly about: string
  readonly read: Read<readonly Figure[]>
}

const counted = (count: number, isWhole = true): string =>
  `${count.toLocaleString('en')}${isWhole ? '' : '+'}`

const listOf = (view: string, filter: string): string => `${view}?filter=${encodeURIComponent(filter)}`

interface Gauge {
  readonly Name: string
  readonly Value: number
  readonly Labels: Readonly<Record<string, string>>
}

const summaries: Readonly<Record<ServiceName, Summary>> = {
  scheduler: {
    about: 'Jobs, the nodes that run them, and their deployments.',
    read: async ({ signal }) => {
      const { body } = await call<{ readonly Gauges: readonly Gauge[] }>('scheduler', '/v1/metrics', {
        signal,
      })
      const figure = (
        label: string,
        [kind, status]: readonly [kind: string, status: string],
        isBad = false,
      ): Figure => {
        const count =
          body.Gauges.find(({ Name, Labels }) => Name === `scheduler.${kind}` && Labels['status'] === status)
            ?.Value ?? 0
        const view = listOf(`/scheduler/${kind}`, `Status == "${status}"`)
        return { label, value: counted(count), view, isBad: isBad && count > 0 }
      }
      return {
        value: [
          figure('jobs running', ['jobs', 'running']),
          figure('jobs pending', ['jobs', 'pending']),
          figure('jobs dead', ['jobs', 'dead']),
          figure('waiting for a node', ['evaluations', 'blocked'], true),
          figure('deployments running', ['deployments', 'running']),
          figure('deployments failed', ['deployments', 'failed'], true),
          figure('nodes ready', ['nodes', 'ready']),
          figure('nodes down', ['nodes', 'down'], true),
        ],
        againMs,
      }
    },
  },
  secrets: {
    about: 'Versioned secrets, policies and tokens.',
    read: async ({ signal }) => {
      const { body } = await call<SealStatus>('secrets', '/v1/sys/seal-status', { signal })
      const seal = body.sealed ? 'sealed' : body.initialized ? 'unsealed' : 'not initialised'
      const state: Figure = { label: 'seal', value: <Status of={seal} />, view: '/secrets' }
      const isSignedIn = tokens.value.secrets !== undefined && !body.sealed
      const found = isSignedIn ? await tokensFound(signal).catch(() => undefined) : undefined
      return {
        value: found
          ? [
              state,
              {
                label: found.tokens.length === 1 ? 'token' : 'tokens',
                value: counted(found.tokens.length, found.isWhole),
                view: '/secrets/tokens',
              },
              {
                label: 'expire within a day',
                value: counted(found.tokens.filter(expiresSoon).length, found.isWhole),
                view: '/secrets/tokens',
              },
            ]
          : isSignedIn
            ? [state]
            : [state, { label: 'to see tokens', value: 'Sign in', view: '/secrets' }],
        againMs,
      }
    },
  },
  gateway: {
    about: 'Health, the worker and its sessions.',
    read: async ({ signal }) => {
      const sample = await probe(signal)
      const sessions = sample.worker?.active_session_count
      return {
        value: [
          { label: 'health', value: <Status of={conditionOf(sample)} />, view: '/gateway' },
          ...(sessions === undefined
            ? []
            : [{ label: 'sessions', value: counted(sessions), view: '/gateway' }]),
        ],
        againMs,
      }
    },
  },
  catalog: {
    about: 'Vagrant boxes with their versions and providers.',
    read: async ({ signal }) => {
      const { body } = await call<{ readonly boxes: readonly { readonly downloads: number }[] }>(
        'catalog',
        '/api/v2/search',
        { query: { limit: mostListed }, signal },
      )
      return { value: published('boxes', '/catalog', body.boxes) }
    },
  },
  registry: {
    about: 'Terraform modules with their inputs and outputs.',
    read: async ({ signal }) => {
      const { body } = await call<{ readonly modules: readonly { readonly downloads: number }[] }>(
        'registry',
        '/v1/modules',
        { query: { limit: mostListed }, signal },
      )
      return { value: published('modules', '/registry', body.modules) }
    },
  },
}

const published = (
  what: string,
  view: string,
  rows: readonly { readonly downloads: number }[],
): readonly Figure[] => {
  const isWhole = rows.length < mostListed
  const downloads = rows.reduce((sum, row) => sum + row.downloads, 0)
  return [
    { label: what, value: counted(rows.length, isWhole), view },
    { label: 'downloads', value: counted(downloads, isWhole), view },
  ]
}

/** Each service with its numbers, which link to their lists. */
export default function Start() {
  return (
    <View title="Overview">
      <ul class="cards">
        {services.map((name) => (
          <Card key={name} name={name} />
        ))}
      </ul>
    </View>
  )
}

function Card({ name }: { readonly name: ServiceName }) {
  const { about, read } = summaries[name]
  const { value, problem } = useResource(read, [name]).state.value
  return (
    <li class="card">
      <h2>
        <a href={viewPath(`/${name}`)} data-row-link>
          {titles[name]}
        </a>
      </h2>
      <p class="muted">{about}</p>
      {problem && (
        <p>
          <Status of={problem.status === 401 || problem.status === 403 ? 'sign-in needed' : 'unreachable'} />{' '}
          <span class="muted">{problem.message}</span>
        </p>
      )}
      <ul class="figures">
        {(value ?? []).map(({ label, value: shown, view, isBad }) => (
          <li key={label}>
            <a href={viewPath(view)} class={isBad ? 'bad' : undefined}>
              <strong>{shown}</strong> <span>{label}</span>
            </a>
          </li>
        ))}
      </ul>
    </li>
  )
}
