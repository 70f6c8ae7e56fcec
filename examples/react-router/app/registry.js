// A module registry in a React Router app, at /v1.
import { createRegistry } from 'plinth/registry'

const registry = createRegistry()
export const loader = ({ request }) => registry.fetch(request)
export const action = loader
