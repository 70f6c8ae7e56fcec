import { stringText } from '../writing/selector-text.ts'
import type { Advice } from './advice.ts'

/** The same value in the syntax of its kind. A date means midnight, and a time without a zone is taken as UTC. */
export const adviseValue: Advice['value'] = (text, { read }) => {
  const time = text.replace(' ', 'T')
  const isYes = /^(yes|on)$/i.test(text)
  const meant = [
    isYes || /^(no|off)$/i.test(text) ? `${isYes}` : text.replace(/\s+/g, ''),
    `${time}T00:00:00Z`,
    `${time}:00Z`,
    `${time}Z`,
    time,
  ].find((other) => typeof read(other) !== 'string')
  if (meant === undefined) return { advice: adviseKind(text, 'it') }
  return { suggestion: /^[a-z]+$/.test(meant) ? meant : stringText(meant) }
}

/** Names of nil in other languages, which are strings here. */
export const isNull = (text: string): boolean => /^(null|none|undefined|nil)$/i.test(text)

/** For a value that looks like one of a kind that must be declared. */
export function adviseKind(text: string, field: string): string {
  if (isNull(text)) return '; for null use "is missing"'
  const kind = /^(\d{4}-\d\d-|now\b)/.test(text) ? 'time' : /^([\d.]+[hmsun]+)+$/.test(text) && 'duration'
  return kind ? `; if ${field} is a ${kind}, declare it in a schema or kinds` : ''
}
