// A module registry in a SvelteKit app, at /v1.
import { createRegistry } from 'plinth/registry'

const registry = createRegistry()
export const fallback = ({ request }) => registry.fetch(request)
