import { viewPath } from '../data/base-path.ts'
import { type ServiceName, services } from '../data/services.ts'

const about: Readonly<Record<ServiceName, readonly [title: string, text: string]>> = {
  secrets: ['Secrets', 'Versioned secrets, policies and tokens.'],
  scheduler: ['Scheduler', 'Jobs, nodes, evaluations and deployments, live.'],
  gateway: ['Gateway', 'Health, worker and graceful shutdown.'],
  catalog: ['Catalog', 'Boxes with their versions and providers.'],
  registry: ['Registry', 'Modules with their inputs and outputs.'],
}

/** The services of this console. */
export default function Start() {
  return (
    <section class="view">
      <h1>Services</h1>
      <ul class="cards">
        {services.map((name) => (
          <li key={name}>
            <a class="card" href={viewPath(`/${name}`)} data-row-link>
              <strong>{about[name][0]}</strong>
              <span>{about[name][1]}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
