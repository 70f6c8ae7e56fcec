import { escaped } from './svg-text.ts'

/** A move of a state diagram; `[*]` is where it begins or ends. */
export interface Move {
  readonly from: string
  readonly to: string
  readonly label: string
}

export const edge = '[*]'

/**
 * Draws states below each other, each with its moves, final ones last: for columns that are narrower than a wide diagram.
 */
export const stackedStates = (states: Iterable<string>, ends: ReadonlySet<string>, moves: readonly Move[]) =>
  [
    '<dl class="states">',
    ...[...states]
      .filter((state) => state !== edge)
      .sort((a, b) => Number(ends.has(a)) - Number(ends.has(b)))
      .flatMap((state) => [
        `<dt${ends.has(state) ? ' class="end"' : ''}>${escaped(state)}</dt>`,
        ...moves
          .filter(({ from, to }) => from === state && to !== edge)
          .map(({ to, label }) => `<dd>${escaped(label)} → <b>${escaped(to)}</b></dd>`),
      ]),
    '</dl>',
  ].join('')
