import type { Advice } from './advice.ts'
import { stringText } from './selector-text.ts'

/** The same value, as its kind can be read. A day begins at midnight, and a time without a zone is meant in UTC. */
export const adviseValue: Advice['value'] = (text, { read }) => {
  const time = text.replace(' ', 'T')
  const isYes = /^(?:yes|on)$/i.test(text)
  const meant = [
    isYes || /^(?:no|off)$/i.test(text) ? `${isYes}` : text.replace(/\s+/g, ''),
    `${time}T00:00:00Z`,
    `${time}:00Z`,
    `${time}Z`,
    time,
  ].find((other) => typeof read(other) !== 'string')
  return meant && (/^[a-z]+$/.test(meant) ? meant : stringText(meant))
}
