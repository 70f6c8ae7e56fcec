/**
 * Filters from rules of JsonLogic.
 *
 * @packageDocumentation
 */
export { fromJsonLogic } from './from-json-logic.ts'
