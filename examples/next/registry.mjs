// One registry for all routes of a process: Next bundles each route by itself.
import { createRegistry } from 'plinth/registry'

globalThis.registry ??= createRegistry()
export const { registry } = globalThis
