import { useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { viewPath } from '../data/base-path.ts'
import { type ServiceName, services, titles, version } from '../data/services.ts'
import { kindPath, kinds } from '../views/administration/kinds.ts'
import { Icon } from './icon.tsx'
import { SchedulerSignIn } from './scheduler-sign-in.tsx'
import { ThemeChoice } from './theme.tsx'

type Listed = readonly (readonly [title: string, path: string])[]

/** What is administered of a service. */
const administered = (service: ServiceName): Listed =>
  kinds.filter((kind) => kind.service === service).map((kind) => [kind.title, kindPath(kind)])

/** The views of a service that its navigation lists. */
const subViews: Readonly<Record<ServiceName, Listed>> = {
  scheduler: [
    ['Jobs', '/scheduler/jobs'],
    ['Nodes', '/scheduler/nodes'],
    ['Allocations', '/scheduler/allocations'],
    ['Evaluations', '/scheduler/evaluations'],
    ['Deployments', '/scheduler/deployments'],
    ...administered('scheduler'),
  ],
  secrets: [
    ['Secrets', '/secrets'],
    ['Policies', '/secrets/policies'],
    ['Tokens', '/secrets/tokens'],
    ...administered('secrets'),
  ],
  gateway: [],
  catalog: [['Boxes', '/catalog'], ...administered('catalog')],
  registry: [['Modules', '/registry'], ...administered('registry')],
}

/** The services, and the views of the current one. */
export function Navigation() {
  const { path } = useLocation()
  const isAt = (view: string) => path === viewPath(view) || path.startsWith(`${viewPath(view)}/`)
  /** The most specific view that contains the path. */
  const current = Object.values(subViews)
    .flatMap((of) => of.map(([, view]) => view))
    .filter(isAt)
    .sort((a, b) => b.length - a.length)[0]
  const bar = useRef<HTMLElement>(null)
  // On a phone the views are one row, which scrolls to the current one.
  useLayoutEffect(() => {
    const at = bar.current?.querySelector<HTMLElement>('.sub [aria-current]')
    const row = at?.closest('ul')
    if (at && row) row.scrollLeft += at.getBoundingClientRect().left - row.getBoundingClientRect().left - 40
  }, [current])
  return (
    <header class="bar" ref={bar}>
      <a class="brand" href={viewPath('/')}>
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <path d="M2 3h14v3H2zM4 7h10v7H4zM1 15h16v2H1z" fill="currentColor" />
        </svg>
        Plinth
      </a>
      <nav aria-label="Services">
        <ul>
          {services.map((name) => (
            <li key={name}>
              <a href={viewPath(`/${name}`)} aria-current={isAt(`/${name}`) ? 'page' : undefined}>
                <Icon name={name} />
                {titles[name]}
              </a>
              {isAt(`/${name}`) && subViews[name].length > 0 && (
                <ul class="sub">
                  {subViews[name].map(([title, view]) => (
                    <li key={view}>
                      <a href={viewPath(view)} aria-current={view === current ? 'page' : undefined}>
                        {title}
                      </a>
                    </li>
                  ))}
                  {name === 'scheduler' && (
                    <li>
                      <SchedulerSignIn />
                    </li>
                  )}
                </ul>
              )}
            </li>
          ))}
        </ul>
      </nav>
      <span class="foot">
        <ThemeChoice />
        <span class="version">{version}</span>
      </span>
    </header>
  )
}
