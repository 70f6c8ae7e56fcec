/** What the page says of the console, in a `meta` element. */
export const metaOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="plinth-${name}"]`)?.content
