/** Outlines on a grid of 16, drawn with lines of 1.5. */
const outlines = {
  ascending: 'M4 10l4-4 4 4',
  descending: 'M4 6l4 4 4-4',
  add: 'M8 3v10M3 8h10',
  overview: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  secrets: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  scheduler: 'M2.5 3.5h11v3h-11zM2.5 9.5h11v3h-11zM5 5h.01M5 11h.01',
  gateway: 'M2 8h3l2-4.5 2.5 9L11.5 8H14',
  catalog: 'M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6',
  registry: 'M3 2.5h7.5L13 5v8.5H3zM5.5 7h5M5.5 10h5',
} as const

export type IconName = keyof typeof outlines

/** A small picture beside a word, which says the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <path d={outlines[name]} />
  </svg>
)
