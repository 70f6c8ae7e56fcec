/**
 * The element `<plinth-filter>`: a text box for filter expressions, for any framework or none. Importing this defines
 * it, in a host that has a DOM.
 *
 * @packageDocumentation
 */
import { PlinthFilterElement } from './filter-element.ts'

export { schemaOfFields } from '../checking/schema-of-fields.ts'
export type { FilterChange } from './judge.ts'
export { PlinthFilterElement }

declare global {
  interface HTMLElementTagNameMap {
    /** A text box for filter expressions. */
    'plinth-filter': PlinthFilterElement
  }
}

if (globalThis.customElements?.get('plinth-filter') === undefined)
  globalThis.customElements?.define('plinth-filter', PlinthFilterElement)
